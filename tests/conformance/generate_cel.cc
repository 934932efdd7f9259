#include <string>
#include <vector>

#include "generate.h"
#include "generate_cel_grammar.h"
#include "generate_json.h"
#include "generate_random.h"

namespace allot::conformance {

namespace {

constexpr uint64_t kKind = 2;

// The attributes of a device, with most of the names that the grammar uses.
Object GenerateAttributes(Dice& dice, const Subject& subject) {
  Object attributes;
  const auto add = [&](const char* name, const char* kind, const Json& value, int missing) {
    if (dice.Percent(missing)) return;
    const std::string full = dice.Percent(15) ? subject.driver + '/' + name : name;
    attributes.Set(full, Object().Set(kind, value));
  };
  add("productName", "string", Text(dice.Pick({"NVIDIA GeForce RTX 3090", "NVIDIA L4", "Flex 170", "日本"})), 3);
  add("uuid", "string", Text("GPU-" + std::to_string(dice.Below(9))), 3);
  add("model", "string", Text(dice.Pick({"0x56c0", "a", ""})), 10);
  add("index", "int", Number(dice.Below(8)), 3);
  add("numa", "int", Number(dice.Between(-1, 1)), 10);
  add("ecc", "bool", Flag(dice.Percent(50)), 3);
  add("mig", "bool", Flag(dice.Percent(20)), 10);
  add("driverVersion", "version", Text(dice.PerMille(5) ? "575.57" : dice.Pick({"575.57.8", "8.6.0", "1.0.0-alpha.1"})), 3);
  add("cuda", "version", Text(dice.Pick({"8.6.0", "9.0.0", "12.8.0+b1"})), 10);
  if (dice.Percent(60)) attributes.Set("resource.kubernetes.io/pcieRoot", Object().Set("string", Text("pci0000:00")));
  if (dice.PerMille(4)) attributes.Set("future", Object());
  if (subject.lists || dice.PerMille(4)) {
    if (dice.Percent(80)) attributes.Set("links", Object().Set("strings", Texts({"a", "rtx", "3090"})));
    if (dice.Percent(60)) attributes.Set("numas", Object().Set("ints", List({Number(0), Number(7), Number(42)})));
  }
  return attributes;
}

Object GenerateCapacity(Dice& dice, const Subject& subject) {
  Object capacity;
  const auto add = [&](const char* name, const char* value) {
    const std::string full = dice.Percent(15) ? subject.driver + '/' + name : name;
    capacity.Set(full, Object().Set("value", Text(value)));
  };
  if (!dice.Percent(4)) add("memory", dice.Pick({"24Gi", "23034Mi", "1", "0", "25769803776", "0.5Gi", "1500m"}));
  if (!dice.Percent(10)) add("cores", dice.Pick({"82", "0", "1.5", "10k", "-1"}));
  return capacity;
}

// The text with a typo: a character removed, doubled or inserted.
std::string Misspelt(Dice& dice, std::string text) {
  if (text.empty()) return text;
  const size_t at = dice.Index(text.size());
  switch (dice.Below(3)) {
    case 0: text.erase(at, 1); break;
    case 1: text.insert(at, 1, text[at]); break;
    default: text.insert(at, dice.Pick({"(", ")", ".", "'", "?", " ", "0", "!", "&", "["}));
  }
  // Cutting a multi-byte character would give invalid JSON.
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return "device.driver == ";
  }
  return text;
}

}  // namespace

std::string GenerateCelCase(uint64_t seed) {
  Dice dice(seed, kKind);
  Subject subject;
  if (dice.Percent(25)) subject.driver = "gpu.intel.com";
  subject.lists = dice.Percent(10);
  subject.sharing = !dice.Percent(3);
  subject.wrong = dice.Percent(20) ? 40 : 0;
  subject.unknown_names = dice.Percent(30) ? 12 : 1;

  const Type type = dice.Percent(2) ? dice.Pick({Type::kInt, Type::kString, Type::kAttribute, Type::kQuantity}) : Type::kBool;
  const int depth = dice.Weighted({5, 25, 35, 25, 10});
  std::string expression = MakeExpression(dice, subject, type, depth);
  if (dice.Percent(2)) expression = Misspelt(dice, expression);

  Object result;
  result.Set("name", Text("cel-" + std::to_string(seed)));
  if (subject.lists || !subject.sharing) {
    std::vector<std::string> gates;
    if (subject.sharing) gates.emplace_back("DRAConsumableCapacity");
    if (subject.lists) gates.emplace_back("DRAListTypeAttributes");
    result.Set("features", gates.empty() ? Json{"null"} : Texts(gates));
  }
  result.Set("expression", Text(expression));
  result.Set("driver", Text(subject.driver));
  const Object attributes = GenerateAttributes(dice, subject);
  result.SetIf(!attributes.empty(), "attributes", attributes);
  const Object capacity = GenerateCapacity(dice, subject);
  result.SetIf(!capacity.empty(), "capacity", capacity);
  if (dice.Percent(60)) result.Set("allowMultipleAllocations", Flag(dice.Percent(60)));
  return Json(result).text;
}

}  // namespace allot::conformance
