#include "local/state_folder.h"

#include <unistd.h>

#include <filesystem>

#include "base/test_util.h"
#include "local/test_folder.h"

namespace allot::local {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StateFolderTest : public ::testing::Test {
 protected:
  const TestFolder place_;
  const std::string path_ = place_.path();
  PosixFileSystem files_;
};

TEST_F(StateFolderTest, TheSecondIsRefusedWithThePidOfTheFirst) {
  {
    ASSERT_OK_AND_ASSIGN(const auto first, StateFolder::Open(files_, path_));
    EXPECT_THAT(StateFolder::Open(files_, path_).status(),
                IsStatus(Code::kUnavailable, AllOf(HasSubstr(path_), HasSubstr(StrCat("(PID ", ::getpid(), ")")))));
  }
  EXPECT_OK(StateFolder::Open(files_, path_));
}

TEST_F(StateFolderTest, AFolderThatCannotBeUsedSaysSo) {
  EXPECT_THAT(StateFolder::Open(files_, path_ + "/missing").status(), IsStatus(Code::kNotFound, HasSubstr("missing")));
}

TEST_F(StateFolderTest, OthersGetThroughANodesFolderWhateverTheUmask) {
  ASSERT_OK_AND_ASSIGN(const auto folder, StateFolder::Open(files_, path_));
  const mode_t before = ::umask(0077);
  const Result<NodeFolder> node = folder->Node("n1");
  ::umask(before);
  ASSERT_OK(node);
  EXPECT_EQ(std::filesystem::status(node->path).permissions(), std::filesystem::perms(0711));
  EXPECT_EQ(std::filesystem::status(path_ + "/nodes").permissions(), std::filesystem::perms(0711));
}

TEST_F(StateFolderTest, NodesOfEarlierStartsAreListedAndRemoved) {
  ASSERT_OK_AND_ASSIGN(const auto folder, StateFolder::Open(files_, path_));
  ASSERT_OK_AND_ASSIGN(const NodeFolder node, folder->Node("n2"));
  ASSERT_OK(folder->Node("n1"));
  ASSERT_OK(files_.MakeDirs(node.state()));
  ASSERT_OK(files_.MakeDirs(folder->PodsOf("n2") + "/lab/train"));
  EXPECT_THAT(folder->Nodes(), IsOkAndHolds(ElementsAre("n1", "n2")));
  EXPECT_OK(folder->RemoveNode("n2"));
  EXPECT_OK(folder->RemoveNode("n2"));
  EXPECT_THAT(folder->Nodes(), IsOkAndHolds(ElementsAre("n1")));
  EXPECT_FALSE(files_.Exists(folder->PodsOf("n2")));
}

TEST_F(StateFolderTest, NodesKeepTheirNamesWhenTheMachineGetsAnother) {
  for (const char* now : {"box", "renamed"}) {
    ASSERT_OK_AND_ASSIGN(const auto folder, StateFolder::Open(files_, path_));
    EXPECT_THAT(folder->KeepHostname(now), IsOkAndHolds("box"));
  }
  for (const char* damaged : {"../evil", "My_Box!"}) {
    ASSERT_OK(files_.WriteFileAtomic(path_ + "/hostname", damaged));
    ASSERT_OK_AND_ASSIGN(const auto folder, StateFolder::Open(files_, path_));
    EXPECT_THAT(folder->KeepHostname("box"), IsStatus(Code::kInvalid, HasSubstr("/hostname"))) << damaged;
  }
}

}  // namespace
}  // namespace allot::local
