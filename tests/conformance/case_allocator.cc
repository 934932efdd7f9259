#include <algorithm>

#include "alloc/words.h"
#include "base/random.h"
#include "base/strings.h"
#include "cel/cache.h"
#include "json/json.h"
#include "tests/conformance/case.h"

namespace allot::conformance {
namespace {

using alloc::Answer;
using model::Allocation;

// More than Kubernetes itself could do within its time limit.
constexpr uint64_t kMaxSteps = 20'000'000;

template <typename T>
Status ReadList(const json::Value& list, std::string_view what, std::vector<T>& to) {
  if (list.IsNull()) return Status();
  if (!list.IsArray()) return Invalid(what, ": expected a list, not ", json::KindName(list.kind()));
  for (size_t i = 0; i < list.Items().size(); ++i) {
    ASSIGN_OR_RETURN(T item, T::Read(list.Items()[i]).Context(what, "[", i, "]"));
    to.push_back(std::move(item));
  }
  return Status();
}

Result<std::string_view> TextField(const json::Value& value, std::string_view key, std::string_view what) {
  if (!value[key].IsString()) return Invalid(what, ".", key, ": expected a string");
  return value[key].AsString();
}

// Reads {"driver", "pool", "device"}, or {"id": "driver/pool/device/shareID"} of a share. A pool's name may have slashes.
Result<alloc::DeviceId> ReadDeviceId(const json::Value& value, std::string_view what) {
  if (value["id"].IsString() || value.IsString()) {
    const std::string_view id = value.IsString() ? value.AsString() : value["id"].AsString();
    const size_t first = id.find('/'), last = id.rfind('/');
    const size_t before = last == 0 || last == std::string_view::npos ? std::string_view::npos : id.rfind('/', last - 1);
    if (first == std::string_view::npos || before == std::string_view::npos || before <= first) {
      return Invalid(what, ": expected driver/pool/device/shareID, not ", Quoted(id));
    }
    return alloc::DeviceId{id.substr(0, first), id.substr(first + 1, before - first - 1), id.substr(before + 1, last - before - 1)};
  }
  ASSIGN_OR_RETURN(const std::string_view driver, TextField(value, "driver", what));
  ASSIGN_OR_RETURN(const std::string_view pool, TextField(value, "pool", what));
  ASSIGN_OR_RETURN(const std::string_view device, TextField(value, "device", what));
  return alloc::DeviceId{driver, pool, device};
}

Status ReadLedger(const json::Value& allocated, alloc::Ledger& ledger) {
  if (!allocated.IsNull() && !allocated.IsObject()) return Invalid("allocated: expected an object, not ", json::KindName(allocated.kind()));
  for (const std::string_view key : {"devices", "shares", "consumedCapacity"}) {
    const json::Value& list = allocated[key];
    if (list.IsNull()) continue;
    const std::string what = StrCat("allocated.", key);
    if (!list.IsArray()) return Invalid(what, ": expected a list, not ", json::KindName(list.kind()));
    for (const json::Value& item : list.Items()) {
      ASSIGN_OR_RETURN(const alloc::DeviceId id, ReadDeviceId(item, what));
      alloc::Hold hold;
      hold.whole = key == "devices";
      hold.has_capacity = key == "consumedCapacity";
      if (hold.has_capacity && item["consumed"].IsObject()) {
        for (const json::Member& member : item["consumed"].Members()) {
          std::string_view text;
          if (member.value.IsString()) text = member.value.AsString();
          if (member.value.IsNumber()) text = member.value.NumberText();
          ASSIGN_OR_RETURN(const model::Quantity amount, model::Quantity::Parse(text).Context(what, ".", member.key));
          hold.consumed.emplace_back(member.key, amount);
        }
      }
      ledger.AddHold(id, std::move(hold));
    }
  }
  return Status();
}

std::string Written(const json::Value& value) { return json::Write(value); }

std::string Written(const Allocation& allocation) {
  json::Document document;
  json::Builder to(document.arena());
  allocation.Write(to);
  return json::Write(to.Finish());
}

bool SameAmounts(const std::vector<model::NamedQuantity>& a, const std::vector<model::NamedQuantity>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.name == y.name && x.amount == y.amount; });
}

