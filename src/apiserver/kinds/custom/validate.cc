#include "apiserver/kinds/custom/validate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "apiserver/go_text.h"
#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/formats.h"
#include "apiserver/kinds/custom/members.h"
#include "apiserver/kinds/custom/numbers.h"
#include "apiserver/kinds/custom/old_items.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace allot::apiserver {
namespace {

constexpr size_t kMaxErrors = 10'000;  // enough to report; a body can have a million wrong items

std::string_view TypeOf(const Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull: return "null";
    case json::Kind::kBool: return "boolean";
    case json::Kind::kNumber: return value.AsInt64() ? "integer" : "number";
    case json::Kind::kString: return "string";
    case json::Kind::kArray: return "array";
    case json::Kind::kObject: return "object";
  }
  return "null";
}

// Returns the type that the schema demands: "integer,string".
std::string TypesOf(const CustomSchema& schema) { return schema.int_or_string ? "integer,string" : schema.type; }

bool Allows(const CustomSchema& schema, std::string_view type) {
  return schema.int_or_string ? type == "integer" || type == "string" : schema.type == type;
}

// Returns the format if it is checked for this type, else empty.
std::string_view CheckedFormat(const CustomSchema& schema) {
  const std::string_view type = schema.int_or_string ? "" : std::string_view(schema.type);
  const std::string_view format = schema.format;
  bool checked = false;
  if (type.empty() || type == "string") checked = IsTextFormat(format);
  if (type == "integer") checked = format == "int32" || format == "int64";
  if (type == "number") checked = format == "float" || format == "double";
  return checked ? format : "";
}

class Validator {
 public:
  explicit Validator(const FieldPath& base) : base_(base) {}

  void Visit(const CustomSchema& schema, const Value& value, const Value* old) {
    const size_t before = errors_.size();
    ++matches_;
    if (value.IsNull()) {
      if (!TypesOf(schema).empty() && !schema.nullable) TypeError(TypesOf(schema), "null");
      CheckEnum(schema, value);
    } else {
      CheckType(schema, value);
      CheckAlternatives(schema, value, old);
      if (value.IsString()) CheckText(schema, value);
      if (value.IsNumber()) CheckLimits(schema, value);
      if (value.IsArray()) CheckItems(schema, value, old);
      CheckEnum(schema, value);
      if (value.IsObject()) CheckMembers(schema, value, old);
    }
    if (old != nullptr && errors_.size() > before && json::Equal(value, *old)) errors_.resize(before);
  }

  std::vector<FieldError> TakeErrors() { return std::move(errors_); }

 private:
  using Errors = std::vector<FieldError>;

  FieldPath Here() const { return At(path_); }
  FieldPath At(std::string_view path) const {
    if (path.starts_with('.')) path.remove_prefix(1);
    return path.empty() ? Nowhere() : base_.Child(path);
  }

  // The path of the whole value, printed as Go prints it.
  FieldPath Nowhere() const { return base_.text().empty() ? FieldPath(std::string_view("<nil>")) : base_; }

  bool IsFull() const { return errors_.size() >= kMaxErrors; }

  template <typename Make>
  void Report(Make make) {
    if (IsFull()) return;
    FieldErrors made;
    make(made);
    Append(made.all());
  }

  void Invalid(const Value& value, std::string_view detail) {
    Report([&](FieldErrors& errors) { errors.Invalid(Here(), value, detail); });
  }
  void Composite(std::string_view detail) {
    Report([&](FieldErrors& errors) { errors.Invalid(Nowhere(), "", detail); });
  }
  void CheckLimits(const CustomSchema& schema, const Value& value) {
    for (const NumberProblem& problem : CheckNumber(schema, value, path_)) {
      if (problem.general) {
        Composite(problem.detail);
      } else {
        Report([&](FieldErrors& errors) { errors.Add("FieldValueInvalid", Here(), problem.message()); });
      }
    }
  }
  void TypeError(std::string_view wanted, std::string_view given) {
    const std::string detail = StrCat(path_, " in body must be of type ", wanted, ": ", GoQuoted(given));
    Report([&](FieldErrors& errors) {
      errors.Add("FieldValueTypeInvalid", Here(), StrCat("Invalid value: ", GoQuoted(given), ": ", detail));
    });
  }

