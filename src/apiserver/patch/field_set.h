#pragma once
// A set of fields of an object: who owns what, and what has changed.
//
// A field and what is in it are members on their own: an item of a list that somebody added is a member, and so are its fields; of a
// struct only the fields are. Sets are trees of arena memory that share what they have in common; they are copied freely and live as
// long as the arena of the Editor that made them. Depth is that of the objects and managedFields that they come from.

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
  // Sorts the nodes and copies them into the arena. REQUIRES different elements.
  static FieldSet Of(json::Editor& edit, std::span<FieldNode> nodes);
  // One member for each path of names.
  static FieldSet OfPaths(json::Editor& edit, std::initializer_list<std::initializer_list<std::string_view>> paths);

  bool empty() const { return size_ == 0; }
  std::span<const FieldNode> nodes() const;
  // nullptr: nothing in the set is at this element or below it.
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
// What is in `a` and not in `b`, each member on its own: a field stays where only what is in it, or what it is in, is in `b`.
FieldSet Difference(json::Editor& edit, const FieldSet& a, const FieldSet& b);
// The same, but a member of `b` takes along whatever is in it.
FieldSet RecursiveDifference(json::Editor& edit, const FieldSet& a, const FieldSet& b);
bool Equal(const FieldSet& a, const FieldSet& b);

// Calls visit(path) for each member, those of one level before those further down.
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

// `fieldsV1` of managedFields; unknown kinds of elements are ignored. kInvalid names what is broken. The text of `fields` must live as long
// as the set.
Result<FieldSet> ReadFields(json::Editor& edit, const json::Value& fields);
json::Value WriteFields(json::Editor& edit, const FieldSet& set);

}  // namespace allot::apiserver
