#pragma once
// A world for tests of controllers: an API, a clock that stands still, and the test's controllers. Included by *_test.cc only.
//
//   TestWorld world;
//   world.Add<Garbage>();
//   world.Create("configmaps", R"({"metadata":{"name":"owner"}})");
//   world.Settle();
//   EXPECT_TRUE(world.Has("secrets", "child"));

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/controllers/fake_api.h"
#include "apiserver/controllers/loop.h"
#include "base/fake_clock.h"
#include "json/json.h"

namespace allot::apiserver {

class TestWorld {
 public:
  TestWorld() {
    Create("namespaces", R"({"metadata":{"name":"lab"}})");
    loop_ = std::make_unique<Loop>(api_, clock_, nullptr);
  }

  FakeApi& api() { return api_; }
  FakeClock& clock() { return clock_; }
  World& world() { return loop_->world(); }

  template <typename Type, typename... Arguments>
  Type& Add(Arguments&&... arguments) {
    auto controller = std::make_unique<Type>(loop_->world(), std::forward<Arguments>(arguments)...);
    Type& added = *controller;
    loop_->Add(std::move(controller));
    return added;
  }

  // Creates an object, in "lab" if its kind is namespaced. Returns the object.
  Stored Create(std::string_view resource, const std::string& text, std::string_view space = "lab") {
    const std::shared_ptr<const Kind> kind = KindOf(resource);
    const auto body = json::Parse(text);
    CHECK(body.ok());
    const auto made = api_.Create({}, {kind, kind->type.namespaced ? std::string(space) : ""}, body->root(), {});
    CHECK(made.ok());
    return Stored(made->entry);
  }
  // Sets the member at a path of the object to the JSON; null removes it.
  void Set(std::string_view resource, const std::string& name, std::initializer_list<std::string_view> path, const std::string& text) {
    const bool status = *path.begin() == "status";
    const auto value = json::Parse(text);
    CHECK(value.ok());
    const auto changed = api_.Change({}, TargetOf(resource, name, status ? "status" : ""),
                                     [&](json::Editor& edit, const json::Value& object) -> Result<json::Value> {
                                       const json::Value copy = edit.Copy(value->root());
                                       return copy.IsNull() ? edit.WithoutAt(object, path) : edit.SetAt(object, path, copy);
                                     });
    CHECK(changed.ok());
  }
  void Delete(std::string_view resource, const std::string& name, const std::string& propagation = "Background",
              std::optional<int64_t> grace = {}) {
    DeleteOptions options;
    options.propagation = propagation;
    options.grace_seconds = grace;
    CHECK(api_.Delete({}, TargetOf(resource, name), options).ok());
  }

  bool Has(std::string_view resource, const std::string& name) { return Find(resource, name).has_value(); }
  std::optional<Stored> Find(std::string_view resource, const std::string& name) {
    const Target target = TargetOf(resource, name);
    return Read(api_.store(), {std::string(resource), target.space, name});
  }
  // REQUIRES: it exists.
  Stored Get(std::string_view resource, const std::string& name) {
    std::optional<Stored> found = Find(resource, name);
    CHECK(found.has_value());
    return *std::move(found);
  }
  std::vector<Stored> All(std::string_view resource) {
    std::vector<Stored> all;
    for (const EntryPtr& entry : api_.store().List(resource, "").entries) all.emplace_back(entry);
    return all;
  }
  // Returns the object at `place` in the order of names. REQUIRES: it exists.
  Stored At(std::string_view resource, size_t place = 0) { return Stored(api_.store().List(resource, "").entries.at(place)); }
  std::vector<std::string> Names(std::string_view resource) {
    std::vector<std::string> names;
    for (const EntryPtr& entry : api_.store().List(resource, "").entries) names.push_back(entry->key.name);
    return names;
  }

  // Works until nothing is left to do now.
  void Settle() {
    if (!std::exchange(looked_, true)) loop_->LookAtEverything();
    int steps = 0;
    while (loop_->Step()) {
      ASSERT_LT(++steps, 20'000) << "the controllers do not come to rest";
    }
  }
  // Advances the clock second by second and settles after each.
  void Pass(std::chrono::seconds time) {
    for (; time.count() > 0; time -= std::chrono::seconds(1)) {
      clock_.Advance(std::chrono::seconds(1));
      Settle();
    }
  }
  // Starts again, as after a crash. Controllers must be added again.
  void Restart() {
    loop_ = std::make_unique<Loop>(api_, clock_, nullptr);
    looked_ = false;
  }

 private:
  std::shared_ptr<const Kind> KindOf(std::string_view resource) const {
    for (const auto& kind : api_.kinds()->all()) {
      if (kind->type.FullName() == resource) return kind;
    }
    return api_.BuiltIn(resource);
  }
  Target TargetOf(std::string_view resource, const std::string& name, std::string_view subresource = "") const {
    const std::shared_ptr<const Kind> kind = KindOf(resource);
    return {kind, kind->type.namespaced ? "lab" : "", name, std::string(subresource)};
  }

  FakeClock clock_;
  FakeApi api_{clock_};
  std::unique_ptr<Loop> loop_;
  bool looked_ = false;
};

// Returns the text at a path below an object; empty if there is none.
inline std::string TextAt(const json::Value& value, std::initializer_list<std::string_view> path) {
  const json::Value* at = &value;
  for (const std::string_view key : path) at = &(*at)[key];
  if (at->IsNull()) return "";
  return at->IsString() ? std::string(at->AsString()) : json::Write(*at);
}

}  // namespace allot::apiserver
