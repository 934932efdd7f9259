#include "cli/program/args.h"

#include "base/test_util.h"
#include "cli/get/get.h"
#include "cli/program/completion.h"
#include "cli/program/verbs.h"

namespace allot::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::vector<Flag> kFlags = {
    {"namespace", 'n', "NAME", "where"},
    {"all-namespaces", 'A', "", "everywhere"},
    {"watch", 'w', "", "goes on"},
    {"output", 'o', "json|yaml", "how"},
    {"dry-run", 0, "none|server|client", "only looks", "client"},
};

Result<Arguments> Parse(const std::vector<std::string_view>& words) { return Arguments::Parse(kFlags, words); }

TEST(Arguments, FlagsStandAnywhereAndInEveryForm) {
  for (const std::vector<std::string_view>& words : std::vector<std::vector<std::string_view>>{{"pods", "-n", "lab", "train"},
                                                                                               {"-nlab", "pods", "train"},
                                                                                               {"pods", "-n=lab", "train"},
                                                                                               {"--namespace", "lab", "pods", "train"},
                                                                                               {"pods", "train", "--namespace=lab"}}) {
    ASSERT_OK_AND_ASSIGN(const Arguments arguments, Parse(words));
    EXPECT_EQ(arguments.Get("namespace"), "lab");
    EXPECT_THAT(arguments.operands(), ElementsAre("pods", "train"));
  }
}

TEST(Arguments, LettersOfBoolsMayBeJoined) {
  ASSERT_OK_AND_ASSIGN(const Arguments arguments, Parse({"-Awo", "json", "pods"}));
  EXPECT_TRUE(arguments.Bool("all-namespaces"));
  EXPECT_TRUE(arguments.Bool("watch"));
  EXPECT_EQ(arguments.Get("output"), "json");
}

TEST(Arguments, BoolsTakeTrueAndFalseOnly) {
  ASSERT_OK_AND_ASSIGN(const Arguments arguments, Parse({"--watch=false"}));
  EXPECT_FALSE(arguments.Bool("watch", true));
  EXPECT_THAT(Parse({"--watch=maybe"}), IsStatus(Code::kInvalid, HasSubstr("\"maybe\" is neither true nor false")));
}

TEST(Arguments, AfterTwoDashesNothingIsAFlag) {
  ASSERT_OK_AND_ASSIGN(const Arguments arguments, Parse({"a", "--", "-w", "--nope"}));
  EXPECT_THAT(arguments.operands(), ElementsAre("a", "-w", "--nope"));
  EXPECT_FALSE(arguments.Bool("watch"));
}

TEST(Arguments, ADashAloneIsAnOperand) {
  ASSERT_OK_AND_ASSIGN(const Arguments arguments, Parse({"-"}));
  EXPECT_THAT(arguments.operands(), ElementsAre("-"));
}

TEST(Arguments, AFlagWithABareValueNeedsNone) {
  ASSERT_OK_AND_ASSIGN(const Arguments bare, Parse({"--dry-run", "x"}));
  EXPECT_EQ(bare.Get("dry-run"), "client");
  EXPECT_THAT(bare.operands(), ElementsAre("x"));
  ASSERT_OK_AND_ASSIGN(const Arguments valued, Parse({"--dry-run=server"}));
  EXPECT_EQ(valued.Get("dry-run"), "server");
}

TEST(Arguments, ErrorsNameTheWrongFlagOrValue) {
  EXPECT_THAT(Parse({"--namspace", "x"}), IsStatus(Code::kInvalid, "unknown flag \"--namspace\" (did you mean --namespace?)"));
  EXPECT_THAT(Parse({"-x"}), IsStatus(Code::kInvalid, HasSubstr("unknown flag \"-x\"")));
  EXPECT_THAT(Parse({"pods", "-n"}), IsStatus(Code::kInvalid, "-n needs a value (NAME)"));
  EXPECT_THAT(Parse({"--namespace="}), IsStatus(Code::kInvalid, "--namespace needs a value (NAME) that is not empty"));
  EXPECT_THAT(Parse({"-n", ""}), IsStatus(Code::kInvalid, "-n needs a value (NAME) that is not empty"));
  EXPECT_THAT(Parse({"-o", "xml"}), IsStatus(Code::kInvalid, "-o: \"xml\" is not one of json|yaml"));
}

TEST(Arguments, AnEmptySelectorSelectsEverything) {
  ASSERT_OK_AND_ASSIGN(const Arguments arguments, Arguments::Parse(AllFlags(GetVerb()), std::vector<std::string_view>{"-l", ""}));
  EXPECT_TRUE(arguments.Has("selector"));
}