  void CheckType(const CustomSchema& schema, const Value& value) {
    const std::string_view format = CheckedFormat(schema);
    const std::string types = TypesOf(schema);
    if (types.empty() && format.empty()) return;
    const std::string_view type = TypeOf(value);
    const bool whole = type == "number" && IsWhole(value.AsDouble()) && Allows(schema, "integer");
    const bool fits = Allows(schema, type) || whole || (type == "integer" && Allows(schema, "number"));
    if (fits) return;
    if (!format.empty() && !value.IsString() && !value.IsArray()) {
      TypeError(format, type == "integer" ? "int64" : type == "number" ? "float64" : "");
      return;
    }
    if (!format.empty() && !Allows(schema, "integer") && !Allows(schema, "number")) return;
    TypeError(types, type);
  }

  // Checks one alternative separately. Returns its errors, and how much of it matched.
  Errors Try(const CustomSchema& schema, const Value& value, const Value* old, size_t* matches) {
    Errors outer = std::move(errors_);
    const size_t before = matches_;
    errors_ = {};
    Visit(schema, value, old);
    *matches = matches_ - before;
    matches_ = before;
    std::swap(outer, errors_);
    return outer;
  }

  void Append(Errors errors) {
    const size_t kept = std::min(errors.size(), kMaxErrors - std::min(errors_.size(), kMaxErrors));
    std::move(errors.begin(), errors.begin() + static_cast<ptrdiff_t>(kept), std::back_inserter(errors_));
  }

  void CheckAlternatives(const CustomSchema& schema, const Value& value, const Value* old) {
    size_t matches = 0;
    if (!schema.any_of.empty()) CheckAny(schema.any_of, value, old);
    if (!schema.one_of.empty()) CheckOne(schema.one_of, value, old);
    if (!schema.all_of.empty()) {
      size_t valid = 0;
      for (const CustomSchema::Ptr& each : schema.all_of) {
        Errors errors = Try(*each, value, old, &matches);
        if (errors.empty()) ++valid;
        matches_ += matches;
        Append(std::move(errors));
      }
      if (valid != schema.all_of.size())
        Composite(StrCat(GoQuoted(path_), " must validate all the schemas (allOf)", valid == 0 ? ". None validated" : ""));
    }
    if (schema.none_of != nullptr && Try(*schema.none_of, value, old, &matches).empty())
      Composite(StrCat(GoQuoted(path_), " must not validate the schema (not)"));
  }

  void CheckAny(const std::vector<CustomSchema::Ptr>& schemas, const Value& value, const Value* old) {
    Errors best;
    size_t most = 0;
    for (const CustomSchema::Ptr& each : schemas) {
      size_t matches = 0;
      Errors errors = Try(*each, value, old, &matches);
      if (errors.empty()) {
        matches_ += matches;
        return;
      }
      if (matches > most) {
        most = matches;
        best = std::move(errors);
      }
    }
    Composite(StrCat(GoQuoted(path_), " must validate at least one schema (anyOf)"));
    Append(std::move(best));
  }

  void CheckOne(const std::vector<CustomSchema::Ptr>& schemas, const Value& value, const Value* old) {
    Errors best;
    size_t most = 0;
    size_t valid = 0;
    for (const CustomSchema::Ptr& each : schemas) {
      size_t matches = 0;
      Errors errors = Try(*each, value, old, &matches);
      if (errors.empty()) {
        if (++valid == 1) matches_ += matches;
      } else if (matches > most) {
        most = matches;
        best = std::move(errors);
      }
    }
    if (valid == 1) return;
    const std::string found = valid == 0 ? "Found none valid" : StrCat("Found ", valid, " valid alternatives");
    Composite(StrCat(GoQuoted(path_), " must validate one and only one schema (oneOf). ", found));
    if (valid == 0) Append(std::move(best));
  }

  void CheckText(const CustomSchema& schema, const Value& value) {
    const std::string_view text = value.AsString();
    const auto length = static_cast<int64_t>(CountCharacters(text));
    if (schema.max_length && length > *schema.max_length) {
      Report([&](FieldErrors& errors) { errors.TooLong(Here(), static_cast<size_t>(std::max<int64_t>(0, *schema.max_length))); });
    } else if (schema.min_length && length < *schema.min_length) {
      Invalid(value, StrCat(path_, " in body should be at least ", *schema.min_length, " chars long"));
    } else if (!schema.pattern.empty() && (schema.regex == nullptr || !schema.regex->Matches(text))) {
      Invalid(value, StrCat(path_, " in body should match '", schema.pattern, "'"));
    }
    const std::string_view format = CheckedFormat(schema);
    if (format.empty() || !IsTextFormat(format) || HasFormat(format, text)) return;
    const std::string detail = StrCat(path_, " in body must be of type ", format, ": ", GoQuoted(text));
    Report([&](FieldErrors& errors) { errors.TypeInvalid(Here(), value, detail); });
  }

