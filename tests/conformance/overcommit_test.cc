#include "tests/conformance/overcommit.h"

#include <gtest/gtest.h>

#include "alloc/preference.h"
#include "base/random.h"
#include "cel/cache.h"
#include "json/json.h"
#include "tests/conformance/generate.h"

namespace allot::conformance {
namespace {

// Random nodes and claims, with Kubernetes' order and with packing: every allocation fits, and packing never changes whether there is one.
TEST(Overcommit, NeverHappensOnRandomCases) {
  const auto best_fit = alloc::MakePreference("best-fit");
  ASSERT_TRUE(best_fit.ok());
  int given = 0;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    const auto document = json::Parse(GenerateAllocatorCase(seed));
    ASSERT_TRUE(document.ok());
    auto question = AllocatorCase::Read(document->root());
    ASSERT_TRUE(question.ok()) << seed << ": " << question.status().message();
    question->options.explain = false;
    cel::Cache selectors(alloc::SelectorOptions(question->options.features));
    SeededRandom random(seed);
    const auto first = question->Decide(selectors, random);
    question->options.preference = best_fit->get();
    const auto packed = question->Decide(selectors, random);
    ASSERT_EQ(first.ok(), packed.ok()) << seed;
    if (!first.ok()) continue;
    EXPECT_EQ(first->outcome, packed->outcome) << seed;
    EXPECT_EQ(Overcommitted(*question, *first), "") << seed;
    EXPECT_EQ(Overcommitted(*question, *packed), "") << seed;
    given += first->outcome == alloc::Answer::Outcome::kFits;
  }
  EXPECT_GT(given, 500);
}

}  // namespace
}  // namespace allot::conformance