TEST(Arguments, UnknownFlagsSuggestAFlagWithThatPrefixOrTheNearest) {
  const auto message = [](std::string_view word) {
    const Result<Arguments> arguments = Arguments::Parse(AllFlags(GetVerb()), std::vector<std::string_view>{word});
    return arguments.ok() ? "" : arguments.status().message();
  };
  EXPECT_THAT(message("--sort"), HasSubstr("did you mean --sort-by?"));
  EXPECT_THAT(message("--selectors"), HasSubstr("did you mean --selector?"));
  EXPECT_THAT(message("--namspace"), HasSubstr("did you mean --namespace?"));
  EXPECT_THAT(message("-x"), Not(HasSubstr("did you mean")));
  EXPECT_THAT(message("--prune"), Not(HasSubstr("did you mean")));
}

TEST(Arguments, VerbosityMayBeANumberInEveryForm) {
  for (const std::vector<std::string_view>& words :
       std::vector<std::vector<std::string_view>>{{"-v=6"}, {"-v6"}, {"-v", "6"}, {"--v=6"}, {"--verbose=6"}}) {
    ASSERT_OK_AND_ASSIGN(const Arguments arguments, Arguments::Parse(GlobalFlags(), words));
    EXPECT_EQ(arguments.Get("verbose"), "6");
    EXPECT_THAT(arguments.operands(), ElementsAre());
  }
  ASSERT_OK_AND_ASSIGN(const Arguments bare, Arguments::Parse(GlobalFlags(), std::vector<std::string_view>{"-v", "pods"}));
  EXPECT_EQ(bare.Get("verbose"), "1");
  EXPECT_THAT(bare.operands(), ElementsAre("pods"));
}

TEST(Verbs, FlagsStandBehindTheVerbAfterwards) {
  EXPECT_THAT(VerbFirst(std::vector<std::string_view>{"-n", "lab", "-A", "--context=x", "get", "pods"}),
              ElementsAre("get", "-n", "lab", "-A", "--context=x", "pods"));
  EXPECT_THAT(VerbFirst(std::vector<std::string_view>{"get", "-n", "lab"}), ElementsAre("get", "-n", "lab"));
  EXPECT_THAT(VerbFirst(std::vector<std::string_view>{"-n"}), ElementsAre("-n"));
}

TEST(Verbs, FlagNamesAreUnique) {
  for (const Verb& verb : AllVerbs()) {
    std::vector<std::string> seen;
    for (const Flag& flag : AllFlags(verb)) {
      EXPECT_THAT(seen, Not(Contains(std::string(flag.name)))) << verb.name;
      seen.emplace_back(flag.name);
      if (flag.letter == 0) continue;
      EXPECT_THAT(seen, Not(Contains(std::string(1, flag.letter)))) << verb.name;
      seen.emplace_back(1, flag.letter);
    }
  }
}

TEST(Verbs, HelpShowsUsageExamplesAndEveryFlag) {
  for (const Verb& verb : AllVerbs()) {
    const std::string help = Help(verb);
    EXPECT_THAT(help, HasSubstr(StrCat("usage: allot ", verb.name)));
    for (const Flag& flag : verb.flags) EXPECT_THAT(help, HasSubstr(StrCat("--", flag.name))) << verb.name;
    EXPECT_TRUE(!verb.connects || help.find("examples:") != std::string::npos) << verb.name;
  }
}

std::vector<std::string> Words(const std::vector<std::string>& words) { return Complete(words).words; }

TEST(Completion, OffersVerbsFlagsChoicesAndKinds) {
  EXPECT_THAT(Words({"de"}), ElementsAre("describe", "delete", "demo"));
  EXPECT_THAT(Words({"get", "--no"}), ElementsAre("--no-headers"));
  EXPECT_THAT(Words({"get", "-o", "y"}), ElementsAre("yaml"));
  EXPECT_THAT(Words({"get", "cl"}), ElementsAre("claims", "classes"));
  EXPECT_THAT(Words({"completion", ""}), ElementsAre("bash", "fish", "zsh"));
  EXPECT_THAT(Words({"nope", ""}), ElementsAre());
}

TEST(Completion, AfterTheDashesRunCompletesProgramsAndFiles) {
  EXPECT_TRUE(Complete(std::vector<std::string>{"run", "--memory", "6Gi", "--", "pyth"}).commands);
  EXPECT_TRUE(Complete(std::vector<std::string>{"run", "--", "python3", "--model", "tr"}).files);
  EXPECT_FALSE(Complete(std::vector<std::string>{"get", "--", "po"}).commands);
}

TEST(Completion, AsksTheClusterForNames) {
  EXPECT_EQ(Complete(std::vector<std::string>{"get", "-n", "lab", "pods", "tr"}).names_of, "pods");
  EXPECT_EQ(Complete(std::vector<std::string>{"get", "-n", "l"}).names_of, "namespaces");
  const Completions by_slash = Complete(std::vector<std::string>{"get", "pod/tr"});
  EXPECT_EQ(by_slash.names_of, "pod");
  EXPECT_EQ(by_slash.prefix, "pod/");
  EXPECT_EQ(by_slash.begun, "tr");
}

}  // namespace
}  // namespace allot::cli
