#include "cli/args.h"

#include <algorithm>

#include "base/strings.h"
#include "kube/discovery.h"

namespace allot::cli {
namespace {

const Flag* FindName(std::span<const Flag> flags, std::string_view name) {
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const Flag& flag) { return flag.name == name; });
  return found == flags.end() ? nullptr : &*found;
}

const Flag* FindLetter(std::span<const Flag> flags, char letter) {
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const Flag& flag) { return flag.letter == letter; });
  return found == flags.end() ? nullptr : &*found;
}

Status Unknown(std::span<const Flag> flags, std::string_view written) {
  std::vector<std::string> names;
  for (const Flag& flag : flags) names.push_back(StrCat("--", flag.name));
  const std::string nearest = Nearest(written, names);
  return Invalid("unknown flag ", Quoted(written), nearest.empty() ? "" : StrCat(" (did you mean ", nearest, "?)"));
}

void AppendFlags(std::string& text, std::span<const Flag> flags) {
  size_t width = 0;
  std::vector<std::string> left;
  for (const Flag& flag : flags) {
    std::string words = flag.letter != 0 ? StrCat("  -", flag.letter, ", --", flag.name) : StrCat("      --", flag.name);
    if (!flag.value.empty()) words += StrCat(flag.bare.empty() ? " " : "[=", flag.value, flag.bare.empty() ? "" : "]");
    width = std::max(width, words.size());
    left.push_back(std::move(words));
  }
  for (size_t i = 0; i < flags.size(); ++i) {
    text += StrCat(left[i], std::string(width - left[i].size() + 2, ' '), flags[i].help, "\n");
  }
}

}  // namespace

Status Arguments::Add(const Flag& flag, std::string_view written, std::string_view value) {
  if (flag.value.empty()) {
    if (value == "1" || value == "t" || value == "True") value = "true";
    if (value == "0" || value == "f" || value == "False") value = "false";
    if (value != "true" && value != "false") return Invalid(written, ": ", Quoted(value), " is neither true nor false");
  } else if (flag.value.find('|') != std::string_view::npos) {
    const std::vector<std::string_view> choices = Split(flag.value, '|');
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
      return Invalid(written, ": ", Quoted(value), " is not one of ", flag.value);
    }
  }
  values_[std::string(flag.name)].emplace_back(value);
  return Status();
}

Result<Arguments> Arguments::Parse(std::span<const Flag> flags, std::span<const std::string_view> words) {
  Arguments arguments;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word == "--") {
      for (++i; i < words.size(); ++i) arguments.operands_.emplace_back(words[i]);
      break;
    }
    if (!word.starts_with('-') || word == "-") {
      arguments.operands_.emplace_back(word);
      continue;
    }
    const auto value_of = [&](const Flag& flag, std::string_view written, bool joined, std::string_view value) -> Status {
      if (joined) return arguments.Add(flag, written, value);
      if (flag.value.empty()) return arguments.Add(flag, written, "true");
      if (!flag.bare.empty()) return arguments.Add(flag, written, flag.bare);
      if (i + 1 == words.size()) return Invalid(written, " needs a value (", flag.value, ")");
      return arguments.Add(flag, written, words[++i]);
    };
    if (word.starts_with("--")) {
      const size_t equals = std::min(word.find('='), word.size());
      const std::string_view written = word.substr(0, equals);
      const Flag* const flag = FindName(flags, written.substr(2));
      if (flag == nullptr) return Unknown(flags, written);
      const bool joined = equals < word.size();
      TRY(value_of(*flag, written, joined, joined ? word.substr(equals + 1) : ""));
      continue;
    }
    for (word.remove_prefix(1); !word.empty();) {
      const Flag* const flag = FindLetter(flags, word[0]);
      if (flag == nullptr) return Unknown(flags, StrCat("-", word.substr(0, 1)));
      const std::string written = StrCat("-", word.substr(0, 1));
      word.remove_prefix(1);
      const bool takes_rest = !word.empty() && (word[0] == '=' || !flag->value.empty());
      TRY(value_of(*flag, written, takes_rest, takes_rest ? word.substr(word[0] == '=' ? 1 : 0) : ""));
      if (takes_rest) break;
    }
  }
  return arguments;
}

std::string Arguments::Get(std::string_view flag) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? "" : found->second.back();
}

std::vector<std::string> Arguments::All(std::string_view flag) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

std::span<const Flag> GlobalFlags() {
  static constexpr Flag kFlags[] = {
      {"kubeconfig", 0, "FILE", "instead of KUBECONFIG and ~/.kube/config"},
      {"context", 0, "NAME", "of the kubeconfig"},
      {"cluster", 0, "NAME", "of the kubeconfig"},
      {"user", 0, "NAME", "of the kubeconfig"},
      {"server", 's', "URL", "of the API server"},
      {"token", 0, "TEXT", "bearer token"},
      {"as", 0, "USER", "acts as this user"},
      {"as-group", 0, "GROUP", "acts as a member of this group; may be repeated"},
      {"request-timeout", 0, "TIME", "of each request: 30, 30s, 2m; 0: no limit (default 60s)"},
      {"qps", 0, "NUMBER", "requests a second, on average; 0: no limit (default 50)"},
      {"burst", 0, "NUMBER", "requests at once (default 100)"},
      {"verbose", 'v', "", "prints each request: method, URL, status, time"},
  };
  return kFlags;
}

std::vector<Flag> AllFlags(const Verb& verb) {
  std::vector<Flag> flags = verb.flags;
  if (verb.connects) flags.insert(flags.end(), GlobalFlags().begin(), GlobalFlags().end());
  flags.push_back({"help", 'h', "", "this text"});
  return flags;
}

std::string Help(const Verb& verb) {
  std::string text = StrCat(verb.summary, "\n\nusage: allot ", verb.name, verb.usage.empty() ? "" : " ", verb.usage, "\n");
  if (!verb.examples.empty()) text += StrCat("\nexamples:\n", verb.examples);
  if (!verb.flags.empty()) {
    text += "\nflags:\n";
    AppendFlags(text, verb.flags);
  }
  if (verb.connects) {
    text += "\nwhich cluster, and how:\n";
    AppendFlags(text, GlobalFlags());
  }
  return text;
}

std::string Nearest(std::string_view text, std::span<const std::string> words) {
  std::string best;
  size_t best_distance = text.size() / 2;  // at most half of it is wrong
  for (const std::string& word : words) {
    const size_t distance = kube::EditDistance(text, word);
    if (distance < best_distance || (distance == best_distance && best.empty() && distance > 0)) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace allot::cli
