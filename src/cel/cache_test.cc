#include "cel/cache.h"

#include <thread>
#include <vector>

#include "base/strings.h"
#include "base/test_util.h"

namespace allot::cel {
namespace {

TEST(Cache, ReturnsTheSameProgram) {
  Cache cache;
  const auto first = cache.Get("1 == 1");
  ASSERT_OK(first);
  EXPECT_EQ(*cache.Get("1 == 1"), *first);
}

TEST(Cache, RemembersErrors) {
  Cache cache;
  EXPECT_THAT(cache.Get("1 +"), IsStatus(Code::kInvalid));
  EXPECT_THAT(cache.Get("1 +"), IsStatus(Code::kInvalid));
  EXPECT_EQ(cache.size(), 1u);
}

TEST(Cache, StaysBoundedAndKeepsWhatIsUsed) {
  Cache cache({}, 16);
  const auto used = *cache.Get("true");
  for (int i = 0; i < 100; ++i) {
    EXPECT_OK(cache.Get(StrCat(i, " == ", i)));
    EXPECT_EQ(*cache.Get("true"), used);
  }
  EXPECT_LE(cache.size(), 16u);
}

TEST(Cache, ProgramsOutliveTheirEntry) {
  Cache cache({}, 2);
  const auto program = *cache.Get("1 == 1");
  for (int i = 0; i < 10; ++i) EXPECT_OK(cache.Get(StrCat(i, " == 7")));
  EXPECT_EQ(program->expression(), "1 == 1");
}

TEST(Cache, ServesThreads) {
  Cache cache({}, 8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache] {
      for (int i = 0; i < 200; ++i) EXPECT_TRUE(cache.Get(StrCat(i % 10, " < 10")).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace allot::cel
