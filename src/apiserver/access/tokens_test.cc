#include "apiserver/access/tokens.h"

#include <functional>
#include <future>

#include "base/fake_file_system.h"
#include "base/test_util.h"
#include "http/sha256.h"

namespace allot::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class TokensTest : public ::testing::Test {
 protected:
  void Open(const std::string& given = "") {
    Result<std::unique_ptr<Tokens>> opened = Tokens::Open(files_, random_, {"/issued", given});
    ASSERT_OK(opened);
    tokens_ = *std::move(opened);
  }
  std::string UserOf(std::string_view token) {
    const std::optional<Identity> found = tokens_->Find(token);
    return found ? found->user : "";
  }
  std::string Issued() { return *files_.ReadFile("/issued", 1 << 20); }

  FakeFileSystem files_;
  SeededRandom random_{1};
  std::unique_ptr<Tokens> tokens_;
};

TEST_F(TokensTest, AFileOfKubeApiserverIsUnderstood) {
  ASSERT_OK(files_.WriteFileAtomic("/given",
                                   "# comment\n\ns3cret,alice,1000,\"allot:users,lab\"\r\n\"with,comma\",bob,\n\"q\"\"q\",\"c\",1,one\n"));
  Open("/given");
  const std::optional<Identity> alice = tokens_->Find("s3cret");
  ASSERT_TRUE(alice);
  EXPECT_EQ(alice->user, "alice");
  EXPECT_EQ(alice->uid, "1000");
  EXPECT_THAT(alice->groups, ElementsAre("system:authenticated", "allot:users", "lab"));
  EXPECT_EQ(UserOf("with,comma"), "bob");
  EXPECT_EQ(UserOf("q\"q"), "c");
}

TEST_F(TokensTest, AnUnknownTokenHasNoOwner) {
  ASSERT_OK(files_.WriteFileAtomic("/given", "s3cret,alice,1000\n"));
  Open("/given");
  for (const char* token : {"", "s3cre", "s3crets", "S3cret", " s3cret", "alice"}) EXPECT_EQ(UserOf(token), "") << token;
}

TEST_F(TokensTest, TheHashInAFileIsNoToken) {
  const std::string hash = http::Sha256Hex("s3cret");
  ASSERT_OK(files_.WriteFileAtomic("/given", StrCat("sha256:", hash, ",alice,1\n")));
  Open("/given");
  EXPECT_EQ(UserOf("s3cret"), "alice");
  EXPECT_EQ(UserOf(hash), "");
  EXPECT_EQ(UserOf("sha256:" + hash), "");
}

TEST_F(TokensTest, AWrongLineIsAnErrorWithItsNumberAndWithoutTheToken) {
  for (const char* line : {"s3cret,alice", "s3cret", ",alice,1", "s3cret,,1", "s3cret,\"alice,1", "s3cret,\"a\"b,1", "s3cret,a\"b,1",
                           "sha256:s3cret,alice,1"}) {
    ASSERT_OK(files_.WriteFileAtomic("/given", StrCat("# first\n", line, "\n")));
    EXPECT_THAT(Tokens::Open(files_, random_, {"/issued", "/given"}),
                IsStatus(Code::kInvalid, AllOf(HasSubstr("/given: line 2"), Not(HasSubstr("s3cret")))))
        << line;
  }
}

TEST_F(TokensTest, AFileThatIsNamedMustBeThere) {
  EXPECT_THAT(Tokens::Open(files_, random_, {"/issued", "/given"}), IsStatus(Code::kNotFound));
}

TEST_F(TokensTest, AChangedFileCountsAtOnceAndAWrongLineOfItDoesNot) {
  ASSERT_OK(files_.WriteFileAtomic("/given", "one,alice,1\ntwo,bob,2\n"));
  Open("/given");
  ASSERT_OK(files_.WriteFileAtomic("/given", "broken\nthree,carol,3\ntwo,bob,2\n"));
  EXPECT_EQ(UserOf("one"), "");
  EXPECT_EQ(UserOf("two"), "bob");
  EXPECT_EQ(UserOf("three"), "carol");
  ASSERT_OK(files_.Remove("/given"));
  EXPECT_EQ(UserOf("two"), "");
}

TEST_F(TokensTest, AFileThatCannotBeReadHasNoTokens) {
  ASSERT_OK(files_.WriteFileAtomic("/given", "one,alice,1\n"));
  Open("/given");
  ASSERT_OK(files_.WriteFileAtomic("/given", "one,alice,1\ntwo,bob,2\n"));
  files_.FailReadsOf("/given");
  EXPECT_EQ(UserOf("one"), "");
}

