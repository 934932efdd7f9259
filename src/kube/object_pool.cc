#include "kube/object_pool.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace allot::kube {
namespace {

constexpr size_t kAlign = 8;
constexpr size_t kWorthSharing = 8;  // smallest size in bytes that is shared
constexpr size_t kEntry = 64;        // bytes of overhead per entry of the pool

uint64_t Mix(uint64_t a, uint64_t b) {
  a = (a ^ b) * 0x9E3779B97F4A7C15;
  return a ^ (a >> 29);
}

uint64_t HashText(std::string_view text) { return std::hash<std::string_view>()(text); }

// Same text, numbers as written, members in the same order.
bool Same(const json::Value& a, const json::Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case json::Kind::kNull: return true;
    case json::Kind::kBool: return a.AsBool() == b.AsBool();
    case json::Kind::kNumber: return a.NumberText() == b.NumberText();
    case json::Kind::kString: return a.AsString() == b.AsString();
    case json::Kind::kArray: return std::equal(a.Items().begin(), a.Items().end(), b.Items().begin(), b.Items().end(), Same);
    case json::Kind::kObject:
      return std::equal(a.Members().begin(), a.Members().end(), b.Members().begin(), b.Members().end(),
                        [](const json::Member& x, const json::Member& y) { return x.key == y.key && Same(x.value, y.value); });
  }
  return false;
}

}  // namespace

ObjectPtr ObjectPool::Copy(const json::Value& value, std::string_view without_metadata) {
  notes_.clear();
  const Found found = Look(value, without_metadata, true);
  auto arena = std::make_unique<json::Arena>(std::max<size_t>(found.own, 64));
  json::Builder builder(*arena);
  Write(builder, value, 0, without_metadata, true);
  CHECK(builder.status().ok());  // a value read within the limits is copied within them
  const json::Value root = builder.Finish();
  return std::make_shared<Object>(json::Document(std::move(arena), root), root,
                                  std::shared_ptr<const json::Arena>(shared_, &shared_->arena));
}

ObjectPool::Found ObjectPool::Look(const json::Value& value, std::string_view left_out, bool is_root) {
  const size_t note = notes_.size();
  notes_.push_back(nullptr);
  Found found{static_cast<uint64_t>(value.kind()), 0};
  switch (value.kind()) {
    case json::Kind::kNull: return found;
    case json::Kind::kBool: return {Mix(found.hash, value.AsBool()), 0};
    case json::Kind::kNumber: return {Mix(found.hash, HashText(value.NumberText())), value.NumberText().size()};
    case json::Kind::kString: found = {Mix(found.hash, HashText(value.AsString())), value.AsString().size()}; break;
    case json::Kind::kArray:
      found.own = value.Items().size() * sizeof(json::Value) + kAlign;
      for (const json::Value& item : value.Items()) {
        const Found inner = Look(item);
        found = {Mix(found.hash, inner.hash), found.own + inner.own};
      }
      break;
    case json::Kind::kObject:
      found.own = value.Members().size() * sizeof(json::Member) + kAlign;
      for (const json::Member& member : value.Members()) {
        if (!is_root && !left_out.empty() && member.key == left_out) continue;
        if (!ShareKey(member.key)) found.own += member.key.size();
        const Found inner = Look(member.value, is_root && member.key == "metadata" ? left_out : std::string_view());
        found = {Mix(Mix(found.hash, HashText(member.key)), inner.hash), found.own + inner.own};
      }
      break;
  }
  if (is_root || !left_out.empty() || found.own < kWorthSharing) return found;
  const json::Value* shared = Find(found.hash, value);
  if (shared == nullptr && shared_->bytes + found.own + kEntry <= max_bytes_ && SeenBefore(found.hash)) {
    json::Builder builder(shared_->arena);
    Write(builder, value, note);
    CHECK(builder.status().ok());
    shared_->bytes += found.own + kEntry;
    shared = &shared_->values.emplace(found.hash, builder.Finish())->second;
  }
  if (shared == nullptr) return found;
  notes_.resize(note + 1);
  notes_[note] = shared;
  return {found.hash, 0};
}

size_t ObjectPool::Write(json::Builder& builder, const json::Value& value, size_t note, std::string_view left_out, bool is_root) const {
  if (notes_[note] != nullptr) {
    builder.Add(*notes_[note]);
    return note + 1;
  }
  ++note;
  switch (value.kind()) {
    case json::Kind::kNull: builder.Null(); break;
    case json::Kind::kBool: builder.Bool(value.AsBool()); break;
    case json::Kind::kNumber: builder.Number(value.NumberText()); break;
    case json::Kind::kString: builder.String(value.AsString()); break;
    case json::Kind::kArray:
      builder.StartArray();
      for (const json::Value& item : value.Items()) note = Write(builder, item, note);
      builder.EndArray();
      break;
    case json::Kind::kObject:
      builder.StartObject();
      for (const json::Member& member : value.Members()) {
        if (!is_root && !left_out.empty() && member.key == left_out) continue;
        const auto key = shared_->keys.find(member.key);
        key != shared_->keys.end() ? builder.SharedKey(*key) : builder.Key(member.key);
        note = Write(builder, member.value, note, is_root && member.key == "metadata" ? left_out : std::string_view());
      }
      builder.EndObject();
      break;
  }
  return note;
}

const json::Value* ObjectPool::Find(uint64_t hash, const json::Value& value) const {
  const auto [begin, end] = shared_->values.equal_range(hash);
  const auto at = std::find_if(begin, end, [&](const auto& entry) { return Same(entry.second, value); });
  return at == end ? nullptr : &at->second;
}

bool ObjectPool::ShareKey(std::string_view text) {
  if (shared_->keys.contains(text)) return true;
  if (shared_->bytes + text.size() + kEntry > max_bytes_ || !SeenBefore(HashText(text))) return false;
  char* const copy = static_cast<char*>(shared_->arena.allocate(std::max<size_t>(text.size(), 1), 1));
  std::copy(text.begin(), text.end(), copy);
  shared_->bytes += text.size() + kEntry;
  shared_->keys.emplace(copy, text.size());
  return true;
}

bool ObjectPool::SeenBefore(uint64_t hash) {
  if (seen_.empty()) seen_.resize(1 << 14);
  const auto print = static_cast<uint32_t>(hash >> 32) | 1;
  uint32_t& place = seen_[hash % seen_.size()];
  if (place == print) return true;
  place = print;
  return false;
}

}  // namespace allot::kube
