#include "apiserver/controllers/workloads/job_indexes.h"

#include <gtest/gtest.h>

namespace allot::apiserver {
namespace {

TEST(JobIndexes, AreWrittenAsRanges) {
  JobIndexes indexes;
  for (const int index : {7, 2, 4, 3, 0}) indexes.Add(index);
  EXPECT_EQ(indexes.ToString(), "0,2-4,7");
  EXPECT_EQ(indexes.size(), 5);
  indexes.Add(1);
  EXPECT_EQ(indexes.ToString(), "0-4,7");
}

TEST(JobIndexes, TwoInARowAreNoRange) {
  JobIndexes indexes;
  indexes.Add(1);
  indexes.Add(2);
  EXPECT_EQ(indexes.ToString(), "1,2");
}

TEST(JobIndexes, AreReadAsTheyWereWritten) {
  for (const char* text : {"", "0", "0,2-4,7", "1,2", "0-99"}) EXPECT_EQ(JobIndexes(text, 100).ToString(), text);
}

TEST(JobIndexes, NonsenseAndIndexesBeyondTheLimitAreIgnored) { EXPECT_EQ(JobIndexes("x,-1,3-,5-2,1-999999999999,7", 4).ToString(), "1-3"); }

TEST(JobIndexes, FindsTheFirstThatIsMissing) {
  const JobIndexes indexes("0,2-4", 10);
  EXPECT_EQ(indexes.FirstWithout(0), 1);
  EXPECT_EQ(indexes.FirstWithout(2), 5);
  EXPECT_TRUE(indexes.Has(3));
  EXPECT_FALSE(indexes.Has(1));
}

}  // namespace
}  // namespace allot::apiserver
