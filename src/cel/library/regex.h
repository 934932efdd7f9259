#pragma once
// Regular expressions in RE2's syntax, as in Kubernetes.

#include <memory>
#include <span>
#include <string_view>

#include "base/status.h"
#include "cel/eval/frame.h"

namespace re2 {
class RE2;
}

namespace allot::cel {

class Regex {
 public:
  // Returns kInvalid with what is wrong in the pattern.
  static Result<std::unique_ptr<const Regex>> Compile(std::string_view pattern);
  ~Regex();

  // Whether it matches anywhere in `text`.
  bool Matches(std::string_view text) const;
  // Returns the first match, or empty.
  std::string_view Find(std::string_view text) const;
  // Returns at most `limit` matches that do not overlap; all if negative.
  Value FindAll(Frame& frame, std::string_view text, int64_t limit) const;

  // Runs "matches", "find" or "findAll" with the arguments of the call.
  Value Call(Frame& frame, std::string_view function, std::span<const Value> args) const;

 private:
  explicit Regex(std::unique_ptr<re2::RE2> re);

  const std::unique_ptr<re2::RE2> re_;
};

}  // namespace allot::cel
