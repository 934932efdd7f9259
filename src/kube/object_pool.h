#pragma once
// Copies objects into the least memory: what many of them have in common is kept once.
//
// Pods of one cluster share most of their text and whole lists (tolerations, projected volumes, conditions). A text, list or object is
// shared from the second time on that it is seen, so that what is unique (uids, times) does not fill the pool.
//
// Not thread-safe. The objects may outlive the pool: they keep what they share.

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "json/builder.h"
#include "kube/object.h"

namespace allot::kube {

class ObjectPool {
 public:
  // Beyond `max_bytes` nothing more is shared than what is.
  explicit ObjectPool(size_t max_bytes = 16 << 20) : max_bytes_(max_bytes), shared_(std::make_shared<Shared>()) {}

  // A copy of `value`, without the member of metadata that is named. REQUIRES an object.
  ObjectPtr Copy(const json::Value& value, std::string_view without_metadata);

  size_t shared_bytes() const { return shared_->bytes; }

 private:
  struct Shared {
    json::Arena arena;
    std::unordered_set<std::string_view> keys;
    std::unordered_multimap<uint64_t, json::Value> values;  // strings, lists and objects, by hash
    size_t bytes = 0;
  };
  // What Look found out about a value and those within it.
  struct Found {
    uint64_t hash;
    size_t own;  // bytes that a copy needs of its own
  };

  // Walks the tree and writes down in notes_, in the order of the walk, what of it is shared.
  Found Look(const json::Value& value, std::string_view left_out = {}, bool is_root = false);
  // Copies, by the notes from `note` on; returns the note behind it.
  size_t Write(json::Builder& builder, const json::Value& value, size_t note, std::string_view left_out = {}, bool is_root = false) const;
  const json::Value* Find(uint64_t hash, const json::Value& value) const;
  // Whether the pool has the key, from now on at the latest.
  bool ShareKey(std::string_view text);
  bool SeenBefore(uint64_t hash);

  const size_t max_bytes_;
  std::shared_ptr<Shared> shared_;
  std::vector<const json::Value*> notes_;  // null: copy it
  std::vector<uint32_t> seen_;             // hashes of late, each in the place that it falls into
};

}  // namespace allot::kube
