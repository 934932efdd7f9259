#pragma once
// What a test needs besides the build: the one place where a test says so, and where it is decided whether that skips or fails.
//
//   TEST(Oracle, AgreesOnRandomCases) {
//     ALLOT_NEEDS(kGo);
//     ...
//
// Where the need is not met the test skips with the reason, which `make test` prints and counts; with ALLOT_REQUIRE=go,root,vectors in the
// environment the needs named there fail instead. Scripts do the same with tests/support/needs.sh.

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
  std::string reason;  // "SKIP: needs go: ...", the form that tools/test_summary looks for
  bool required;       // ALLOT_REQUIRE names it
};

// Nothing when the need is met.
std::optional<Missing> MissingFor(Need need);

// The root of the source tree.
std::filesystem::path SourceDir();

// Cases with Kubernetes' outcomes: ALLOT_VECTORS, else ../shared/vectors beside the source tree. May not exist: ALLOT_NEEDS(kVectors).
std::filesystem::path VectorsDir();

}  // namespace allot::tests

#define ALLOT_NEEDS(need)                                                                          \
  do {                                                                                             \
    if (const auto allot_missing = ::allot::tests::MissingFor(::allot::tests::Need::need)) {       \
      if (allot_missing->required) FAIL() << allot_missing->reason << " (ALLOT_REQUIRE names it)"; \
      GTEST_SKIP() << allot_missing->reason;                                                       \
    }                                                                                              \
  } while (false)
