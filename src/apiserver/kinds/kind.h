#pragma once
// One kind of object that the API serves: an entry of a table, and a Strategy with the rules that only this kind has.
//
// What all kinds share (metadata, generation, the split of spec and status, finalizers, managed fields) is done by Api, from the flags
// here. To add a kind: an entry in kinds/table.cc, its types in schema/*.table, a Strategy where it has rules of its own, and its columns.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/field_errors.h"
#include "apiserver/schema/type.h"
#include "base/clock.h"
#include "json/editor.h"
#include "kube/object.h"

namespace allot::apiserver {

// The rules of one kind. Objects are normalized (schema/normalize.h): fields of the type only, empties left out. Pure and thread-safe.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // Fills in what the writer left out; for every body that is decoded, also of updates and patches.
  virtual json::Value Default(json::Editor&, const json::Value& object) const { return object; }
  // What a create or update may not set, or sets by itself, beyond status and metadata, which Api has already put right.
  virtual json::Value PrepareCreate(json::Editor&, const json::Value& object) const { return object; }
  virtual json::Value PrepareUpdate(json::Editor&, const json::Value& object, const json::Value& /*old*/) const { return object; }
  virtual json::Value PrepareStatus(json::Editor&, const json::Value& object, const json::Value& /*old*/) const { return object; }

  // Metadata is checked by Api.
  virtual void Validate(const json::Value& /*object*/, FieldErrors&) const {}
  // `object` replaces `old`; by default the same rules as for a new object.
  virtual void ValidateUpdate(const json::Value& object, const json::Value& /*old*/, FieldErrors& errors) const {
    Validate(object, errors);
  }
  virtual void ValidateStatus(const json::Value& /*object*/, const json::Value& /*old*/, FieldErrors&) const {}

  // Things that are worth a Warning header.
  virtual void Warn(const json::Value& /*object*/, std::vector<std::string>& /*warnings*/) const {}
};

struct Column {
  std::string name;
  std::string type = "string";  // string, integer, number, boolean, date
  std::string format;           // "name" for the first one
  std::string description;
  int priority = 0;       // above 0: only with -o wide
  std::string json_path;  // of custom kinds
};

// The cells of one object's row, as many as there are columns. `now` for ages.
using RowFunction = std::function<std::vector<json::Value>(json::Editor&, const json::Value& object, WallTime now)>;

// A part of an object, or an action on it, with a path of its own.
struct Subresource {
  std::string name;  // "status"
  // Of what is sent and answered, where that is another kind than the object's: Binding, Scale, Eviction.
  std::string group, version, kind;
  std::vector<std::string> verbs;
};

enum class NameRule { kSubdomain, kLabel, kPathSegment };

enum class DeleteAnswer { kStatus, kObject };  // what a finished delete returns
enum class Cascade { kBackground, kOrphan };   // what happens to dependents where the caller does not say

struct Kind {
  kube::ResourceType type;  // group, version, plural, kind, namespaced
  std::string singular, list_kind;
  std::vector<std::string> short_names, categories;
  const Type* schema = nullptr;
  std::shared_ptr<const Schema> schema_owner;  // of custom kinds
  std::vector<Subresource> subresources;
  std::shared_ptr<const Strategy> strategy;

  NameRule name_rule = NameRule::kSubdomain;
  bool has_status = false;                    // status is written by its subresource only
  bool keeps_status_on_create = false;        // what a create brings along is kept (Nodes: kubelet registers with it)
  bool status_is_all = false;                 // that a write of it changes; else the metadata, too
  bool has_generation = false;                // rises with whatever is neither metadata nor status
  bool annotations_raise_generation = false;  // as well (Deployments)
  bool create_on_update = false;              // PUT makes what is not there
  bool unconditional_update = true;           // PUT without resourceVersion is allowed
  bool graceful = false;                      // deletion has a grace period (Pods)
  DeleteAnswer delete_answer = DeleteAnswer::kStatus;
  Cascade cascade = Cascade::kBackground;
  std::string finalizer_on_delete = {};  // put on when a deletion begins, taken off by a controller
  bool custom = false;                   // from a CustomResourceDefinition; its items in lists have kind and apiVersion
  std::string deprecation = {};          // what every answer warns of; empty: nothing
  bool empty = false;                    // listed and watched, but nothing can be created: other programs ask for it
  std::string storage_version;           // of custom kinds with several versions: the one that objects are stored in; else type.version

  // Field selectors beyond metadata.name and metadata.namespace: the selector's name and its path in the object, and what an absent value
  // means ("" or "false").
  struct Selectable {
    std::string name;
    std::vector<std::string> path;
    std::string absent;
  };
  std::vector<Selectable> selectable;

  std::vector<Column> columns;
  RowFunction row;

  std::string ApiVersion() const { return type.ApiVersion(); }
  std::string StorageApiVersion() const { return storage_version.empty() ? ApiVersion() : StrCat(type.group, "/", storage_version); }
  const Subresource* FindSubresource(std::string_view name) const;
};

// A set of kinds at one moment. Immutable.
class Kinds {
 public:
  explicit Kinds(std::vector<std::shared_ptr<const Kind>> kinds);

  // nullptr: not served.
  const Kind* Find(std::string_view group, std::string_view version, std::string_view plural) const;
  const Kind* FindKind(std::string_view group, std::string_view version, std::string_view kind) const;
  const std::vector<std::shared_ptr<const Kind>>& all() const { return kinds_; }

 private:
  std::vector<std::shared_ptr<const Kind>> kinds_;
};

// The built-in kinds.
std::vector<std::shared_ptr<const Kind>> BuiltInKinds();

}  // namespace allot::apiserver
