#pragma once
// Protobuf's wire format: fields, each a number and a value in one of a few encodings, in any order and any number of times.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::apiserver {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  int number = 0;
  WireType type = WireType::kVarint;
  uint64_t integer = 0;    // of all but kBytes; fixed ones as their bits
  std::string_view bytes;  // of kBytes: text, a message, packed numbers
};

// The fields of one message, one after the other. Groups, which protobuf no longer uses, are passed over.
class WireReader {
 public:
  // The bytes must outlive the fields.
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  // False: there are no more, or the bytes are broken, which status() tells.
  bool Next(WireField& field);
  // The next number of a packed list.
  bool NextPacked(WireType type, uint64_t& number);

  // kInvalid says what is wrong with the bytes.
  const Status& status() const { return status_; }

 private:
  bool Fail(std::string_view what);
  bool ReadVarint(uint64_t& value);
  bool ReadFixed(size_t bytes, uint64_t& value);
  bool ReadValue(WireField& field);

  std::string_view rest_;
  Status status_;
};

// kInvalid where the field is not encoded that way.
Status Expect(const WireField& field, WireType type);

// Calls on_field(const WireField&) -> Status for each field of a message, until one fails.
template <typename OnField>
Status ForEachField(std::string_view message, OnField on_field) {
  WireReader reader(message);
  WireField field;
  while (reader.Next(field)) TRY(on_field(field));
  return reader.status();
}

// Writes a message from its end to its beginning, so that the length of a part is known when it is written in front of it:
//
//   const size_t end = out.size();
//   out.Bytes(1, "text");      // the last field of the part
//   out.Message(2, end);       // wraps what was written since
class WireWriter {
 public:
  void Varint(int number, uint64_t value);
  void Fixed64(int number, uint64_t bits);
  void Bytes(int number, std::string_view bytes);
  void Message(int number, size_t end);
  void Raw(std::string_view bytes);

  size_t size() const { return reversed_.size(); }
  // All that was written, in reading order.
  std::string Take() &&;

 private:
  void RawVarint(uint64_t value);
  void Tag(int number, WireType type);

  std::string reversed_;
};

}  // namespace allot::apiserver
