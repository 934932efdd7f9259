// Parses the tables' text into types: first all names, then the fields that refer to them.

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <tuple>

#include "apiserver/schema/type.h"

namespace allot::apiserver {

namespace {

std::optional<Shape> ShapeOf(std::string_view word) {
  static constexpr std::pair<std::string_view, Shape> kShapes[] = {
      {"string", Shape::kString},     {"bool", Shape::kBool},         {"int32", Shape::kInt32}, {"int64", Shape::kInt64},
      {"double", Shape::kDouble},     {"bytes", Shape::kBytes},       {"time", Shape::kTime},   {"microtime", Shape::kMicroTime},
      {"duration", Shape::kDuration}, {"quantity", Shape::kQuantity}, {"any", Shape::kAny},     {"int-or-string", Shape::kIntOrString},
  };
  const auto found = std::find_if(std::begin(kShapes), std::end(kShapes), [word](const auto& entry) { return entry.first == word; });
  return found == std::end(kShapes) ? std::nullopt : std::optional(found->second);
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Splits a line at single spaces.
std::vector<std::string_view> WordsOf(std::string_view line) { return Split(Trim(line), ' '); }

// The zero value of a field that is always written.
std::string_view ZeroOf(Shape shape) {
  switch (shape) {
    case Shape::kString: return R"("")";
    case Shape::kBool: return "false";
    case Shape::kInt32:
    case Shape::kInt64:
    case Shape::kDouble: return "0";
    default: return "";
  }
}

class Parser {
 public:
  explicit Parser(Schema& schema) : schema_(schema) {}

  Status Declare(std::string_view table) {
    return EachLine(table, [this](std::string_view line) { return line.starts_with(' ') ? Status() : DeclareLine(line); });
  }

  Status Define(std::string_view table) {
    current_ = nullptr;
    return EachLine(table, [this](std::string_view line) { return DefineLine(line); });
  }

  void Finish() {
    for (Type* type : structs_) type->Index();
  }

 private:
  template <typename Read>
  Status EachLine(std::string_view table, Read read) {
    package_ = {};
    size_t number = 0;
    for (const std::string_view line : Split(table, '\n')) {
      ++number;
      if (line.starts_with("package ")) {
        package_ = line.substr(8);
      } else if (!Trim(line).empty()) {
        TRY(read(line).Context("line ", number, " of ", package_));
      }
    }
    return {};
  }

  Status DeclareLine(std::string_view line) {
    const auto words = WordsOf(line);
    if (words.size() < 2 || (words[0] != "struct" && words[0] != "value")) return Invalid("expected a struct or value, not ", Quoted(line));
    Type type;
    type.name = StrCat(package_, ".", words[1]);
    if (schema_.Find(type.name) != nullptr) return Invalid(type.name, " occurs twice");
    if (words[0] == "struct") {
      type.shape = Shape::kStruct;
      for (const std::string_view word : std::span(words).subspan(2)) TRY(ReadStructWord(type, word));
      structs_.push_back(schema_.Add(std::move(type)));
      named_.emplace(structs_.back()->name, structs_.back());
      return {};
    }
    const auto shape = words.size() < 3 ? std::nullopt : ShapeOf(words[2]);
    if (!shape || words.size() > 4 || (words.size() == 4 && *shape != Shape::kAny)) return Invalid("expected a shape in ", Quoted(line));
    type.shape = *shape;
    Type* const added = schema_.Add(std::move(type));
    named_.emplace(added->name, added);
    return {};
  }

  static Status ReadStructWord(Type& type, std::string_view word) {
    if (word == "atomic") {
      type.atomic = true;
      return {};
    }
    if (!TakePrefix(word, "kind=")) return Invalid("unknown word ", Quoted(word));
    const auto parts = Split(word, '/');
    if (parts.size() < 2 || parts.size() > 3) return Invalid("expected GROUP/VERSION/KIND, not ", Quoted(word));
    type.kind = parts.back();
    type.version = parts[parts.size() - 2];
    if (parts.size() == 3) type.group = parts[0];
    return {};
  }

  Status DefineLine(std::string_view line) {
    const auto words = WordsOf(line);
    if (!line.starts_with(' ')) {
      current_ = named_.find(StrCat(package_, ".", words[1]))->second;
      if (words[0] == "value" && words.size() == 4) {
        ASSIGN_OR_RETURN(current_->element, Resolve(words[3], 0));
      }
      return {};
    }
    if (current_ == nullptr || current_->shape != Shape::kStruct) return Invalid("a field outside of a struct");
    if (words.size() < 3) return Invalid("expected NAME TYPE NUMBER, not ", Quoted(line));
    if (current_->Find(words[0]) != nullptr) return Invalid("field ", words[0], " occurs twice");
    Field field;
    field.name = words[0];
    std::string_view type = words[1];
    field.pointer = TakePrefix(type, "*");
    ASSIGN_OR_RETURN(field.type, Resolve(type, 0));
    TRY(ReadNumber(field, words[2]));
    field.merge = field.type->shape == Shape::kMap || field.type->shape == Shape::kStruct ? Merge::kGranular : Merge::kAtomic;
    if (field.type->atomic) field.merge = Merge::kAtomic;
    for (const std::string_view word : std::span(words).subspan(3)) TRY(ReadFieldWord(field, word));
    if (field.default_value.empty() && !field.pointer && !field.omit_empty) field.default_value = ZeroOf(field.type->shape);
    current_->fields.push_back(std::move(field));
    return {};
  }

  static Status ReadNumber(Field& field, std::string_view text) {
    if (text == "-") return {};
    const size_t dot = text.find('.');
    const auto read = [](std::string_view digits, int& number) {
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      return error == std::errc() && end == digits.data() + digits.size() && number > 0;
    };
    if (dot != text.npos && !read(text.substr(0, dot), field.embedded)) return Invalid("expected a number, not ", Quoted(text));
    if (!read(text.substr(dot == text.npos ? 0 : dot + 1), field.number)) return Invalid("expected a number, not ", Quoted(text));
    return {};
  }

  static Status ReadFieldWord(Field& field, std::string_view word) {
    const std::string_view whole = word;
    if (word == "omit") {
      field.omit_empty = true;
    } else if (word == "required") {
      field.required = true;
    } else if (word == "atomic") {
      field.merge = Merge::kAtomic;
    } else if (word == "granular") {
      field.merge = Merge::kGranular;
    } else if (word == "set") {
      field.merge = Merge::kSet;
    } else if (TakePrefix(word, "map=")) {
      field.merge = Merge::kMap;
      for (const std::string_view key : Split(word, ',')) field.keys.emplace_back(key);
      std::sort(field.keys.begin(), field.keys.end());
    } else if (word == "retain-keys") {
      field.patch_retain_keys = true;
    } else if (TakePrefix(word, "patch")) {
      field.patch_merge = true;
      if (TakePrefix(word, "=")) field.patch_key = word;
    } else if (TakePrefix(word, "default=")) {
      field.default_value = word;
    } else {
      return Invalid("unknown word ", Quoted(whole));
    }
    return {};
  }

  // Resolves a type as written in a field. Lists and maps of the same element are one type.
  Result<const Type*> Resolve(std::string_view text, int depth) {
    if (depth > 8) return Invalid("lists and maps more than 8 deep");
    std::string_view inner = text;
    const bool list = TakePrefix(inner, "[]");
    if (!list && !TakePrefix(inner, "map:")) return ResolveName(text);
    const bool pointer = TakePrefix(inner, "*");
    ASSIGN_OR_RETURN(const Type* const element, Resolve(inner, depth + 1));
    const Type*& made = containers_[{element, list, pointer}];
    if (made == nullptr) {
      made = schema_.Add(
          {.name = "", .shape = list ? Shape::kList : Shape::kMap, .fields = {}, .element = element, .element_pointer = pointer});
    }
    return made;
  }

  Result<const Type*> ResolveName(std::string_view text) {
    if (const auto shape = ShapeOf(text)) {
      const Type*& made = scalars_[*shape];
      if (made == nullptr) made = schema_.Add({.name = "", .shape = *shape});
      return made;
    }
    const Type* found = schema_.Find(text.find('.') == text.npos ? StrCat(package_, ".", text) : std::string(text));
    if (found == nullptr) return Invalid("no type ", Quoted(text));
    return found;
  }

  Schema& schema_;
  std::string_view package_;
  Type* current_ = nullptr;
  std::vector<Type*> structs_;
  std::map<std::string, Type*, std::less<>> named_;
  std::map<std::tuple<const Type*, bool, bool>, const Type*> containers_;
  std::map<Shape, const Type*> scalars_;
};

}  // namespace

Result<std::unique_ptr<Schema>> Schema::Parse(const std::vector<std::string_view>& tables) {
  auto schema = std::make_unique<Schema>();
  Parser parser(*schema);
  for (const std::string_view table : tables) TRY(parser.Declare(table));
  for (const std::string_view table : tables) TRY(parser.Define(table));
  parser.Finish();
  return schema;
}

}  // namespace allot::apiserver
