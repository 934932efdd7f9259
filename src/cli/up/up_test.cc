#include "cli/up/up.h"

#include "base/test_util.h"
#include "cli/up/apiserver.h"
#include "device/fake_nvml/models.h"

namespace allot::cli {
namespace {

using ::testing::HasSubstr;

Result<Arguments> Parse(std::vector<std::string_view> words) { return Arguments::Parse(AllFlags(UpVerb()), words); }

TEST(Up, HelpNamesEveryModelAndTheFlagsOfTheServer) {
  const std::string help = Help(UpVerb());
  for (const std::string_view text : {device::fake::ModelKeys(), std::string_view("--gpus MODELS"), std::string_view("--nodes N"),
                                      std::string_view("--config FILE"), std::string_view("--data DIR"), std::string_view("--quiet")}) {
    EXPECT_THAT(help, HasSubstr(std::string(text)));
  }
}

TEST(Up, NoFlagIsEmpty) {
  for (const char* flag : {"--data", "--gpus", "--nodes", "--config", "--address", "--port", "--tls-cert-file", "--token-auth-file"}) {
    EXPECT_THAT(Parse({flag, ""}), IsStatus(Code::kInvalid, HasSubstr(StrCat(flag, " needs a value")))) << flag;
  }
}

TEST(Up, FilesThatAreNamedAreNamed) {
  ASSERT_OK_AND_ASSIGN(const Arguments given, Parse({"--tls-cert-file=a", "--tls-private-key-file=b", "--tls-ca-file=c", "--port=0"}));
  ASSERT_OK_AND_ASSIGN(const local::ApiHomeOptions options, ApiOptions(given));
  EXPECT_EQ(options.certificate_file, "a");
  EXPECT_EQ(options.key_file, "b");
  EXPECT_EQ(options.authority_file, "c");
  EXPECT_EQ(options.port, 0);
}

}  // namespace
}  // namespace allot::cli