  void CheckEnum(const CustomSchema& schema, const Value& value) {
    if (schema.enums.empty()) return;
    const auto same = [&](const Value& allowed) {
      if (allowed.IsNull()) return false;
      if (allowed.IsNumber() && value.IsNumber()) return json::Equal(allowed, value) || allowed.AsDouble() == value.AsDouble();
      return json::Equal(allowed, value);
    };
    if (std::any_of(schema.enums.begin(), schema.enums.end(), same)) return;
    std::vector<std::string> quoted;
    for (const Value& allowed : schema.enums) quoted.push_back(GoQuoted(allowed.IsString() ? allowed.AsString() : json::Write(allowed)));
    const std::string shown = value.IsString() ? GoQuoted(value.AsString()) : json::Write(value);
    Report([&](FieldErrors& errors) {
      errors.Add("FieldValueNotSupported", Here(), StrCat("Unsupported value: ", shown, ": supported values: ", Join(quoted, ", ")));
    });
  }

  void CheckItems(const CustomSchema& schema, const Value& value, const Value* old) {
    const auto items = value.Items();
    const size_t length = path_.size();
    if (schema.items != nullptr) {
      const OldItems old_items(schema, old);
      for (size_t i = 0; i < items.size() && !IsFull(); ++i) {
        path_ += StrCat("[", i, "]");
        Visit(*schema.items, items[i], old_items.Find(items[i]));
        path_.resize(length);
      }
    }
    const auto size = static_cast<int64_t>(items.size());
    if (schema.min_items && size < *schema.min_items) {
      Report(
          [&](FieldErrors& e) { e.Invalid(Here(), size, StrCat(path_, " in body should have at least ", *schema.min_items, " items")); });
    }
    if (schema.max_items && size > *schema.max_items) TooMany(size, *schema.max_items);
  }

  void TooMany(int64_t size, int64_t max) {
    Report([&](FieldErrors& e) { e.TooMany(Here(), static_cast<size_t>(size), static_cast<size_t>(std::max<int64_t>(0, max))); });
  }

  void CheckMembers(const CustomSchema& schema, const Value& value, const Value* old) {
    const auto size = static_cast<int64_t>(value.Members().size());
    if (schema.min_properties && size < *schema.min_properties) {
      const std::string detail = StrCat(path_, " in body should have at least ", *schema.min_properties, " properties");
      Report([&](FieldErrors& errors) { errors.Invalid(Here(), size, detail); });
    }
    if (schema.max_properties && size > *schema.max_properties) TooMany(size, *schema.max_properties);

    const size_t length = path_.size();
    const SortedMembers old_members(old);
    for (const json::Member& member : value.Members()) {
      if (IsFull()) break;
      const CustomSchema* const property = schema.Find(member.key);
      if (property == nullptr && schema.additional == CustomSchema::Additional::kForbidden) {
        const std::string detail = StrCat(path_, ".", member.key, " in body is a forbidden property");
        Report([&](FieldErrors& errors) { errors.Invalid(Here(), member.key, detail); });
      }
      const CustomSchema* const described = schema.Member(member.key);
      if (described == nullptr) continue;
      path_ += StrCat(length == 0 && property != nullptr ? "" : ".", member.key);
      // Objects are converted to the version of the request, so apiVersion and kind are never unchanged.
      const bool converted = length == 0 && (member.key == "apiVersion" || member.key == "kind");
      Visit(*described, member.value, converted ? nullptr : old_members.Find(member.key));
      path_.resize(length);
    }
    const SortedMembers members(&value);
    for (const std::string& name : schema.required) {
      if (members.Find(name) == nullptr) Report([&](FieldErrors& errors) { errors.Required(At(StrCat(path_, ".", name))); });
    }
  }

  const FieldPath base_;
  std::string path_;
  Errors errors_;
  size_t matches_ = 0;
};

}  // namespace

void ValidateBySchema(const CustomSchema& schema, const Value& value, const Value* old, const FieldPath& field, FieldErrors& errors) {
  Validator validator(field);
  validator.Visit(schema, value, old);
  for (FieldError& error : validator.TakeErrors()) {
    errors.Add(error.reason, FieldPath(std::string_view(error.field)), std::move(error.message));
  }
}

}  // namespace allot::apiserver
