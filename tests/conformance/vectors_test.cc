// Runs the recorded cases with the same code as tests/conformance/run.

#include <gtest/gtest.h>

#include "tests/conformance/case.h"
#include "tests/support/requirements.h"

namespace allot::conformance {
namespace {

void ExpectAgreement(Kind kind, const char* path) {
  ALLOT_NEEDS(kVectors);
  size_t count = 0;
  for (const std::filesystem::path& file : CaseFiles(tests::VectorsDir() / path)) {
    const Result<Cases> cases = LoadCases(kind, file);
    ASSERT_TRUE(cases.ok()) << cases.status().message();
    count += cases->cases.size();
    for (const Case& one : cases->cases) {
      for (const std::string& difference : CompareCase(kind, one.value)) ADD_FAILURE() << one.where << ": " << difference;
    }
  }
  EXPECT_GT(count, 0u);
}

TEST(Vectors, AllocatorAgrees) { ExpectAgreement(Kind::kAllocator, "allocator"); }
TEST(Vectors, CelAgrees) { ExpectAgreement(Kind::kCel, "cel-dra.json"); }
TEST(Vectors, QuantityAgrees) { ExpectAgreement(Kind::kQuantity, "quantity.json"); }

}  // namespace
}  // namespace allot::conformance
