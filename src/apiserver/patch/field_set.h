#pragma once
// A set of fields of an object: the fields of an owner, or the changed fields.
//
// A field and the fields inside it are separate members: an added item of a list is a member, and so are its fields; of a struct only the
// fields are. Sets are trees in arena memory that share common parts. They are cheap to copy and live as long as the arena of the Editor
// that made them. Their depth is limited by the objects and managedFields that they come from.

#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

#include "apiserver/patch/path_element.h"

namespace allot::apiserver {

struct FieldNode;

class FieldSet {
 public:
  constexpr FieldSet() = default;
  // Sorts the nodes and copies them into the arena. REQUIRES: distinct elements.
  static FieldSet Of(json::Editor& edit, std::span<FieldNode> nodes);
  // Makes one member for each path of names.
  static FieldSet OfPaths(json::Editor& edit, std::initializer_list<std::initializer_list<std::string_view>> paths);

  bool empty() const { return size_ == 0; }
  std::span<const FieldNode> nodes() const;
  // Returns nullptr if the set has nothing at this element or below it.
  const FieldNode* Find(const PathElement& element) const;
  bool Has(std::span<const PathElement> path) const;

 private:
  const FieldNode* nodes_ = nullptr;  // sorted
  size_t size_ = 0;
};

struct FieldNode {
  PathElement element;
  bool member = false;
  FieldSet children;

  bool empty() const { return !member && children.empty(); }
};

inline std::span<const FieldNode> FieldSet::nodes() const { return {nodes_, size_}; }

FieldSet Union(json::Editor& edit, const FieldSet& a, const FieldSet& b);
FieldSet UnionOf(json::Editor& edit, std::vector<FieldSet> sets);
FieldSet Intersection(json::Editor& edit, const FieldSet& a, const FieldSet& b);
// Returns the members of `a` that are not in `b`. Each member counts separately: a field stays even if `b` has fields inside it or around
// it.
FieldSet Difference(json::Editor& edit, const FieldSet& a, const FieldSet& b);
// The same, but a member of `b` also removes everything inside it.
FieldSet RecursiveDifference(json::Editor& edit, const FieldSet& a, const FieldSet& b);
bool Equal(const FieldSet& a, const FieldSet& b);

// Calls visit(path) for each member; members of one level come before deeper ones.
template <typename Visit>
void ForEachMember(const FieldSet& set, std::vector<PathElement>& path, const Visit& visit) {
  for (const FieldNode& node : set.nodes()) {
    if (!node.member) continue;
    path.push_back(node.element);
    visit(std::span<const PathElement>(path));
    path.pop_back();
  }
  for (const FieldNode& node : set.nodes()) {
    path.push_back(node.element);
    ForEachMember(node.children, path, visit);
    path.pop_back();
  }
}

// Reads `fieldsV1` of managedFields and ignores unknown kinds of elements. Returns kInvalid with the broken part. The text of `fields` must
// outlive the set.
Result<FieldSet> ReadFields(json::Editor& edit, const json::Value& fields);
json::Value WriteFields(json::Editor& edit, const FieldSet& set);

}  // namespace allot::apiserver
