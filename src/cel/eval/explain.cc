#include "cel/eval/explain.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "cel/eval/attribute.h"

namespace allot::cel {
namespace {

std::string Shown(const Value& value) {
  switch (value.kind) {
    case Kind::kBool: return value.boolean ? "true" : "false";
    case Kind::kInt: return StrCat(value.integer);
    case Kind::kString: return Quoted(value.Text());
    case Kind::kQuantity: return value.quantity->ToString();
    case Kind::kSemver: return value.version->ToString();
    case Kind::kList: {
      std::vector<std::string> parts;
      for (uint64_t i = 0; i < value.list->size; ++i) parts.push_back(Shown(value.list->At(i)));
      return StrCat("[", Join(parts, ", "), "]");
    }
    default: return std::string(TypeNameOf(value));
  }
}

class Reads final : public Trace {
 public:
  void Read(std::string_view name, const Value* value) override {
    NotTrue::Read read{std::string(name), value == nullptr ? std::nullopt : std::optional(Shown(*value))};
    if (std::find(all_.begin(), all_.end(), read) == all_.end()) all_.push_back(std::move(read));
  }
  std::vector<NotTrue::Read>& all() { return all_; }

 private:
  std::vector<NotTrue::Read> all_;
};

}  // namespace

NotTrue ExplainPlan(const Plan& plan, const Source& source, const model::Device& device, std::string_view driver, uint64_t cost_limit) {
  for (const Plan::Term& term : plan.terms) {
    Reads reads;
    Frame frame(&device, driver, cost_limit, plan.slots);
    frame.trace = &reads;
    const Value value = term.node->Eval(frame);
    if (value.IsTrue()) continue;
    if (!reads.all().empty()) return {std::move(reads.all()), "", ""};
    return {{}, StrCat(Trim(source.At(term.span))), value.IsError() ? std::string(value.Text()) : ""};
  }
  return {};
}

}  // namespace allot::cel
