#include "apiserver/schema/wire_format.h"

#include <algorithm>

namespace allot::apiserver {

namespace {

constexpr uint64_t kStartGroup = 3, kEndGroup = 4;
constexpr uint64_t kMaxNumber = (1u << 29) - 1;
constexpr size_t kMaxGroups = 128;  // nested

}  // namespace

bool WireReader::Fail(std::string_view what) {
  if (status_.ok()) status_ = Invalid("protobuf: ", what);
  rest_ = {};
  return false;
}

bool WireReader::ReadVarint(uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) return Fail("the message ends within a number");
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    if (shift == 63 && byte > 1) break;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return Fail("a number has more than 64 bits");
}

bool WireReader::ReadFixed(size_t bytes, uint64_t& value) {
  if (rest_.size() < bytes) return Fail("the message ends within a number");
  value = 0;
  for (size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(rest_[i]);
  rest_.remove_prefix(bytes);
  return true;
}

bool WireReader::ReadValue(WireField& field) {
  field.integer = 0;
  field.bytes = {};
  switch (field.type) {
    case WireType::kVarint: return ReadVarint(field.integer);
    case WireType::kFixed64: return ReadFixed(8, field.integer);
    case WireType::kFixed32: return ReadFixed(4, field.integer);
    case WireType::kBytes: break;
  }
  uint64_t length = 0;
  if (!ReadVarint(length)) return false;
  if (length > rest_.size()) return Fail("a field is longer than the message");
  field.bytes = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return true;
}

bool WireReader::Next(WireField& field) {
  size_t groups = 0;
  while (!rest_.empty()) {
    uint64_t tag = 0;
    if (!ReadVarint(tag)) return false;
    const uint64_t number = tag >> 3, type = tag & 7;
    if (number == 0 || number > kMaxNumber) return Fail("a field's number is out of range");
    if (type == kStartGroup) {
      if (++groups > kMaxGroups) return Fail("groups are nested too deeply");
      continue;
    }
    if (type == kEndGroup) {
      if (groups-- == 0) return Fail("a group ends that did not begin");
      continue;
    }
    if (type > static_cast<uint64_t>(WireType::kFixed32)) return Fail("a field has no known encoding");
    field.number = static_cast<int>(number);
    field.type = static_cast<WireType>(type);
    if (!ReadValue(field)) return false;
    if (groups == 0) return true;
  }
  return groups == 0 ? false : Fail("the message ends within a group");
}

bool WireReader::NextPacked(WireType type, uint64_t& number) {
  if (rest_.empty()) return false;
  return type == WireType::kFixed64 ? ReadFixed(8, number) : ReadVarint(number);
}

Status Expect(const WireField& field, WireType type) {
  return field.type == type ? Status() : Invalid("protobuf: field ", field.number, " has the wrong encoding");
}

void WireWriter::Raw(std::string_view bytes) { reversed_.append(bytes.rbegin(), bytes.rend()); }

void WireWriter::RawVarint(uint64_t value) {
  char bytes[10];
  size_t size = 0;
  for (; value >= 0x80; value >>= 7) bytes[size++] = static_cast<char>(value | 0x80);
  bytes[size++] = static_cast<char>(value);
  Raw({bytes, size});
}

void WireWriter::Tag(int number, WireType type) { RawVarint(static_cast<uint64_t>(number) << 3 | static_cast<uint64_t>(type)); }

void WireWriter::Varint(int number, uint64_t value) {
  RawVarint(value);
  Tag(number, WireType::kVarint);
}

void WireWriter::Fixed64(int number, uint64_t bits) {
  char bytes[8];
  for (char& byte : bytes) {
    byte = static_cast<char>(bits);
    bits >>= 8;
  }
  Raw({bytes, sizeof bytes});
  Tag(number, WireType::kFixed64);
}

void WireWriter::Bytes(int number, std::string_view bytes) {
  Raw(bytes);
  RawVarint(bytes.size());
  Tag(number, WireType::kBytes);
}

void WireWriter::Message(int number, size_t end) {
  RawVarint(size() - end);
  Tag(number, WireType::kBytes);
}

std::string WireWriter::Take() && {
  std::reverse(reversed_.begin(), reversed_.end());
  return std::move(reversed_);
}

}  // namespace allot::apiserver