bool SameTolerations(const std::vector<model::ResultToleration>& a, const std::vector<model::ResultToleration>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.key == y.key && x.op == y.op && x.value == y.value && x.effect == y.effect && x.seconds == y.seconds;
  });
}

bool SameRequirements(const std::vector<model::NodeRequirement>& a, const std::vector<model::NodeRequirement>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.key == y.key && x.op == y.op && x.values == y.values; });
}

bool SameNodes(const std::optional<model::NodeSelector>& a, const std::optional<model::NodeSelector>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::equal(a->terms.begin(), a->terms.end(), b->terms.begin(), b->terms.end(), [](const auto& x, const auto& y) {
    return SameRequirements(x.expressions, y.expressions) && SameRequirements(x.fields, y.fields);
  });
}

void CompareAllocation(const Allocation& expected, const Allocation& got, const std::string& where, std::vector<std::string>& differences) {
  const auto check = [&](std::string_view what, bool same) {
    if (!same) differences.push_back(StrCat(where, what, ": expected ", Written(expected), ", got ", Written(got)));
    return same;
  };
  if (!check("results", expected.results.size() == got.results.size())) return;
  for (size_t i = 0; i < expected.results.size(); ++i) {
    const model::DeviceResult &e = expected.results[i], &g = got.results[i];
    const std::string result = StrCat("results[", i, "].");
    const bool same = check(result + "request", e.request == g.request) && check(result + "driver", e.driver == g.driver) &&
                      check(result + "pool", e.pool == g.pool) && check(result + "device", e.device == g.device) &&
                      check(result + "adminAccess", e.admin_access == g.admin_access) &&
                      check(result + "tolerations", SameTolerations(e.tolerations, g.tolerations)) &&
                      check(result + "bindingConditions", e.binding_conditions == g.binding_conditions) &&
                      check(result + "bindingFailureConditions", e.binding_failure_conditions == g.binding_failure_conditions) &&
                      check(result + "shareID", e.share_id.empty() == g.share_id.empty()) &&
                      check(result + "consumedCapacity", SameAmounts(e.consumed_capacity, g.consumed_capacity));
    if (!same) return;
  }
  const bool same_config =
      std::equal(expected.config.begin(), expected.config.end(), got.config.begin(), got.config.end(), [](const auto& e, const auto& g) {
        return e.from_class == g.from_class && e.requests == g.requests && json::Equal(e.opaque.value(), g.opaque.value());
      });
  check("config", same_config) && check("nodeSelector", SameNodes(expected.node_selector, got.node_selector));
}

std::string Describe(const Result<Answer>& answer) {
  if (!answer.ok()) return StrCat("error: ", answer.status().message());
  switch (answer->outcome) {
    case Answer::Outcome::kGaveUp: return StrCat("gave up after ", answer->steps, " steps");
    case Answer::Outcome::kDoesNotFit: return StrCat("does not fit: ", alloc::Words(answer->reasons));
    case Answer::Outcome::kFits: break;
  }
  std::string text = "allocated:";
  for (const Allocation& allocation : answer->allocations) text += StrCat(" ", Written(allocation));
  return text;
}

}  // namespace

Result<alloc::Features> FeaturesOf(const json::Value& value) {
  const json::Value* gates = value.IsObject() ? value.Find("features") : nullptr;
  if (gates == nullptr) return alloc::Features::Defaults();
  if (gates->IsNull()) return alloc::Features();
  if (!gates->IsArray()) return Invalid("features: expected a list of gates, not ", json::KindName(gates->kind()));
  std::vector<std::string_view> names;
  for (const json::Value& gate : gates->Items()) {
    if (!gate.IsString()) return Invalid("features: expected names of gates");
    names.push_back(gate.AsString());
  }
  return alloc::Features::FromGates(names).Context("features");
}

