#include "apiserver/schema/wire_format.h"

#include <vector>

#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Status ReadAll(std::string_view bytes) {
  return ForEachField(bytes, [](const WireField&) { return Status(); });
}

std::vector<uint64_t> Numbers(std::string_view bytes) {
  std::vector<uint64_t> numbers;
  EXPECT_OK(ForEachField(bytes, [&](const WireField& field) {
    numbers.push_back(field.integer);
    return Status();
  }));
  return numbers;
}

TEST(WireFormat, WhatIsWrittenReadsBack) {
  WireWriter out;
  out.Fixed64(5, 0x0102030405060708);
  const size_t end = out.size();
  out.Bytes(1, "text");
  out.Message(4, end);
  out.Varint(3, ~uint64_t{0});
  out.Varint(300, 7);
  WireReader reader(std::string_view{});
  const std::string bytes = std::move(out).Take();
  reader = WireReader(bytes);
  WireField field;
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 300);
  EXPECT_EQ(field.integer, 7);
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 3);
  EXPECT_EQ(field.integer, ~uint64_t{0});
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 4);
  EXPECT_EQ(field.bytes, "\x0a\x04text");
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.type, WireType::kFixed64);
  EXPECT_EQ(field.integer, 0x0102030405060708);
  EXPECT_FALSE(reader.Next(field));
  EXPECT_OK(reader.status());
}

TEST(WireFormat, MinusOneHasTenBytes) {
  WireWriter out;
  out.Varint(1, static_cast<uint64_t>(int64_t{-1}));
  EXPECT_EQ(std::move(out).Take(), "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(WireFormat, NumbersMayBeLongerThanTheyNeed) { EXPECT_THAT(Numbers(std::string_view("\x08\x81\x80\x00", 4)), ElementsAre(1)); }

TEST(WireFormat, BrokenBytesAreRefused) {
  using namespace std::string_view_literals;
  EXPECT_THAT(ReadAll("\x08"sv), IsStatus(Code::kInvalid, HasSubstr("ends within a number")));
  EXPECT_THAT(ReadAll("\x08\x80"sv), IsStatus(Code::kInvalid, HasSubstr("ends within a number")));
  EXPECT_THAT(ReadAll("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"sv), IsStatus(Code::kInvalid, HasSubstr("64 bits")));
  EXPECT_THAT(ReadAll("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv), IsStatus(Code::kInvalid, HasSubstr("64 bits")));
  EXPECT_THAT(ReadAll("\x0a\x05text"sv), IsStatus(Code::kInvalid, HasSubstr("longer than the message")));
  EXPECT_THAT(ReadAll("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv), IsStatus(Code::kInvalid, HasSubstr("longer than the message")));
  EXPECT_THAT(ReadAll("\x09\x01\x02"sv), IsStatus(Code::kInvalid, HasSubstr("ends within a number")));
  EXPECT_THAT(ReadAll("\x00\x01"sv), IsStatus(Code::kInvalid, HasSubstr("out of range")));
  EXPECT_THAT(ReadAll("\x0e\x01"sv), IsStatus(Code::kInvalid, HasSubstr("no known encoding")));
}

TEST(WireFormat, GroupsAreSkipped) {
  EXPECT_THAT(Numbers("\x0b\x10\x05\x0b\x0c\x0c\x18\x07"), ElementsAre(7));
  EXPECT_THAT(ReadAll("\x0b\x10\x05"), IsStatus(Code::kInvalid, HasSubstr("within a group")));
  EXPECT_THAT(ReadAll("\x0c"), IsStatus(Code::kInvalid, HasSubstr("did not begin")));
  EXPECT_THAT(ReadAll(std::string(1000, '\x0b')), IsStatus(Code::kInvalid, HasSubstr("too deeply")));
}

}  // namespace
}  // namespace allot::apiserver
