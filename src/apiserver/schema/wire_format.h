#pragma once
// Protobuf's wire format: fields, each with a number and an encoded value, in any order and with repetitions.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::apiserver {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  int number = 0;
  WireType type = WireType::kVarint;
  uint64_t integer = 0;    // for all types except kBytes; fixed ones as their bits
  std::string_view bytes;  // for kBytes: text, a message, packed numbers
};

// Reads the fields of one message in order. Skips groups, which protobuf has deprecated.
class WireReader {
 public:
  // The bytes must outlive the fields.
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  // Returns false at the end, or if the bytes are broken; see status().
  bool Next(WireField& field);
  // Reads the next number of a packed list.
  bool NextPacked(WireType type, uint64_t& number);

  // kInvalid with what is wrong with the bytes.
  const Status& status() const { return status_; }

 private:
  bool Fail(std::string_view what);
  bool ReadVarint(uint64_t& value);
  bool ReadFixed(size_t bytes, uint64_t& value);
  bool ReadValue(WireField& field);

  std::string_view rest_;
  Status status_;
};

// Returns kInvalid if the field has another encoding.
Status Expect(const WireField& field, WireType type);

// Calls on_field(const WireField&) -> Status for each field of a message, until one fails.
template <typename OnField>
Status ForEachField(std::string_view message, OnField on_field) {
  WireReader reader(message);
  WireField field;
  while (reader.Next(field)) TRY(on_field(field));
  return reader.status();
}

// Writes a message from its end to its beginning, so the length of a part is known when it is written before it:
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
  // Returns everything written, in reading order.
  std::string Take() &&;

 private:
  void RawVarint(uint64_t value);
  void Tag(int number, WireType type);

  std::string reversed_;
};

}  // namespace allot::apiserver
