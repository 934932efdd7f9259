#include "apiserver/patch/managers.h"

#include "apiserver/patch/test_objects.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;

class ManagersTest : public testing::Test {
 protected:
  FieldManager Updater(std::string_view name, std::string_view time, std::string_view version = "v1", std::string_view subresource = "") {
    FieldManager manager;
    manager.name = shop_.edit().CopyText(name);
    manager.time = shop_.edit().CopyText(time);
    manager.api_version = version;
    manager.subresource = subresource;
    manager.fields = *ReadFields(shop_.edit(), shop_.Parse(StrCat(R"({"f:)", name, R"(":{}})")));
    return manager;
  }
  static std::vector<std::string> Names(const FieldManagers& managers) {
    std::vector<std::string> names;
    for (const FieldManager& manager : managers) names.push_back(StrCat(manager.name, "@", manager.api_version));
    return names;
  }

  Workshop shop_;
};

TEST_F(ManagersTest, AreSortedByOperationTimeAndName) {
  FieldManager applied = Updater("z", "9");
  applied.applied = true;
  const json::Value entries =
      WriteManagers(shop_.edit(), {Updater("b", "2"), Updater("a", "2"), Updater("c", "1"), Updater("d", ""), applied});
  std::vector<std::string> names;
  for (const json::Value& entry : entries.Items()) names.emplace_back(entry["manager"].AsString());
  EXPECT_THAT(names, ElementsAre("z", "d", "c", "a", "b"));
  EXPECT_TRUE(WriteManagers(shop_.edit(), {}).IsNull());
}

TEST_F(ManagersTest, TheLastOfTwoEntriesOfOneManagerCounts) {
  const auto managers = ReadManagers(shop_.edit(), shop_.Parse(R"([
      {"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}},
      {"manager":"m","operation":"Apply","apiVersion":"v2","fieldsType":"FieldsV1","fieldsV1":{"f:b":{}}},
      {"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:c":{}}},
      {"manager":"m","operation":"Update","apiVersion":"v2","fieldsType":"FieldsV1","fieldsV1":{"f:d":{}}}])"));
  ASSERT_OK(managers);
  EXPECT_THAT(Names(*managers), ElementsAre("m@v2", "m@v1", "m@v2"));
}

TEST_F(ManagersTest, UpTo10UpdatersStayApart) {
  FieldManagers managers;
  for (int i = 0; i < 10; ++i) managers.push_back(Updater(StrCat("m", i), StrCat(i)));
  CapManagers(shop_.edit(), managers);
  EXPECT_EQ(managers.size(), 10u);
}

TEST_F(ManagersTest, TheOldestBecomeOneForEachVersion) {
  FieldManagers managers;
  for (int i = 0; i < 12; ++i) managers.push_back(Updater(StrCat("m", i + 10), StrCat(i + 10), i % 2 == 0 ? "v1" : "v2"));
  CapManagers(shop_.edit(), managers);
  EXPECT_EQ(managers.size(), 10u);
  const auto names = Names(managers);
  EXPECT_EQ(std::count(names.begin(), names.end(), "ancient-changes@v1"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "ancient-changes@v2"), 1);
}

TEST_F(ManagersTest, ThereIsOneBucketEvenIfAManagerIsOlder) {
  FieldManagers managers = {Updater("ancient-changes", "15")};
  for (int i = 0; i < 11; ++i) managers.push_back(Updater(StrCat("m", i + 10), StrCat(i + 10)));
  CapManagers(shop_.edit(), managers);
  EXPECT_EQ(managers.size(), 10u);
  const auto names = Names(managers);
  EXPECT_EQ(std::count(names.begin(), names.end(), "ancient-changes@v1"), 1);
}

TEST_F(ManagersTest, ThousandsOfManagersAreNoTrouble) {
  FieldManagers managers;
  for (int i = 0; i < 20000; ++i) managers.push_back(Updater(StrCat("m", i), StrCat(i)));
  CapManagers(shop_.edit(), managers);
  EXPECT_EQ(managers.size(), 10u);
}

TEST_F(ManagersTest, AreNamedWithHowTheyWrote) {
  FieldManager manager = Updater("m", "", "apps/v1", "status");
  EXPECT_EQ(NameOfManager(manager), R"("m" with subresource "status" using apps/v1)");
  EXPECT_EQ(IdOfManager(manager), R"({"manager":"m","operation":"Update","apiVersion":"apps/v1","subresource":"status"})");
  manager.applied = true;
  manager.subresource = "";
  EXPECT_EQ(NameOfManager(manager), R"("m")");
  EXPECT_EQ(IdOfManager(manager), R"({"manager":"m","operation":"Apply"})");
}

}  // namespace
}  // namespace allot::apiserver
