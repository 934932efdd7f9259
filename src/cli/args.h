#pragma once
// The command line of a verb: one table of flags that the parser, --help and the completion scripts all read.
//
// Flags may stand anywhere: --name value, --name=value, -n value, -nvalue; a bool takes =true or =false; letters of bools may be joined
// (-Aw); behind "--" nothing is a flag. A bare number behind a flag that can stand alone is its value (-v 6, -v6, -v=6).

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
  // What help calls the value; empty: a bool. "a|b|c=TEXT" is one of these, where c= takes any text behind it; they are checked, as are
  // NUMBER, SECONDS, TIME, NAMESPACE and URL (cli/values.h). No value is empty, but for that of a SELECTOR.
  std::string_view value{};
  std::string_view help{};
  std::string_view bare{};  // the value of the flag without one (--dry-run); empty: it must have one
};

// What the arguments that are no flags are, for the completion scripts.
enum class Operands { kNone, kVerbs, kTypes, kFiles, kShells, kNodes, kPods, kCommand };

class Arguments;
struct Verb {
  std::string_view name;
  std::string_view summary;   // one line, for the list of verbs; empty: it is not in the list
  std::string_view usage;     // behind "allot NAME "
  std::string_view examples;  // lines of "# why\n allot ...", each with a line end; may be empty
  std::vector<Flag> flags;    // without the global ones
  Operands operands = Operands::kNone;
  bool connects = true;  // to a cluster: takes the global flags
  int (*run)(const Verb& verb, const Arguments& arguments) = nullptr;
};

class Arguments {
 public:
  // kInvalid, naming the flag and the nearest one that there is.
  static Result<Arguments> Parse(std::span<const Flag> flags, std::span<const std::string_view> words);

  bool Has(std::string_view flag) const { return values_.contains(flag); }
  // The last value; empty where the flag is not given.
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

// The flag that `word` is, where its value comes in the next word; nullptr: it is none.
const Flag* TakesNext(std::span<const Flag> flags, std::string_view word);

// Where the first word stands that is neither a flag nor a flag's value, where no "--" says what is one; words.size(): there is none.
size_t FirstOperand(std::span<const Flag> flags, std::span<const std::string_view> words);

// What every verb that talks to a cluster takes.
std::span<const Flag> GlobalFlags();
// The verb's flags, then the global ones where it takes them, then --help.
std::vector<Flag> AllFlags(const Verb& verb);
// The text of `allot VERB --help`.
std::string Help(const Verb& verb);
// The one of `words` that is nearest to `text`; empty: none is near.
std::string Nearest(std::string_view text, std::span<const std::string> words);

}  // namespace allot::cli
