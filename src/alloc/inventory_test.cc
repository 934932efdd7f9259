#include "alloc/inventory.h"

#include <gtest/gtest.h>

#include <deque>

#include "model/objects.h"

namespace allot::alloc {
namespace {

class InventoryTest : public testing::Test {
 protected:
  void Slice(std::string_view name, std::string_view pool, int generation, int count, std::string_view rest) {
    const Status status = objects_.Add(StrCat("kind: ResourceSlice\nmetadata: {name: ", name, "}\nspec: {driver: d, pool: {name: ", pool,
                                              ", generation: ", generation, ", resourceSliceCount: ", count, "}, ", rest, "}\n"));
    ASSERT_TRUE(status.ok()) << status.message();
  }

  // "pool: device device; pool2: ..." with "incomplete" or "invalid" for pools that are.
  std::string Gathered(Quirks quirks = {}) {
    node_.name = "n1";
    node_.labels = {{"zone", "a"}};
    std::vector<const model::ResourceSlice*> slices;
    for (const auto& slice : objects_.slices) slices.push_back(&slice);
    const auto inventory = Inventory::Gather(node_, slices, Features::Defaults(), quirks);
    if (!inventory.ok()) return inventory.status().message();
    std::string text;
    for (const Pool& pool : inventory->pools()) {
      text +=
          StrCat(text.empty() ? "" : "; ", pool.name, ":", pool.incomplete ? " incomplete" : "", pool.invalid.empty() ? "" : " invalid");
      for (uint32_t i = pool.first_device; i < pool.end_device; ++i) text += StrCat(" ", inventory->devices()[i].device->name);
    }
    return text;
  }

  model::Objects objects_;
  model::Node node_;
};

TEST_F(InventoryTest, OrdersPoolsByNameSlicesByNameAndDevicesAsListed) {
  Slice("s2", "q", 1, 1, "nodeName: n1, devices: [{name: c}]");
  Slice("s1", "p", 1, 2, "nodeName: n1, devices: [{name: b}, {name: a}]");
  Slice("s0", "p", 1, 2, "nodeName: n1, devices: [{name: z}]");
  EXPECT_EQ(Gathered(), "p: z b a; q: c");
}

TEST_F(InventoryTest, PoolsWithBindingConditionsComeLast) {
  Slice("s1", "a", 1, 1, "nodeName: n1, devices: [{name: dev-x, bindingConditions: [ready]}]");
  Slice("s2", "b", 1, 1, "nodeName: n1, devices: [{name: dev-y}]");
  EXPECT_EQ(Gathered(), "b: dev-y; a: dev-x");
}

TEST_F(InventoryTest, OnlyTheNewestGenerationCounts) {
  Slice("s1", "p", 1, 1, "nodeName: n1, devices: [{name: old}]");
  Slice("s2", "p", 2, 1, "nodeName: n1, devices: [{name: new}]");
  EXPECT_EQ(Gathered(), "p: new");
}

TEST_F(InventoryTest, APoolWithoutAllItsSlicesIsIncomplete) {
  Slice("s1", "p", 1, 2, "nodeName: n1, devices: [{name: a}]");
  EXPECT_EQ(Gathered(), "p: incomplete");
  Slice("s2", "p", 1, 2, "nodeName: other, devices: [{name: b}]");
  EXPECT_EQ(Gathered(), "p: a");
}

TEST_F(InventoryTest, APoolThatIsBeingReplacedElsewhereIsLeftOut) {
  Slice("s1", "p", 1, 2, "nodeName: n1, devices: [{name: a}]");
  Slice("s2", "p", 2, 1, "nodeName: other, devices: [{name: b}]");
  EXPECT_EQ(Gathered(), "");
}

TEST_F(InventoryTest, DuplicateNamesMakeAPoolInvalid) {
  Slice("s1", "p", 1, 1, "nodeName: n1, devices: [{name: a}, {name: a}]");
  EXPECT_EQ(Gathered(), "p: invalid");
}

TEST_F(InventoryTest, UnknownCountersMakeAPoolInvalid) {
  Slice("s1", "p", 1, 1, "nodeName: n1, devices: [{name: a, consumesCounters: [{counterSet: c, counters: {m: {value: '1'}}}]}]");
  EXPECT_EQ(Gathered(), "p: invalid");
}

TEST_F(InventoryTest, NodesAreChosenByNameSelectorAllOrDevice) {
  Slice("s1", "a", 1, 1, "allNodes: true, devices: [{name: a}]");
  Slice("s2", "b", 1, 1,
        "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}, devices: [{name: b}]");
  Slice("s3", "c", 1, 1,
        "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: NotIn, values: [a]}]}]}, devices: [{name: c}]");
  Slice("s4", "d", 1, 1, "perDeviceNodeSelection: true, devices: [{name: d, nodeName: n1}, {name: e, nodeName: other}]");
  Slice("s5", "e", 1, 1, "devices: [{name: f}]");
  EXPECT_EQ(Gathered(), "a: a; b: b; d: d e");
}

TEST_F(InventoryTest, CountersOfAnotherNodeCountAsInKubernetes) {
  Slice("s1", "p", 1, 2, "nodeName: other, sharedCounters: [{name: c, counters: {m: {value: '1'}}}]");
  Slice("s2", "p", 1, 2, "nodeName: n1, devices: [{name: a, consumesCounters: [{counterSet: c, counters: {m: {value: '1'}}}]}]");
  EXPECT_EQ(Gathered(), "p: a");
  Quirks quirks;
  quirks.counter_slices_of_other_nodes = false;
  EXPECT_EQ(Gathered(quirks), "p: invalid");
}

TEST_F(InventoryTest, ASelectorThatKubernetesRefusesIsAnError) {
  Slice("s1", "p", 1, 1,
        "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: Near, values: [a]}]}]}, devices: [{name: a}]");
  EXPECT_EQ(Gathered(), "slice s1: node selector: operator \"Near\" is not one of In, NotIn, Exists, DoesNotExist, Gt, Lt");
}

}  // namespace
}  // namespace allot::alloc
