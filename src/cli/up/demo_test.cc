#include "cli/up/demo.h"

#include "base/test_util.h"
#include "cli/program/verbs.h"
#include "cli/up/demo_manifests.h"
#include "json/json.h"
#include "json/yaml.h"

namespace allot::cli {
namespace {

using ::testing::HasSubstr;

TEST(Demo, PrintsEveryObjectThatItAppliesByItsName) {
  ::testing::internal::CaptureStdout();
  const int code = RunProgram(std::vector<std::string_view>{"demo", "--print"});
  const std::string printed = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(code, 0);
  const std::vector<DemoManifest> manifests = DemoManifests();
  ASSERT_OK_AND_ASSIGN(const std::vector<json::Document> documents, json::ParseYaml(printed));
  ASSERT_EQ(documents.size(), manifests.size());
  for (size_t i = 0; i < documents.size(); ++i) {
    const json::Value& object = documents[i].root();
    EXPECT_EQ(object["metadata"]["name"].AsString(), manifests[i].name);
    EXPECT_EQ(object["kind"].AsString(), manifests[i].kind);
    EXPECT_THAT(printed, HasSubstr(StrCat("# ", manifests[i].name, ".yaml\n")));
  }
}

TEST(Demo, APodsTemplateIsAppliedBeforeIt) {
  std::vector<std::string> there;
  for (const DemoManifest& manifest : DemoManifests()) {
    ASSERT_OK_AND_ASSIGN(const std::vector<json::Document> documents, json::ParseYaml(manifest.yaml));
    const json::Value& claims = documents.at(0).root()["spec"]["resourceClaims"];
    if (manifest.kind == "Pod") {
      ASSERT_EQ(claims.Items().size(), 1u);
      EXPECT_THAT(there, ::testing::Contains(claims.Items()[0]["resourceClaimTemplateName"].AsString()));
    }
    there.push_back(manifest.name);
  }
}

TEST(Demo, HelpSaysWhereItsYamlIs) { EXPECT_THAT(Help(DemoVerb()), HasSubstr("--print")); }

}  // namespace
}  // namespace allot::cli
