#include "node/rpc/wire.h"

#include "base/test_util.h"

namespace allot::node::rpc {
namespace {

using std::chrono::nanoseconds;
using ::testing::Eq;
using ::testing::Optional;
using ::testing::SizeIs;
using namespace std::chrono_literals;

TEST(Wire, StatusCodesBecomeGrpcs) {
  EXPECT_EQ(OutcomeOf(Invalid("x")).code, GrpcCode::kInvalidArgument);
  EXPECT_EQ(OutcomeOf(NotFound("x")).code, GrpcCode::kNotFound);
  EXPECT_EQ(OutcomeOf(Unsupported("x")).code, GrpcCode::kUnimplemented);
  EXPECT_EQ(OutcomeOf(Exhausted("x")).code, GrpcCode::kResourceExhausted);
  EXPECT_EQ(OutcomeOf(Unavailable("x")).code, GrpcCode::kUnavailable);
  EXPECT_EQ(OutcomeOf(Conflict("x")).code, GrpcCode::kAborted);
  EXPECT_EQ(OutcomeOf(Status()).code, GrpcCode::kOk);
  EXPECT_EQ(OutcomeOf(Invalid("why")).message, "why");
}

TEST(Wire, MessagesArePercentEncoded) {
  EXPECT_EQ(EncodeMessageHeader("plain text: 6 GiB"), "plain text: 6 GiB");
  EXPECT_EQ(EncodeMessageHeader("100 %\n\u2013"), "100 %25%0A%E2%80%93");
}

TEST(Wire, LongMessagesAreCutBetweenCharacters) {
  EXPECT_THAT(EncodeMessageHeader(std::string(5000, 'x')), SizeIs(4096));
  EXPECT_THAT(EncodeMessageHeader(std::string(4095, 'x') + "\u2013 and more"), SizeIs(4095));
}

TEST(Wire, TimeoutsHaveUnits) {
  EXPECT_THAT(ParseTimeout("45S"), Optional(Eq(nanoseconds(45s))));
  EXPECT_THAT(ParseTimeout("1500m"), Optional(Eq(nanoseconds(1500ms))));
  EXPECT_THAT(ParseTimeout("7u"), Optional(Eq(nanoseconds(7us))));
  EXPECT_THAT(ParseTimeout("0n"), Optional(Eq(0ns)));
  EXPECT_THAT(ParseTimeout("2M"), Optional(Eq(nanoseconds(2min))));
  EXPECT_THAT(ParseTimeout("99999999H"), Optional(Eq(nanoseconds(24h * 365))));
  for (const char* const wrong : {"", "S", "1", "-1S", "1.5S", "123456789S", "1s", " 1S"})
    EXPECT_EQ(ParseTimeout(wrong), std::nullopt) << wrong;
}

TEST(FrameReader, TakesAMessageInAnyPieces) {
  const std::string bytes = FramePrefix(11) + "hello world";
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    FrameReader reader(11);
    for (size_t at = 0; at < bytes.size(); at += piece) {
      EXPECT_EQ(reader.End().code, GrpcCode::kInternal);
      ASSERT_EQ(reader.Feed(std::string_view(bytes).substr(at, piece)).code, GrpcCode::kOk);
    }
    ASSERT_EQ(reader.End().code, GrpcCode::kOk);
    EXPECT_EQ(reader.TakeMessage(), "hello world");
  }
}

TEST(FrameReader, RefusesALongMessageByItsPrefix) {
  FrameReader reader(10);
  const Outcome fed = reader.Feed(FramePrefix(11));
  EXPECT_EQ(fed.code, GrpcCode::kResourceExhausted);
  EXPECT_EQ(fed.message, "the message has 11 bytes, this server takes at most 10");
}

TEST(FrameReader, RefusesWhatItDoesNotSpeak) {
  EXPECT_EQ(FrameReader(10).Feed(std::string("\1\0\0\0\0", 5)).code, GrpcCode::kUnimplemented);
  EXPECT_EQ(FrameReader(10).Feed(std::string("\2\0\0\0\0", 5)).code, GrpcCode::kInternal);
  EXPECT_EQ(FrameReader(10).Feed(FramePrefix(1) + "x" + FramePrefix(1)).code, GrpcCode::kInternal);
  EXPECT_EQ(FrameReader(10).End().code, GrpcCode::kInternal);
}

}  // namespace
}  // namespace allot::node::rpc
