#include "apiserver/patch/json_patch.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/patch/document.h"
#include "apiserver/refusal.h"
#include "apiserver/schema/scalar.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxOperations = 10000;
constexpr size_t kMaxCopied = 3 << 20;  // bytes of JSON; repeated copies of copies would grow exponentially
constexpr int kMaxDepth = 128;          // of the result, as for parsed objects

Status CannotBeDone(const std::string& why) {
  return Refuse(422, "Invalid", StrCat("the server rejected our request due to an error in our request: ", why));
}

class Patcher {
 public:
  Patcher(Editor& edit, const Value& object) : edit_(edit), root_(LeafNode(object)) {}

  Status Do(const Value& operation);
  Value Take() { return Freeze(edit_, root_); }

 private:
  // The container of a path's last part, and that part.
  struct Place {
    DocumentNode* container = nullptr;
    std::string_view key;
    std::vector<DocumentNode*> above;  // the containers on the way, starting with the document
  };

  Result<Place> Find(std::string_view path);
  Status Test(std::string_view path, const Value& value);
  // Checks that a value of this height may be added at the place.
  Status MakeRoom(const Place& place, int height);
  Status Add(std::string_view path, DocumentNode node);
  Result<DocumentNode> Remove(std::string_view path);
  Status Replace(std::string_view path, const Value& value);
  Status Copy(std::string_view from, std::string_view path);
  std::string_view Decoded(std::string_view part);

  Editor& edit_;
  DocumentNode root_;
  size_t copied_ = 0;
};

std::string_view Patcher::Decoded(std::string_view part) {
  if (part.find('~') == std::string_view::npos) return part;
  std::string decoded;
  for (size_t i = 0; i < part.size(); ++i) {
    const bool escape = part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1');
    decoded += escape ? (part[++i] == '0' ? '~' : '/') : part[i];
  }
  return edit_.CopyText(decoded);
}

Result<Patcher::Place> Patcher::Find(std::string_view path) {
  const std::vector<std::string_view> parts = Split(path, '/');
  if (parts.size() < 2 || !parts.front().empty()) return CannotBeDone(StrCat("path ", Quoted(path), " does not begin with a slash"));
  Place place;
  place.container = &root_;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (place.container == nullptr || !(place.container->IsObject() || place.container->IsArray())) {
      return CannotBeDone(StrCat("the object has nothing at ", Quoted(path)));
    }
    place.above.push_back(place.container);
    place.key = Decoded(parts[i]);
    if (i + 1 < parts.size()) place.container = Child(*place.container, place.key);
  }
  Thaw(*place.container);
  return place;
}

Status Patcher::Test(std::string_view path, const Value& value) {
  DocumentNode* tested = &root_;
  if (!path.empty()) {
    ASSIGN_OR_RETURN(const Place place, Find(path));
    tested = Child(*place.container, place.key);
    if (tested == nullptr && place.container->members != nullptr && value.IsNull()) return Status();  // a missing member counts as null
  }
  if (tested == nullptr || !Same(*tested, value)) return CannotBeDone(StrCat("testing value ", Quoted(path), " failed"));
  return Status();
}

Status Patcher::MakeRoom(const Place& place, int height) {
  const int depth = static_cast<int>(place.above.size());
  if (depth + height > kMaxDepth) return CannotBeDone(StrCat("more than ", kMaxDepth, " levels"));
  for (int i = 0; i < depth; ++i) {
    DocumentNode& above = *place.above[static_cast<size_t>(i)];
    if (above.height > 0) above.height = std::max(above.height, depth - i + height);
  }
  return Status();
}

Status Patcher::Add(std::string_view path, DocumentNode node) {
  ASSIGN_OR_RETURN(const Place place, Find(path));
  TRY(MakeRoom(place, HeightOf(node)));
  if (place.container->members != nullptr) {
    (*place.container->members)[place.key] = std::move(node);
    return Status();
  }
  std::vector<DocumentNode>& items = *place.container->items;
  const auto index = place.key == "-" ? std::optional(items.size()) : ListIndex(place.key, items.size() + 1);
  if (!index) return CannotBeDone(StrCat("not an index of the list: ", Quoted(path)));
  items.insert(items.begin() + static_cast<ptrdiff_t>(*index), std::move(node));
  return Status();
}

