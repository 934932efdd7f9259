#include "base/strings.h"
#include "model/quantity.h"
#include "tests/conformance/case.h"

namespace allot::conformance {
namespace {

using model::Quantity;

// Show long values in full: the difference may be in the last digit.
constexpr size_t kLong = 1 << 20;

class Differences {
 public:
  void Check(std::string_view what, std::string_view expected, std::string_view got) {
    if (expected != got) differences_.push_back(StrCat(what, ": expected ", expected, ", got ", got));
  }
  void Add(std::string difference) { differences_.push_back(std::move(difference)); }
  std::vector<std::string> Take() { return std::move(differences_); }

 private:
  std::vector<std::string> differences_;
};

std::string Text(const json::Value& value) {
  if (value.IsNull()) return "nothing";
  if (value.IsString()) return Quoted(value.AsString(), kLong);
  if (value.IsNumber()) return std::string(value.NumberText());
  return value.IsBool() ? StrCat(value.AsBool()) : "something else";
}

std::string_view FormatName(Quantity::Format format) {
  switch (format) {
    case Quantity::Format::kDecimalSI: return "DecimalSI";
    case Quantity::Format::kBinarySI: return "BinarySI";
    case Quantity::Format::kDecimalExponent: return "DecimalExponent";
  }
  return "";
}

std::vector<std::string> CompareParse(std::string_view text, const json::Value& expect) {
  Differences differences;
  const Result<Quantity> quantity = Quantity::Parse(text);
  differences.Check("ok", Text(expect["ok"]), StrCat(quantity.ok()));
  if (!quantity.ok() || !expect["ok"].IsBool() || !expect["ok"].AsBool()) return differences.Take();
  differences.Check("string", Text(expect["string"]), Quoted(quantity->ToString(), kLong));
  differences.Check("format", Text(expect["format"]), Quoted(FormatName(quantity->format())));
  differences.Check("sign", Text(expect["sign"]), StrCat(quantity->Sign()));
  // Kubernetes' value, also if the number does not fit into 64 bits.
  if (!expect["value"].IsNull()) differences.Check("value", Text(expect["value"]), StrCat(quantity->WrappedValue()));
  if (!expect["milli"].IsNull()) differences.Check("milli", Text(expect["milli"]), StrCat(quantity->WrappedMilliValue()));
  return differences.Take();
}

std::vector<std::string> ComparePair(std::string_view left, std::string_view right, const json::Value& expect) {
  Differences differences;
  const Result<Quantity> a = Quantity::Parse(left), b = Quantity::Parse(right);
  if (!a.ok() || !b.ok()) {
    differences.Add(StrCat("does not parse: ", (a.ok() ? b : a).status().message()));
    return differences.Take();
  }
  Quantity sum = *a, difference = *a;
  sum.Add(*b);
  difference.Sub(*b);
  differences.Check("cmp", Text(expect["cmp"]), StrCat(a->Compare(*b)));
  differences.Check("add", Text(expect["add"]), Quoted(sum.ToString(), kLong));
  differences.Check("sub", Text(expect["sub"]), Quoted(difference.ToString(), kLong));
  return differences.Take();
}

}  // namespace

std::vector<std::string> CompareQuantity(const json::Value& value, const json::Value& expect) {
  // The text is "in" in vectors, and "parse" in questions to the oracle.
  for (const std::string_view key : {"in", "parse"}) {
    if (value[key].IsString()) return CompareParse(value[key].AsString(), expect);
  }
  if (value["a"].IsString() && value["b"].IsString()) return ComparePair(value["a"].AsString(), value["b"].AsString(), expect);
  return {"not a quantity case: expected \"in\", or \"a\" and \"b\""};
}

}  // namespace allot::conformance
