// matches(), and find() and findAll() of Kubernetes' regex library.

#include <re2/re2.h>

#include "base/utf8.h"
#include "cel/compile/declarations.h"
#include "cel/library/regex.h"

namespace allot::cel {

Regex::Regex(std::unique_ptr<re2::RE2> re) : re_(std::move(re)) {}
Regex::~Regex() = default;

Result<std::unique_ptr<const Regex>> Regex::Compile(std::string_view pattern) {
  // Go also accepts (?<name>...) as a named group; this RE2 accepts only (?P<name>...).
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    text += pattern[i];
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      text += pattern[++i];
    } else if (pattern.substr(i, 3) == "(?<") {
      text += "?P";
      ++i;
    }
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(64 << 20);
  auto re = std::make_unique<re2::RE2>(text, options);
  if (!re->ok()) return Invalid("wrong pattern ", Quoted(pattern), ": ", re->error());
  return std::unique_ptr<const Regex>(new Regex(std::move(re)));
}

bool Regex::Matches(std::string_view text) const {
  return re_->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

std::string_view Regex::Find(std::string_view text) const {
  re2::StringPiece match;
  if (!re_->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED, &match, 1)) return {};
  return {match.data(), match.size()};
}

Value Regex::FindAll(Frame& frame, std::string_view text, int64_t limit) const {
  GrowingList* const matches = frame.arena.New<GrowingList>();
  const re2::StringPiece piece(text.data(), text.size());
  size_t at = 0;
  size_t last_end = std::string_view::npos;
  while (at <= text.size() && (limit < 0 || matches->size < static_cast<uint64_t>(limit))) {
    re2::StringPiece match;
    if (!re_->Match(piece, at, text.size(), re2::RE2::UNANCHORED, &match, 1)) break;
    const auto begin = static_cast<size_t>(match.data() - text.data());
    const size_t end = begin + match.size();
    // An empty match directly after the previous match does not count.
    const bool counts = begin != end || begin != last_end;
    if (end > at) {
      at = end;
    } else if (at < text.size()) {
      DecodeCharacter(text, &at);
    } else {
      at = text.size() + 1;
    }
    last_end = end;
    if (!frame.Work(1)) return Frame::TooMuch();
    if (counts) matches->Append(frame.arena, Value::String(text.substr(begin, end - begin)));
  }
  return Value::Of(static_cast<const List*>(matches));
}

Value Regex::Call(Frame& frame, std::string_view function, std::span<const Value> args) const {
  if (!args[0].Is(Kind::kString)) return Value::Error(kNoSuchOverload);
  if (function == "matches") return Value::Bool(Matches(args[0].Text()));
  if (function == "find") return Value::String(Find(args[0].Text()));
  if (args.size() > 2 && !args[2].Is(Kind::kInt)) return Value::Error(kNoSuchOverload);
  return FindAll(frame, args[0].Text(), args.size() > 2 ? args[2].integer : -1);
}

namespace {

// Runs the function with a pattern that is known only at run time.
Value RunWithPattern(Frame& frame, std::string_view function, std::span<const Value> args) {
  if (!args[0].Is(Kind::kString) || !args[1].Is(Kind::kString)) return Value::Error(kNoSuchOverload);
  const auto regex = Regex::Compile(args[1].Text());
  if (!regex.ok()) return frame.NewError(regex.status().message());
  return (*regex)->Call(frame, function, args);
}

Value Matches(Frame& frame, std::span<const Value> args) { return RunWithPattern(frame, "matches", args); }
Value Find(Frame& frame, std::span<const Value> args) { return RunWithPattern(frame, "find", args); }
Value FindAll(Frame& frame, std::span<const Value> args) { return RunWithPattern(frame, "findAll", args); }

constexpr Declaration kTable[] = {
    {"matches", "matches", "string,string->bool", Matches, Declaration::kSingleton},
    {"matches", "matches_string", ".string,string->bool", Matches, Declaration::kSingleton},
    {"find", "string_find_string", ".string,string->string", Find},
    {"findAll", "string_find_all_string", ".string,string->list(string)", FindAll},
    {"findAll", "string_find_all_string_int", ".string,string,int->list(string)", FindAll, Declaration::kVariadic},
};

}  // namespace

std::span<const Declaration> RegexFunctions() { return kTable; }

}  // namespace allot::cel
