#pragma once
// The state of a write in the Registry. Internal to it.

#include <string>
#include <vector>

#include "apiserver/registry/registry.h"
#include "json/editor.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

struct Registry::Work {
  static constexpr size_t kArena = 16 << 10;  // enough for a typical object

  Work(const Caller& who, const Target& where, const WriteOptions& how, WallTime time)
      : caller(who),
        target(where),
        options(how),
        kind(*where.kind),
        api_version(kind.ApiVersion()),
        now(kube::WriteTime(time)),
        name(where.name) {}

  // Whether the server acts for the caller: it may then change what an update may not.
  bool IsAction() const { return target.subresource == "binding" || target.subresource == "finalize"; }

  // Passes on the collected warnings. Call it only when the write was done.
  void Warn() const {
    if (options.warnings != nullptr) options.warnings->insert(options.warnings->end(), warnings.begin(), warnings.end());
  }

  const Caller& caller;
  const Target& target;
  const WriteOptions& options;
  const Kind& kind;
  const std::string api_version;
  const std::string now;
  std::string name;  // of the object, once known
  std::vector<std::string> warnings;
  json::Value normal;  // the decoded object, before defaults and later steps
  json::Arena arena{kArena};
  json::Editor edit{arena};
};

// An object of a custom kind may be stored in another version than the requested one; the two differ only in the version. Everywhere
// outside the store it has the requested version.
struct Registry::Existing {
  EntryPtr entry;
  json::Document document;
  json::Value object;
  bool other_storage = false;  // it is stored in a version that is no longer the storage version
};

struct Registry::Proposal {
  json::Value object;
  bool managed = false;           // its managedFields are final (an apply)
  bool checks_uid = false;        // a PUT: uid and resourceVersion of the body are preconditions
  bool forgets_managers = false;  // the body asks for that
};

// Moves kind, apiVersion and metadata to the front: lists omit the first two, and the resourceVersion is in the third.
json::Value WithTypeInFront(json::Editor& edit, const Kind& kind, std::string_view api_version, const json::Value& object);

// Sets the resourceVersion at the position where Kubernetes writes it.
json::Value WithVersion(json::Editor& edit, const json::Value& object, const json::Value& version);

}  // namespace allot::apiserver
