#include "cli/program/args.h"

#include <algorithm>

#include "base/edit_distance.h"
#include "base/strings.h"
#include "cli/program/values.h"
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

// The flag that the user may have meant: the first that begins with `written`, else the nearest. Empty for a single letter.
std::string Suggestion(std::span<const Flag> flags, std::string_view written) {
  if (!written.starts_with("--") || written.size() < 5) return "";
  std::vector<std::string> names;
  for (const Flag& flag : flags) names.push_back(StrCat("--", flag.name));
  const auto longer = std::find_if(names.begin(), names.end(), [&](const std::string& name) { return name.starts_with(written); });
  if (longer != names.end()) return *longer;
  const auto shorter = std::find_if(names.begin(), names.end(), [&](const std::string& name) { return written.starts_with(name + "s"); });
  return shorter != names.end() ? *shorter : Nearest(written, names);
}

Status Unknown(std::span<const Flag> flags, std::string_view written) {
  const std::string nearest = Suggestion(flags, written);
  return Invalid("unknown flag ", Quoted(written), nearest.empty() ? "" : StrCat(" (did you mean ", nearest, "?)"));
}

bool IsDigits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

constexpr size_t kMostLeft = 40;  // characters before a flag's help

void AppendFlags(std::string& text, std::span<const Flag> flags) {
  size_t width = 0;
  std::vector<std::string> left;
  for (const Flag& flag : flags) {
    std::string words = flag.letter != 0 ? StrCat("  -", flag.letter, ", --", flag.name) : StrCat("      --", flag.name);
    if (!flag.value.empty()) words += StrCat(flag.bare.empty() ? " " : "[=", flag.value, flag.bare.empty() ? "" : "]");
    if (words.size() <= kMostLeft) width = std::max(width, words.size());
    left.push_back(std::move(words));
  }
  for (size_t i = 0; i < flags.size(); ++i) {
    // The help of a long flag goes to the next line, so that it does not push the help of all others to the right.
    const bool fits = left[i].size() <= width;
    text += StrCat(left[i], fits ? "" : "\n", std::string(fits ? width - left[i].size() + 2 : width + 2, ' '), flags[i].help, "\n");
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
    const auto fits = [&](std::string_view choice) {
      const size_t equals = choice.find('=');
      return equals == choice.npos ? value == choice : value.starts_with(choice.substr(0, equals + 1));
    };
    if (std::none_of(choices.begin(), choices.end(), fits)) {
      return Invalid(written, ": ", Quoted(value), " is not one of ", flag.value);
    }
  } else if (value.empty() && flag.value != "SELECTOR") {  // an empty one selects everything
    return Invalid(written, " needs a value (", flag.value, ") that is not empty");
  } else {
    TRY(CheckValue(flag.value, value).Context(written));
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
      const bool number = flag.value == "NUMBER" && i + 1 < words.size() && IsDigits(words[i + 1]);
      if (!flag.bare.empty() && !number) return arguments.Add(flag, written, flag.bare);
      if (i + 1 == words.size()) return Invalid(written, " needs a value (", flag.value, ")");
      return arguments.Add(flag, written, words[++i]);
    };
    if (word.starts_with("--")) {
      const size_t equals = std::min(word.find('='), word.size());
      const std::string_view written = word.substr(0, equals);
      const Flag* flag = FindName(flags, written.substr(2));
      if (flag == nullptr && written.size() == 3) flag = FindLetter(flags, written[2]);  // --v, as kubectl has it
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
      const bool is_value = !flag->value.empty() && (flag->bare.empty() || IsDigits(word));
      const bool takes_rest = !word.empty() && (word[0] == '=' || is_value);
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

const Flag* TakesNext(std::span<const Flag> flags, std::string_view word) {
  for (const Flag& flag : flags) {
    if (flag.value.empty() || !flag.bare.empty()) continue;
    if (word == StrCat("--", flag.name) || (flag.letter != 0 && word == StrCat("-", flag.letter))) return &flag;
  }
  return nullptr;
}

size_t FirstOperand(std::span<const Flag> flags, std::span<const std::string_view> words) {
  if (std::find(words.begin(), words.end(), "--") != words.end()) return words.size();
  size_t i = 0;
  while (i < words.size() && words[i].starts_with('-')) i += TakesNext(flags, words[i]) != nullptr ? 2 : 1;
  return std::min(i, words.size());
}

std::span<const Flag> GlobalFlags() {
  static constexpr Flag kFlags[] = {
      {"kubeconfig", 0, "FILE", "the kubeconfig to read (default: the files of KUBECONFIG, else ~/.kube/config)"},
      {"context", 0, "NAME", "use this context of the kubeconfig instead of its current one"},
      {"cluster", 0, "NAME", "use this cluster of the kubeconfig instead of the context's"},
      {"user", 0, "NAME", "use this user of the kubeconfig instead of the context's"},
      {"server", 's', "URL",
       "the address of the API server: https://HOST:PORT, or for a server of this machine its socket: /PATH/api.sock"},
      {"certificate-authority", 0, "FILE", "the certificates that may sign the server's certificate"},
      {"insecure-skip-tls-verify", 0, "",
       "do not verify the server's certificate; an attacker on the network can read and change everything"},
      {"token", 0, "TEXT", "a bearer token to use instead of the user's credentials"},
      {"as", 0, "USER", "act as this user"},
      {"as-group", 0, "GROUP", "act as a member of this group; may be repeated"},
      {"request-timeout", 0, "TIME", "how long a request may take: 30, 500ms, 1m30s; 0: no limit (default 60s)"},
      {"qps", 0, "NUMBER", "send at most this many requests a second, on average; 0: no limit (default 0)"},
      {"burst", 0, "NUMBER", "with --qps: send at most this many requests at once (default 100)"},
      {"verbose", 'v', "NUMBER", "print each request: method, URL, status, time; all levels above 0 are the same", "1"},
  };
  return kFlags;
}

std::vector<Flag> AllFlags(const Verb& verb) {
  std::vector<Flag> flags = verb.flags;
  if (verb.connects) flags.insert(flags.end(), GlobalFlags().begin(), GlobalFlags().end());
  flags.push_back({"help", 'h', "", "print this text"});
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
    text += "\nflags for the connection to the cluster:\n";
    AppendFlags(text, GlobalFlags());
  }
  return text;
}

}  // namespace allot::cli
