#include "local/containers/log_file.h"

#include <sys/resource.h>

#include <csignal>

#include "base/fake_clock.h"
#include "local/test_folder.h"

namespace allot::local {
namespace {

using ::testing::Each;
using ::testing::Le;
using ::testing::StartsWith;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : Split(text, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

TEST(LogFile, EveryLineIsAnEntryWithItsTimeAndStream) {
  const TestFolder folder;
  FakeClock clock;
  const std::string path = folder / "log";
  LogFile log(path, 1 << 20, clock);
  log.Append(LogFile::Stream::kStdout, "one\ntw");
  log.Append(LogFile::Stream::kStderr, "oops\n\n");
  log.Append(LogFile::Stream::kStdout, "o\nno end");
  log.Finish();
  std::vector<std::string> texts;
  for (const std::string& line : Lines(FileText(path))) {
    EXPECT_EQ(line.find(' '), std::string_view("2026-01-02T03:04:05.123456789Z").size()) << line;
    texts.push_back(line.substr(line.find(' ') + 1));
  }
  EXPECT_THAT(texts, testing::ElementsAre("stdout F one", "stderr F oops", "stderr F ", "stdout F two", "stdout F no end"));
}

TEST(LogFile, ALongLineComesInPartsWithoutLosingAByte) {
  const TestFolder folder;
  const SystemClock clock;
  const std::string path = folder / "log";
  const std::string text = std::string(LogFile::kLongestLine, 'a') + std::string(LogFile::kLongestLine, 'b') + "c";
  {
    LogFile log(path, 1 << 20, clock);
    for (size_t i = 0; i < text.size(); i += 1000) log.Append(LogFile::Stream::kStdout, std::string_view(text).substr(i, 1000));
    log.Append(LogFile::Stream::kStdout, "\n");
  }
  std::string whole, kinds;
  for (const std::string& line : Lines(FileText(path))) {
    const size_t kind = line.find(" stdout ") + 8;
    kinds += line[kind];
    whole += line.substr(kind + 2);
  }
  EXPECT_EQ(kinds, "PPF");
  EXPECT_EQ(whole, text);
}

TEST(LogFile, TwoFilesOfLimitedLengthAreKept) {
  const TestFolder folder;
  const SystemClock clock;
  const std::string path = folder / "log";
  {
    LogFile log(path, 1000, clock);
    std::string chunk;
    for (int i = 0; i < 100; ++i) chunk += StrCat("line ", i, "\n");
    log.Append(LogFile::Stream::kStdout, chunk);
  }
  const std::string older = FileText(path + ".1"), newer = FileText(path);
  EXPECT_THAT((std::vector<size_t>{older.size(), newer.size()}), Each(Le(1100U)));
  EXPECT_FALSE(std::filesystem::exists(path + ".2"));
  const std::vector<std::string> lines = Lines(older + newer);
  ASSERT_GE(lines.size(), 20U);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].ends_with(StrCat(" F line ", 100 - lines.size() + i))) << lines[i];
  }
}

TEST(LogFile, AnEntryBehindOneThatAFullDiskCutShortIsWhole) {
  const TestFolder folder;
  FakeClock clock;
  LogFile log(folder / "log", 1 << 20, clock);
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit full{50, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  log.Append(LogFile::Stream::kStdout, "the first one, which does not fit\n");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  log.Append(LogFile::Stream::kStdout, "second\n");
  const std::string text = FileText(folder / "log");
  const std::vector<std::string_view> lines = Split(text, '\n');
  ASSERT_EQ(lines.size(), 3U) << text;
  EXPECT_EQ(lines[0].size(), 50U);
  EXPECT_THAT(lines[1], testing::EndsWith(" stdout F second"));
}

TEST(LogFile, AMissingFolderBlocksNoWriter) {
  const SystemClock clock;
  LogFile log("/nonexistent/folder/log", 10, clock);
  for (int i = 0; i < 100; ++i) log.Append(LogFile::Stream::kStdout, "text\n");
  log.Finish();
}

}  // namespace
}  // namespace allot::local
