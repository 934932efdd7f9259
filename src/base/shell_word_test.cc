#include "base/shell_word.h"

#include <gtest/gtest.h>

namespace allot {
namespace {

TEST(ShellWord, IsQuotedWhereItMustBe) {
  EXPECT_EQ(ShellWord("/home/ann/.local/share/allot"), "/home/ann/.local/share/allot");
  EXPECT_EQ(ShellWord("/tmp/da ta;x"), "'/tmp/da ta;x'");
  EXPECT_EQ(ShellWord("$(touch it)"), "'$(touch it)'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("~/x"), "'~/x'");
}

}  // namespace
}  // namespace allot
