#include "apiserver/patch/field_set.h"

#include "apiserver/json_names.h"

#include <iterator>

namespace allot::apiserver {

namespace {

using json::Member;

bool ByElement(const FieldNode& a, const FieldNode& b) { return a.element < b.element; }

// Calls each(node, same) for the nodes of `a`; `same` is the node of `b` with the same element, or nullptr. Searches `b` instead of walking
// it if `b` is much larger, so comparing many small sets with a large one is cheap.
template <typename Each>
void Match(const FieldSet& a, const FieldSet& b, Each each) {
  const bool search = b.nodes().size() / 8 > a.nodes().size();
  auto next = b.nodes().begin();
  for (const FieldNode& node : a.nodes()) {
    if (search) {
      each(node, b.Find(node.element));
      continue;
    }
    while (next != b.nodes().end() && next->element < node.element) ++next;
    each(node, next != b.nodes().end() && next->element == node.element ? &*next : nullptr);
  }
}

void Add(std::vector<FieldNode>& nodes, const FieldNode& node) {
  if (!node.empty()) nodes.push_back(node);
}

struct Subtree {
  bool member = false;  // the field itself is in the set
  FieldSet children;
};

// A field with no content is a member; otherwise "." marks a member.
Result<Subtree> ReadSubtree(Editor& edit, const Value& value) {
  if (!value.IsObject() && !value.IsNull()) return Invalid("expected an object of fields and not ", json::KindName(value.kind()));
  Subtree tree;
  std::vector<FieldNode> nodes;
  for (const Member& member : json::MembersOf(value)) {
    if (member.key == ".") {
      tree.member = true;
      continue;
    }
    ASSIGN_OR_RETURN(const auto element, ParsePathElement(edit, member.key));
    if (!element) continue;
    ASSIGN_OR_RETURN(const Subtree inner, ReadSubtree(edit, member.value));
    nodes.push_back({*element, inner.member, inner.children});
  }
  const auto not_below = [](const FieldNode& a, const FieldNode& b) { return !(a.element < b.element); };
  if (std::adjacent_find(nodes.begin(), nodes.end(), not_below) != nodes.end()) {
    // Two spellings of one key, such as 1 and 1.0, are one element.
    std::stable_sort(nodes.begin(), nodes.end(), ByElement);
    nodes.erase(std::unique(nodes.begin(), nodes.end(), [](const FieldNode& a, const FieldNode& b) { return a.element == b.element; }),
                nodes.end());
  }
  tree.children = FieldSet::Of(edit, nodes);
  if (nodes.empty()) tree.member = true;
  return tree;
}

// Write(element) in the arena. Avoids a copy for names, which are nearly all elements.
std::string_view WriteElement(Editor& edit, const PathElement& element) {
  if (element.kind != PathElement::Kind::kField) return edit.CopyText(Write(element));
  const std::string_view name = element.value.AsString();
  char* const text = static_cast<char*>(edit.arena().allocate(name.size() + 2, 1));
  text[0] = 'f';
  text[1] = ':';
  name.copy(text + 2, name.size());
  return {text, name.size() + 2};
}

Value WriteLevel(Editor& edit, const FieldSet& set, bool self) {
  if (set.empty()) return edit.Object({});
  std::vector<Member> members;
  members.reserve(set.nodes().size() + 1);
  if (self) members.push_back({".", edit.Object({})});
  for (const FieldNode& node : set.nodes()) {
    members.push_back({WriteElement(edit, node.element), WriteLevel(edit, node.children, node.member)});
  }
  return edit.Object(members);
}

}  // namespace

FieldSet FieldSet::Of(Editor& edit, std::span<FieldNode> nodes) {
  FieldSet set;
  if (nodes.empty()) return set;
  if (!std::is_sorted(nodes.begin(), nodes.end(), ByElement)) std::sort(nodes.begin(), nodes.end(), ByElement);
  auto* copy = static_cast<FieldNode*>(edit.arena().allocate(nodes.size_bytes(), alignof(FieldNode)));
  std::uninitialized_copy(nodes.begin(), nodes.end(), copy);
  set.nodes_ = copy;
  set.size_ = nodes.size();
  return set;
}

FieldSet FieldSet::OfPaths(Editor& edit, std::initializer_list<std::initializer_list<std::string_view>> paths) {
  FieldSet set;
  for (const auto& path : paths) {
    FieldSet one;
    for (auto name = std::rbegin(path); name != std::rend(path); ++name) {
      FieldNode node{PathElement::Field(edit, *name), one.empty(), one};
      one = Of(edit, {&node, 1});
    }
    set = Union(edit, set, one);
  }
  return set;
}

const FieldNode* FieldSet::Find(const PathElement& element) const {
  const auto all = nodes();
  const auto found =
      std::lower_bound(all.begin(), all.end(), element, [](const FieldNode& node, const PathElement& e) { return node.element < e; });
  return found != all.end() && found->element == element ? &*found : nullptr;
}

bool FieldSet::Has(std::span<const PathElement> path) const {
  if (path.empty()) return false;
  const FieldNode* const node = Find(path.front());
  if (node == nullptr) return false;
  return path.size() == 1 ? node->member : node->children.Has(path.subspan(1));
}

FieldSet Union(Editor& edit, const FieldSet& a, const FieldSet& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  std::vector<FieldNode> nodes;
  nodes.reserve(a.nodes().size() + b.nodes().size());
  auto i = a.nodes().begin(), j = b.nodes().begin();
  while (i != a.nodes().end() && j != b.nodes().end()) {
    const int order = Compare(i->element, j->element);
    if (order == 0) {
      nodes.push_back({i->element, i->member || j->member, Union(edit, i->children, j->children)});
    } else {
      nodes.push_back(order < 0 ? *i : *j);
    }
    if (order <= 0) ++i;
    if (order >= 0) ++j;
  }
  nodes.insert(nodes.end(), i, a.nodes().end());
  nodes.insert(nodes.end(), j, b.nodes().end());
  return FieldSet::Of(edit, nodes);
}

FieldSet UnionOf(Editor& edit, std::vector<FieldSet> sets) {
  if (sets.empty()) return {};
  // Merge in pairs, so each field is copied only log(n) times.
  for (size_t step = 1; step < sets.size(); step *= 2) {
    for (size_t i = 0; i + step < sets.size(); i += 2 * step) sets[i] = Union(edit, sets[i], sets[i + step]);
  }
  return sets.front();
}

FieldSet Intersection(Editor& edit, const FieldSet& a, const FieldSet& b) {
  const bool swap = a.nodes().size() > b.nodes().size();
  std::vector<FieldNode> nodes;
  Match(swap ? b : a, swap ? a : b, [&](const FieldNode& x, const FieldNode* y) {
    if (y != nullptr) Add(nodes, {x.element, x.member && y->member, Intersection(edit, x.children, y->children)});
  });
  return FieldSet::Of(edit, nodes);
}

FieldSet Difference(Editor& edit, const FieldSet& a, const FieldSet& b) {
  if (a.empty() || b.empty()) return a;
  std::vector<FieldNode> nodes;
  nodes.reserve(a.nodes().size());
  Match(a, b, [&](const FieldNode& x, const FieldNode* y) {
    Add(nodes, y == nullptr ? x : FieldNode{x.element, x.member && !y->member, Difference(edit, x.children, y->children)});
  });
  return FieldSet::Of(edit, nodes);
}

FieldSet RecursiveDifference(Editor& edit, const FieldSet& a, const FieldSet& b) {
  if (a.empty() || b.empty()) return a;
  std::vector<FieldNode> nodes;
  nodes.reserve(a.nodes().size());
  Match(a, b, [&](const FieldNode& x, const FieldNode* y) {
    if (y != nullptr && y->member) return;
    Add(nodes, y == nullptr ? x : FieldNode{x.element, x.member, RecursiveDifference(edit, x.children, y->children)});
  });
  return FieldSet::Of(edit, nodes);
}

bool Equal(const FieldSet& a, const FieldSet& b) {
  return std::equal(a.nodes().begin(), a.nodes().end(), b.nodes().begin(), b.nodes().end(), [](const FieldNode& x, const FieldNode& y) {
    return x.member == y.member && x.element == y.element && Equal(x.children, y.children);
  });
}

Result<FieldSet> ReadFields(Editor& edit, const Value& fields) {
  ASSIGN_OR_RETURN(const Subtree root, ReadSubtree(edit, fields));
  return root.children;
}

Value WriteFields(Editor& edit, const FieldSet& set) { return WriteLevel(edit, set, false); }

}  // namespace allot::apiserver
