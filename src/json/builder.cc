#include "json/builder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>

namespace allot::json {

namespace {

constexpr size_t kSearchedKeys = 16;  // up to this many keys a linear search beats a hash set

template <typename T>
const T* CopyArray(Arena& arena, std::span<const T> from) {
  if (from.empty()) return nullptr;
  T* copy = static_cast<T*>(arena.allocate(from.size_bytes(), alignof(T)));
  std::uninitialized_copy(from.begin(), from.end(), copy);
  return copy;
}

}  // namespace

bool Builder::Count() {
  if (!status_.ok()) return false;
  if (++nodes_ <= limits_.nodes) return true;
  status_ = Exhausted("more than ", limits_.nodes, " values and keys");
  return false;
}

std::string_view Builder::Copy(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > std::numeric_limits<uint32_t>::max()) {
    status_ = Exhausted("a text of ", text.size(), " bytes");
    return {};
  }
  char* copy = static_cast<char*>(arena_.allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

void Builder::Push(Value value) {
  if (frames_.empty()) {
    CHECK(values_.empty());
  } else if (Frame& frame = frames_.back(); frame.object) {
    CHECK(frame.key_waits);
    frame.key_waits = false;
    members_.back().value = value;
    return;
  }
  values_.push_back(value);
}

void Builder::PushText(Kind kind, std::string_view text) {
  if (!Count()) return;
  Value value;
  value.kind_ = kind;
  const std::string_view copy = Copy(text);
  value.chars_ = copy.data();
  value.size_ = static_cast<uint32_t>(copy.size());
  Push(value);
}

void Builder::Null() {
  if (Count()) Push(Value());
}

void Builder::Bool(bool boolean) {
  if (!Count()) return;
  Value value;
  value.kind_ = Kind::kBool;
  value.size_ = boolean ? 1 : 0;
  Push(value);
}

void Builder::Int(int64_t value) { Number(StrCat(value)); }
void Builder::Number(std::string_view text) { PushText(Kind::kNumber, text); }
void Builder::String(std::string_view text) { PushText(Kind::kString, text); }

void Builder::Add(const Value& value) {
  if (Count()) Push(value);
}

bool Builder::HasKey(Frame& frame, std::string_view key) {
  const auto members = std::span(members_).subspan(frame.begin);
  if (members.size() < kSearchedKeys) {
    return std::any_of(members.begin(), members.end(), [key](const Member& member) { return member.key == key; });
  }
  if (frame.keys == nullptr) {
    frame.keys = std::make_unique<std::unordered_set<std::string_view>>();
    for (const Member& member : members) frame.keys->insert(member.key);
  } else {
    frame.keys->insert(members.back().key);
  }
  return frame.keys->contains(key);
}

void Builder::Key(std::string_view text) { AddKey(text, true); }
void Builder::SharedKey(std::string_view text) { AddKey(text, false); }

void Builder::AddKey(std::string_view text, bool copy) {
  if (!Count()) return;
  CHECK(!frames_.empty() && frames_.back().object && !frames_.back().key_waits);
  if (HasKey(frames_.back(), text)) {
    if (duplicates_ == nullptr) {
      status_ = Invalid("duplicate key ", Quoted(text));
      return;
    }
    frames_.back().twice = true;
    ListDuplicate(text);
  }
  frames_.back().key_waits = true;
  members_.push_back({copy ? Copy(text) : text, Value()});
}

void Builder::ListDuplicate(std::string_view key) {
  if (duplicates_->size() >= Duplicate::kMax) return;
  std::string path;
  size_t members = members_.size(), values = values_.size();
  // Work outwards: the last member or item of a container holds the next container.
  for (size_t i = frames_.size() - 1; i-- > 0;) {
    const size_t inner = frames_[i + 1].begin;
    (frames_[i + 1].object ? members : values) = inner;
    const Frame& frame = frames_[i];
    const std::string step = frame.object ? std::string(members_[members - 1].key) : StrCat("[", values - frame.begin, "]");
    path = StrCat(step, path.empty() || path.starts_with('[') ? "" : ".", path);
  }
  duplicates_->push_back({StrCat(path, path.empty() ? "" : ".", key), 0});
}

// Keeps each key of the object once: at its first position, with its last value.
void Builder::DropEarlier(size_t begin) {
  std::unordered_map<std::string_view, size_t> places;
  size_t end = begin;
  for (size_t i = begin; i < members_.size(); ++i) {
    const auto [found, is_new] = places.try_emplace(members_[i].key, end);
    members_[found->second] = members_[i];
    if (is_new) ++end;
  }
  members_.resize(end);
}

void Builder::Start(bool object) {
  if (!Count()) return;
  if (frames_.size() >= limits_.depth) {
    status_ = Exhausted("lists and objects more than ", limits_.depth, " deep");
    return;
  }
  frames_.push_back(Frame{.object = object, .begin = object ? members_.size() : values_.size(), .keys = nullptr});
}

void Builder::StartObject() { Start(true); }
void Builder::StartArray() { Start(false); }

void Builder::EndObject() {
  if (!status_.ok()) return;
  CHECK(!frames_.empty() && frames_.back().object && !frames_.back().key_waits);
  if (frames_.back().twice) DropEarlier(frames_.back().begin);
  const auto members = std::span<const Member>(members_).subspan(frames_.back().begin);
  Value value;
  value.kind_ = Kind::kObject;
  value.size_ = static_cast<uint32_t>(members.size());
  value.members_ = CopyArray(arena_, members);
  members_.resize(frames_.back().begin);
  frames_.pop_back();
  Push(value);
}

void Builder::EndArray() {
  if (!status_.ok()) return;
  CHECK(!frames_.empty() && !frames_.back().object);
  const auto items = std::span<const Value>(values_).subspan(frames_.back().begin);
  Value value;
  value.kind_ = Kind::kArray;
  value.size_ = static_cast<uint32_t>(items.size());
  value.items_ = CopyArray(arena_, items);
  values_.resize(frames_.back().begin);
  frames_.pop_back();
  Push(value);
}

Value Builder::Finish() {
  CHECK(status_.ok() && frames_.empty() && values_.size() == 1);
  const Value root = values_.back();
  values_.clear();
  return root;
}

}  // namespace allot::json
