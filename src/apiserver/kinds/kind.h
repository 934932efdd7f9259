#pragma once
// One kind of object that the API serves: an entry of a table, and a KindRules with the rules of this kind alone.
//
// Api implements what all kinds share (metadata, generation, the split of spec and status, finalizers, managed fields), guided by the flags
// here. To add a kind, add an entry in kinds/table.cc, its types in schema/*.table, a KindRules if it has rules of its own, and its
// columns.

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

// The rules of one kind. Objects are normalized (schema/normalize.h): they have only fields of their type, and no empty ones. Pure and
// thread-safe.
class KindRules {
 public:
  virtual ~KindRules() = default;

  // Fills in defaults. Called for every decoded body, also of updates and patches.
  virtual json::Value Default(json::Editor&, const json::Value& object) const { return object; }
  // Removes fields that a create or update may not set, and sets those that the server sets. Api has already handled status and metadata.
  virtual json::Value PrepareCreate(json::Editor&, const json::Value& object) const { return object; }
  virtual json::Value PrepareUpdate(json::Editor&, const json::Value& object, const json::Value& /*old*/) const { return object; }
  virtual json::Value PrepareStatus(json::Editor&, const json::Value& object, const json::Value& /*old*/) const { return object; }

  // Api validates metadata.
  virtual void Validate(const json::Value& /*object*/, FieldErrors&) const {}
  // `object` replaces `old`. By default the same rules as for a new object.
  virtual void ValidateUpdate(const json::Value& object, const json::Value& /*old*/, FieldErrors& errors) const {
    Validate(object, errors);
  }
  virtual void ValidateStatus(const json::Value& /*object*/, const json::Value& /*old*/, FieldErrors&) const {}

  // Adds the texts of Warning headers.
  virtual void Warn(const json::Value& /*object*/, std::vector<std::string>& /*warnings*/) const {}
};

struct Column {
  std::string name;
  std::string type = "string";  // string, integer, number, boolean, date
  std::string format;           // "name" for the first column
  std::string description;
  int priority = 0;       // above 0: only with -o wide
  std::string json_path;  // for custom kinds
};

// Returns the cells of an object's row, one for each column. `now` is for ages.
using RowFunction = std::function<std::vector<json::Value>(json::Editor&, const json::Value& object, WallTime now)>;

// A part of an object, or an action on it, with its own path.
struct Subresource {
  std::string name;  // "status"
  // The kind in requests and responses, if it is not the object's: Binding, Scale, Eviction.
  std::string group, version, kind;
  std::vector<std::string> verbs;
};

enum class NameRule { kSubdomain, kLabel, kPathSegment };

enum class DeleteAnswer { kStatus, kObject };  // what a finished delete returns
enum class Cascade { kBackground, kOrphan };   // the default for dependents

struct Kind {
  kube::ResourceType type;  // group, version, plural, kind, namespaced
  std::string singular, list_kind;
  std::vector<std::string> short_names, categories;
  const Type* schema = nullptr;
  std::shared_ptr<const Schema> schema_owner;  // set for custom kinds
  std::vector<Subresource> subresources;
  std::shared_ptr<const KindRules> rules;

  NameRule name_rule = NameRule::kSubdomain;
  bool has_status = false;                    // status is written only through its subresource
  bool keeps_status_on_create = false;        // a create keeps the submitted status (Nodes: kubelet registers with it)
  bool status_is_all = false;                 // a write of the status changes only the status; else also metadata
  bool has_generation = false;                // rises with every change outside metadata and status
  bool annotations_raise_generation = false;  // annotations raise it too (Deployments)
  bool create_on_update = false;              // PUT creates a missing object
  bool unconditional_update = true;           // PUT without resourceVersion is allowed
  bool graceful = false;                      // deletion has a grace period (Pods)
  DeleteAnswer delete_answer = DeleteAnswer::kStatus;
  Cascade cascade = Cascade::kBackground;
  std::string finalizer_on_delete = {};  // added when a deletion begins, removed by a controller
  bool custom = false;                   // from a CustomResourceDefinition; its items in lists have kind and apiVersion
  std::string deprecation = {};          // warning sent with every response; empty: none
  bool empty = false;                    // can be listed and watched but not created: other programs ask for it
  std::string storage_version;           // for custom kinds with several versions: the version that objects are stored in; empty:
                                         // type.version

  // Field selectors beyond metadata.name and metadata.namespace: the selector's name, its path in the object, and the value of an absent
  // field ("" or "false").
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

  // Return nullptr if the kind is not served.
  const Kind* Find(std::string_view group, std::string_view version, std::string_view plural) const;
  const Kind* FindKind(std::string_view group, std::string_view version, std::string_view kind) const;
  const std::vector<std::shared_ptr<const Kind>>& all() const { return kinds_; }

 private:
  std::vector<std::shared_ptr<const Kind>> kinds_;
};

// Returns the built-in kinds.
std::vector<std::shared_ptr<const Kind>> BuiltInKinds();

}  // namespace allot::apiserver
