#include "alloc/matcher.h"

#include <algorithm>

namespace allot::alloc {
namespace {

bool SameSelectors(const std::vector<model::Selector>& a, const std::vector<model::Selector>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return x.expression == y.expression; });
}

}  // namespace

uint32_t Matcher::GroupOf(const model::ResourceClaim& claim, const model::DeviceClass& device_class, const model::DeviceRequest& request) {
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].device_class == &device_class && SameSelectors(groups_[i].request->selectors, request.selectors)) {
      return static_cast<uint32_t>(i);
    }
  }
  if (groups_.empty()) groups_.reserve(4);
  Group& group =
      groups_.emplace_back(Group{&claim, &device_class, &request, std::pmr::vector<Step>(&arena_), std::pmr::vector<uint8_t>(&arena_)});
  group.steps.reserve(device_class.selectors.size() + request.selectors.size());
  for (const bool of_class : {true, false}) {
    const std::vector<model::Selector>& selectors = of_class ? device_class.selectors : request.selectors;
    for (size_t i = 0; i < selectors.size(); ++i) {
      group.steps.push_back({selectors[i].expression.value_or(std::string_view()), i, of_class, nullptr});
    }
  }
  group.known.resize(inventory_.devices().size());
  return static_cast<uint32_t>(groups_.size() - 1);
}

Match Matcher::Find(Group& group, uint32_t index) {
  const InventoryDevice& device = inventory_.devices()[index];
  const auto& conditions = device.device->binding_conditions;
  if (!features_.binding_conditions && conditions && !conditions->empty()) return Match::kNo;
  if (!quirks_.selectors_before_node) {
    if (const Match match = CheckNode(device); match != Match::kYes) return match;
  }
  const Step* failed = nullptr;
  if (const Match match = RunSelectors(group, device, &failed); match != Match::kYes) return match;
  return quirks_.selectors_before_node ? CheckNode(device) : Match::kYes;
}

Match Matcher::RunSelectors(Group& group, const InventoryDevice& device, const Step** failed) {
  if (features_.channel() == Channel::kStable && device.device->allow_multiple_allocations) {
    // The stable allocator does not tell selectors that a device may be shared.
    model::Device unshared = *device.device;
    unshared.allow_multiple_allocations = false;
    return RunSelectors(group, {&unshared, device.slice, device.pool}, failed);
  }
  for (Step& step : group.steps) {
    if (step.program == nullptr) {
      const Result<const cel::Program*> program = ProgramOf(step.expression);
      if (!program.ok()) return Fail(group, step, "compile", program.status());
      step.program = *program;
    }
    const Result<bool> matches = step.program->Matches(*device.device, device.slice->driver);
    if (!matches.ok()) return Fail(group, step, "runtime", matches.status());
    if (!*matches) {
      *failed = &step;
      return Match::kNo;
    }
  }
  return Match::kYes;
}

Result<const cel::Program*> Matcher::ProgramOf(std::string_view expression) {
  for (const Compiled& compiled : programs_) {
    if (compiled.expression == expression) return compiled.program.get();
  }
  ASSIGN_OR_RETURN(auto program, selectors_.Get(expression));
  if (programs_.empty()) programs_.reserve(8);
  programs_.push_back({expression, std::move(program)});
  return programs_.back().program.get();
}

Match Matcher::CheckNode(const InventoryDevice& device) {
  if (!device.slice->per_device_node_selection.value_or(false)) return Match::kYes;
  const Result<bool> matches = device.device->nodes.Matches(inventory_.node());
  if (matches.ok()) return *matches ? Match::kYes : Match::kNo;
  error_ = matches.status();
  return Match::kError;
}

Match Matcher::Fail(Group& group, const Step& step, std::string_view stage, const Status& status) {
  const std::string owner = step.of_class ? StrCat("class ", group.device_class->name) : StrCat("claim ", group.claim->FullName());
  error_ = Invalid(owner, ": selector #", step.index, ": CEL ", stage, " error: ", status.message());
  return Match::kError;
}

Reason Matcher::WhyNot(uint32_t group_index, uint32_t index) {
  Group& group = groups_[group_index];
  const InventoryDevice& device = inventory_.devices()[index];
  Reason reason;
  reason.kind = Reason::Kind::kBindingConditions;
  if (!features_.binding_conditions && device.device->binding_conditions && !device.device->binding_conditions->empty()) return reason;
  const Step* failed = nullptr;
  if (RunSelectors(group, device, &failed) == Match::kNo) {
    reason.kind = Reason::Kind::kSelectorFalse;
    if (failed->of_class) reason.device_class = group.device_class->name;
    reason.selector = failed->index + 1;
    reason.found = failed->program->Explain(*device.device, device.slice->driver);
    return reason;
  }
  reason.kind = Reason::Kind::kNotOnNode;
  return reason;
}

}  // namespace allot::alloc
