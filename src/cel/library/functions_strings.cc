// Strings: the standard predicates and version 2 of the strings extension. Positions count characters, not bytes.

#include <algorithm>

#include "base/utf8.h"
#include "cel/compile/declarations.h"
#include "cel/eval/frame.h"
#include "cel/library/format_text.h"

namespace allot::cel {
namespace {

using Args = std::span<const Value>;

Value NoOverload() { return Value::Error(kNoSuchOverload); }
bool AreTexts(Args args) { return args[0].Is(Kind::kString) && args[1].Is(Kind::kString); }
Value OutOfRange(Frame& frame, int64_t index) { return frame.NewError(StrCat("index out of range: ", index)); }

Value Contains(Frame&, Args args) {
  return AreTexts(args) ? Value::Bool(args[0].Text().find(args[1].Text()) != std::string_view::npos) : NoOverload();
}
Value StartsWith(Frame&, Args args) { return AreTexts(args) ? Value::Bool(args[0].Text().starts_with(args[1].Text())) : NoOverload(); }
Value EndsWith(Frame&, Args args) { return AreTexts(args) ? Value::Bool(args[0].Text().ends_with(args[1].Text())) : NoOverload(); }

Value CharAt(Frame& frame, Args args) {
  const std::string_view text = args[0].Text();
  const int64_t index = args[1].integer;
  if (index < 0 || static_cast<uint64_t>(index) > CountCharacters(text)) return OutOfRange(frame, index);
  const size_t begin = CharacterOffset(text, static_cast<uint64_t>(index));
  if (begin == text.size()) return Value::String("");
  size_t end = begin;
  DecodeCharacter(text, &end);
  return Value::String(text.substr(begin, end - begin));
}

Value IndexOf(Frame& frame, Args args) {
  const std::string_view text = args[0].Text();
  const std::string_view wanted = args[1].Text();
  const int64_t from = args.size() > 2 ? args[2].integer : 0;
  if (wanted.empty()) return Value::Int(from);
  if (from < 0) return OutOfRange(frame, from);
  const size_t begin = CharacterOffset(text, static_cast<uint64_t>(from));
  const size_t found = text.find(wanted, begin);
  if (found == std::string_view::npos) return Value::Int(-1);
  return Value::Int(static_cast<int64_t>(CountCharacters(text.substr(0, found))));
}

Value LastIndexOf(Frame& frame, Args args) {
  const std::string_view text = args[0].Text();
  const std::string_view wanted = args[1].Text();
  const auto count = static_cast<int64_t>(CountCharacters(text));
  if (args.size() == 2) {
    if (wanted.empty()) return Value::Int(count);
    if (text.size() < wanted.size()) return Value::Int(-1);
  }
  const int64_t from = args.size() > 2 ? args[2].integer : count - 1;
  if (wanted.empty()) return Value::Int(from);
  if (from < 0) return OutOfRange(frame, from);
  if (from >= count) return Value::Int(-1);
  const size_t found = text.rfind(wanted, CharacterOffset(text, static_cast<uint64_t>(from)));
  if (found == std::string_view::npos) return Value::Int(-1);
  return Value::Int(static_cast<int64_t>(CountCharacters(text.substr(0, found))));
}

template <char kFirst, char kLast>
Value WithCase(Frame& frame, const Value& value) {
  const std::string_view text = value.Text();
  if (!frame.arena.HasRoom(text.size())) return Frame::TooMuch();
  char* const copy = frame.arena.Array<char>(text.size());
  std::transform(text.begin(), text.end(), copy, [](char c) { return c >= kFirst && c <= kLast ? static_cast<char>(c ^ 0x20) : c; });
  return Value::String({copy, text.size()});
}
Value LowerAscii(Frame& frame, Args args) { return WithCase<'A', 'Z'>(frame, args[0]); }
Value UpperAscii(Frame& frame, Args args) { return WithCase<'a', 'z'>(frame, args[0]); }

Value Replace(Frame& frame, Args args) {
  const std::string_view text = args[0].Text();
  const std::string_view from = args[1].Text();
  const std::string_view to = args[2].Text();
  int64_t left = args.size() > 3 ? args[3].integer : -1;
  std::string result;
  size_t at = 0;
  // The empty text matches before every character and at the end.
  for (bool first = true; left != 0; --left, first = false) {
    size_t found = 0;
    if (!from.empty()) {
      found = text.find(from, at);
      if (found == std::string_view::npos) break;
    } else {
      if (!first && at == text.size()) break;
      found = at;
      if (!first) DecodeCharacter(text, &found);
    }
    result.append(text, at, found - at);
    result += to;
    at = found + from.size();
    if (!frame.arena.HasRoom(result.size())) return Frame::TooMuch();
  }
  result.append(text, at);
  return frame.NewString(result);
}

Value Split(Frame& frame, Args args) {
  const std::string_view text = args[0].Text();
  const std::string_view separator = args[1].Text();
  const int64_t limit = args.size() > 2 ? args[2].integer : -1;
  GrowingList* const parts = frame.arena.New<GrowingList>();
  const auto full = [&] { return limit > 0 && parts->size + 1 >= static_cast<uint64_t>(limit); };
  if (limit == 0) return Value::Of(static_cast<const List*>(parts));
  size_t at = 0;
  if (separator.empty()) {
    while (at < text.size()) {
      const size_t begin = at;
      if (full()) {
        at = text.size();
      } else {
        DecodeCharacter(text, &at);
      }
      parts->Append(frame.arena, Value::String(text.substr(begin, at - begin)));
    }
    return Value::Of(static_cast<const List*>(parts));
  }
  while (!full()) {
    const size_t found = text.find(separator, at);
    if (found == std::string_view::npos) break;
    parts->Append(frame.arena, Value::String(text.substr(at, found - at)));
    at = found + separator.size();
  }
  parts->Append(frame.arena, Value::String(text.substr(at)));
  return Value::Of(static_cast<const List*>(parts));
}

Value Substring(Frame& frame, Args args) {
  const std::string_view text = args[0].Text();
  const auto count = static_cast<int64_t>(CountCharacters(text));
  const int64_t begin = args[1].integer;
  const int64_t end = args.size() > 2 ? args[2].integer : count;
  if (args.size() > 2 && begin > end) return frame.NewError(StrCat("invalid substring range. start: ", begin, ", end: ", end));
  if (begin < 0 || begin > count) return OutOfRange(frame, begin);
  if (end < 0 || end > count) return OutOfRange(frame, end);
  const size_t from = CharacterOffset(text, static_cast<uint64_t>(begin));
  return Value::String(text.substr(from, CharacterOffset(text.substr(from), static_cast<uint64_t>(end - begin))));
}

bool IsSpace(uint32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

Value TrimSpace(Frame&, Args args) {
  const std::string_view text = args[0].Text();
  size_t begin = 0;
  while (begin < text.size()) {
    size_t next = begin;
    if (!IsSpace(DecodeCharacter(text, &next))) break;
    begin = next;
  }
  size_t end = begin;
  for (size_t at = begin; at < text.size();) {
    if (!IsSpace(DecodeCharacter(text, &at))) end = at;
  }
  return Value::String(text.substr(begin, end - begin));
}

Value JoinTexts(Frame& frame, Args args) {
  const List& list = *args[0].list;
  const std::string_view separator = args.size() > 1 ? args[1].Text() : std::string_view();
  std::string result;
  for (uint64_t i = 0; i < list.size; ++i) {
    const Value& part = list.At(i);
    if (!part.Is(Kind::kString)) return Value::Error("join: invalid input");
    if (!frame.Work(1)) return Frame::TooMuch();
    if (i != 0) result += separator;
    result += part.Text();
    if (!frame.arena.HasRoom(result.size())) return Frame::TooMuch();
  }
  return frame.NewString(result);
}

Value Quote(Frame& frame, Args args) {
  std::string quoted = "\"";
  for (const char c : args[0].Text()) {
    switch (c) {
      case '\a': quoted += "\\a"; break;
      case '\b': quoted += "\\b"; break;
      case '\f': quoted += "\\f"; break;
      case '\n': quoted += "\\n"; break;
      case '\r': quoted += "\\r"; break;
      case '\t': quoted += "\\t"; break;
      case '\v': quoted += "\\v"; break;
      case '\\': quoted += "\\\\"; break;
      case '"': quoted += "\\\""; break;
      default: quoted += c;
    }
  }
  return frame.NewString(quoted + "\"");
}

Value Format(Frame& frame, Args args) { return FormatText(frame, args[0].Text(), *args[1].list); }

constexpr auto kU = Declaration::kUnguarded;
constexpr auto kV = Declaration::kVariadic;

constexpr Declaration kTable[] = {
    {"charAt", "string_char_at_int", ".string,int->string", CharAt},
    {"indexOf", "string_index_of_string", ".string,string->int", IndexOf},
    {"indexOf", "string_index_of_string_int", ".string,string,int->int", IndexOf, kV},
    {"lastIndexOf", "string_last_index_of_string", ".string,string->int", LastIndexOf},
    {"lastIndexOf", "string_last_index_of_string_int", ".string,string,int->int", LastIndexOf, kV},
    {"lowerAscii", "string_lower_ascii", ".string->string", LowerAscii},
    {"replace", "string_replace_string_string", ".string,string,string->string", Replace, kV},
    {"replace", "string_replace_string_string_int", ".string,string,string,int->string", Replace, kV},
    {"split", "string_split_string", ".string,string->list(string)", Split},
    {"split", "string_split_string_int", ".string,string,int->list(string)", Split, kV},
    {"substring", "string_substring_int", ".string,int->string", Substring},
    {"substring", "string_substring_int_int", ".string,int,int->string", Substring, kV},
    {"trim", "string_trim", ".string->string", TrimSpace},
    {"upperAscii", "string_upper_ascii", ".string->string", UpperAscii},
    {"format", "string_format", ".string,list(dyn)->string", Format, kV},
    {"strings.quote", "strings_quote", "string->string", Quote},
    {"join", "list_join", ".list(string)->string", JoinTexts},
    {"join", "list_join_string", ".list(string),string->string", JoinTexts},
    {"contains", "contains_string", ".string,string->bool", Contains, kU},
    {"endsWith", "ends_with_string", ".string,string->bool", EndsWith, kU},
    {"startsWith", "starts_with_string", ".string,string->bool", StartsWith, kU},
};

}  // namespace

std::span<const Declaration> StringFunctions() { return kTable; }

}  // namespace allot::cel
