#include "cli/program/man.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "cli/program/verbs.h"

namespace allot::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Man, HasEveryVerbThatPeopleUseWithItsFlagsAndTheExitCodes) {
  const std::vector<Verb> verbs = AllVerbs();
  const std::string page = ManPage(verbs, "1.2.3");
  for (const Verb& verb : verbs) {
    if (verb.summary.empty()) {
      EXPECT_THAT(page, Not(HasSubstr(verb.name)));
      continue;
    }
    EXPECT_THAT(page, HasSubstr(StrCat("\n.SS \"", verb.name)));
    for (const Flag& flag : verb.flags) {
      std::string name;
      for (const char c : flag.name) name += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_THAT(page, HasSubstr(StrCat("\\fB\\-\\-", name, "\\fR"))) << verb.name;
    }
  }
  EXPECT_THAT(page, AllOf(HasSubstr("allot 1.2.3"), HasSubstr(".SH \"EXIT STATUS\"\n.TP\n\\fB0\\fR\n"), HasSubstr("\\fB141\\fR")));
}

TEST(Man, EscapesTextThatLooksLikeRoff) {
  Verb verb;
  verb.name = "odd";
  verb.summary = ".begins like a request, has a \\backslash";
  verb.usage = "\"quoted\" -x";
  verb.examples = "'also\n";
  const std::string page = ManPage({&verb, 1}, "1");
  EXPECT_THAT(page, AllOf(HasSubstr("\n\\&.begins like a request, has a \\ebackslash\n"), HasSubstr(".SS \"odd \\(dqquoted\\(dq \\-x\"\n"),
                          HasSubstr("\n\\&'also\n")));
}

}  // namespace
}  // namespace allot::cli
