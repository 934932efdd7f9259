#include "apiserver/controllers/definitions.h"

#include <gmock/gmock.h>

#include "apiserver/controllers/conditions.h"
#include "apiserver/controllers/test_world.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";

std::string Definition(std::string_view plural, std::string_view kind, std::string_view group = "example.com") {
  return StrCat(R"({"metadata":{"name":")", plural, ".", group, R"("},"spec":{"group":")", group, R"(","scope":"Namespaced",
      "names":{"plural":")",
                plural, R"(","singular":")", plural, R"(-one","kind":")", kind, R"(","listKind":")", kind, R"(List"},
      "versions":[{"name":"v1","served":true,"storage":true}]}})");
}

Result<std::vector<std::shared_ptr<const Kind>>> FakeKindsOf(const json::Value& definition) {
  std::vector<std::shared_ptr<const Kind>> kinds;
  for (const json::Value& version : json::ItemsOf(definition["spec"]["versions"])) {
    if (!json::IsTrue(version["served"])) continue;
    const auto kind =
        FakeApi::MakeKind(TextAt(definition, {"spec", "group"}), TextAt(version, {"name"}), TextAt(definition, {"spec", "names", "plural"}),
                          TextAt(definition, {"spec", "names", "kind"}), true);
    kind->custom = true;
    kinds.push_back(kind);
  }
  return kinds;
}

class DefinitionsTest : public testing::Test {
 protected:
  void SetUp() override { AddController(); }
  Definitions& AddController() {
    return world_.Add<Definitions>(Definitions::Parts{FakeKindsOf, [this](const std::string& resource) { ended_.push_back(resource); }});
  }
  std::string Condition(const std::string& name, std::string_view type, std::string_view key = "status") {
    const Stored definition = world_.Get(kDefinitions, name);
    const json::Value* found = FindCondition(definition.status(), type);
    return found == nullptr ? "" : TextAt(*found, {key});
  }
  bool IsServed(std::string_view version, std::string_view plural) {
    return world_.api().kinds()->Find("example.com", version, plural) != nullptr;
  }
  TestWorld world_;
  std::vector<std::string> ended_;
};

TEST_F(DefinitionsTest, BecomesEstablishedAndIsServed) {
  world_.Create(kDefinitions, Definition("things", "Thing"));
  world_.Settle();
  EXPECT_EQ(Condition("things.example.com", "NamesAccepted"), "True");
  EXPECT_EQ(Condition("things.example.com", "Established"), "True");
  const Stored definition = world_.Get(kDefinitions, "things.example.com");
  EXPECT_EQ(TextAt(definition.status(), {"acceptedNames", "plural"}), "things");
  EXPECT_EQ(TextAt(definition.status(), {"storedVersions"}), R"(["v1"])");
  EXPECT_TRUE(IsServed("v1", "things"));
  EXPECT_EQ(world_.api().custom_kinds_set(), 1);
}

TEST_F(DefinitionsTest, ServedDefinitionsAreServedRightAfterAStart) {
  world_.Create(kDefinitions, Definition("things", "Thing"));
  world_.Settle();
  world_.api().SetCustomKinds({});
  world_.Restart();
  AddController().ServeStored();
  EXPECT_TRUE(IsServed("v1", "things"));
}

TEST_F(DefinitionsTest, ADefinitionThatCannotBeServedDoesNotKeepTheOthersFromIt) {
  world_.Create(kDefinitions, Definition("bad", "Bad"));
  world_.Create(kDefinitions, Definition("things", "Thing"));
  world_.Settle();
  world_.Restart();
  Definitions& definitions =
      world_.Add<Definitions>(Definitions::Parts{[](const json::Value& definition) -> Result<std::vector<std::shared_ptr<const Kind>>> {
                                                   if (TextAt(definition, {"metadata", "name"}) == "bad.example.com")
                                                     return Invalid("no schema");
                                                   return FakeKindsOf(definition);
                                                 },
                                                 [](const std::string&) {}});
  definitions.ServeStored();
  EXPECT_TRUE(IsServed("v1", "things"));
  EXPECT_FALSE(IsServed("v1", "bad"));
}

TEST_F(DefinitionsTest, AChangeOfVersionsIsServed) {
  world_.Create(kDefinitions, Definition("things", "Thing"));
  world_.Settle();
  world_.Set(kDefinitions, "things.example.com", {"spec", "versions"},
             R"([{"name":"v1","served":false,"storage":false},{"name":"v2","served":true,"storage":true}])");
  world_.Settle();
  EXPECT_FALSE(IsServed("v1", "things"));
  EXPECT_TRUE(IsServed("v2", "things"));
  EXPECT_EQ(TextAt(world_.Get(kDefinitions, "things.example.com").status(), {"storedVersions"}), R"(["v1","v2"])");
}

TEST_F(DefinitionsTest, ANameThatIsTakenIsNotAccepted) {
  world_.Create(kDefinitions, Definition("things", "Thing"));
  world_.Settle();
  world_.Create(kDefinitions, Definition("others", "Thing"));
  world_.Create(kDefinitions, Definition("things", "Thing", "example.org"));
  world_.Settle();
  EXPECT_EQ(Condition("others.example.com", "NamesAccepted"), "False");
  EXPECT_EQ(Condition("others.example.com", "NamesAccepted", "reason"), "KindConflict");
  EXPECT_EQ(Condition("others.example.com", "Established"), "False");
  EXPECT_FALSE(IsServed("v1", "others"));
  EXPECT_EQ(Condition("things.example.org", "Established"), "True");
  world_.Delete(kDefinitions, "things.example.com");
  world_.Settle();
  EXPECT_EQ(Condition("others.example.com", "Established"), "True");
  EXPECT_TRUE(IsServed("v1", "others"));
}

TEST_F(DefinitionsTest, ADefinitionThatIsDeletedTakesItsObjectsWithIt) {
  world_.Create(kDefinitions, Definition("things", "Thing"));
  world_.Settle();
  world_.Create("things.example.com", R"({"metadata":{"name":"a"}})");
  world_.Create("things.example.com", R"({"metadata":{"name":"b","finalizers":["x.example.com/f"]}})");
  world_.Delete(kDefinitions, "things.example.com");
  world_.Settle();
  EXPECT_THAT(world_.Names("things.example.com"), ElementsAre("b"));
  EXPECT_TRUE(world_.Has(kDefinitions, "things.example.com"));
  EXPECT_TRUE(IsServed("v1", "things"));  // the finalizer can still be taken off
  world_.Set("things.example.com", "b", {"metadata", "finalizers"}, "null");
  world_.Settle();
  EXPECT_THAT(world_.Names(kDefinitions), IsEmpty());
  EXPECT_FALSE(IsServed("v1", "things"));
  EXPECT_THAT(ended_, testing::Contains("things.example.com"));
}

}  // namespace
}  // namespace allot::apiserver
