#include "apiserver/server.h"

#include <mutex>
#include "apiserver/access/own_namespaces.h"
#include "apiserver/access/user_admission.h"
#include "apiserver/controllers/controllers.h"
#include "apiserver/kinds/custom/kind.h"
#include "apiserver/kinds/dra/admission.h"
#include "apiserver/kinds/pod/admission.h"
#include "apiserver/kubeconfig_handler.h"
#include "apiserver/namespace_admission.h"
#include "apiserver/registry/registry.h"
#include "apiserver/rest/handler.h"
#include "json/json.h"

namespace allot::apiserver {

namespace {

constexpr std::chrono::seconds kDrain{2};

http::ServerOptions HttpOptions() {
  http::ServerOptions options;
  // A writer waits for the disk in its worker; concurrent writes share one transaction.
  options.workers = 32;
  options.max_body = 4 << 20;  // slightly more than the API accepts, so that the API reports the error
  return options;
}

std::vector<std::shared_ptr<const Admission>> Chain(const std::vector<std::shared_ptr<const Admission>>& more) {
  std::vector<std::shared_ptr<const Admission>> chain = {std::make_shared<NamespaceAdmission>(), std::make_shared<PodAdmission>(),
                                                         std::make_shared<AdminAccessAdmission>(), std::make_shared<UserAdmission>()};
  chain.insert(chain.end(), more.begin(), more.end());
  return chain;
}

// Returns the URL of `address` for clients on this machine.
std::string UrlOf(const std::string& address, int port, bool secure) {
  std::string host = address;
  if (address == "0.0.0.0") host = "127.0.0.1";
  if (address == "::") host = "::1";
  if (host.find(':') != std::string::npos) host = StrCat("[", host, "]");
  return StrCat(secure ? "https://" : "http://", host, ":", port);
}

class Embedded final : public Server {
 public:
  Embedded(std::unique_ptr<Store> store, const ServerOptions& options, const Access& access, const Clock& clock, Random& random)
      : clock_(clock),
        store_(std::move(store)),
        registry_({*store_, clock, random, Chain(options.admission)}),
        hub_(*store_),
        controllers_(registry_, hub_, clock, options.log),
        access_(access, registry_),
        handler_({registry_, hub_, access_, clock, options.logs}),
        kubeconfigs_(access_, options.tokens),
        authority_pem_(options.authority_pem) {}

  ~Embedded() override {
    const MonotonicTime deadline = clock_.MonotonicNow() + kDrain;
    for (const auto& server : servers_) server->Drain(deadline);
    servers_.clear();
  }

  Status Begin() { return controllers_.Start(); }

  Status ListenTcp(const std::string& address, int port, const std::shared_ptr<const http::TlsServer>& tls) {
    ASSIGN_OR_RETURN(http::Listener listener, http::Listener::Tcp(address, port));
    port_ = listener.port();
    url_ = UrlOf(address, port_, tls != nullptr);
    TRY(Serve(std::move(listener), tls));
    tcp_ = servers_.back().get();
    return Status();
  }

  Status ListenUnix(const std::string& path) {
    ASSIGN_OR_RETURN(http::Listener listener, http::Listener::Unix(path, 0666));
    return Serve(std::move(listener), nullptr);
  }

  Api& api() override { return registry_; }
  int port() const override { return port_; }
  std::string url() const override { return url_; }
  void SetTls(std::shared_ptr<const http::TlsServer> tls, std::string authority_pem) override {
    if (tcp_ != nullptr) tcp_->SetTls(std::move(tls));
    const std::lock_guard lock(authority_mutex_);
    authority_pem_ = std::move(authority_pem);
  }

 private:
  std::string Authority() const {
    const std::lock_guard lock(authority_mutex_);
    return authority_pem_;
  }

  Status Serve(http::Listener listener, const std::shared_ptr<const http::TlsServer>& tls) {
    http::ServerOptions options = HttpOptions();
    options.tls = tls;
    const auto handle = [this](const http::RequestContext& context, const std::shared_ptr<http::ResponseWriter>& writer) {
      if (!kubeconfigs_.Serve(context, *writer, url_, Authority())) handler_.Handle(context, writer);
    };
    ASSIGN_OR_RETURN(auto server, http::Server::Start(std::move(listener), options, handle));
    servers_.push_back(std::move(server));
    return Status();
  }

  const Clock& clock_;
  const std::unique_ptr<Store> store_;
  Registry registry_;
  WatchHub hub_;
  Controllers controllers_;
  const OwnNamespaces access_;
  RestHandler handler_;
  const KubeconfigHandler kubeconfigs_;
  mutable std::mutex authority_mutex_;
  std::string authority_pem_;
  int port_ = 0;
  std::string url_;  // set before a request can need it
  http::Server* tcp_ = nullptr;
  std::vector<std::unique_ptr<http::Server>> servers_;  // last, because they call the others
};

// The kinds of the objects in the file, by resource: built-in ones and those of stored definitions.
class StoredKinds {
 public:
  StoredKinds() {
    for (const auto& kind : BuiltInKinds()) kinds_[kind->type.FullName()] = kind;
  }

  void Learn(std::string_view resource, std::string_view text) {
    if (resource != "customresourcedefinitions.apiextensions.k8s.io") return;
    const Result<json::Document> document = json::Parse(text);
    if (!document.ok()) return;
    const auto made = KindsOf(document->root());
    if (!made.ok()) return;
    for (const auto& kind : *made) kinds_[kind->type.FullName()] = kind;
  }

  Index IndexOf(std::string_view resource, std::string_view text) const {
    static const Kind unknown;
    const auto found = kinds_.find(resource);
    const Result<json::Document> document = json::Parse(text);
    if (!document.ok()) return Index();
    return apiserver::IndexOf(found == kinds_.end() ? unknown : *found->second, document->root());
  }

 private:
  std::map<std::string, std::shared_ptr<const Kind>, std::less<>> kinds_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::Start(const ServerOptions& options, const Access& access, const Clock& clock, Random& random) {
  StoredKinds kinds;
  StoreOptions store_options;
  store_options.seen = [&](std::string_view resource, std::string_view json) { kinds.Learn(resource, json); };
  store_options.index = [&](std::string_view resource, std::string_view json) { return kinds.IndexOf(resource, json); };
  ASSIGN_OR_RETURN(auto store, Store::Open(options.store, store_options));
  auto server = std::make_unique<Embedded>(std::move(store), options, access, clock, random);
  TRY(server->Begin());
  if (!options.address.empty()) TRY(server->ListenTcp(options.address, options.port, options.tls));
  if (!options.socket.empty()) TRY(server->ListenUnix(options.socket));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace allot::apiserver
