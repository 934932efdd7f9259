#pragma once
// A semantic version (semver.org 2.0.0) as DRA attributes carry it and as CEL's semver() compares it.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace allot::model {

class Version {
 public:
  // Strict semver 2.0.0. kInvalid with the place that is wrong.
  static Result<Version> Parse(std::string_view text);
  // What CEL's semver(text, true) accepts besides: a leading "v", leading zeros, one or two numbers ("v1", "1.02").
  static Result<Version> ParseNormalized(std::string_view text);

  uint64_t major() const { return major_; }
  uint64_t minor() const { return minor_; }
  uint64_t patch() const { return patch_; }

  // Precedence of semver: pre-releases sort before the release, build metadata does not count.
  int Compare(const Version& other) const;
  friend std::strong_ordering operator<=>(const Version& a, const Version& b) { return a.Compare(b) <=> 0; }
  friend bool operator==(const Version& a, const Version& b) { return a.Compare(b) == 0; }

  std::string ToString() const;

 private:
  struct Identifier {
    std::string text;
    uint64_t number = 0;
    bool is_number = false;
  };

  uint64_t major_ = 0, minor_ = 0, patch_ = 0;
  std::vector<Identifier> pre_release_;
  std::vector<std::string> build_;
};

}  // namespace allot::model
