#pragma once
// The requirements of a test besides the build, and whether a missing one skips or fails the test.
//
//   TEST(Oracle, AgreesOnRandomCases) {
//     ALLOT_NEEDS(kGo);
//     ...
//
// If the need is not met the test is skipped with a reason, which `make test` prints and counts. With ALLOT_REQUIRE=go,root,vectors in the
// environment the needs named there fail the test instead. Scripts use tests/support/needs.sh.

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

namespace allot::tests {

enum class Need {
  kGo,       // "go": a Go that tools/setup finds
  kRoot,     // "root": uid 0
  kVectors,  // "vectors": VectorsDir() exists
};

struct Missing {
  std::string reason;  // "SKIP: needs go: ...", the form that tools/run_tests parses
  bool required;       // ALLOT_REQUIRE names it
};

// nullopt if the need is met.
std::optional<Missing> MissingFor(Need need);

// The root of the source tree.
std::filesystem::path SourceDir();

// The folder of cases with Kubernetes' outcomes: ALLOT_VECTORS, else ../shared/vectors. It may not exist: use ALLOT_NEEDS(kVectors).
std::filesystem::path VectorsDir();

}  // namespace allot::tests

#define ALLOT_NEEDS(need)                                                                          \
  do {                                                                                             \
    if (const auto allot_missing = ::allot::tests::MissingFor(::allot::tests::Need::need)) {       \
      if (allot_missing->required) FAIL() << allot_missing->reason << " (ALLOT_REQUIRE names it)"; \
      GTEST_SKIP() << allot_missing->reason;                                                       \
    }                                                                                              \
  } while (false)
