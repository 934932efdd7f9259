#pragma once
// Builds a Value from events: what the JSON and YAML readers, and code that makes objects, write into.
//
//   Builder b(arena);
//   b.StartObject(); b.Key("memory"); b.String("6Gi"); b.EndObject();
//   Value v = b.Finish();
//
// Limits are checked at every event, so that hostile input costs no more than they allow. After the first error every call is a no-op.

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/status.h"
#include "json/value.h"

namespace allot::json {

struct Limits {
  size_t depth = 128;        // containers within containers
  size_t nodes = 4'000'000;  // values and keys
  size_t bytes = 64 << 20;   // text read
};

// A key that an object has once more.
struct Duplicate {
  static constexpr size_t kMax = 100;  // of one text; more are not listed

  std::string path;  // "data.k", "items[0].k"
  size_t line = 0;   // of the later one
};

class Builder {
 public:
  // With `duplicates`, a key that the object has already is listed there (without its line) and its last value counts; else it is an error.
  explicit Builder(Arena& arena, Limits limits = {}, std::vector<Duplicate>* duplicates = nullptr)
      : arena_(arena), limits_(limits), duplicates_(duplicates) {}

  void Null();
  void Bool(bool value);
  void Int(int64_t value);
  void Number(std::string_view text);     // REQUIRES a JSON number
  void String(std::string_view text);     // copied into the arena
  void Key(std::string_view text);        // refuses a key that the object has, unless duplicates are listed
  void SharedKey(std::string_view text);  // the same; not copied: the text must outlive the arena
  void StartObject();
  void EndObject();
  void StartArray();
  void EndArray();
  void Add(const Value& value);  // a finished value; its arena must outlive this one's

  const Status& status() const { return status_; }
  // The value that was built; the builder is as new then, but for the nodes already counted. REQUIRES ok status and that every
  // container is closed.
  Value Finish();

 private:
  struct Frame {
    bool object;
    bool key_waits = false;  // for its value
    bool twice = false;      // a key came again
    size_t begin;            // into values_ or members_
    // All keys of an object that has more than a few of them; small ones are searched.
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
