#include "local/kept_runtime.h"

#include "local/test_node.h"

namespace allot::local {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class KeptRuntimeTest : public NodeTest {
 protected:
  Status Keep(std::string_view runtime) {
    ASSIGN_OR_RETURN(const auto state, StateFolder::Open(files, folder / "."));
    return KeepRuntime(*client, files, *state, runtime, {});
  }
};

TEST_F(KeptRuntimeTest, MayChangeWhereThereAreNoPods) {
  EXPECT_OK(Keep("process"));
  EXPECT_OK(Keep("podman"));
  EXPECT_OK(Keep("podman"));
  EXPECT_OK(Keep("process"));
}

TEST_F(KeptRuntimeTest, AFileThatSaysNothingIsNamed) {
  ASSERT_OK(files.WriteFileAtomic(folder / "runtime", ""));
  EXPECT_THAT(Keep("process"), IsStatus(Code::kInvalid, AllOf(HasSubstr("/runtime"), HasSubstr("process or podman"))));
}

TEST_F(KeptRuntimeTest, StaysWhileThereArePods) {
  ASSERT_OK(Keep("podman"));
  Create(PodJson("a", "true"));  // of a node that nobody runs
  EXPECT_OK(Keep("podman"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Keep("process"), IsStatus(Code::kInvalid, AllOf(HasSubstr("default/a"), HasSubstr("--runtime podman"))));
  }
}

}  // namespace
}  // namespace allot::local