TEST_F(TokensTest, AnIssuedTokenIsKeptAsAHashAndSurvivesARestart) {
  Open();
  ASSERT_OK_AND_ASSIGN(const std::string token, tokens_->Issue({"CORP\\jane", "1000", {"system:authenticated", "allot:users", "lab"}}));
  EXPECT_EQ(token.size(), 6u + 64u);
  EXPECT_THAT(Issued(),
              AllOf(Not(HasSubstr(token)), HasSubstr(StrCat("sha256:", http::Sha256Hex(token), ",CORP\\jane,1000,\"allot:users,lab\"\n"))));
  for (int i = 0; i < 2; ++i) {
    const std::optional<Identity> found = tokens_->Find(token);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->user, "CORP\\jane");
    EXPECT_EQ(found->uid, "1000");
    EXPECT_THAT(found->groups, ElementsAre("system:authenticated", "allot:users", "lab"));
    Open();
  }
}

TEST_F(TokensTest, DeletingItsLineRevokesAToken) {
  Open();
  ASSERT_OK_AND_ASSIGN(const std::string one, tokens_->Issue({"alice", "1", {}}));
  const std::string before = Issued();
  ASSERT_OK_AND_ASSIGN(const std::string two, tokens_->Issue({"alice", "1", {}}));
  ASSERT_OK(files_.WriteFileAtomic("/issued", before));
  EXPECT_EQ(UserOf(one), "alice");
  EXPECT_EQ(UserOf(two), "");
}

TEST_F(TokensTest, AUserHasAtMostTenAndTheOldestGoes) {
  Open();
  ASSERT_OK_AND_ASSIGN(const std::string bobs, tokens_->Issue({"bob", "2", {}}));
  std::vector<std::string> issued;
  for (size_t i = 0; i < Tokens::kMostOfAUser + 2; ++i) {
    ASSERT_OK_AND_ASSIGN(issued.emplace_back(), tokens_->Issue({"alice", "1", {}}));
  }
  for (size_t i = 0; i < issued.size(); ++i) EXPECT_EQ(UserOf(issued[i]), i < 2 ? "" : "alice") << i;
  EXPECT_EQ(UserOf(bobs), "bob");
  EXPECT_THAT(Issued(), HasSubstr("# Tokens"));
}

TEST_F(TokensTest, ATokenThatCouldNotBeKeptIsNotGivenOut) {
  Open();
  files_.FailFromChange(1);
  EXPECT_THAT(tokens_->Issue({"alice", "1", {}}), IsStatus(Code::kUnavailable, HasSubstr("No space left")));
}

TEST_F(TokensTest, AUserWithoutASystemAccountGetsNoToken) {
  Open();
  EXPECT_THAT(tokens_->Issue({"uid-3999999999", "3999999999", {"system:authenticated", "allot:users"}}),
              IsStatus(Code::kInvalid, HasSubstr("has no account on this machine")));
  EXPECT_FALSE(files_.Exists("/issued"));
  EXPECT_OK(tokens_->Issue({"uid-3999999999", "3999999999", {"system:masters"}}));  // of the server itself
}

// A disk that runs a function in the middle of a write.
class SlowDisk final : public FileSystem {
 public:
  explicit SlowDisk(FileSystem& files) : files_(files) {}
  Status WriteFileAtomic(const std::string& path, std::string_view content) override {
    meanwhile();
    return files_.WriteFileAtomic(path, content);
  }
  Result<std::string> ReadFile(const std::string& path, size_t max) const override { return files_.ReadFile(path, max); }
  Status ReplaceFile(const std::string& path, std::string_view content) override { return files_.ReplaceFile(path, content); }
  Status AppendFile(const std::string& path, std::string_view content) override { return files_.AppendFile(path, content); }
  Status SyncFile(const std::string& path) override { return files_.SyncFile(path); }
  Result<FileStamp> Stamp(const std::string& path) const override { return files_.Stamp(path); }
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path, std::chrono::milliseconds wait) override {
    return files_.Lock(path, wait);
  }
  Result<std::vector<std::string>> List(const std::string& path) const override { return files_.List(path); }
  bool Exists(const std::string& path) const override { return files_.Exists(path); }
  Status Remove(const std::string& path) override { return files_.Remove(path); }
  Status MakeDirs(const std::string& path) override { return files_.MakeDirs(path); }

  std::function<void()> meanwhile;

 private:
  FileSystem& files_;
};

TEST_F(TokensTest, ALookupDoesNotWaitForTheWriteOfAToken) {
  SlowDisk disk(files_);
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Tokens> opened, Tokens::Open(disk, random_, {"/issued", ""}));
  Tokens& tokens = *opened;
  tokens.Add("secret", {"system:admin", "", {}});
  std::future<bool> found;
  bool waited = true;
  disk.meanwhile = [&] {
    found = std::async(std::launch::async, [&] { return tokens.Find("secret").has_value(); });
    waited = found.wait_for(std::chrono::seconds(10)) != std::future_status::ready;
  };
  ASSERT_OK(tokens.Issue({"alice", "1", {}}));
  EXPECT_FALSE(waited);
  EXPECT_TRUE(found.get());
}

}  // namespace
}  // namespace allot::apiserver
