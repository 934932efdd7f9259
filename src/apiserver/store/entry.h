#pragma once
// What the store keeps: versions of objects, and the changes between them. Immutable and shared.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace allot::apiserver {

// The key of an object: the kind's resource ("pods", "resourceclaims.resource.k8s.io"), namespace (empty: none) and name.
struct Key {
  std::string resource, space, name;
  friend auto operator<=>(const Key&, const Key&) = default;
};

// What selectors examine, extracted when the object is written.
struct Index {
  std::vector<std::pair<std::string, std::string>> labels;  // sorted
  std::vector<std::string> fields;                          // in the order of the kind's `selectable`
};

// One version of one object.
struct Entry {
  Key key;
  uint64_t version = 0;
  std::string uid;
  std::string json;  // with its resourceVersion
  Index index;
};
using EntryPtr = std::shared_ptr<const Entry>;

// One write, as watches see it.
struct Change {
  uint64_t version = 0;
  EntryPtr before;  // null: the object was created
  EntryPtr after;   // for a deletion, the last state with the version of the deletion
  bool deleted = false;
};
using ChangePtr = std::shared_ptr<const Change>;

struct Snapshot {
  uint64_t version = 0;
  std::vector<EntryPtr> entries;  // sorted by namespace and name
};

// An object to be written: its JSON around the resourceVersion.
struct Draft {
  std::string before, after;  // the text before and after the digits of the version
  std::string uid;
  Index index;
};

}  // namespace allot::apiserver
