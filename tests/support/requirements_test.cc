#include "tests/support/requirements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace allot::tests {
namespace {

using testing::HasSubstr;

// Sets an environment variable until the end of the scope.
class ScopedEnv {
 public:
  ScopedEnv(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  ~ScopedEnv() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  ScopedEnv(const ScopedEnv&) = delete;
  ScopedEnv& operator=(const ScopedEnv&) = delete;

 private:
  const char* const name_;
  std::optional<std::string> old_;
};

TEST(Requirements, MissingVectorsSkipAndNameTheFolder) {
  const ScopedEnv require("ALLOT_REQUIRE", "go,root");
  const ScopedEnv vectors("ALLOT_VECTORS", "/nonexistent/vectors");
  const auto missing = MissingFor(Need::kVectors);
  ASSERT_TRUE(missing);
  EXPECT_THAT(missing->reason, HasSubstr("SKIP: needs vectors: no folder /nonexistent/vectors"));
  EXPECT_FALSE(missing->required);
}

TEST(Requirements, ARequiredNeedFailsInsteadOfSkipping) {
  const ScopedEnv require("ALLOT_REQUIRE", "go, vectors");
  const ScopedEnv vectors("ALLOT_VECTORS", "/nonexistent/vectors");
  const auto missing = MissingFor(Need::kVectors);
  ASSERT_TRUE(missing);
  EXPECT_TRUE(missing->required);
}

TEST(Requirements, VectorsThatExistAreNotMissing) {
  const ScopedEnv vectors("ALLOT_VECTORS", "/");
  EXPECT_FALSE(MissingFor(Need::kVectors));
  EXPECT_EQ(VectorsDir(), "/");
}

}  // namespace
}  // namespace allot::tests
