// WhatIsWrong: checks a configuration before it is applied, in kube-apiserver's words.

#include <algorithm>

#include "apiserver/json_names.h"
#include "apiserver/patch/typed.h"
#include "base/strings.h"

namespace allot::apiserver {

namespace {

// Returns what is expected of a scalar; empty if the value is valid.
std::string_view ExpectedOf(Shape shape, const Value& value) {
  if (value.IsNull()) return "";
  switch (shape) {
    case Shape::kInt32:
    case Shape::kInt64:
    case Shape::kDouble: return value.IsNumber() ? "" : "numeric (int or float)";
    case Shape::kString:
    case Shape::kBytes:
    case Shape::kDuration: return value.IsString() ? "" : "string";
    case Shape::kBool: return value.IsBool() ? "" : "boolean";
    default: return value.IsObject() || value.IsArray() ? "any scalar" : "";
  }
}

class Checker {
 public:
  Checker(Editor& edit, DuplicateItems duplicates) : edit_(edit), duplicates_(duplicates) {}

  std::string Check(const ValuePlace& place, const Value& value) {
    switch (FormOf(place, &value)) {
      case ValueForm::kScalar: {
        const std::string_view expected = ExpectedOf(place.type->shape, value);
        return expected.empty() ? "" : Wrong("expected ", expected, ", got ", json::Write(value));
      }
      case ValueForm::kList: return CheckList(place, value);
      case ValueForm::kMap: return CheckMap(place, value);
    }
    return "";
  }

 private:
  template <typename... Parts>
  std::string Wrong(const Parts&... parts) {
    return StrCat(ToText(path_), path_.empty() ? "" : ": ", parts...);
  }

  std::string CheckMap(const ValuePlace& place, const Value& value) {
    if (value.IsNull()) return "";
    if (!value.IsObject()) return Wrong("expected map, got ", json::Write(value));
    for (const json::Member& member : value.Members()) {
      path_.push_back(PathElement::Field(edit_, member.key));
      const ValuePlace inner = place.Member(member.key);
      std::string wrong = inner ? Check(inner, member.value) : Wrong("field not declared in schema");
      path_.pop_back();
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  std::string CheckList(const ValuePlace& place, const Value& value) {
    if (value.IsNull()) return "";
    if (!value.IsArray()) return Wrong("expected list, got ", json::Write(value));
    const bool atomic = IsAtomic(place, ValueForm::kList);
    std::vector<PathElement> elements;
    for (size_t i = 0; i < value.Items().size(); ++i) {
      const Value& item = value.Items()[i];
      const auto element =
          atomic ? PathElement{PathElement::Kind::kIndex, edit_.Int(static_cast<int64_t>(i))} : ElementOf(edit_, place, item);
      if (!element) return Wrong("element ", i, ": ", WhyNoElement(place, item));
      path_.push_back(*element);
      std::string wrong = Check(place.Item(), item);
      path_.pop_back();
      if (!wrong.empty()) return wrong;
      elements.push_back(*element);
    }
    if (atomic || duplicates_ == DuplicateItems::kAllowed) return "";
    std::sort(elements.begin(), elements.end());
    const auto twice = std::adjacent_find(elements.begin(), elements.end());
    return twice == elements.end() ? "" : Wrong("duplicate entries for key ", ToText({&*twice, 1}));
  }

  static std::string WhyNoElement(const ValuePlace& list, const Value& item) {
    if (list.ListMerge() == Merge::kSet) return "associative list without keys has an element that's no scalar";
    if (item.IsNull()) return "associative list with keys may not have a null element";
    if (!item.IsObject()) return "associative list with keys may not have non-map elements";
    std::vector<std::string> keys;
    for (const std::string& key : list.ListKeys()) keys.push_back(Quoted(key));
    return StrCat("associative list with keys has an element that omits all key fields [", Join(keys, " "),
                  "] (and doesn't have default values for any key fields)");
  }

  Editor& edit_;
  const DuplicateItems duplicates_;
  std::vector<PathElement> path_;
};

}  // namespace

std::string WhatIsWrong(Editor& edit, const ValuePlace& place, const Value& value, DuplicateItems duplicates) {
  return Checker(edit, duplicates).Check(place, value);
}

}  // namespace allot::apiserver
