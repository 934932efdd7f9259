#pragma once
// What a write carries on its way through the Registry. Internal to it.

#include <string>
#include <vector>

#include "apiserver/registry.h"
#include "json/editor.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

struct Registry::Work {
  static constexpr size_t kArena = 16 << 10;  // enough for a usual object

  Work(const Caller& who, const Target& where, const WriteOptions& how, WallTime time)
      : caller(who),
        target(where),
        options(how),
        kind(*where.kind),
        api_version(kind.ApiVersion()),
        now(kube::WriteTime(time)),
        name(where.name) {}

  // What the server does itself on behalf of the caller may change what an update may not.
  bool IsAction() const { return target.subresource == "binding" || target.subresource == "finalize"; }

  // Hands over what was collected: only what was done is warned of.
  void Warn() const {
    if (options.warnings != nullptr) options.warnings->insert(options.warnings->end(), warnings.begin(), warnings.end());
  }

  const Caller& caller;
  const Target& target;
  const WriteOptions& options;
  const Kind& kind;
  const std::string api_version;
  const std::string now;
  std::string name;  // of the object, as soon as it is known
  std::vector<std::string> warnings;
  json::Value normal;  // the object as it was decoded, before defaults and all that followed
  json::Arena arena{kArena};
  json::Editor edit{arena};
};

// An object of a custom kind may be stored in another version than the one that is asked for; they differ by nothing but that. Here, as
// everywhere but in the store, it is in the version of the request.
struct Registry::Existing {
  EntryPtr entry;
  json::Document document;
  json::Value object;
  bool other_storage = false;  // it is stored in a version that is not the one to store in any more
};

struct Registry::Proposal {
  json::Value object;
  bool managed = false;           // its managedFields are right (an apply)
  bool checks_uid = false;        // a PUT: uid and version of the body are preconditions
  bool forgets_managers = false;  // the body says so
};

// The object with kind and apiVersion as its first members and metadata as the next: lists leave the first two out, and the version is
// found in the third.
json::Value WithTypeInFront(json::Editor& edit, const Kind& kind, std::string_view api_version, const json::Value& object);

// The object with its resourceVersion, where Kubernetes writes it.
json::Value WithVersion(json::Editor& edit, const json::Value& object, const json::Value& version);

}  // namespace allot::apiserver
