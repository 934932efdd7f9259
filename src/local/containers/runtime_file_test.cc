#include "local/containers/runtime_file.h"

#include "local/test_node.h"

namespace allot::local {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class RuntimeFileTest : public NodeTest {
 protected:
  Status Keep(std::string_view runtime) {
    ASSIGN_OR_RETURN(const auto state, StateFolder::Open(files, folder / "."));
    return KeepRuntime(*client, files, *state, runtime, {});
  }
};

TEST_F(RuntimeFileTest, MayChangeIfThereAreNoPods) {
  EXPECT_OK(Keep("process"));
  EXPECT_OK(Keep("podman"));
  EXPECT_OK(Keep("podman"));
  EXPECT_OK(Keep("process"));
}

TEST_F(RuntimeFileTest, AnInvalidFileIsNamed) {
  ASSERT_OK(files.WriteFileAtomic(folder / "runtime", ""));
  EXPECT_THAT(Keep("process"), IsStatus(Code::kInvalid, AllOf(HasSubstr("/runtime"), HasSubstr("process or podman"))));
}

TEST_F(RuntimeFileTest, StaysWhileThereArePods) {
  ASSERT_OK(Keep("podman"));
  Create(PodJson("a", "true"));  // no Pods object runs its node
  EXPECT_OK(Keep("podman"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Keep("process"), IsStatus(Code::kInvalid, AllOf(HasSubstr("default/a"), HasSubstr("--runtime podman"))));
  }
}

}  // namespace
}  // namespace allot::local
