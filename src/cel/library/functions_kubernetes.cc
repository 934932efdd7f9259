// The types that Kubernetes adds (Quantity, Semver, IP, CIDR, URL, NamedFormat), and the functions of device selectors.

#include "cel/compile/declarations.h"
#include "cel/eval/frame.h"
#include "cel/eval/maps.h"
#include "cel/library/named_format.h"
#include "cel/library/net.h"
#include "cel/library/url.h"

namespace allot::cel {
namespace {

using Args = std::span<const Value>;
using model::Quantity;
using model::Version;

// ---- Quantity ----

Value ToQuantity(Frame& frame, Args args) {
  auto quantity = Quantity::Parse(args[0].Text());
  if (!quantity.ok()) return frame.NewError(quantity.status().message());
  return Value::Of(frame.arena.New<Quantity>(*std::move(quantity)));
}
Value IsQuantity(Frame&, Args args) { return Value::Bool(Quantity::Parse(args[0].Text()).ok()); }
Value QuantitySign(Frame&, Args args) { return Value::Int(args[0].quantity->Sign()); }
Value QuantityGreater(Frame&, Args args) { return Value::Bool(args[0].quantity->Compare(*args[1].quantity) > 0); }
Value QuantityLess(Frame&, Args args) { return Value::Bool(args[0].quantity->Compare(*args[1].quantity) < 0); }
Value QuantityCompare(Frame&, Args args) {
  const int order = args[0].quantity->Compare(*args[1].quantity);
  return Value::Int(order < 0 ? -1 : order > 0 ? 1 : 0);
}
Value QuantityFloat(Frame&, Args args) { return Value::Double(args[0].quantity->AsApproximateFloat64()); }
Value QuantityInteger(Frame&, Args args) {
  const auto value = args[0].quantity->AsInt64();
  return value ? Value::Int(*value) : Value::Error("cannot convert value to integer");
}
Value QuantityIsInteger(Frame&, Args args) { return Value::Bool(args[0].quantity->AsInt64().has_value()); }

Value Computed(const Quantity* quantity) {
  Value value = Value::Of(quantity);
  value.flags = Value::kComputed;
  return value;
}
Quantity Amount(const Value& value) {
  return value.Is(Kind::kInt) ? Quantity::FromInt64(value.integer, Quantity::Format::kDecimalExponent) : *value.quantity;
}
Value QuantityAdd(Frame& frame, Args args) {
  Quantity* const sum = frame.arena.New<Quantity>(*args[0].quantity);
  sum->Add(Amount(args[1]));
  return Computed(sum);
}
Value QuantitySub(Frame& frame, Args args) {
  Quantity* const difference = frame.arena.New<Quantity>(*args[0].quantity);
  difference->Sub(Amount(args[1]));
  return Computed(difference);
}

constexpr Declaration kQuantity[] = {
    {"quantity", "string_to_quantity", "string->Quantity", ToQuantity},
    {"isQuantity", "is_quantity_string", "string->bool", IsQuantity},
    {"sign", "quantity_sign", "Quantity->int", QuantitySign},
    {"isGreaterThan", "quantity_is_greater_than", ".Quantity,Quantity->bool", QuantityGreater},
    {"isLessThan", "quantity_is_less_than", ".Quantity,Quantity->bool", QuantityLess},
    {"compareTo", "quantity_compare_to", ".Quantity,Quantity->int", QuantityCompare},
    {"asApproximateFloat", "quantity_get_float", ".Quantity->double", QuantityFloat},
    {"asInteger", "quantity_get_int", ".Quantity->int", QuantityInteger},
    {"isInteger", "quantity_is_integer", ".Quantity->bool", QuantityIsInteger},
    {"add", "quantity_add", ".Quantity,Quantity->Quantity", QuantityAdd},
    {"add", "quantity_add_int", ".Quantity,int->Quantity", QuantityAdd},
    {"sub", "quantity_sub", ".Quantity,Quantity->Quantity", QuantitySub},
    {"sub", "quantity_sub_int", ".Quantity,int->Quantity", QuantitySub},
};

// ---- Semver ----

Result<Version> ReadVersion(Args args) {
  const bool normalize = args.size() > 1 && args[1].boolean;
  return normalize ? Version::ParseNormalized(args[0].Text()) : Version::Parse(args[0].Text());
}
Value ToSemver(Frame& frame, Args args) {
  auto version = ReadVersion(args);
  if (!version.ok()) return frame.NewError(version.status().message());
  return Value::Of(frame.arena.New<Version>(*std::move(version)));
}
Value IsSemver(Frame&, Args args) { return Value::Bool(ReadVersion(args).ok()); }
Value SemverGreater(Frame&, Args args) { return Value::Bool(args[0].version->Compare(*args[1].version) > 0); }
Value SemverLess(Frame&, Args args) { return Value::Bool(args[0].version->Compare(*args[1].version) < 0); }
Value SemverCompare(Frame&, Args args) {
  const int order = args[0].version->Compare(*args[1].version);
  return Value::Int(order < 0 ? -1 : order > 0 ? 1 : 0);
}
Value SemverMajor(Frame&, Args args) { return Value::Int(static_cast<int64_t>(args[0].version->major())); }
Value SemverMinor(Frame&, Args args) { return Value::Int(static_cast<int64_t>(args[0].version->minor())); }
Value SemverPatch(Frame&, Args args) { return Value::Int(static_cast<int64_t>(args[0].version->patch())); }

constexpr Declaration kSemver[] = {
    {"semver", "string_to_semver", "string->Semver", ToSemver},
    {"semver", "string_bool_to_semver", "string,bool->Semver", ToSemver},
    {"isSemver", "is_semver_string", "string->bool", IsSemver},
    {"isSemver", "is_semver_string_bool", "string,bool->bool", IsSemver},
    {"isGreaterThan", "semver_is_greater_than", ".Semver,Semver->bool", SemverGreater},
    {"isLessThan", "semver_is_less_than", ".Semver,Semver->bool", SemverLess},
    {"compareTo", "semver_compare_to", ".Semver,Semver->int", SemverCompare},
    {"major", "semver_major", ".Semver->int", SemverMajor},
    {"minor", "semver_minor", ".Semver->int", SemverMinor},
    {"patch", "semver_patch", ".Semver->int", SemverPatch},
};

// ---- IP and CIDR ----

Value ToIp(Frame& frame, Args args) {
  const auto ip = ParseIp(args[0].Text());
  return ip ? Value::Of(frame.arena.New<Ip>(*ip)) : Value::Error("not an IP address");
}
Value IsIp(Frame&, Args args) { return Value::Bool(ParseIp(args[0].Text()).has_value()); }
Value IsCanonical(Frame&, Args args) {
  const auto ip = ParseIp(args[0].Text());
  return ip ? Value::Bool(ip->ToString() == args[0].Text()) : Value::Error("not an IP address");
}
Value IpFamily(Frame&, Args args) { return Value::Int(args[0].ip->v4 ? 4 : 6); }
Value IpUnspecified(Frame&, Args args) { return Value::Bool(args[0].ip->IsUnspecified()); }
Value IpLoopback(Frame&, Args args) { return Value::Bool(args[0].ip->IsLoopback()); }
Value IpLinkLocalMulticast(Frame&, Args args) { return Value::Bool(args[0].ip->IsLinkLocalMulticast()); }
Value IpLinkLocalUnicast(Frame&, Args args) { return Value::Bool(args[0].ip->IsLinkLocalUnicast()); }
Value IpGlobalUnicast(Frame&, Args args) { return Value::Bool(args[0].ip->IsGlobalUnicast()); }
Value IpToString(Frame& frame, Args args) { return frame.NewString(args[0].ip->ToString()); }

constexpr Declaration kIp[] = {
    {"ip", "string_to_ip", "string->IP", ToIp},
    {"family", "ip_family", ".IP->int", IpFamily},
    {"ip.isCanonical", "ip_is_canonical", "string->bool", IsCanonical},
    {"isUnspecified", "ip_is_unspecified", ".IP->bool", IpUnspecified},
    {"isLoopback", "ip_is_loopback", ".IP->bool", IpLoopback},
    {"isLinkLocalMulticast", "ip_is_link_local_multicast", ".IP->bool", IpLinkLocalMulticast},
    {"isLinkLocalUnicast", "ip_is_link_local_unicast", ".IP->bool", IpLinkLocalUnicast},
    {"isGlobalUnicast", "ip_is_global_unicast", ".IP->bool", IpGlobalUnicast},
    {"isIP", "is_ip", "string->bool", IsIp},
    {"string", "ip_to_string", "IP->string", IpToString},
};

Value ToCidr(Frame& frame, Args args) {
  const auto cidr = ParseCidr(args[0].Text());
  return cidr ? Value::Of(frame.arena.New<Cidr>(*cidr)) : Value::Error("not a network address");
}
Value IsCidr(Frame&, Args args) { return Value::Bool(ParseCidr(args[0].Text()).has_value()); }
Value CidrContainsIp(Frame&, Args args) {
  if (args[1].Is(Kind::kIp)) return Value::Bool(args[0].cidr->Contains(*args[1].ip));
  const auto ip = ParseIp(args[1].Text());
  return ip ? Value::Bool(args[0].cidr->Contains(*ip)) : Value::Error(kNoSuchOverload);
}
Value CidrContainsCidr(Frame&, Args args) {
  if (args[1].Is(Kind::kCidr)) return Value::Bool(args[0].cidr->Contains(*args[1].cidr));
  const auto cidr = ParseCidr(args[1].Text());
  return cidr ? Value::Bool(args[0].cidr->Contains(*cidr)) : Value::Error("not a network address");
}
Value CidrIp(Frame&, Args args) { return Value::Of(&args[0].cidr->address); }
Value CidrPrefix(Frame&, Args args) { return Value::Int(args[0].cidr->bits); }
Value CidrMasked(Frame& frame, Args args) { return Value::Of(frame.arena.New<Cidr>(args[0].cidr->Masked())); }
Value CidrToString(Frame& frame, Args args) { return frame.NewString(args[0].cidr->ToString()); }

constexpr Declaration kCidr[] = {
    {"cidr", "string_to_cidr", "string->CIDR", ToCidr},
    {"containsIP", "cidr_contains_ip_string", ".CIDR,string->bool", CidrContainsIp},
    {"containsIP", "cidr_contains_ip_ip", ".CIDR,IP->bool", CidrContainsIp},
    {"containsCIDR", "cidr_contains_cidr_string", ".CIDR,string->bool", CidrContainsCidr},
    {"containsCIDR", "cidr_contains_cidr", ".CIDR,CIDR->bool", CidrContainsCidr},
    {"ip", "cidr_ip", ".CIDR->IP", CidrIp},
    {"prefixLength", "cidr_prefix_length", ".CIDR->int", CidrPrefix},
    {"masked", "cidr_masked", ".CIDR->CIDR", CidrMasked},
    {"isCIDR", "is_cidr", "string->bool", IsCidr},
    {"string", "cidr_to_string", "CIDR->string", CidrToString},
};

// ---- URL ----

Value ToUrl(Frame& frame, Args args) {
  auto url = ParseUrl(args[0].Text());
  return url ? Value::Of(frame.arena.New<Url>(*std::move(url))) : Value::Error("not a URL");
}
Value IsUrl(Frame&, Args args) { return Value::Bool(IsRequestUri(args[0].Text())); }
Value UrlScheme(Frame&, Args args) { return Value::String(args[0].url->scheme); }
Value UrlHost(Frame&, Args args) { return Value::String(args[0].url->host); }
Value UrlHostname(Frame& frame, Args args) { return frame.NewString(args[0].url->Hostname()); }
Value UrlPort(Frame& frame, Args args) { return frame.NewString(args[0].url->Port()); }
Value UrlPath(Frame& frame, Args args) { return frame.NewString(args[0].url->EscapedPath()); }
Value UrlQuery(Frame& frame, Args args) {
  HashMap* const query = frame.arena.New<HashMap>(frame.arena);
  for (const auto& [name, values] : args[0].url->Query()) {
    Value* const items = frame.arena.Array<Value>(values.size());
    for (size_t i = 0; i < values.size(); ++i) items[i] = frame.NewString(values[i]);
    query->Put(frame.NewString(name), frame.NewList(items, values.size()));
  }
  return Value::Of(static_cast<const Map*>(query));
}

constexpr Declaration kUrl[] = {
    {"url", "string_to_url", "string->URL", ToUrl},
    {"getScheme", "url_get_scheme", ".URL->string", UrlScheme},
    {"getHost", "url_get_host", ".URL->string", UrlHost},
    {"getHostname", "url_get_hostname", ".URL->string", UrlHostname},
    {"getPort", "url_get_port", ".URL->string", UrlPort},
    {"getEscapedPath", "url_get_escaped_path", ".URL->string", UrlPath},
    {"getQuery", "url_get_query", ".URL->map(string,list(string))", UrlQuery},
    {"isURL", "is_url_string", "string->bool", IsUrl},
};

// ---- NamedFormat ----

Value FormatNamed(Frame& frame, Args args) {
  const NamedFormat* const format = FindNamedFormat(args[0].Text());
  return format == nullptr ? Value::Optional(nullptr) : frame.NewOptional(Value::Of(format));
}

Value ValidateFormat(Frame& frame, Args args) {
  const auto problems = args[0].format->validate(args[1].Text());
  if (problems.empty()) return Value::Optional(nullptr);
  Value* const items = frame.arena.Array<Value>(problems.size());
  for (size_t i = 0; i < problems.size(); ++i) items[i] = frame.NewString(problems[i]);
  return frame.NewOptional(frame.NewList(items, problems.size()));
}

template <size_t kIndex>
Value FormatNumber(Frame&, Args) {
  return Value::Of(&NamedFormats()[kIndex]);
}

#define NAMED_FORMAT(name, index) {"format." name, "format." name, "->Format", FormatNumber<index>, Declaration::kVariadic}

constexpr Declaration kNamedFormat[] = {
    {"validate", "format-validate", ".Format,string->optional(list(string))", ValidateFormat},
    {"format.named", "format-named", "string->optional(Format)", FormatNamed},
    NAMED_FORMAT("dns1123Label", 0),
    NAMED_FORMAT("dns1123Subdomain", 1),
    NAMED_FORMAT("dns1035Label", 2),
    NAMED_FORMAT("qualifiedName", 3),
    NAMED_FORMAT("dns1123LabelPrefix", 4),
    NAMED_FORMAT("dns1123SubdomainPrefix", 5),
    NAMED_FORMAT("dns1035LabelPrefix", 6),
    NAMED_FORMAT("labelValue", 7),
    NAMED_FORMAT("uri", 8),
    NAMED_FORMAT("uuid", 9),
    NAMED_FORMAT("byte", 10),
    NAMED_FORMAT("date", 11),
    NAMED_FORMAT("datetime", 12),
};

#undef NAMED_FORMAT

// ---- Authorization: the types exist, but a selector never has a value of one ----

Value Unauthorized(Frame&, Args) { return Value::Error(kNoSuchOverload); }

constexpr Declaration kAuthorization[] = {
    {"path", "authorizer_path", ".authzAuthorizer,string->authzPathCheck", Unauthorized},
    {"group", "authorizer_group", ".authzAuthorizer,string->authzGroupCheck", Unauthorized},
    {"serviceAccount", "authorizer_serviceaccount", ".authzAuthorizer,string,string->authzAuthorizer", Unauthorized,
     Declaration::kVariadic},
    {"resource", "groupcheck_resource", ".authzGroupCheck,string->authzResourceCheck", Unauthorized},
    {"subresource", "resourcecheck_subresource", ".authzResourceCheck,string->authzResourceCheck", Unauthorized},
    {"namespace", "resourcecheck_namespace", ".authzResourceCheck,string->authzResourceCheck", Unauthorized},
    {"name", "resourcecheck_name", ".authzResourceCheck,string->authzResourceCheck", Unauthorized},
    {"check", "pathcheck_check", ".authzPathCheck,string->authzDecision", Unauthorized},
    {"check", "resourcecheck_check", ".authzResourceCheck,string->authzDecision", Unauthorized},
    {"errored", "decision_errored", ".authzDecision->bool", Unauthorized},
    {"error", "decision_error", ".authzDecision->string", Unauthorized},
    {"allowed", "decision_allowed", ".authzDecision->bool", Unauthorized},
    {"reason", "decision_reason", ".authzDecision->string", Unauthorized},
    {"fieldSelector", "authorizer_fieldselector", ".authzResourceCheck,string->authzResourceCheck", Unauthorized},
    {"labelSelector", "authorizer_labelselector", ".authzResourceCheck,string->authzResourceCheck", Unauthorized},
};

// ---- Device selectors ----

// Returns whether an attribute equals the value, or is a list that contains it.
Value Includes(Frame& frame, Args args) {
  constexpr uint64_t kMaxValues = 48;
  if (!args[0].Is(Kind::kList)) {
    const Value equal = EqualValues(frame, args[0], args[1]);
    return equal.IsFatal() ? equal : Value::Bool(equal.IsTrue());
  }
  for (uint64_t i = 0; i < args[0].list->size; ++i) {
    if (i >= kMaxValues) return Value::Error("'includes' cannot be applied to lists longer than 48 values");
    const Value equal = EqualValues(frame, args[0].list->At(i), args[1]);
    if (equal.IsFatal() || equal.IsTrue()) return equal;
  }
  return Value::Bool(false);
}

constexpr Declaration kDevice[] = {
    {"includes", "dra_includes_dyn_dyn", ".dyn,dyn->bool", Includes},
};

}  // namespace

std::span<const Declaration> QuantityFunctions() { return kQuantity; }
std::span<const Declaration> SemverFunctions() { return kSemver; }
std::span<const Declaration> IpFunctions() { return kIp; }
std::span<const Declaration> CidrFunctions() { return kCidr; }
std::span<const Declaration> UrlFunctions() { return kUrl; }
std::span<const Declaration> NamedFormatFunctions() { return kNamedFormat; }
std::span<const Declaration> AuthorizationFunctions() { return kAuthorization; }
std::span<const Declaration> DeviceFunctions() { return kDevice; }

}  // namespace allot::cel