Result<DocumentNode> Patcher::Remove(std::string_view path) {
  ASSIGN_OR_RETURN(const Place place, Find(path));
  DocumentNode* const found = Child(*place.container, place.key);
  if (found == nullptr) return CannotBeDone(StrCat("there is nothing to remove at ", Quoted(path)));
  DocumentNode removed = std::move(*found);
  if (place.container->members != nullptr) {
    place.container->members->erase(place.key);
  } else {
    place.container->items->erase(place.container->items->begin() + (found - place.container->items->data()));
  }
  return removed;
}

Status Patcher::Replace(std::string_view path, const Value& value) {
  if (path.empty()) {
    if (!value.IsObject() && !value.IsArray()) return CannotBeDone("the whole object can be replaced by an object only");
    root_ = LeafNode(value);
    return Status();
  }
  ASSIGN_OR_RETURN(const Place place, Find(path));
  if (place.container->members != nullptr) return Add(path, LeafNode(value));
  DocumentNode* const found = Child(*place.container, place.key);
  if (found == nullptr) return CannotBeDone(StrCat("there is nothing to replace at ", Quoted(path)));
  DocumentNode node = LeafNode(value);
  TRY(MakeRoom(place, HeightOf(node)));
  *found = std::move(node);
  return Status();
}

Status Patcher::Copy(std::string_view from, std::string_view path) {
  ASSIGN_OR_RETURN(const Place place, Find(from));
  DocumentNode* const source = Child(*place.container, place.key);
  if (source == nullptr && place.container->members == nullptr) return CannotBeDone(StrCat("there is nothing to copy at ", Quoted(from)));
  const Value value = source == nullptr ? Value() : Freeze(edit_, *source);  // a missing member counts as null
  CountJsonBytes(value, kMaxCopied, copied_);
  if (copied_ > kMaxCopied) {
    return Refuse(413, "RequestEntityTooLarge", StrCat("the copies of a JSON patch may have at most ", kMaxCopied, " bytes in total"));
  }
  return Add(path, LeafNode(value));
}

Status Patcher::Do(const Value& operation) {
  const Value &op = operation["op"], &path = operation["path"], &from = operation["from"];
  const std::string_view name = json::TextOf(op);
  const bool two_places = name == "move" || name == "copy";
  if (!path.IsString()) return CannotBeDone("an operation without path");
  if (two_places && !from.IsString()) return CannotBeDone(StrCat("a ", name, " needs from"));
  const std::string_view at = path.AsString();
  if (name == "add") return Add(at, LeafNode(operation["value"]));
  if (name == "remove") return Remove(at).status();
  if (name == "replace") return Replace(at, operation["value"]);
  if (name == "copy") return Copy(from.AsString(), at);
  if (name == "move") {
    ASSIGN_OR_RETURN(DocumentNode moved, Remove(from.AsString()));
    return Add(at, std::move(moved));
  }
  if (name == "test") return Test(at, operation["value"]);
  return CannotBeDone(StrCat("Unexpected kind: ", Quoted(name)));
}

}  // namespace

Result<Value> ApplyJsonPatch(Editor& edit, const Value& object, const Value& patch) {
  if (!patch.IsArray()) return BadRequest("a JSON patch must be a list of operations");
  for (const Value& operation : patch.Items()) {
    if (!operation.IsObject()) return BadRequest("an operation of a JSON patch must be an object");
    for (const std::string_view name : {"op", "path", "from"}) {
      const Value& text = operation[name];
      if (text.IsNull() || text.IsString()) continue;
      return BadRequest(StrCat("error decoding patch: json: cannot unmarshal ", GoKindName(text), " into Go struct field jsonPatchOp.",
                               name, " of type string"));
    }
  }
  if (patch.Items().size() > kMaxOperations) {
    return Refuse(413, "RequestEntityTooLarge",
                  StrCat("The allowed maximum operations in a JSON patch is ", kMaxOperations, ", got ", patch.Items().size()));
  }
  Patcher patcher(edit, object);
  for (const Value& operation : patch.Items()) TRY(patcher.Do(operation));
  return patcher.Take();
}

}  // namespace allot::apiserver