Result<AllocatorCase> AllocatorCase::Read(const json::Value& value) {
  if (!value.IsObject()) return Invalid("expected an allocator case, not ", json::KindName(value.kind()));
  AllocatorCase result;
  ASSIGN_OR_RETURN(result.options.features, FeaturesOf(value));
  result.options.max_steps = kMaxSteps;
  ASSIGN_OR_RETURN(result.node, model::Node::Read(value["node"]).Context("node"));
  TRY(ReadList(value["deviceClasses"], "deviceClasses", result.classes));
  TRY(ReadList(value["resourceSlices"], "resourceSlices", result.slices));
  TRY(ReadList(value["claims"], "claims", result.claims));
  TRY(ReadLedger(value["allocated"], result.ledger));
  // known_classes points to elements of the vector, which keep their addresses when it is moved.
  for (const model::DeviceClass& device_class : result.classes) result.known_classes.Add(device_class);
  for (const model::ResourceSlice& slice : result.slices) result.all_slices.push_back(&slice);
  for (const model::ResourceClaim& claim : result.claims) result.all_claims.push_back(&claim);
  return result;
}

Result<Answer> AllocatorCase::Decide(cel::Cache& selectors, Random& random) const {
  ASSIGN_OR_RETURN(const alloc::Inventory inventory,
                   alloc::Inventory::Gather(node, all_slices, options.features, options.quirks).Context("gather pool information"));
  return alloc::Allocator(known_classes, selectors, random, options).Allocate(inventory, ledger, all_claims);
}

std::vector<std::string> CompareAllocator(const json::Value& value, const json::Value& expect) {
  Result<AllocatorCase> question = AllocatorCase::Read(value);
  if (!question.ok()) return {question.status().message()};

  const std::string_view error = expect["error"].IsString() ? expect["error"].AsString() : std::string_view();
  // Kubernetes' caller interrupted this search in its last counted step. With a budget of one step less our search must give up, too, and
  // must not report that nothing fits.
  const bool interrupted = error.starts_with("filter operation aborted");
  if (interrupted) {
    const auto calls = expect["allocateOneCalls"].IsNumber() ? expect["allocateOneCalls"].AsInt64() : std::nullopt;
    question->options.max_steps = static_cast<uint64_t>(std::max<int64_t>(calls.value_or(1), 1) - 1);
  }
  cel::Cache selectors(alloc::SelectorOptions(question->options.features));
  SeededRandom random(1);
  const Result<Answer> answer = question->Decide(selectors, random);
  const auto differs = [&](std::string_view expected) { return std::vector{StrCat("expected ", expected, ", got ", Describe(answer))}; };

  if (interrupted) {
    if (answer.ok() && answer->outcome == Answer::Outcome::kGaveUp) return {};
    return differs(StrCat("to give up, as after: ", error));
  }
  if (!error.empty()) {
    if (!answer.ok()) return {};
    return differs(StrCat("error: ", error));
  }
  const bool allocated = expect["allocated"].IsBool() && expect["allocated"].AsBool();
  if (!answer.ok()) return differs(allocated ? StrCat("allocated: ", Written(expect["results"])) : "does not fit");
  if ((answer->outcome == Answer::Outcome::kFits) != allocated || answer->outcome == Answer::Outcome::kGaveUp) {
    return differs(allocated ? StrCat("allocated: ", Written(expect["results"])) : "does not fit");
  }
  std::vector<std::string> differences;
  if (!allocated) return differences;
  std::vector<Allocation> expected;
  if (Status status = ReadList(expect["results"], "expect.results", expected); !status.ok()) return {status.message()};
  if (expected.size() != answer->allocations.size()) return differs(StrCat(expected.size(), " results"));
  for (size_t i = 0; i < expected.size(); ++i)
    CompareAllocation(expected[i], answer->allocations[i], StrCat("claim ", i, ", "), differences);
  return differences;
}

}  // namespace allot::conformance
