#pragma once
// What the store keeps and hands out: versions of objects, and the changes between them. All immutable, shared by whoever looks at them.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace allot::apiserver {

// Where an object is: the kind's resource ("pods", "resourceclaims.resource.k8s.io"), namespace (empty: none) and name.
struct Key {
  std::string resource, space, name;
  friend auto operator<=>(const Key&, const Key&) = default;
};

// What selectors look at, taken out of the object when it was written.
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
  EntryPtr before;  // null: it was created
  EntryPtr after;   // of a deletion: the last state with the version of the deletion
  bool deleted = false;
};
using ChangePtr = std::shared_ptr<const Change>;

struct Snapshot {
  uint64_t version = 0;
  std::vector<EntryPtr> entries;  // sorted by namespace and name
};

// An object that is to be written: its JSON without the resourceVersion, and where that belongs.
struct Draft {
  std::string before, after;  // around the digits of the version
  std::string uid;
  Index index;
};

}  // namespace allot::apiserver
