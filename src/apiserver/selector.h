#pragma once
// Label and field selectors of list, watch and deletecollection.

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/kinds/kind.h"
#include "apiserver/store/store.h"
#include "base/status.h"

namespace allot::apiserver {

class Selector {
 public:
  Selector() = default;  // selects everything

  // Returns BadRequest (refusal.h) with what is wrong. Field labels must be those of the kind.
  static Result<Selector> Parse(const Kind& kind, std::string_view labels, std::string_view fields);

  bool Matches(const Entry& entry) const;
  bool empty() const { return labels_.empty() && fields_.empty(); }
  // The name, if the fields select a single one.
  const std::string& only_name() const { return only_name_; }

 private:
  enum class Op { kIn, kNotIn, kExists, kAbsent, kAbove, kBelow };
  struct Requirement {
    std::string key;
    Op op = Op::kExists;
    std::vector<std::string> values;
  };
  enum class Source { kName, kNamespace, kField };
  struct FieldTerm {
    Source source = Source::kField;
    size_t index = 0;  // for kField
    std::string value;
    bool equal = true;
  };

  Status ParseLabels(std::string_view text);
  Status ParseFields(const Kind& kind, std::string_view text);
  static Status ReadOperator(std::string_view text, class SelectorTokens& tokens, Requirement& one);
  static bool Holds(const Requirement& one, const Index& index);

  std::vector<Requirement> labels_;
  std::vector<FieldTerm> fields_;
  std::string only_name_;
};

// Returns the parts of `object` that selectors of `kind` examine.
Index IndexOf(const Kind& kind, const json::Value& object);

}  // namespace allot::apiserver
