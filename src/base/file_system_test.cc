// What FileSystem promises, proved on the real one and on the fake alike.
#include "base/file_system.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <thread>

#include "base/fake_file_system.h"
#include "base/test_util.h"

namespace allot {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr size_t kEnough = 1 << 20;

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = testing::TempDir() + "allot-XXXXXX";
    CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class FileSystemTest : public testing::TestWithParam<bool> {
 protected:
  FileSystemTest() {
    if (GetParam()) {
      files_ = std::make_unique<PosixFileSystem>();
      temporary_ = std::make_unique<TemporaryDirectory>();
      root_ = temporary_->path();
    } else {
      files_ = std::make_unique<FakeFileSystem>();
      root_ = "/root";
      CHECK(files_->MakeDirs(root_).ok());
    }
  }
  std::string P(std::string_view name) const { return StrCat(root_, "/", name); }

  std::unique_ptr<TemporaryDirectory> temporary_;
  std::unique_ptr<FileSystem> files_;
  std::string root_;
};

INSTANTIATE_TEST_SUITE_P(All, FileSystemTest, testing::Values(true, false), [](const auto& test) { return test.param ? "Posix" : "Fake"; });

TEST_P(FileSystemTest, ReadsWhatWasWritten) {
  const std::string content("line\n\0binary\xff", 13);
  ASSERT_OK(files_->WriteFileAtomic(P("a"), content));
  EXPECT_THAT(files_->ReadFile(P("a"), kEnough), IsOkAndHolds(content));
  ASSERT_OK(files_->WriteFileAtomic(P("a"), ""));
  EXPECT_THAT(files_->ReadFile(P("a"), kEnough), IsOkAndHolds(""));
}

TEST_P(FileSystemTest, ReadsUpToTheLimitAndNoFurther) {
  const std::string content(100'000, 'x');
  ASSERT_OK(files_->WriteFileAtomic(P("a"), content));
  EXPECT_THAT(files_->ReadFile(P("a"), content.size()), IsOkAndHolds(content));
  EXPECT_THAT(files_->ReadFile(P("a"), content.size() - 1), IsStatus(Code::kExhausted, AllOf(HasSubstr(P("a")), HasSubstr("99999 bytes"))));
}

TEST_P(FileSystemTest, WhatDoesNotExistIsNotFoundAndNamed) {
  EXPECT_THAT(files_->ReadFile(P("no"), kEnough), IsStatus(Code::kNotFound, AllOf(HasSubstr(P("no")), HasSubstr("No such file"))));
  EXPECT_THAT(files_->List(P("no")), IsStatus(Code::kNotFound, HasSubstr(P("no"))));
  EXPECT_THAT(files_->WriteFileAtomic(P("no/a"), "x"), IsStatus(Code::kNotFound, HasSubstr(P("no/a"))));
  EXPECT_FALSE(files_->Exists(P("no")));
}

TEST_P(FileSystemTest, DirectoryIsNoFileAndFileIsNoDirectory) {
  ASSERT_OK(files_->MakeDirs(P("d")));
  ASSERT_OK(files_->WriteFileAtomic(P("f"), "x"));
  EXPECT_THAT(files_->ReadFile(P("d"), kEnough), IsStatus(Code::kUnavailable, HasSubstr("Is a directory")));
  EXPECT_THAT(files_->WriteFileAtomic(P("d"), "x"), IsStatus(Code::kUnavailable, HasSubstr("Is a directory")));
  EXPECT_THAT(files_->List(P("f")), IsStatus(Code::kNotFound, HasSubstr("Not a directory")));
  EXPECT_THAT(files_->MakeDirs(P("f")), IsStatus(Code::kNotFound, HasSubstr("Not a directory")));
  EXPECT_THAT(files_->MakeDirs(P("f/g")), IsStatus(Code::kNotFound, HasSubstr("Not a directory")));
}

TEST_P(FileSystemTest, ListsNamesInOrderWithoutSubdirectoriesContent) {
  ASSERT_OK(files_->MakeDirs(P("d/e")));
  for (const std::string_view name : {"b", "a", "d/x"}) ASSERT_OK(files_->WriteFileAtomic(P(name), "x"));
  EXPECT_THAT(files_->List(root_), IsOkAndHolds(ElementsAre("a", "b", "d")));
  EXPECT_THAT(files_->List(P("d")), IsOkAndHolds(ElementsAre("e", "x")));
  EXPECT_THAT(files_->List(P("d/e")), IsOkAndHolds(IsEmpty()));
}

TEST_P(FileSystemTest, RemovesFilesAndEmptyDirectoriesAndIgnoresMissingOnes) {
  ASSERT_OK(files_->MakeDirs(P("d")));
  ASSERT_OK(files_->WriteFileAtomic(P("d/a"), "x"));
  EXPECT_THAT(files_->Remove(P("d")), IsStatus(Code::kUnavailable, HasSubstr("not empty")));
  EXPECT_OK(files_->Remove(P("d/a")));
  EXPECT_OK(files_->Remove(P("d/a")));
  EXPECT_OK(files_->Remove(P("d")));
  ASSERT_OK(files_->WriteFileAtomic(P("f"), "x"));
  EXPECT_OK(files_->Remove(P("f/below")));
  EXPECT_FALSE(files_->Exists(P("d")));
}

TEST_P(FileSystemTest, MakesDirectoriesThatMayExist) {
  EXPECT_OK(files_->MakeDirs(P("x/y/z")));
  EXPECT_OK(files_->MakeDirs(P("x/y/z")));
  EXPECT_OK(files_->MakeDirs(P("x/y")));
  EXPECT_TRUE(files_->Exists(P("x/y/z")));
}

TEST(PosixFileSystem, LeavesNoTemporaryFileBehind) {
  TemporaryDirectory directory;
  PosixFileSystem files;
  ASSERT_OK(files.WriteFileAtomic(directory.path() + "/a", "x"));
  ASSERT_OK(files.MakeDirs(directory.path() + "/d"));
  EXPECT_THAT(files.WriteFileAtomic(directory.path() + "/d", "x"), IsStatus(Code::kUnavailable));
  EXPECT_THAT(files.List(directory.path()), IsOkAndHolds(ElementsAre("a", "d")));
}

TEST(PosixFileSystem, ReadersSeeTheOldOrTheNewContent) {
  TemporaryDirectory directory;
  PosixFileSystem files;
  const std::string path = directory.path() + "/a", old_content(50'000, 'o'), new_content(70'000, 'n');
  ASSERT_OK(files.WriteFileAtomic(path, old_content));
  std::jthread writer([&] {
    for (int i = 0; i < 20; ++i) EXPECT_OK(files.WriteFileAtomic(path, i % 2 == 0 ? new_content : old_content));
  });
  for (int i = 0; i < 200; ++i) {
    const auto content = files.ReadFile(path, kEnough);
    ASSERT_OK(content);
    EXPECT_TRUE(*content == old_content || *content == new_content);
  }
}

TEST(PosixFileSystem, ReadsFilesThatDoNotKnowTheirLength) {
  EXPECT_THAT(PosixFileSystem().ReadFile("/proc/self/status", kEnough), IsOkAndHolds(HasSubstr("VmRSS")));
}

TEST(FakeFileSystem, FailsFromTheChangeThatTheTestChose) {
  FakeFileSystem files;
  ASSERT_OK(files.MakeDirs("/d"));
  files.FailFromChange(2);
  EXPECT_OK(files.WriteFileAtomic("/d/a", "1"));
  EXPECT_THAT(files.WriteFileAtomic("/d/a", "2"), IsStatus(Code::kUnavailable, AllOf(HasSubstr("/d/a"), HasSubstr("No space left"))));
  EXPECT_THAT(files.Remove("/d/a"), IsStatus(Code::kUnavailable));
  EXPECT_THAT(files.ReadFile("/d/a", kEnough), IsOkAndHolds("1"));
  files.Repair();
  EXPECT_OK(files.Remove("/d/a"));
  EXPECT_EQ(files.changes(), 5);
}

TEST(FakeFileSystem, FailsReadsOfOnePath) {
  FakeFileSystem files;
  ASSERT_OK(files.WriteFileAtomic("/a", "1"));
  ASSERT_OK(files.WriteFileAtomic("/b", "2"));
  files.FailReadsOf("/a");
  EXPECT_THAT(files.ReadFile("/a", kEnough), IsStatus(Code::kUnavailable, HasSubstr("Input/output error")));
  EXPECT_THAT(files.ReadFile("/b", kEnough), IsOkAndHolds("2"));
}

}  // namespace
}  // namespace allot
