#include "local/containers/log_reader.h"

#include "local/containers/log_file.h"
#include "local/test_folder.h"

namespace allot::local {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> All(LogReader& reader) {
  std::vector<std::string> texts;
  while (const std::optional<LogEntry> entry = reader.Next()) texts.emplace_back(entry->text);
  return texts;
}

TEST(LogReader, AnEntryIsItsTimeStreamAndText) {
  const std::optional<LogEntry> entry = ParseEntry("2026-01-02T03:04:05.123456789Z stderr P  two  words ");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->time, "2026-01-02T03:04:05.123456789Z");
  EXPECT_EQ(entry->stream, "stderr");
  EXPECT_FALSE(entry->whole);
  EXPECT_EQ(entry->text, " two  words ");
  for (const char* none : {"", "x", "t stdout", "t stdout F", "t nowhere F text", "t stdout FF text"})
    EXPECT_FALSE(ParseEntry(none)) << none;
}

TEST(LogReader, ReadsOnThroughRotationWithoutLosingALine) {
  const TestFolder folder;
  const SystemClock clock;
  LogFile log(folder / "log", 2000, clock);
  LogReader reader(folder.path());
  EXPECT_THAT(All(reader), IsEmpty());
  std::vector<std::string> read, written;
  for (int i = 0; i < 1000; ++i) {
    written.push_back(std::to_string(i));
    log.Append(LogFile::Stream::kStdout, written.back() + "\n");
    // Read only sometimes, so that some lines come from the older file.
    if (i % 37 != 0) continue;
    const std::vector<std::string> some = All(reader);
    read.insert(read.end(), some.begin(), some.end());
  }
  const std::vector<std::string> rest = All(reader);
  read.insert(read.end(), rest.begin(), rest.end());
  EXPECT_EQ(read, written);
}

TEST(LogReader, ASlowReaderContinuesWithTheOldestFileThatIsLeft) {
  const TestFolder folder;
  const SystemClock clock;
  LogFile log(folder / "log", 500, clock);
  LogReader reader(folder.path());
  log.Append(LogFile::Stream::kStdout, "first\n");
  EXPECT_THAT(All(reader), ElementsAre("first"));
  for (int i = 0; i < 100; ++i) log.Append(LogFile::Stream::kStdout, StrCat(i, "\n"));
  const std::vector<std::string> texts = All(reader);
  ASSERT_FALSE(texts.empty());
  EXPECT_EQ(texts.back(), "99");
  for (size_t i = 1; i < texts.size(); ++i) {
    // Lines may be missing between two files, never within one.
    EXPECT_GT(std::stoi(texts[i]), std::stoi(texts[i - 1]));
  }
}

TEST(LogReader, TheTailIsCountedInLinesAndNotInTheirParts) {
  const TestFolder folder;
  const SystemClock clock;
  {
    LogFile log(folder / "log", 1 << 20, clock);
    log.Append(LogFile::Stream::kStdout, "one\n" + std::string(LogFile::kLongestLine + 1, 'x') + "\nthree\n");
  }
  LogReader reader(folder.path());
  reader.SeekTail(2);
  EXPECT_THAT(All(reader), ElementsAre(std::string(LogFile::kLongestLine, 'x'), "x", "three"));
  EXPECT_EQ(LastLines(folder.path(), 1, 100), "three\n");
  EXPECT_EQ(LastLines(folder.path(), 80, 8), "x\nthree\n");
}

}  // namespace
}  // namespace allot::local
