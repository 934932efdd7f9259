#pragma once
// The command line of a verb: one table of flags that the parser, --help and the completion scripts all read.
//
// Flags may be anywhere on the line: --name value, --name=value, -n value, -nvalue. A bool takes =true or =false; letters of bools may be
// joined (-Aw). After "--" nothing is a flag. If the value of a flag is optional, a number after the flag is its value (-v 6, -v6, -v=6).

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace allot::cli {

struct Flag {
  std::string_view name;  // without dashes
  char letter = 0;        // 0: none
  // The name of the value in help; empty for a bool. "a|b|c=TEXT" allows these values, where any text may follow c=. The parser checks
  // them, and also NUMBER, SECONDS, TIME, NAMESPACE and URL (cli/program/values.h). Only a SELECTOR may be empty.
  std::string_view value{};
  std::string_view help{};
  std::string_view bare{};  // the value if none is given (--dry-run); empty: the flag needs a value
};

// The kind of a verb's operands, for the completion scripts.
enum class Operands { kNone, kVerbs, kTypes, kFiles, kShells, kNodes, kPods, kCommand };

class Arguments;
struct Verb {
  std::string_view name;
  std::string_view summary;   // one line, for the list of verbs; empty: not in the list
  std::string_view usage;     // the text after "allot NAME "
  std::string_view examples;  // lines of "# why\n allot ...", each with a line end; may be empty
  std::vector<Flag> flags;    // without the global ones
  Operands operands = Operands::kNone;
  bool connects = true;  // connects to a cluster: takes the global flags
  int (*run)(const Verb& verb, const Arguments& arguments) = nullptr;
};

class Arguments {
 public:
  // kInvalid names the wrong flag, and the nearest flag that exists.
  static Result<Arguments> Parse(std::span<const Flag> flags, std::span<const std::string_view> words);

  bool Has(std::string_view flag) const { return values_.contains(flag); }
  // The last value; empty if the flag is not given.
  std::string Get(std::string_view flag) const;
  std::string Get(std::string_view flag, std::string_view otherwise) const { return Has(flag) ? Get(flag) : std::string(otherwise); }
  std::vector<std::string> All(std::string_view flag) const;
  bool Bool(std::string_view flag, bool otherwise = false) const { return Has(flag) ? Get(flag) == "true" : otherwise; }
  const std::vector<std::string>& operands() const { return operands_; }

 private:
  Status Add(const Flag& flag, std::string_view written, std::string_view value);

  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> operands_;
};

// The flag that `word` names if its value is the next word; else nullptr.
const Flag* TakesNext(std::span<const Flag> flags, std::string_view word);

// The index of the first word that is neither a flag nor a flag's value; words.size() if there is none, or if the words contain "--".
size_t FirstOperand(std::span<const Flag> flags, std::span<const std::string_view> words);

// The flags of every verb that connects to a cluster.
std::span<const Flag> GlobalFlags();
// The verb's flags, then the global ones if it takes them, then --help.
std::vector<Flag> AllFlags(const Verb& verb);
// The text of `allot VERB --help`.
std::string Help(const Verb& verb);

}  // namespace allot::cli
