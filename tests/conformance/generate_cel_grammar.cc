#include "generate_cel_grammar.h"

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace allot::conformance {

namespace {

constexpr int kTypes = static_cast<int>(Type::kAttribute) + 1;

std::string Cat(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

// Makes expressions of a type. The elements of Cat's list are evaluated from left to right.
class Grammar {
 public:
  Grammar(Dice& dice, const Subject& subject) : dice_(dice), subject_(subject) {}

  std::string Make(Type type, int depth) {
    if (dice_.PerMille(subject_.wrong)) type = static_cast<Type>(dice_.Below(kTypes));
    if (dice_.PerMille(8) && depth > 0) return Cat({"dyn(", Make(type, depth - 1), ")"});
    if (dice_.PerMille(10) && depth > 0)
      return Cat({Make(Type::kBool, depth - 1), " ? ", Make(type, depth - 1), " : ", Make(type, depth - 1)});
    if (dice_.PerMille(10) && depth > 0) return Bind(type, depth - 1);
    for (const auto& [name, kind] : scope_) {
      if (kind == type && dice_.Percent(45)) return name;
    }
    switch (type) {
      case Type::kBool: return Bool(depth);
      case Type::kInt: return Int(depth);
      case Type::kUint:
        return depth > 0 && dice_.Percent(40) ? Cat({"uint(", Make(Type::kInt, depth - 1), ")"})
                                              : dice_.Pick({"1u", "0u", "42u", "18446744073709551615u", "0xFFu"});
      case Type::kDouble: return Double(depth);
      case Type::kString: return String(depth);
      case Type::kBytes:
        return depth > 0 && dice_.Percent(40) ? Cat({"bytes(", Make(Type::kString, depth - 1), ")"})
                                              : dice_.Pick({"b'abc'", "b\"\\xff\"", "b''", "rb'\\x'"});
      case Type::kQuantity: return Quantity(depth);
      case Type::kSemver: return Semver(depth);
      case Type::kInts: return Ints(depth);
      case Type::kStrings: return Strings(depth);
      case Type::kMap: return Map(depth);
      case Type::kDuration: return Duration(depth);
      case Type::kTimestamp: return Timestamp(depth);
      case Type::kIp: return Cat({"ip(", IpText(), ")"});
      case Type::kCidr:
        return depth > 0 && dice_.Percent(15) ? Cat({Make(Type::kCidr, depth - 1), ".masked()"}) : Cat({"cidr(", CidrText(), ")"});
      case Type::kUrl: return Cat({"url(", UrlText(), ")"});
      case Type::kOptional: return Optional(depth);
      case Type::kAttribute: return Attribute({});
    }
    return "true";
  }

 private:
  std::string Quoted(std::string_view text) {
    switch (dice_.Weighted({60, 25, 5, 5, 5})) {
      case 0: return Cat({"'", std::string(text), "'"});
      case 1: return Cat({"\"", std::string(text), "\""});
      case 2: return Cat({"r'", std::string(text), "'"});
      case 3: return Cat({"'''", std::string(text), "'''"});
      default: return Cat({"\"\"\"", std::string(text), "\"\"\""});
    }
  }

  std::string Domain() {
    if (dice_.Percent(85)) return subject_.driver;
    return dice_.Pick({"resource.kubernetes.io", "gpu.intel.com", "nobody.example.com", ""});
  }

  // An attribute of the kind ("string", "int", "bool", "version"), or of any kind if it is empty.
  std::string Attribute(std::string_view kind) {
    std::string domain = Domain();
    std::string name = dice_.Pick({"productName", "index", "ecc", "driverVersion"});
    if (kind == "string") name = dice_.Pick({"productName", "uuid", "model"});
    if (kind == "int") name = dice_.Pick({"index", "numa"});
    if (kind == "bool") name = dice_.Pick({"ecc", "mig"});
    if (kind == "version") name = dice_.Pick({"driverVersion", "cuda"});
    if (kind == "list") name = dice_.Pick({"links", "numas", "index"});
    if (dice_.Percent(subject_.unknown_names)) name = "missing";
    if (dice_.Percent(6) && kind == "string") {
      domain = "resource.kubernetes.io";
      name = "pcieRoot";
    }
    const std::string map = Cat({"device.attributes[", Quoted(domain), "]"});
    switch (dice_.Weighted({75, 20, 5})) {
      case 0: return map + '.' + name;
      case 1: return Cat({map, "[", Quoted(name), "]"});
      default: break;
    }
    const std::string otherwise = kind == "int" ? "0" : kind == "bool" ? "false" : kind == "version" ? "semver('1.0.0')" : "'none'";
    return Cat({map, dice_.Percent(50) ? ".?" + name : "[?'" + name + "']", ".orValue(", otherwise, ")"});
  }

  std::string Bind(Type type, int depth) {
    const Type of = dice_.Pick({Type::kInt, Type::kString, Type::kBool, Type::kInts});
    const std::string name = "v" + std::to_string(scope_.size());
    const std::string value = Make(of, depth);
    scope_.emplace_back(name, of);
    const std::string body = Make(type, depth);
    scope_.pop_back();
    return Cat({"cel.bind(", name, ", ", value, ", ", body, ")"});
  }

  // An expression with a variable of type `element`; sets its name.
  std::string Over(Type element, Type result, int depth, std::string& name) {
    name = dice_.Pick({"x", "y", "e"});
    if (!scope_.empty()) name += std::to_string(scope_.size());
    scope_.emplace_back(name, element);
    std::string body = Make(result, depth);
    scope_.pop_back();
    return body;
  }

  std::string Macro(const char* macro, Type list, Type element, Type result, int depth) {
    const std::string target = Make(list, depth);
    std::string name;
    const std::string body = Over(element, result, depth, name);
    return Cat({target, ".", macro, "(", name, ", ", body, ")"});
  }

  std::string Bool(int depth) {
    if (depth <= 0) {
      switch (dice_.Weighted({20, 20, 20, 20, 20})) {
        case 0: return "true";
        case 1: return "false";
        case 2: return "device.allowMultipleAllocations";
        case 3: return Attribute("bool");
        default: return Cat({"device.driver == ", Quoted(subject_.driver)});
      }
    }
    const int d = depth - 1;
    const auto one = [&](const char* before, Type type, const char* after) { return Cat({before, Make(type, d), after}); };
    const auto two = [&](Type a, const char* between, Type b, const char* after) { return Cat({Make(a, d), between, Make(b, d), after}); };
    switch (dice_.Below(46)) {
      case 0:
      case 1: return Cat({"(", two(Type::kBool, " && ", Type::kBool, ")")});
      case 2:
      case 3: return Cat({"(", two(Type::kBool, " || ", Type::kBool, ")")});
      case 4: return one("!(", Type::kBool, ")");
      case 5:
      case 6: {
        const Type type = static_cast<Type>(dice_.Below(kTypes - 1));
        return Cat({Make(type, d), dice_.Pick({" == ", " != "}), Make(type, d)});
      }
      case 7:
      case 8: {
        const Type type = dice_.Pick(
            {Type::kInt, Type::kDouble, Type::kString, Type::kUint, Type::kDuration, Type::kTimestamp, Type::kBool, Type::kBytes});
        return Cat({Make(type, d), dice_.Pick({" < ", " <= ", " > ", " >= "}), Make(type, d)});
      }
      case 9:
        return Cat(
            {Make(dice_.Pick({Type::kInt, Type::kDouble, Type::kUint}), d), dice_.Pick({" < ", " >= ", " == "}), Make(Type::kInt, d)});
      case 10: return two(Type::kInt, " in ", Type::kInts, "");
      case 11: return two(Type::kString, " in ", Type::kStrings, "");
      case 12: return two(Type::kString, " in ", Type::kMap, "");
      case 13: return Cat({Quoted(dice_.Pick({"index", "ecc", "missing"})), " in device.attributes[", Quoted(Domain()), "]"});
      case 14: return Cat({Quoted(Domain()), dice_.Percent(50) ? " in device.attributes" : " in device.capacity"});
      case 15: return Cat({"has(device.attributes[", Quoted(Domain()), "].", dice_.Pick({"ecc", "index", "missing"}), ")"});
      case 16: return Macro(dice_.Pick({"all", "exists", "exists_one"}), Type::kInts, Type::kInt, Type::kBool, d);
      case 17: return Macro(dice_.Pick({"all", "exists", "existsOne"}), Type::kStrings, Type::kString, Type::kBool, d);
      case 18: return Cat({"device.attributes[", Quoted(Domain()), "].exists(k, k == ", Quoted(dice_.Pick({"index", "uuid", "q"})), ")"});
      case 19: return Cat({"device.attributes.all(d, d.contains(", Quoted(dice_.Pick({".", "gpu", "example"})), "))"});
      case 20: return Cat({Make(Type::kString, d), dice_.Pick({".startsWith(", ".endsWith(", ".contains("}), Make(Type::kString, d), ")"});
      case 21: return Cat({Make(Type::kString, d), ".matches(", Regex(), ")"});
      case 22: return Cat({"isQuantity(", Make(Type::kString, d), ")"});
      case 23: return Cat({"isQuantity(", Quoted(QuantityText()), ")"});
      case 24:
      case 25: return Cat({Make(Type::kQuantity, d), dice_.Pick({".isGreaterThan(", ".isLessThan("}), Make(Type::kQuantity, d), ")"});
      case 26: return one("", Type::kQuantity, ".isInteger()");
      case 27:
      case 28: return Cat({Make(Type::kSemver, d), dice_.Pick({".isGreaterThan(", ".isLessThan("}), Make(Type::kSemver, d), ")"});
      case 29: return Cat({"isSemver(", Quoted(SemverText()), dice_.Pick({")", ", true)", ", false)"})});
      case 30: return Cat({"isIP(", IpText(), ")"});
      case 31:
        return Cat({Make(Type::kIp, d), dice_.Pick({".isLoopback()", ".isUnspecified()", ".isLinkLocalUnicast()", ".isGlobalUnicast()",
                                                    ".isLinkLocalMulticast()"})});
      case 32: return Cat({"isCIDR(", CidrText(), ")"});
      case 33: return Cat({Make(Type::kCidr, d), ".containsIP(", dice_.Percent(50) ? IpText() : Make(Type::kIp, d), ")"});
      case 34: return Cat({Make(Type::kCidr, d), ".containsCIDR(", dice_.Percent(50) ? CidrText() : Make(Type::kCidr, d), ")"});
      case 35: return Cat({"isURL(", UrlText(), ")"});
      case 36: {
        const Type type = dice_.Pick({Type::kInts, Type::kStrings});
        return Cat({"sets.", dice_.Pick({"contains", "intersects", "equivalent"}), "(", Make(type, d), ", ", Make(type, d), ")"});
      }
      case 37: return Cat({Make(dice_.Pick({Type::kInts, Type::kStrings}), d), ".isSorted()"});
      case 38: return one("", Type::kOptional, ".hasValue()");
      case 39:
        return Cat(
            {"format.",
             dice_.Pick({"dns1123Label", "dns1123Subdomain", "qualifiedName", "uuid", "date", "datetime", "labelValue", "byte", "uri"}),
             "().validate(", Make(Type::kString, d), ").hasValue()"});
      case 40: {
        const Type type = static_cast<Type>(dice_.Below(kTypes));
        return Cat({"type(", Make(type, d), ") == ", dice_.Pick({"int", "string", "bool", "list", "double", "type(1)", "map"})});
      }
      case 41: return TwoVariables(d);
      case 42: return Attribute("bool");
      case 43:
        return subject_.lists
                   ? Cat({Attribute("list"), ".includes(", dice_.Percent(50) ? Make(Type::kString, d) : Make(Type::kInt, d), ")"})
                   : Attribute("bool");
      case 44: return Cat({Attribute("int"), dice_.Pick({" < ", " == ", " >= "}), Make(Type::kInt, d)});
      default:
        return Cat({"bool(", dice_.Percent(50) ? Make(Type::kBool, d) : Quoted(dice_.Pick({"true", "T", "1", "yes", "False", "f"})), ")"});
    }
  }

  std::string TwoVariables(int depth) {
    scope_.emplace_back("v", Type::kInt);
    const std::string body = Make(Type::kBool, depth);
    scope_.pop_back();
    const std::string target = dice_.Percent(50) ? Map(depth) : Ints(depth);
    return Cat({target, dice_.Pick({".all(k, v, ", ".exists(k, v, ", ".existsOne(k, v, "}), body, ")"});
  }

  std::string Int(int depth) {
    if (depth <= 0) {
      switch (dice_.Weighted({65, 25, 10})) {
        case 0:
          return dice_.Pick({"0", "1", "2", "3", "7", "42", "-1", "10", "0x1F", "9223372036854775807", "-9223372036854775808", "100"});
        case 1: return Attribute("int");
        default: return "size(device.driver)";
      }
    }
    const int d = depth - 1;
    switch (dice_.Below(22)) {
      case 0:
      case 1:
      case 2: return Cat({"(", Make(Type::kInt, d), dice_.Pick({" + ", " - ", " * ", " / ", " % "}), Make(Type::kInt, d), ")"});
      case 3: return Cat({"-", Make(Type::kInt, d)});
      case 4: return Cat({"size(", Make(dice_.Pick({Type::kString, Type::kInts, Type::kStrings, Type::kMap, Type::kBytes}), d), ")"});
      case 5: return Cat({Make(dice_.Pick({Type::kString, Type::kInts, Type::kStrings, Type::kMap}), d), ".size()"});
      case 6: return Cat({Make(Type::kString, d), dice_.Pick({".indexOf(", ".lastIndexOf("}), Make(Type::kString, d), ")"});
      case 7: return Cat({Make(Type::kInts, d), dice_.Pick({".indexOf(", ".lastIndexOf("}), Make(Type::kInt, d), ")"});
      case 8: return Cat({"int(", Make(dice_.Pick({Type::kString, Type::kDouble, Type::kUint, Type::kInt, Type::kTimestamp}), d), ")"});
      case 9: return Cat({Make(Type::kQuantity, d), ".compareTo(", Make(Type::kQuantity, d), ")"});
      case 10: return Cat({Make(Type::kQuantity, d), ".asInteger()"});
      case 11: return Cat({"sign(", Make(Type::kQuantity, d), ")"});
      case 12: return Cat({Make(Type::kSemver, d), dice_.Pick({".major()", ".minor()", ".patch()"})});
      case 13: return Cat({Make(Type::kSemver, d), ".compareTo(", Make(Type::kSemver, d), ")"});
      case 14: return Cat({Make(Type::kInts, d), dice_.Pick({".sum()", ".min()", ".max()"})});
      case 15: return Cat({Make(Type::kInts, d), "[", Make(Type::kInt, 0), "]"});
      case 16: return Cat({Make(Type::kMap, d), "[", Make(Type::kString, 0), "]"});
      case 17: return Cat({Make(Type::kOptional, d), dice_.Percent(70) ? ".orValue(" + Make(Type::kInt, 0) + ")" : ".value()"});
      case 18:
        return Cat({Make(Type::kTimestamp, d), dice_.Pick({".getHours()", ".getFullYear()", ".getDayOfWeek()", ".getMonth()", ".getDate()",
                                                           ".getDayOfYear()", ".getHours('America/New_York')"})});
      case 19: return Cat({Make(Type::kDuration, d), dice_.Pick({".getHours()", ".getMinutes()", ".getSeconds()", ".getMilliseconds()"})});
      case 20: return dice_.Percent(50) ? Cat({Make(Type::kIp, d), ".family()"}) : Cat({Make(Type::kCidr, d), ".prefixLength()"});
      default: return Attribute("int");
    }
  }

  std::string Double(int depth) {
    if (depth <= 0) return dice_.Pick({"1.5", "0.0", "1e10", "-2.25", ".5", "1e308", "3.0"});
    const int d = depth - 1;
    switch (dice_.Below(4)) {
      case 0: return Cat({"(", Make(Type::kDouble, d), dice_.Pick({" + ", " - ", " * ", " / "}), Make(Type::kDouble, d), ")"});
      case 1: return Cat({"double(", Make(dice_.Pick({Type::kInt, Type::kString, Type::kUint}), d), ")"});
      case 2: return Cat({Make(Type::kQuantity, d), ".asApproximateFloat()"});
      default: return "2.5";
    }
  }

  std::string String(int depth) {
    if (depth <= 0) {
      switch (dice_.Weighted({65, 25, 10})) {
        case 0:
          return Quoted(
              dice_.Pick({"", "a", "NVIDIA", "rtx", "3090", "GPU-1", "8.6.0", "24Gi", "é", "日本", " x ", "a,b,c", "42", "1.5", "gpu"}));
        case 1: return Attribute("string");
        default: return "device.driver";
      }
    }
    const int d = depth - 1;
    switch (dice_.Below(20)) {
      case 0: return Cat({"(", Make(Type::kString, d), " + ", Make(Type::kString, d), ")"});
      case 1: return Cat({Make(Type::kString, d), dice_.Pick({".lowerAscii()", ".upperAscii()", ".trim()"})});
      case 2:
        return Cat({Make(Type::kString, d), ".replace(", Make(Type::kString, 0), ", ", Make(Type::kString, 0),
                    dice_.Pick({")", ", 1)", ", -1)", ", 0)"})});
      case 3: return Cat({Make(Type::kString, d), ".substring(", Make(Type::kInt, 0), ")"});
      case 4: return Cat({Make(Type::kString, d), ".substring(0, ", Make(Type::kInt, 0), ")"});
      case 5: return Cat({Make(Type::kString, d), ".charAt(", Make(Type::kInt, 0), ")"});
      case 6: return Cat({Make(Type::kStrings, d), ".join(", dice_.Percent(50) ? Make(Type::kString, 0) : "", ")"});
      case 7:
        return Cat({"'%s|%d|%s'.format([", Make(Type::kString, d), ", ", Make(Type::kInt, d), ", ",
                    Make(dice_.Pick({Type::kBool, Type::kDouble, Type::kInts, Type::kMap}), d), "])"});
      case 8:
        return Cat({"'", dice_.Pick({"%x", "%X", "%o", "%b", "%e", "%f", "%.3f", "%d", "%s", "%%"}), "'.format([",
                    Make(dice_.Pick({Type::kInt, Type::kDouble, Type::kString}), d), "])"});
      case 9:
        return Cat({"string(",
                    Make(dice_.Pick({Type::kInt, Type::kDouble, Type::kUint, Type::kBool, Type::kBytes, Type::kDuration, Type::kTimestamp,
                                     Type::kIp, Type::kCidr}),
                         d),
                    ")"});
      case 10: return Cat({Make(Type::kString, d), ".find(", Regex(), ")"});
      case 11: return Cat({Make(Type::kStrings, d), "[", Make(Type::kInt, 0), "]"});
      case 12:
        return Cat({Make(Type::kUrl, d), dice_.Pick({".getHost()", ".getScheme()", ".getHostname()", ".getPort()", ".getEscapedPath()"})});
      case 13: return Cat({"strings.quote(", Make(Type::kString, d), ")"});
      case 14: return Cat({Make(Type::kStrings, d), dice_.Pick({".min()", ".max()"})});
      case 15: return Cat({"type(", Make(Type::kInt, d), ") == int ? 'i' : 's'"});
      case 16: return Cat({Make(Type::kString, d), ".split(", Make(Type::kString, 0), ")[0]"});
      default: return Attribute("string");
    }
  }

  std::string Quantity(int depth) {
    if (depth <= 0 || dice_.Percent(40)) return dice_.Percent(50) ? Cat({"quantity(", Quoted(QuantityText()), ")"}) : Capacity();
    const int d = depth - 1;
    return Cat({Make(Type::kQuantity, d), dice_.Pick({".add(", ".sub("}),
                dice_.Percent(50) ? Make(Type::kQuantity, d) : Make(Type::kInt, d), ")"});
  }

  std::string Capacity() {
    const std::string name = dice_.Percent(subject_.unknown_names) ? "missing" : dice_.Pick({"memory", "memory", "cores"});
    return Cat({"device.capacity[", Quoted(Domain()), "].", name});
  }

  std::string QuantityText() {
    return dice_.Pick({"1Gi", "24Gi", "0", "1500m", "1.5", "-1", "200M", "1e3", "0.5Gi", "6GiB", "", "23034Mi", "9Ei", "1n", ".5", "+2k"});
  }
  std::string SemverText() {
    return dice_.Pick({"1.2.3", "8.6.0", "v1.2", "1.0", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0+build", "01.2.3", "575.57.8", "",
                       "1.2.3.4", "v01.1"});
  }

  std::string Semver(int depth) {
    if (depth > 0 && dice_.Percent(40)) return Attribute("version");
    return Cat({"semver(", Quoted(SemverText()), dice_.Pick({")", ")", ")", ", true)"})});
  }

  std::string Regex() {
    return Quoted(dice_.Pick({"[0-9]+", "^NVIDIA", "RTX.*", "[a-z]+", "a|b", "", ".*", "^$", "[", "(x", "\\\\d+", "[[:alpha:]]"}));
  }
  std::string IpText() {
    return Quoted(dice_.Pick(
        {"10.0.0.1", "127.0.0.1", "::1", "fe80::1", "2001:db8::1", "300.1.1.1", "::ffff:1.2.3.4", "0.0.0.0", "224.0.0.1", "1.2.3"}));
  }
  std::string CidrText() {
    return Quoted(dice_.Pick({"10.0.0.0/8", "10.1.2.3/16", "::/0", "2001:db8::/32", "10.0.0.0/33", "0.0.0.0/0", "127.0.0.0/8"}));
  }
  std::string UrlText() {
    return Quoted(
        dice_.Pick({"https://example.com:80/path?q=1", "http://a", "/relative", "not a url", "https://[::1]:8443/x%20y", "../x", "urn:x"}));
  }

  std::string Ints(int depth) {
    if (depth <= 0) return dice_.Pick({"[1, 2, 3]", "[]", "[3, 1, 2]", "[1, 1, 5]", "[0]", "[9223372036854775807, 1]"});
    const int d = depth - 1;
    switch (dice_.Below(12)) {
      case 0: return Cat({"[", Make(Type::kInt, d), ", ", Make(Type::kInt, d), "]"});
      case 1: return Macro("map", Type::kInts, Type::kInt, Type::kInt, d);
      case 2: return Macro("filter", Type::kInts, Type::kInt, Type::kBool, d);
      case 3: return Macro("sortBy", Type::kInts, Type::kInt, Type::kInt, d);
      case 4: return Cat({"lists.range(", dice_.Pick({"0", "3", "10", "-1", "100"}), ")"});
      case 5: return Cat({Make(Type::kInts, d), dice_.Pick({".sort()", ".distinct()", ".reverse()"})});
      case 6: return Cat({Make(Type::kInts, d), ".slice(0, ", Make(Type::kInt, 0), ")"});
      case 7: return Cat({"[", Make(Type::kInts, d), ", ", Make(Type::kInts, d), "].flatten()"});
      case 8: return Cat({"(", Make(Type::kInts, d), " + ", Make(Type::kInts, d), ")"});
      case 9: return Cat({Make(Type::kInts, d), ".transformList(i, v, ", dice_.Pick({"i + v", "v * 2", "i > 0, v"}), ")"});
      case 10: return Macro("map", Type::kStrings, Type::kString, Type::kInt, d);
      default: return Cat({"[1, ?", Make(Type::kOptional, d), "]"});
    }
  }

  std::string Strings(int depth) {
    if (depth <= 0) return dice_.Pick({"['a', 'b']", "['NVIDIA', 'rtx', '3090']", "['b', 'a', 'b']", "['']", "['10', '9']"});
    const int d = depth - 1;
    switch (dice_.Below(8)) {
      case 0: return Cat({Make(Type::kString, d), ".split(", Make(Type::kString, 0), dice_.Pick({")", ", 2)", ", 0)", ", -1)"})});
      case 1: return Cat({Make(Type::kString, d), ".findAll(", Regex(), dice_.Pick({")", ", 1)", ", -1)"})});
      case 2: return Macro("map", Type::kStrings, Type::kString, Type::kString, d);
      case 3: return Macro("filter", Type::kStrings, Type::kString, Type::kBool, d);
      case 4: return Cat({Make(Type::kStrings, d), dice_.Pick({".sort()", ".distinct()", ".reverse()"})});
      case 5: return Cat({"device.attributes[", Quoted(Domain()), "].map(k, k).sort()"});
      case 6: return Cat({"[", Make(Type::kString, d), ", ", Make(Type::kString, d), "]"});
      default: return "device.attributes.map(k, k).sort()";
    }
  }

  std::string Map(int depth) {
    if (depth <= 0) return dice_.Pick({"{'a': 1, 'b': 2}", "{'NVIDIA': 3}", "{'': 0}", "{'a': 1, 'a': 2}"});
    const int d = depth - 1;
    switch (dice_.Below(3)) {
      case 0: return Cat({"{", Make(Type::kString, d), ": ", Make(Type::kInt, d), "}"});
      case 1: return Cat({Make(Type::kMap, d), ".transformMap(k, v, ", dice_.Pick({"v + 1", "v > 1, v", "size(k)"}), ")"});
      default: return Cat({"{?'a': ", Make(Type::kOptional, d), "}"});
    }
  }

  std::string Duration(int depth) {
    if (depth > 0 && dice_.Percent(30)) {
      if (dice_.Percent(50))
        return Cat({"(", Make(Type::kDuration, depth - 1), dice_.Pick({" + ", " - "}), Make(Type::kDuration, depth - 1), ")"});
      return Cat({"(", Make(Type::kTimestamp, depth - 1), " - ", Make(Type::kTimestamp, depth - 1), ")"});
    }
    return Cat({"duration(", Quoted(dice_.Pick({"1h", "30m", "1h30m", "-1.5s", "1ms", "0", "1d", "10000000h"})), ")"});
  }

  std::string Timestamp(int depth) {
    if (depth > 0 && dice_.Percent(30))
      return Cat({"(", Make(Type::kTimestamp, depth - 1), dice_.Pick({" + ", " - "}), Make(Type::kDuration, depth - 1), ")"});
    return Cat({"timestamp(",
                Quoted(dice_.Pick({"2024-02-29T12:34:56Z", "2026-01-01T00:00:00+09:00", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
                                   "2024-13-01T00:00:00Z"})),
                ")"});
  }

  std::string Optional(int depth) {
    const int d = depth - 1;
    switch (depth <= 0 ? dice_.Below(2) : dice_.Below(9)) {
      case 0: return "optional.none()";
      case 1: return "optional.of(1)";
      case 2: return Cat({"optional.of(", Make(Type::kInt, d), ")"});
      case 3: return Cat({"optional.ofNonZeroValue(", Make(Type::kInt, d), ")"});
      case 4: return Cat({Make(Type::kMap, d), "[?", Make(Type::kString, 0), "]"});
      case 5: return Cat({Make(Type::kInts, d), dice_.Pick({".first()", ".last()", "[?0]", "[?5]"})});
      case 6: return Cat({Make(Type::kOptional, d), ".optMap(o, o + ", Make(Type::kInt, 0), ")"});
      case 7: return Cat({Make(Type::kOptional, d), ".or(", Make(Type::kOptional, d), ")"});
      default: return Cat({Make(Type::kOptional, d), ".optFlatMap(o, ", dice_.Pick({"optional.of(o)", "optional.none()"}), ")"});
    }
  }

  Dice& dice_;
  const Subject& subject_;
  std::vector<std::pair<std::string, Type>> scope_;
};

}  // namespace

std::string MakeExpression(Dice& dice, const Subject& subject, Type type, int depth) { return Grammar(dice, subject).Make(type, depth); }

}  // namespace allot::conformance
