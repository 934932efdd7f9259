#include "apiserver/kinds/config_data.h"

#include "apiserver/kinds/core_test_util.h"
#include "apiserver/kinds/kind_rules.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Base64, GoesThereAndBack) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {std::string("\0\xff\xfe", 3), "AP/+"}};
  for (const auto& [bytes, text] : pairs) {
    EXPECT_EQ(EncodeBase64(bytes), text);
    EXPECT_EQ(DecodeBase64(text), bytes);
  }
}

TEST(Secret, KnownTypesNeedTheirKeys) {
  Trees trees;
  const auto causes = [&](std::string_view secret) { return trees.Create(*SecretKindRules(), trees.Read(secret)); };
  EXPECT_THAT(causes("{type: example.com/any}"), IsEmpty());
  EXPECT_THAT(causes("{type: kubernetes.io/tls, data: {tls.crt: eA==}}"), ElementsAre("data[tls.key] FieldValueRequired"));
  EXPECT_THAT(causes("{type: kubernetes.io/basic-auth}"),
              ElementsAre("data[username] FieldValueRequired", "data[password] FieldValueRequired"));
  EXPECT_THAT(causes("{type: kubernetes.io/dockerconfigjson, stringData: {.dockerconfigjson: '{}'}}"), IsEmpty());
  EXPECT_THAT(causes("{type: kubernetes.io/dockerconfigjson, stringData: {.dockerconfigjson: '['}}"),
              ElementsAre("data[.dockerconfigjson] FieldValueInvalid"));
  EXPECT_THAT(causes("{type: kubernetes.io/service-account-token}"),
              ElementsAre("metadata.annotations[kubernetes.io/service-account.name] FieldValueRequired"));
}

TEST(Secret, HoldsAtMostOneMebibyteOfBytes) {
  Trees trees;
  const auto causes = [&](size_t bytes) {
    const json::Value data = trees.edit().Object({{"k", trees.edit().String(EncodeBase64(std::string(bytes, 'x')))}});
    return trees.Create(*SecretKindRules(), trees.edit().Object({{"data", data}}));
  };
  EXPECT_THAT(causes(kMaxConfigBytes), IsEmpty());
  EXPECT_THAT(causes(kMaxConfigBytes + 1), ElementsAre("data FieldValueTooLong"));
}

}  // namespace
}  // namespace allot::apiserver
