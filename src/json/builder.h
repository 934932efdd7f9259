#pragma once
// Builds a Value from events. The JSON and YAML readers and code that makes objects write into it.
//
//   Builder b(arena);
//   b.StartObject(); b.Key("memory"); b.String("6Gi"); b.EndObject();
//   Value v = b.Finish();
//
// Limits are checked at every event, so hostile input costs no more than they allow. After the first error every call is a no-op.

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/status.h"
#include "json/value.h"

namespace allot::json {

struct Limits {
  size_t depth = 128;        // nested containers
  size_t nodes = 4'000'000;  // values and keys
  size_t bytes = 64 << 20;   // text to read
};

// A key that occurs again in the same object.
struct Duplicate {
  static constexpr size_t kMax = 100;  // per text; further ones are not listed

  std::string path;  // "data.k", "items[0].k"
  size_t line = 0;   // of the later key
};

class Builder {
 public:
  // With `duplicates`, a repeated key is listed there (without its line) and its last value counts. Without, it is an error.
  explicit Builder(Arena& arena, Limits limits = {}, std::vector<Duplicate>* duplicates = nullptr)
      : arena_(arena), limits_(limits), duplicates_(duplicates) {}

  void Null();
  void Bool(bool value);
  void Int(int64_t value);
  void Number(std::string_view text);     // REQUIRES: a JSON number
  void String(std::string_view text);     // copied into the arena
  void Key(std::string_view text);        // rejects a repeated key unless duplicates are listed
  void SharedKey(std::string_view text);  // like Key, but not copied: the text must outlive the arena
  void StartObject();
  void EndObject();
  void StartArray();
  void EndArray();
  void Add(const Value& value);  // adds a finished value; its arena must outlive this one's

  const Status& status() const { return status_; }
  // Returns the value and resets the builder, except for its count of nodes. REQUIRES: ok status, every container closed.
  Value Finish();

 private:
  struct Frame {
    bool object;
    bool key_waits = false;  // the next event is this key's value
    bool twice = false;      // a key was repeated
    size_t begin;            // into values_ or members_
    // All keys of a large object. Small objects are searched.
    std::unique_ptr<std::unordered_set<std::string_view>> keys;
  };

  bool Count();
  void AddKey(std::string_view text, bool copy);
  void Start(bool object);
  void Push(Value value);
  void PushText(Kind kind, std::string_view text);
  std::string_view Copy(std::string_view text);
  bool HasKey(Frame& frame, std::string_view key);
  void ListDuplicate(std::string_view key);
  void DropEarlier(size_t begin);

  Arena& arena_;
  const Limits limits_;
  std::vector<Duplicate>* const duplicates_;
  Status status_;
  std::vector<Frame> frames_;
  std::vector<Value> values_;
  std::vector<Member> members_;
  size_t nodes_ = 0;
};

}  // namespace allot::json
