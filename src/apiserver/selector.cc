#include "apiserver/selector.h"

#include <algorithm>
#include <charconv>

#include "apiserver/refusal.h"
#include "json/editor.h"
#include "json/json.h"
#include "model/names.h"

namespace allot::apiserver {

namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsSymbol(char c) { return c == '=' || c == '!' || c == '(' || c == ')' || c == ',' || c == '<' || c == '>'; }

}  // namespace

// The words and symbols of a label selector; "" at its end.
class SelectorTokens {
 public:
  explicit SelectorTokens(std::string_view text) : text_(text) { Next(); }

  std::string_view Peek() const { return token_; }
  bool AtEnd() const { return token_.empty(); }
  bool Take(std::string_view token) {
    if (token_ != token) return false;
    Next();
    return true;
  }
  std::string_view Next() {
    const std::string_view taken = token_;
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
    const size_t begin = at_;
    if (at_ < text_.size() && IsSymbol(text_[at_])) {
      const std::string_view two = text_.substr(at_, 2);
      at_ += two == "==" || two == "!=" ? 2 : 1;
    } else {
      while (at_ < text_.size() && !IsSpace(text_[at_]) && !IsSymbol(text_[at_])) ++at_;
    }
    token_ = text_.substr(begin, at_ - begin);
    return taken;
  }
  bool IsWord() const { return !token_.empty() && !IsSymbol(token_.front()); }

 private:
  std::string_view text_, token_;
  size_t at_ = 0;
};

namespace {

Status BadSelector(std::string_view selector, std::string_view why) {
  return BadRequest(StrCat("unable to parse requirement: ", why, " in ", Quoted(selector, 200)));
}

std::optional<int64_t> Integer(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Removes the escapes of "a\,b". Returns nullopt for an invalid escape.
std::optional<std::string> Unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      if (++i == text.size() || (text[i] != '\\' && text[i] != ',' && text[i] != '=')) return std::nullopt;
    }
    plain += text[i];
  }
  return plain;
}

std::vector<std::string_view> SplitEscaped(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

const std::string* Find(const Index& index, std::string_view label) {
  const auto found =
      std::lower_bound(index.labels.begin(), index.labels.end(), label, [](const auto& a, std::string_view b) { return a.first < b; });
  return found == index.labels.end() || found->first != label ? nullptr : &found->second;
}

}  // namespace

Result<Selector> Selector::Parse(const Kind& kind, std::string_view labels, std::string_view fields) {
  Selector selector;
  TRY(selector.ParseLabels(labels));
  TRY(selector.ParseFields(kind, fields));
  return selector;
}

Status Selector::ParseLabels(std::string_view text) {
  SelectorTokens tokens(text);
  while (!tokens.AtEnd()) {
    Requirement one;
    const bool absent = tokens.Take("!");
    if (!tokens.IsWord()) return BadSelector(text, "a label is missing");
    one.key = tokens.Next();
    if (!model::IsLabelKey(one.key)) return BadSelector(text, StrCat(Quoted(one.key), " is not a label key"));
    if (absent) {
      one.op = Op::kAbsent;
    } else if (!tokens.AtEnd() && tokens.Peek() != ",") {
      TRY(ReadOperator(text, tokens, one));
    }
    labels_.push_back(std::move(one));
    if (tokens.AtEnd()) break;
    if (!tokens.Take(",") || tokens.AtEnd()) return BadSelector(text, "',' and another requirement expected");
  }
  return Status();
}

Status Selector::ReadOperator(std::string_view text, SelectorTokens& tokens, Requirement& one) {
  const std::string_view op = tokens.Next();
  if (op == "in" || op == "notin") {
    one.op = op == "in" ? Op::kIn : Op::kNotIn;
    if (!tokens.Take("(")) return BadSelector(text, "'(' expected");
    do {
      one.values.emplace_back(tokens.IsWord() ? tokens.Next() : std::string_view());
    } while (tokens.Take(","));
    if (!tokens.Take(")")) return BadSelector(text, "')' expected");
  } else if (op == "=" || op == "==" || op == "!=" || op == ">" || op == "<") {
    one.op = op == "!=" ? Op::kNotIn : op == ">" ? Op::kAbove : op == "<" ? Op::kBelow : Op::kIn;
    one.values.emplace_back(tokens.IsWord() ? tokens.Next() : std::string_view());
    const bool compares = one.op == Op::kAbove || one.op == Op::kBelow;
    if (compares && !Integer(one.values.front())) return BadSelector(text, "a whole number expected after '<' or '>'");
  } else {
    return BadSelector(text, StrCat("found ", Quoted(op), ", expected: in, notin, =, ==, !=, <, >"));
  }
  for (const std::string& value : one.values) {
    if (!model::IsLabelValue(value)) return BadSelector(text, StrCat(Quoted(value), " is not a label value"));
  }
  return Status();
}

