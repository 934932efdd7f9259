#include "cel/explain.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "cel/attribute.h"

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
    std::string words = StrCat(name, " is ", value == nullptr ? "missing" : Shown(*value));
    if (std::find(words_.begin(), words_.end(), words) == words_.end()) words_.push_back(std::move(words));
  }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
};

}  // namespace

std::string ExplainPlan(const Plan& plan, const Source& source, const model::Device& device, std::string_view driver, uint64_t cost_limit) {
  for (const Plan::Term& term : plan.terms) {
    Reads reads;
    Frame frame(&device, driver, cost_limit, plan.slots);
    frame.trace = &reads;
    const Value value = term.node->Eval(frame);
    if (value.IsTrue()) continue;
    if (!reads.words().empty()) return Join(reads.words(), ", ");
    const std::string text = StrCat(Trim(source.At(term.span)));
    return value.IsError() ? StrCat(text, ": ", value.Text()) : StrCat(text, " is false");
  }
  return {};
}

}  // namespace allot::cel
