// Registry: the stored form of objects.
#include <cstring>

#include "apiserver/registry/registry_work.h"
#include "apiserver/schema/normalize.h"
#include "base/utf8.h"
#include "json/json.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxObject = 3 << 20;  // stored bytes

// The fast path of IsValidUtf8, eight bytes at a time.
bool IsAscii(std::string_view text) {
  uint64_t all = 0;
  while (text.size() >= sizeof all) {
    uint64_t some = 0;
    std::memcpy(&some, text.data(), sizeof some);
    all |= some;
    text.remove_prefix(sizeof all);
  }
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return (all & 0x8080808080808080) == 0;
}

}  // namespace

Key Registry::KeyOf(const Target& target) const { return {target.kind->type.FullName(), target.space, target.name}; }

Result<Registry::Existing> Registry::Load(const Target& target) const {
  Existing existing;
  existing.entry = parts_.store.Get(KeyOf(target));
  if (existing.entry == nullptr) return NotFound(*target.kind, target.name);
  ASSIGN_OR_RETURN(existing.document, json::Parse(existing.entry->json));
  existing.object = existing.document.root();
  if (target.kind->custom) {
    json::Editor edit(existing.document.arena());
    existing.other_storage = json::TextOf(existing.object["apiVersion"]) != target.kind->StorageApiVersion();
    existing.object = edit.Set(existing.object, "apiVersion", edit.String(target.kind->ApiVersion()));
  }
  return existing;
}

// Returns the stored form, except for the version.
Result<json::Value> Registry::Canonical(Work& work, const json::Value& object) const {
  if (work.kind.custom) return WithTypeInFront(work.edit, work.kind, work.api_version, object);
  Result<Normalized> normalized = Normalize(work.edit, *work.kind.schema, object, work.normal);
  if (!normalized.ok()) return InternalError(StrCat("the resulting object is invalid: ", normalized.status().message()));
  return WithTypeInFront(work.edit, work.kind, work.api_version, normalized->value);
}

Result<Draft> Registry::MakeDraft(const Kind& kind, const json::Value& object) const {
  // The mark is unique: before it the text has only names, which cannot contain the key with its quotes.
  static constexpr std::string_view kMark = "@version@", kMarked = "\"resourceVersion\":\"@version@\"";
  json::Arena arena;
  json::Editor edit(arena);
  const json::Value stored = kind.custom ? edit.Set(object, "apiVersion", edit.String(kind.StorageApiVersion())) : object;
  const std::string text = json::Write(WithVersion(edit, stored, edit.Literal(kMark)));
  if (text.size() > kMaxObject) {
    return Refuse(413, "RequestEntityTooLarge",
                  StrCat("the object would have ", text.size(), " bytes; at most ", kMaxObject, " can be stored"));
  }
  // Verify that the object can be read back: names and managers do not come from a parsed body, and patches combine bodies.
  if (!IsAscii(text) && !IsValidUtf8(text)) return BadRequest("the object has a text that is not UTF-8");
  if (json::DepthOf(object) > json::Limits().depth)
    return BadRequest(StrCat("the object has lists and objects more than ", json::Limits().depth, " deep"));
  const size_t marked = text.find(kMarked);
  CHECK(marked != std::string::npos);
  const size_t at = marked + kMarked.size() - kMark.size() - 1;
  Draft draft;
  draft.before = text.substr(0, at);
  draft.after = text.substr(at + kMark.size());
  draft.uid = json::TextOf(object["metadata"]["uid"]);
  draft.index = IndexOf(kind, object);
  return draft;
}

}  // namespace allot::apiserver