Status Selector::ParseFields(const Kind& kind, std::string_view text) {
  if (text.empty()) return Status();
  for (const std::string_view part : SplitEscaped(text)) {
    if (part.empty()) continue;
    const size_t at = part.find('=');
    if (at == std::string_view::npos) return BadRequest(StrCat("invalid selector: '", text, "'; can't understand '", part, "'"));
    FieldTerm term;
    size_t key_end = at;
    size_t value = at + 1;
    if (at > 0 && part[at - 1] == '!') {
      term.equal = false;
      key_end = at - 1;
    } else if (value < part.size() && part[value] == '=') {
      ++value;
    }
    const auto plain = Unescaped(part.substr(value));
    if (!plain) return BadRequest(StrCat("invalid selector: '", text, "'; a backslash escapes only ',', '=' and itself"));
    term.value = *plain;
    const std::string_view name = part.substr(0, key_end);
    if (name == "metadata.name") {
      term.source = Source::kName;
      if (term.equal && only_name_.empty()) only_name_ = term.value;
    } else if (name == "metadata.namespace" && kind.type.namespaced) {
      term.source = Source::kNamespace;
    } else {
      const auto found = std::find_if(kind.selectable.begin(), kind.selectable.end(), [&](const auto& one) { return one.name == name; });
      if (found == kind.selectable.end()) return BadRequest(StrCat("field label not supported: ", name));
      term.index = static_cast<size_t>(found - kind.selectable.begin());
    }
    fields_.push_back(std::move(term));
  }
  return Status();
}

bool Selector::Holds(const Requirement& one, const Index& index) {
  const std::string* value = Find(index, one.key);
  const auto listed = [&] { return std::find(one.values.begin(), one.values.end(), *value) != one.values.end(); };
  switch (one.op) {
    case Op::kExists: return value != nullptr;
    case Op::kAbsent: return value == nullptr;
    case Op::kIn: return value != nullptr && listed();
    case Op::kNotIn: return value == nullptr || !listed();
    case Op::kAbove:
    case Op::kBelow: {
      if (value == nullptr) return false;
      const auto number = Integer(*value), limit = Integer(one.values.front());
      return number && limit && (one.op == Op::kAbove ? *number > *limit : *number < *limit);
    }
  }
  return false;
}

bool Selector::Matches(const Entry& entry) const {
  for (const FieldTerm& term : fields_) {
    const std::string* actual = &entry.key.name;
    if (term.source == Source::kNamespace) actual = &entry.key.space;
    if (term.source == Source::kField) {
      if (term.index >= entry.index.fields.size()) return false;
      actual = &entry.index.fields[term.index];
    }
    if ((*actual == term.value) != term.equal) return false;
  }
  return std::all_of(labels_.begin(), labels_.end(), [&](const Requirement& one) { return Holds(one, entry.index); });
}

Index IndexOf(const Kind& kind, const json::Value& object) {
  Index index;
  for (const json::Member& label : json::MembersOf(object["metadata"]["labels"])) {
    index.labels.emplace_back(label.key, json::TextOf(label.value));
  }
  std::sort(index.labels.begin(), index.labels.end());
  index.fields.reserve(kind.selectable.size());
  for (const Kind::Selectable& one : kind.selectable) {
    const json::Value* value = &object;
    for (const std::string& part : one.path) value = &(*value)[part];
    if (value->IsNull()) {
      index.fields.push_back(one.absent);
    } else {
      index.fields.push_back(value->IsString() ? std::string(value->AsString()) : json::Write(*value));
    }
  }
  return index;
}

}  // namespace allot::apiserver
