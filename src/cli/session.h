#pragma once
// A verb's connection to a cluster: the client that the global flags describe, the namespace, and the kinds that the server has.
//
// A session knows the kinds that allot works with. It discovers all others once, when one is needed.

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/status.h"
#include "cli/program/args.h"
#include "kube/client.h"
#include "kube/discovery.h"

namespace allot::cli {

// Checks, without a server, that the operands are TYPE[,TYPE...] [NAME...] or TYPE/NAME... REQUIRES at least one operand.
Status CheckTargets(const std::vector<std::string>& operands);

// Objects of one kind: those with these names, or all if there are no names.
struct Target {
  const kube::ApiResource* resource = nullptr;
  std::vector<std::string> names;
  std::optional<std::string> namespace_name{};  // if a file names the objects; nullopt: the session's
};

struct SessionOptions {
  // The limit for each request and each run of a credential plugin; nullopt: that of --request-timeout.
  std::optional<std::chrono::milliseconds> timeout;
  bool interactive = true;  // a credential plugin may prompt the user
};

class Session {
 public:
  // kInvalid for invalid flags, kNotFound if no cluster is configured.
  static Result<std::unique_ptr<Session>> Open(const Verb& verb, const Arguments& arguments, const SessionOptions& options = {});

  kube::Client& client() { return *client_; }
  const FileSystem& files() const { return files_; }
  WallTime Now() const { return clock_.Now(); }
  bool all_namespaces() const { return all_namespaces_; }
  // Whether -n was given.
  bool has_namespace() const { return has_namespace_; }
  // The namespace of --namespace, else of the context, else "default"; empty with --all-namespaces.
  const std::string& namespace_name() const { return namespace_; }
  // The same for objects of this kind: empty for cluster-scoped kinds.
  std::string NamespaceOf(const kube::ApiResource& resource) const { return resource.type.namespaced ? namespace_ : ""; }
  std::string NamespaceOf(const Target& target) const { return target.namespace_name.value_or(NamespaceOf(*target.resource)); }

  // The kind that the user named. kNotFound has kubectl's message and the nearest kind.
  Result<const kube::ApiResource*> FindType(std::string_view text);
  // The kind of a manifest. kNotFound has kubectl's message.
  Result<const kube::ApiResource*> FindKind(std::string_view api_version, std::string_view kind);
  // Stores a kind that the server does not have yet; FindType and FindKind do not find it.
  const kube::ApiResource* Expect(kube::ApiResource resource);
  // All kinds of the server; discovered once.
  Result<std::span<const kube::ApiResource>> AllTypes(const Patience& patience = {});
  // Resolves TYPE[,TYPE...] [NAME...], or TYPE/NAME... A category ("all") stands for its kinds; a kind that occurs twice counts once.
  // REQUIRES at least one operand, and that CheckTargets was ok.
  Result<std::vector<Target>> FindTargets(const std::vector<std::string>& operands);

 private:
  Session() = default;
  void Observe(const kube::Exchanged& exchanged);

  PosixFileSystem files_;
  SystemClock clock_;
  std::unique_ptr<kube::Client> client_;
  std::string namespace_;
  bool all_namespaces_ = false, has_namespace_ = false, verbose_ = false;
  static constexpr size_t kMostWarnings = 100;
  std::mutex warned_mutex_;
  std::vector<std::string> warned_;  // the server's warnings; each is printed once
  std::optional<std::vector<kube::ApiResource>> discovered_;
  std::deque<kube::ApiResource> expected_;
};

}  // namespace allot::cli
