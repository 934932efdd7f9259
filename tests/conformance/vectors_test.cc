// The recorded cases, through the same code as tests/conformance/run.

#include <gtest/gtest.h>

#include "tests/conformance/case.h"
#include "tests/support/requirements.h"

namespace allot::conformance {
namespace {

void ExpectAgreement(Kind kind, const char* path) {
  ALLOT_NEEDS(kVectors);
  const Result<Cases> cases = LoadCases(kind, tests::VectorsDir() / path);
  ASSERT_TRUE(cases.ok()) << cases.status().message();
  ASSERT_FALSE(cases->cases.empty());
  for (const Case& one : cases->cases) {
    for (const std::string& difference : CompareCase(kind, one.value)) ADD_FAILURE() << one.where << ": " << difference;
  }
}

TEST(Vectors, AllocatorAgrees) { ExpectAgreement(Kind::kAllocator, "allocator"); }
TEST(Vectors, CelAgrees) { ExpectAgreement(Kind::kCel, "cel-dra.json"); }
TEST(Vectors, QuantityAgrees) { ExpectAgreement(Kind::kQuantity, "quantity.json"); }

}  // namespace
}  // namespace allot::conformance
