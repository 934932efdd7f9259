#pragma once
// Reads the fields of a Kubernetes object. A field of a wrong type reads as absent and the first one is remembered with its path, so that a
// Read function is a flat list of fields with one check at the end:
//
//   Reader object(value);
//   slice.driver = object["spec"].Text("driver");
//   TRY(object.status());
//
// As in Kubernetes' own decoding: null is absent, an absent object has no fields, unknown fields are ignored.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/value.h"
#include "model/quantity.h"

namespace allot::model {

class Reader {
 public:
  explicit Reader(const json::Value& value) : value_(&value), status_(&own_status_) { Expect(json::Kind::kObject); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const Status& status() const { return *status_; }
  const json::Value& value() const { return *value_; }
  bool IsPresent() const { return !value_->IsNull(); }

  // The object in field `key`; without fields where it is absent.
  Reader operator[](std::string_view key) const { return Reader(*this, value_->operator[](key), key, json::Kind::kObject); }

  std::optional<std::string_view> OptionalText(std::string_view key) const;
  std::string_view Text(std::string_view key) const { return OptionalText(key).value_or(std::string_view()); }
  std::optional<bool> OptionalBool(std::string_view key) const;
  std::optional<int64_t> OptionalInt(std::string_view key) const;
  std::optional<Quantity> OptionalQuantity(std::string_view key) const;
  std::vector<std::string_view> Texts(std::string_view key) const;

  // Calls read(item) with a Reader for each object of the list `key`.
  template <typename Read>
  void Each(std::string_view key, Read read) const {
    const Reader list(*this, value_->operator[](key), key, json::Kind::kArray);
    if (!list.IsPresent()) return;
    size_t index = 0;
    for (const json::Value& item : list.value_->Items()) read(Reader(list, item, index++, json::Kind::kObject));
  }

  // Calls read(name, entry) with a Reader for each object of the map `key`.
  template <typename Read>
  void EachEntry(std::string_view key, Read read) const {
    const Reader map(*this, value_->operator[](key), key, json::Kind::kObject);
    if (!map.IsPresent()) return;
    for (const json::Member& member : map.value_->Members()) read(member.key, Reader(map, member.value, member.key, json::Kind::kObject));
  }

  // Calls read(name, quantity) for each entry of the map of quantities `key`.
  template <typename Read>
  void EachQuantity(std::string_view key, Read read) const {
    const Reader map(*this, value_->operator[](key), key, json::Kind::kObject);
    if (!map.IsPresent()) return;
    for (const json::Member& member : map.value_->Members()) read(member.key, map.OptionalQuantity(member.key).value_or(Quantity()));
  }

  // Calls read(name, text) for each entry of the map of strings `key`.
  template <typename Read>
  void EachText(std::string_view key, Read read) const {
    const Reader map(*this, value_->operator[](key), key, json::Kind::kObject);
    if (!map.IsPresent()) return;
    for (const json::Member& member : map.value_->Members()) read(member.key, map.Text(member.key));
  }

  // The quantities of the list `key`.
  std::vector<Quantity> Quantities(std::string_view key) const;

  // The items of the list `key` as they are; none where it is absent.
  std::span<const json::Value> Items(std::string_view key) const;

  // Remembers that field `key` is wrong, unless something was before.
  void Fail(std::string_view key, std::string_view message) const;

 private:
  static constexpr size_t kNoIndex = static_cast<size_t>(-1);

  Reader(const Reader& parent, const json::Value& value, std::string_view key, json::Kind kind)
      : value_(&value), parent_(&parent), name_(key), status_(parent.status_) {
    Expect(kind);
  }
  Reader(const Reader& parent, const json::Value& value, size_t index, json::Kind kind)
      : value_(&value), parent_(&parent), index_(index), status_(parent.status_) {
    Expect(kind);
  }

  std::optional<Quantity> ToQuantity(std::string_view key, const json::Value& value) const;
  void Expect(json::Kind kind);
  void WrongKind(std::string_view key, const json::Value& value, std::string_view wanted) const;
  std::string Path() const;

  const json::Value* value_;
  const Reader* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = kNoIndex;
  Status* status_;
  mutable Status own_status_;  // of the root: what all readers below it found
};

}  // namespace allot::model
