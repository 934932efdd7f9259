#include "cli/run/run.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/test_util.h"
#include "cli/program/verbs.h"
#include "cli/run/run_line.h"

namespace allot::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Outcome {
  int code = 0;
  std::string err;
};

// Runs `allot run` without a server: a valid command line ends with the error of the connection.
Outcome AllotRun(std::vector<std::string_view> words) {
  words.insert(words.begin(), {"run", "--server", "unix:///nonexistent/api.sock"});
  testing::internal::CaptureStderr();
  const int code = RunProgram(words);
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(Run, AmountsThatAreNoneAreBadUsageAndNameTheFlag) {
  const struct {
    const char *flag, *value, *message;
  } cases[] = {{"--memory", "99999999999999999999Gi", "is more than any GPU has; give an amount like 6Gi"},
               {"--memory", "8Ei", "is more than any GPU has; give an amount like 6Gi"},
               {"--memory", "1.0000001Gi", "is not a whole number of MiB; give 1024Mi or 1025Mi"},
               {"--memory", "0", "is not above 0; give an amount like 6Gi"},
               {"--memory", "-1Gi", "is not above 0; give an amount like 6Gi"},
               {"--fraction", "0", "is not above 0; give a part of a GPU between 0 and 1, like 0.5"},
               {"--fraction", "1.5", "is more than a whole GPU; give a part of a GPU"},
               {"--fraction", "nan", "is not a number; give a part of a GPU"},
               {"--gpus", "33", "is not a number from 1 to 32"},
               {"--model", "a\"b", "is not the name of a GPU; give a part of one, like rtx3090"}};
  for (const auto& one : cases) {
    const Outcome outcome = AllotRun({one.flag, one.value, "--", "true"});
    EXPECT_EQ(outcome.code, 2) << one.value;
    EXPECT_THAT(outcome.err, StartsWith(StrCat("error: ", one.flag, ": "))) << one.value;
    EXPECT_THAT(outcome.err, HasSubstr(one.message)) << one.value;
  }
}

TEST(Run, AnEmptyValueIsBadUsageAndNamesTheFlag) {
  for (const std::string flag : {"memory", "fraction", "gpus", "name", "model", "namespace", "server"}) {
    const std::string word = StrCat("--", flag, "=");
    const Outcome outcome = AllotRun({word, "--", "true"});
    EXPECT_EQ(outcome.code, 2) << flag;
    EXPECT_THAT(outcome.err, StartsWith(StrCat("error: --", flag, " needs a value ("))) << flag;
  }
}

TEST(Run, AnInvalidNameIsReportedOnceWithAValidOne) {
  const Outcome outcome = AllotRun({"--name", "My_Train.", "--", "true"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err,
            "error: --name: \"My_Train.\" is not a valid Pod name: use at most 253 lower case letters, digits and dashes, for example "
            "my-train\n");
  EXPECT_THAT(AllotRun({"--name", "___", "--", "true"}).err, EndsWith("for example train-1\n"));
  EXPECT_EQ(AllotRun({"--namespace", "Lab_", "--", "true"}).code, 2);
}

TEST(Run, AMissingProgramIsReportedBeforeAnyRequest) {
  const std::string file = StrCat(testing::TempDir(), "allot-run-test-", ::getpid());
  std::ofstream(file) << "text";
  EXPECT_EQ(AllotRun({"--", "no-such-program"}).code, 127);
  EXPECT_EQ(AllotRun({"--", "no-such-program"}).err, "error: no-such-program: no such program\n");
  EXPECT_EQ(AllotRun({"--", file}).code, 126);
  EXPECT_EQ(AllotRun({"--", "/tmp"}).code, 126);
  std::filesystem::remove(file);
  // A program that exists, or that the share may add, gets as far as the connection.
  for (const std::string_view program : {"true", "nvidia-smi"}) {
    const Outcome outcome = AllotRun({"--", program});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("/nonexistent/api.sock"));
  }
}

TEST(Run, FlagsOfTheCommandNeedTwoDashes) {
  const Outcome outcome = AllotRun({"--memory", "6Gi", "python", "train.py", "-x"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "error: unknown flag \"-x\"; put -- before the command to pass its flags on: allot run [flags] -- python ...\n");
  // Here a flag of `allot run` itself is wrong.
  EXPECT_THAT(AllotRun({"--memry", "6Gi", "python"}).err, Not(HasSubstr("put --")));
  EXPECT_THAT(AllotRun({"--memry", "6Gi", "--", "python"}).err, HasSubstr("did you mean --memory?"));
}

TEST(WaitLine, ShowsTheRequestAndThePlaceInTheQueue) {
  EXPECT_EQ(WaitLine("train-3", {.memory = model::MiB(20480)}, {"why", false, 2}, 79),
            "train-3 waits for 20480 MiB, number 2 in the queue");
  EXPECT_EQ(WaitLine("train-3", {}, {"why", false, 0}, 79), "train-3 waits for a whole GPU");
  EXPECT_EQ(WaitLine("train-3", {}, {.away = true}, 79), "train-3 waits for a whole GPU: `allot up` does not answer; waiting for it");
  EXPECT_EQ(WaitLine("train-3", {.gpus = 2, .model = "rtx3090"}, {"why", false, 1}, 79),
            "train-3 waits for 2 whole GPUs (rtx3090), number 1 in the queue");
  EXPECT_EQ(WaitLine("a", {.fraction = *model::Fraction::Parse("0.5"), .gpus = 2}, {"why", false, 1}, 79),
            "a waits for 0.5 of each of 2 GPUs, number 1 in the queue");
  EXPECT_EQ(WaitLine("a", {.memory = model::MiB(99999)}, {"why", true, 0}, 79), "a waits for 99999 MiB; it can never start here");
}

TEST(WaitLine, FitsEveryWidth) {
  const std::string name = "run-a-command-with-a-rather-long-name-x7k2p";
  const dialect::Share share{.memory = model::MiB(20480), .gpus = 2, .model = "NVIDIA GeForce RTX 3090"};
  for (size_t width = 1; width < 140; ++width) {
    EXPECT_LE(WaitLine(name, share, {"why", false, 12}, width).size(), width);
  }
  EXPECT_EQ(WaitLine(name, share, {"why", false, 12}, 79),
            "run-a-command-... waits for 20480 MiB on each of 2 GPUs, number 12 in the queue");
}

}  // namespace
}  // namespace allot::cli
