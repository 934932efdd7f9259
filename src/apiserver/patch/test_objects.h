#pragma once
// Objects for the tests of this folder. Included by *_test.cc only.

#include <deque>
#include <string>

#include "apiserver/patch/managed_fields.h"
#include "apiserver/refusal.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {

// Makes objects, which live as long as it does.
class Workshop {
 public:
  json::Editor& edit() { return edit_; }

  // REQUIRES: valid JSON.
  json::Value Parse(std::string_view text) {
    const auto parsed = json::Parse(text);
    CHECK(parsed.ok());
    return edit_.Copy(parsed->root());
  }

 private:
  json::Arena arena_;
  json::Editor edit_{arena_};
};

inline const Type& BuiltInType(std::string_view group, std::string_view version, std::string_view kind) {
  const Type* const type = Schema::BuiltIn().FindKind(group, version, kind);
  CHECK(type != nullptr);
  return *type;
}

// One object that several managers write in turn. Times count up.
class WrittenObject {
 public:
  WrittenObject(std::string_view group, std::string_view version, std::string_view kind)
      : WrittenObject(BuiltInType(group, version, kind)) {
    api_version_ = group.empty() ? std::string(version) : StrCat(group, "/", version);
    kind_ = kind;
  }
  // A custom kind, example.com/v1 Thing.
  explicit WrittenObject(const Type& type) : type_(type), custom_(type.kind.empty()) {}

  void SetReset(const FieldSet& reset) { reset_ = reset; }
  void SetSubresource(std::string_view subresource) { subresource_ = subresource; }

  // `body` lacks apiVersion and kind.
  void Update(std::string_view manager, std::string_view body) {
    const json::Value object = WithKind(shop_.Parse(body));
    Keep(UpdateManaged(shop_.edit(), Write(manager), live_, object, ResetsManagers(object)));
  }
  Status Apply(std::string_view manager, std::string_view config, bool force = false) {
    Result<json::Value> applied = ApplyManaged(shop_.edit(), Write(manager), live_, WithKind(shop_.Parse(config)), force);
    if (!applied.ok()) return std::move(applied).status();
    Keep(KeepTimes(shop_.edit(), live_, *applied));
    return Status();
  }

  const json::Value& live() const { return live_; }
  // A part of the object as text; "" if there is none.
  std::string At(std::initializer_list<std::string_view> path) const {
    json::Value value = live_;
    for (const std::string_view key : path) value = json::Value(value[key]);
    return value.IsNull() ? "" : json::Write(value);
  }
  // The managers, one per line: "one Apply v1 12:00:01 {...}".
  std::string Managers() const {
    std::string text;
    for (const json::Value& entry : json::ItemsOf(live_["metadata"]["managedFields"])) {
      const std::string_view time = json::TextOf(entry["time"]);
      text += StrCat(text.empty() ? "" : "\n", json::TextOf(entry["manager"]), " ", json::TextOf(entry["operation"]), " ",
                     json::TextOf(entry["apiVersion"]), " ", time.empty() ? "-" : time.substr(17, 2), " ", json::Write(entry["fieldsV1"]));
      if (!entry["subresource"].IsNull()) text += StrCat(" ", entry["subresource"].AsString());
    }
    return text;
  }

  Workshop& shop() { return shop_; }

 private:
  FieldWrite Write(std::string_view manager) {
    now_.push_back(StrCat("2026-01-01T12:00:", ++second_, "Z"));
    return {type_, api_version_, kind_, subresource_, manager, now_.back(), custom_, reset_, nullptr};
  }

  json::Value WithKind(const json::Value& object) {
    json::Editor& edit = shop_.edit();
    return edit.SetAt(edit.Set(edit.Set(object, "apiVersion", edit.String(api_version_)), "kind", edit.String(kind_)), {"metadata", "name"},
                      edit.Literal("a"));
  }
  void Keep(const json::Value& object) { live_ = shop_.edit().SetAt(object, {"metadata", "uid"}, shop_.edit().Literal("u")); }

  Workshop shop_;
  const Type& type_;
  const bool custom_;
  std::string api_version_ = "example.com/v1", kind_ = "Thing", subresource_;
  std::deque<std::string> now_;
  int second_ = 10;
  FieldSet reset_;
  json::Value live_;
};

}  // namespace allot::apiserver
