#include "kube/config/credentials.h"

#include <atomic>
#include <functional>
#include <future>
#include <vector>

#include "base/fake_clock.h"
#include "base/fake_file_system.h"
#include "base/test_util.h"

namespace allot::kube {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using Grant = Credentials::Grant;

auto Sends(const std::string& authorization, uint64_t version) {
  return IsOkAndHolds(AllOf(Field(&Grant::authorization, authorization), Field(&Grant::version, version)));
}

TEST(Credentials, FixedKindsSayWhatToSend) {
  EXPECT_THAT(AnonymousCredentials()->Get(), Sends("", 1));
  EXPECT_THAT(TokenCredentials("abc")->Get(), Sends("Bearer abc", 1));
  EXPECT_THAT(BasicCredentials("Aladdin", "open sesame")->Get(), Sends("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", 1));
}

TEST(Credentials, FixedKindsHaveNothingFresher) {
  const auto credentials = TokenCredentials("abc");
  credentials->Reject(1);
  EXPECT_THAT(credentials->Get(), Sends("Bearer abc", 1));
}

TEST(Credentials, TokensThatWouldBreakAHeaderAreRefusedWithoutShowingThem) {
  EXPECT_OK(CheckToken("eyJhbGciOi.J-_~+/="));
  EXPECT_THAT(CheckToken(""), IsStatus(Code::kInvalid, HasSubstr("empty")));
  for (const std::string_view bad : {"secret\nHost: x", "sec ret", "secret\r", "secret\x7f", "secr\xc3\xa9t"}) {
    EXPECT_THAT(CheckToken(bad), IsStatus(Code::kInvalid, Not(HasSubstr("sec"))));
  }
}

class TokenFileTest : public testing::Test {
 protected:
  TokenFileTest() {
    CHECK(files_.MakeDirs("/sa").ok());
    Write("one\n");
  }
  void Write(std::string_view token) { CHECK(files_.WriteFileAtomic("/sa/token", token).ok()); }
  std::shared_ptr<Credentials> Make(std::string fallback = "") {
    return TokenFileCredentials("/sa/token", std::move(fallback), files_, clock_);
  }

  FakeFileSystem files_;
  FakeClock clock_;
};

TEST_F(TokenFileTest, TokenIsTrimmed) {
  Write(" \n one\t\r\n");
  EXPECT_THAT(Make()->Get(), Sends("Bearer one", 1));
}

TEST_F(TokenFileTest, TokenFileIsReadAgainAfterAMinute) {
  const auto credentials = Make();
  ASSERT_THAT(credentials->Get(), Sends("Bearer one", 1));
  Write("two");
  clock_.Advance(seconds(59));
  EXPECT_THAT(credentials->Get(), Sends("Bearer one", 1));
  clock_.Advance(seconds(1));
  EXPECT_THAT(credentials->Get(), Sends("Bearer two", 2));
}

TEST_F(TokenFileTest, TokenThatStayedTheSameKeepsItsVersion) {
  const auto credentials = Make();
  ASSERT_THAT(credentials->Get(), Sends("Bearer one", 1));
  clock_.Advance(seconds(60));
  EXPECT_THAT(credentials->Get(), Sends("Bearer one", 1));
  credentials->Reject(1);
  EXPECT_THAT(credentials->Get(), Sends("Bearer one", 1));
}

TEST_F(TokenFileTest, RejectedTokenIsReadAgainAtOnce) {
  const auto credentials = Make();
  ASSERT_THAT(credentials->Get(), Sends("Bearer one", 1));
  Write("two");
  credentials->Reject(1);
  EXPECT_THAT(credentials->Get(), Sends("Bearer two", 2));
}

TEST_F(TokenFileTest, RejectionOfAnOlderTokenIsIgnored) {
  const auto credentials = Make();
  ASSERT_OK(credentials->Get());
  Write("two");
  clock_.Advance(seconds(60));
  ASSERT_THAT(credentials->Get(), Sends("Bearer two", 2));
  Write("three");
  credentials->Reject(1);
  EXPECT_THAT(credentials->Get(), Sends("Bearer two", 2));
}

TEST_F(TokenFileTest, MissingAndEmptyFilesAreErrorsThatNameThePath) {
  Write(" \n");
  EXPECT_THAT(Make()->Get(), IsStatus(Code::kInvalid, HasSubstr("token file /sa/token: the token is empty")));
  ASSERT_OK(files_.Remove("/sa/token"));
  EXPECT_THAT(Make()->Get(), IsStatus(Code::kNotFound, HasSubstr("token file: open /sa/token: No such file")));
  Write(std::string((1 << 20) + 1, 'x'));
  EXPECT_THAT(Make()->Get(), IsStatus(Code::kExhausted, HasSubstr("/sa/token")));
}

TEST_F(TokenFileTest, OldTokenServesWhileTheFileIsAwayUntilItIsRejected) {
  const auto credentials = Make();
  ASSERT_OK(credentials->Get());
  ASSERT_OK(files_.Remove("/sa/token"));
  clock_.Advance(seconds(600));
  EXPECT_THAT(credentials->Get(), Sends("Bearer one", 1));
  clock_.Advance(seconds(2));
  credentials->Reject(1);
  EXPECT_THAT(credentials->Get(), IsStatus(Code::kNotFound, HasSubstr("/sa/token")));
  Write("two");
  clock_.Advance(seconds(2));
  EXPECT_THAT(credentials->Get(), Sends("Bearer two", 2));
}

TEST_F(TokenFileTest, FallbackServesOnlyUntilTheFileWasRead) {
  ASSERT_OK(files_.Remove("/sa/token"));
  const auto credentials = Make("spare");
  EXPECT_THAT(credentials->Get(), Sends("Bearer spare", 1));
  Write("one");
  clock_.Advance(seconds(60));
  EXPECT_THAT(credentials->Get(), Sends("Bearer one", 2));
  ASSERT_OK(files_.Remove("/sa/token"));
  credentials->Reject(2);
  EXPECT_THAT(credentials->Get(), IsStatus(Code::kNotFound));
}

// Gives out what the test puts in, and counts.
class Scripted final : public RenewableCredentials {
 public:
  explicit Scripted(const Clock& clock) : RenewableCredentials(clock, seconds(10)) {}

