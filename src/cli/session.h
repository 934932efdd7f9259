#pragma once
// A verb's connection to a cluster: the client made of the global flags, the namespace, and the kinds that the server has.
//
// Kinds that allot knows cost no request; the others are discovered once, when one is asked for.

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
#include "cli/args.h"
#include "kube/client.h"
#include "kube/discovery.h"

namespace allot::cli {

// Whether these are TYPE[,TYPE...] [NAME...], or TYPE/NAME..., as far as can be told without a server. REQUIRES that there is one.
Status CheckTargets(const std::vector<std::string>& operands);

// Some objects of one kind: those named, or all.
struct Target {
  const kube::ApiResource* resource = nullptr;
  std::vector<std::string> names;
  std::optional<std::string> namespace_name{};  // of those that a file names; nothing: the session's
};

struct SessionOptions {
  // How long the client and each request may take, credential plugins with them; nothing: what --request-timeout says.
  std::optional<std::chrono::milliseconds> timeout;
  bool interactive = true;  // somebody may be asked to sign in
};

class Session {
 public:
  // kInvalid for flags that make no sense, kNotFound where no cluster is configured.
  static Result<std::unique_ptr<Session>> Open(const Verb& verb, const Arguments& arguments, const SessionOptions& options = {});

  kube::Client& client() { return *client_; }
  const FileSystem& files() const { return files_; }
  WallTime Now() const { return clock_.Now(); }
  bool all_namespaces() const { return all_namespaces_; }
  // Whether -n was given.
  bool has_namespace() const { return has_namespace_; }
  // Of --namespace, else of the context, else "default"; empty with --all-namespaces.
  const std::string& namespace_name() const { return namespace_; }
  // The same for objects of this kind: empty for those that have none.
  std::string NamespaceOf(const kube::ApiResource& resource) const { return resource.type.namespaced ? namespace_ : ""; }
  std::string NamespaceOf(const Target& target) const { return target.namespace_name.value_or(NamespaceOf(*target.resource)); }

  // The kind that a person wrote. kNotFound in kubectl's words, with the nearest one.
  Result<const kube::ApiResource*> FindType(std::string_view text);
  // The kind of a manifest; kNotFound in kubectl's words.
  Result<const kube::ApiResource*> FindKind(std::string_view api_version, std::string_view kind);
  // Keeps a kind that the server does not have yet; FindType and FindKind do not know of it.
  const kube::ApiResource* Expect(kube::ApiResource resource);
  // All kinds of the server; asks for them once.
  Result<std::span<const kube::ApiResource>> AllTypes(const http::Patience& patience = {});
  // TYPE[,TYPE...] [NAME...], or TYPE/NAME... A category ("all") is its kinds; a kind that is named twice counts once.
  // REQUIRES that there is one, and that CheckTargets was ok.
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
  std::vector<std::string> warned_;  // of the server's warnings: each is printed once
  std::optional<std::vector<kube::ApiResource>> discovered_;
  std::deque<kube::ApiResource> expected_;
};

}  // namespace allot::cli
