#pragma once
// Reads the fields of a Kubernetes object. The first field of a wrong type is remembered with its path and everything after reads as
// absent, so that a Read function is a flat list of fields with one check at the end:
//
//   Reader object(value);
//   slice.driver = object["spec"].Text("driver");
//   TRY(object.status());
//
// As in Kubernetes' own decoding: null is absent, an absent object has no fields, unknown fields are ignored.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/value.h"
#include "model/quantity.h"

namespace allot::model {

class Reader {
 public:
  // `what` names the whole in errors ("ResourceSlice"); it must outlive the reader.
  explicit Reader(const json::Value& value, std::string_view what = "object") : value_(&value), name_(what), status_(&own_status_) {
    Expect(json::Kind::kObject);
  }
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

  void Expect(json::Kind kind);
  void WrongKind(std::string_view key, const json::Value& value, std::string_view wanted) const;
  std::string Path() const;

  const json::Value* value_;
  const Reader* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = kNoIndex;
  Status* status_;
  Status own_status_;
};

}  // namespace allot::model