  void Next(Result<std::string> answer, std::optional<WallTime> renew = {}, std::optional<WallTime> expires = {}) {
    answer_ = std::move(answer);
    renew_ = renew;
    expires_ = expires;
  }
  std::atomic<int> fetches = 0;
  std::function<void()> during = [] {};

 private:
  Result<Fetched> Fetch(const Patience&) override {
    ++fetches;
    during();
    ASSIGN_OR_RETURN(const std::string text, Result<std::string>(answer_));
    return Fetched{{text, "", "", 0}, std::nullopt, renew_, expires_};
  }
  Result<std::string> answer_ = std::string("a");
  std::optional<WallTime> renew_, expires_;
};

TEST(RenewableCredentials, ServerThatRejectsEverythingCostsOneFetchInEachPause) {
  FakeClock clock;
  Scripted credentials(clock);
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK_AND_ASSIGN(const Grant grant, credentials.Get());
    credentials.Reject(grant.version);
  }
  EXPECT_EQ(credentials.fetches, 2);
  clock.Advance(seconds(10));
  credentials.Reject(1);
  EXPECT_THAT(credentials.Get(), Sends("a", 1));
  EXPECT_EQ(credentials.fetches, 3);
}

TEST(RenewableCredentials, FailureIsRememberedForThePause) {
  FakeClock clock;
  Scripted credentials(clock);
  credentials.Next(Unavailable("broken"));
  for (int i = 0; i < 100; ++i) EXPECT_THAT(credentials.Get(), IsStatus(Code::kUnavailable, HasSubstr("broken")));
  EXPECT_EQ(credentials.fetches, 1);
  credentials.Next(std::string("b"));
  clock.Advance(seconds(10));
  EXPECT_THAT(credentials.Get(), Sends("b", 1));
}

TEST(RenewableCredentials, DueGrantServesOnWhenRenewalFailsUntilItExpires) {
  FakeClock clock;
  Scripted credentials(clock);
  const WallTime start = clock.Now();
  credentials.Next(std::string("a"), start + seconds(50), start + seconds(60));
  ASSERT_THAT(credentials.Get(), Sends("a", 1));
  credentials.Next(Unavailable("broken"));
  clock.Advance(seconds(50));
  EXPECT_THAT(credentials.Get(), Sends("a", 1));
  EXPECT_EQ(credentials.fetches, 2);
  clock.Advance(seconds(10));
  EXPECT_THAT(credentials.Get(), IsStatus(Code::kUnavailable, HasSubstr("broken")));
}

TEST(RenewableCredentials, ThreadsShareOneFetch) {
  FakeClock clock;
  Scripted credentials(clock);
  std::promise<void> started, go_on;
  credentials.during = [&] {
    started.set_value();
    go_on.get_future().wait();
  };
  std::vector<std::future<std::string>> threads;
  const auto get = [&] { return credentials.Get()->authorization; };
  threads.push_back(std::async(std::launch::async, get));
  started.get_future().wait();
  for (int i = 0; i < 4; ++i) threads.push_back(std::async(std::launch::async, get));
  go_on.set_value();
  for (auto& thread : threads) EXPECT_EQ(thread.get(), "a");
  EXPECT_EQ(credentials.fetches, 1);
}

TEST(RenewableCredentials, DueGrantIsUsedByOthersWhileOneRenewsIt) {
  FakeClock clock;
  Scripted credentials(clock);
  credentials.Next(std::string("a"), clock.Now());
  ASSERT_OK(credentials.Get());
  credentials.Next(std::string("b"));
  credentials.during = [&] { EXPECT_THAT(credentials.Get(), Sends("a", 1)); };
  EXPECT_THAT(credentials.Get(), Sends("b", 2));
}

TEST(Base64, GivesBackWhatWentIn) {
  EXPECT_EQ(EncodeBase64(""), "");
  EXPECT_EQ(EncodeBase64("f"), "Zg==");
  EXPECT_EQ(EncodeBase64("fo"), "Zm8=");
  EXPECT_EQ(EncodeBase64("foo"), "Zm9v");
  EXPECT_EQ(EncodeBase64("\xff\xfe\xfd"), "//79");
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    EXPECT_THAT(DecodeBase64(EncodeBase64(bytes)), IsOkAndHolds(bytes));
    bytes += static_cast<char>(i);
  }
}

TEST(Base64, LineEndsAreSkippedAndEverythingElseIsRefused) {
  EXPECT_THAT(DecodeBase64("Zm9v\nZm\r\n8=\n"), IsOkAndHolds(std::string("foofo")));
  for (const std::string_view bad : {"Z", "Zg", "Zg=", "Zg===", "Zg==Zg==", "=", "Z===", "Zm9v=", "Zm 9v", "Zm9-", "Zg=v", "Zm8=="}) {
    EXPECT_THAT(DecodeBase64(bad), IsStatus(Code::kInvalid, HasSubstr("is not base64"))) << bad;
  }
}

}  // namespace
}  // namespace allot::kube
