#include "cli/apply/manifest.h"

#include "base/test_util.h"

namespace allot::cli {
namespace {

using testing::HasSubstr;

TEST(ParseManifests, TakesDocumentsAndListsInOrder) {
  ASSERT_OK_AND_ASSIGN(const auto manifests, ParseManifests("# nothing yet\n---\n"
                                                            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
                                                            "---\napiVersion: v1\nkind: List\nitems:\n"
                                                            "- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n"
                                                            "- {apiVersion: v1, kind: Pod, metadata: {name: c, namespace: lab}}\n",
                                                            "x.yaml"));
  ASSERT_EQ(manifests.size(), 3u);
  EXPECT_EQ(manifests[0].object->name(), "a");
  EXPECT_EQ(manifests[1].place, "x.yaml, document 2, items[0]");
  EXPECT_EQ(manifests[2].object->namespace_name(), "lab");
}

TEST(ParseManifests, ErrorsNameThePlaceAndTheField) {
  const auto error = [](std::string_view text) { return ParseManifests(text, "x.yaml"); };
  EXPECT_THAT(error("kind: Pod"), IsStatus(Code::kInvalid, HasSubstr("x.yaml, document 1: apiVersion is not set")));
  EXPECT_THAT(error("apiVersion: v1"), IsStatus(Code::kInvalid, HasSubstr("x.yaml, document 1: kind is not set")));
  EXPECT_THAT(error("{apiVersion: v1, kind: 7}"), IsStatus(Code::kInvalid, HasSubstr("kind: expected a text")));
  EXPECT_THAT(error("{apiVersion: v1, kind: Pod}"), IsStatus(Code::kInvalid, HasSubstr("metadata: expected an object with a name")));
  EXPECT_THAT(error("{apiVersion: v1, kind: Pod, metadata: {}}"),
              IsStatus(Code::kInvalid, HasSubstr("metadata.name is not set; which Pod")));
  EXPECT_THAT(error("{apiVersion: v1, kind: Pod, metadata: {generateName: a-}}"), IsStatus(Code::kInvalid, HasSubstr("generateName")));
  EXPECT_THAT(error("{apiVersion: v1, kind: List, items: [{kind: Pod}]}"), IsStatus(Code::kInvalid, HasSubstr("items[0]: apiVersion")));
  EXPECT_THAT(error("- a"), IsStatus(Code::kInvalid, HasSubstr("expected an object, not a list")));
  EXPECT_THAT(error("a: [b"), IsStatus(Code::kInvalid, HasSubstr("x.yaml: ")));
}

TEST(Manifest, ATabThatIndentsIsNamed) {
  EXPECT_THAT(ParseManifests("apiVersion: v1\nkind: Pod\nmetadata:\n\tname: x\n", "f.yaml"),
              IsStatus(Code::kInvalid, testing::HasSubstr("line 4 is indented with a tab, where YAML takes only spaces")));
}

TEST(LineOfField, FindsTheLastKeyIfOnlyOneLineHasIt) {
  constexpr std::string_view kText = "kind: Pod\nspec:\n  contianers:\n  - name: a\n    resources: {limits: {cpu: 1x}}\n  - name: b\n";
  EXPECT_EQ(LineOfField(kText, ".spec.contianers"), 3u);
  EXPECT_EQ(LineOfField(kText, "spec.containers[0].resources.limits[cpu]"), 5u);
  EXPECT_EQ(LineOfField(kText, "spec.contianers[0]"), 3u);
  EXPECT_EQ(LineOfField(kText, "spec.containers[0].name"), 0u);  // two lines have the key
  EXPECT_EQ(LineOfField(kText, "spec.nodeName"), 0u);
  EXPECT_EQ(LineOfField(kText, "]"), 0u);
  EXPECT_EQ(LineOfField(kText, ""), 0u);
}

}  // namespace
}  // namespace allot::cli
