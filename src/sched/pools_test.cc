#include "sched/pools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/yaml.h"

namespace allot::sched {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// `node`: empty for one that all nodes see.
SlicePtr SliceOf(std::string_view name, std::string_view pool, std::string_view node) {
  const std::string where = node.empty() ? "allNodes: true" : StrCat("nodeName: ", node);
  const auto kept = std::make_shared<json::Document>(
      std::move(json::ParseYaml(StrCat("metadata: {name: ", name, "}\nspec: {driver: d, ", where, ", pool: {name: ", pool,
                                       ", generation: 1, resourceSliceCount: 1}, devices: [{name: x}]}\n"))
                    ->at(0)));
  Result<model::ResourceSlice> slice = model::ResourceSlice::Read(kept->root());
  EXPECT_TRUE(slice.ok()) << slice.status().message();
  return std::make_shared<const Slice>(Slice{kept, *std::move(slice)});
}

ClaimPtr ClaimOf(std::string_view key, const std::vector<std::string_view>& pools) {
  auto claim = std::make_shared<Claim>();
  claim->key = key;
  claim->claim.allocation.emplace();
  for (const std::string_view pool : pools) {
    model::DeviceResult result;
    result.driver = "d", result.pool = pool, result.device = "x";
    claim->claim.allocation->results.push_back(std::move(result));
  }
  return claim;
}

TEST(Pools, ANodeSeesItsOwnPoolsAndThoseOfNoNode) {
  Pools pools;
  pools.PutSlice(SliceOf("s1", "p1", "n1"));
  pools.PutSlice(SliceOf("s2", "p2", "n2"));
  pools.PutSlice(SliceOf("s3", "net", ""));
  EXPECT_THAT(pools.SeenBy("n1"), ElementsAre(Pair("d", "net"), Pair("d", "p1")));
  EXPECT_THAT(pools.SeenBy("n3"), ElementsAre(Pair("d", "net")));
  EXPECT_TRUE(pools.IsShared({"d", "net"}));
  EXPECT_THAT(pools.NodesOf({"d", "net"}), IsEmpty());
  EXPECT_NE(pools.RemoveSlice("s3"), nullptr);
  EXPECT_FALSE(pools.IsShared({"d", "net"}));
  EXPECT_EQ(pools.RemoveSlice("s3"), nullptr);
}

TEST(Pools, APoolStaysANodesAsLongAsOneOfItsSlicesNamesIt) {
  Pools pools;
  pools.PutSlice(SliceOf("s1", "p", "n1"));
  pools.PutSlice(SliceOf("s2", "p", "n1"));
  EXPECT_EQ(pools.SlicesOf({{"d", "p"}}).size(), 2u);
  pools.RemoveSlice("s1");
  EXPECT_THAT(pools.NodesOf({"d", "p"}), ElementsAre("n1"));
  EXPECT_NE(pools.PutSlice(SliceOf("s2", "p", "n2")), nullptr);  // moved
  EXPECT_THAT(pools.SeenBy("n1"), IsEmpty());
  EXPECT_THAT(pools.NodesOf({"d", "p"}), ElementsAre("n2"));
}

TEST(Pools, AClaimIsThereOnceAndBesideWhatIsAssumedOfIt) {
  Pools pools;
  const ClaimPtr stored = ClaimOf("lab/c", {"p", "q"}), assumed = ClaimOf("lab/c", {"p"});
  pools.Enter(stored, false);
  pools.Enter(assumed, true);
  EXPECT_THAT(pools.ClaimsOf({{"d", "p"}, {"d", "q"}}), ElementsAre(stored, assumed));
  pools.Leave(*stored, false);
  EXPECT_THAT(pools.ClaimsOf({{"d", "p"}, {"d", "q"}}), ElementsAre(assumed));
}

}  // namespace
}  // namespace allot::sched
