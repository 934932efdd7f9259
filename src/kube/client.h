#pragma once
// A client of the Kubernetes API over HTTP, for one server and identity. Thread-safe.
//
// Each call sends one request. It is repeated only if the server asks for that (429 and 5xx with Retry-After), or if the server rejected
// the credentials (401) and fresher ones are available. An error says what was asked: "get pods lab/train: pods \"train\" not found".
// ApiErrorOf returns the server's reason and causes.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "http/client.h"
#include "json/value.h"
#include "kube/config/config.h"
#include "kube/error.h"
#include "kube/object.h"
#include "kube/rate_limit.h"
#include "kube/url.h"

namespace allot::kube {

// One response, shown to an observer: for `-v` and the server's warnings. Has no credentials.
struct Exchanged {
  std::string_view method, target;
  const http::Head& answer;
  std::chrono::nanoseconds took;  // until the response's head arrived
};

struct ClientOptions {
  std::string user_agent = "allot";
  std::function<void(const Exchanged&)> observer;  // called for each response, on the calling thread; may be empty
  double qps = 50;                                 // average requests per second; 0: no limit
  int burst = 100;                                 // requests at once
  std::chrono::milliseconds timeout{60'000};       // for a call including its repetitions
  // Additional limit for a credential plugin; nullopt: only the plugin's own. The plugin's time does not count against the call, so a user
  // who signs in with a browser is not cut off.
  std::optional<std::chrono::milliseconds> login_timeout;
  int max_retries = 10;
  size_t max_object = 64 << 20;     // bytes of a response
  size_t max_watch_line = 8 << 20;  // bytes of an event
  // A watch without input for this long is considered dead: the server sends a bookmark about every minute.
  std::chrono::seconds watch_silence{150};
};

struct ListOptions {
  std::string label_selector, field_selector;
  int64_t limit = 500;  // objects per page; 0: all in one
  std::string resource_version, resource_version_match;
};

struct WatchOptions {
  std::string label_selector, field_selector;
  std::string resource_version;
  std::chrono::seconds timeout{480};  // the server ends the watch after this time
  std::string accept = "application/json";
};

struct WriteOptions {
  bool dry_run = false;
  std::string field_manager;
  std::string field_validation;  // Strict, Warn, Ignore; empty: the server's default
};

enum class PatchType { kJson, kMerge, kStrategic, kApply };

struct PatchOptions : WriteOptions {
  bool force = false;  // kApply: take fields over from other managers
};

struct DeleteOptions {
  std::string uid, resource_version;  // preconditions
  std::string propagation;            // Foreground, Background, Orphan; empty: the kind's default
  std::optional<int64_t> grace_seconds;
  bool dry_run = false;
};

// A page of a collection, or all of it.
struct ObjectList {
  std::vector<ObjectPtr> items;
  std::string resource_version;
  std::string continue_token;
};

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark };
  Type type = Type::kAdded;
  ObjectPtr object;
};

// The events of one watch. Not thread-safe; the Client must outlive it.
class Watch {
 public:
  Watch(std::unique_ptr<http::BodyStream> stream, std::string what, const ClientOptions& options)
      : stream_(std::move(stream)), what_(std::move(what)), options_(options) {}

  // Returns the next event, or nullopt if the server ended the watch normally. An error ends the watch; if IsExpired, list again.
  Result<std::optional<WatchEvent>> Next(const Patience& patience);

 private:
  Result<WatchEvent> Parse(std::string_view line) const;

  const std::unique_ptr<http::BodyStream> stream_;
  const std::string what_;
  const ClientOptions& options_;
  std::string buffer_;
  size_t begin_ = 0;     // start of the next line
  size_t searched_ = 0;  // where to continue the search for its end
};

class Client {
 public:
  // Returns kInvalid if the server address or a certificate cannot be used.
  static Result<std::unique_ptr<Client>> Make(Config config, ClientOptions options = {});

  const Config& config() const { return config_; }

  Result<ObjectPtr> Get(const ResourceType& type, std::string_view namespace_name, std::string_view name, const Patience& = {});
  // Lists all pages and calls `each` with every object, each in its own tree. Returns the collection's resourceVersion.
  Result<std::string> List(const ResourceType& type, std::string_view namespace_name, const ListOptions& options,
                           const std::function<void(ObjectPtr)>& each, const Patience& = {});
  // The same, but each object is destroyed when `each` returns.
  Result<std::string> ListValues(const ResourceType& type, std::string_view namespace_name, const ListOptions& options,
                                 const std::function<void(const json::Value&)>& each, const Patience& = {});
  Result<std::unique_ptr<Watch>> StartWatch(const ResourceType& type, std::string_view namespace_name, const WatchOptions& options,
                                            const Patience& = {});
  Result<ObjectPtr> Create(const ResourceType& type, std::string_view namespace_name, std::string_view object_json,
                           const WriteOptions& options = {}, const Patience& = {});
  Result<ObjectPtr> Update(const ResourceType& type, std::string_view namespace_name, std::string_view name, std::string_view object_json,
                           std::string_view subresource = "", const WriteOptions& options = {}, const Patience& = {});
  Result<ObjectPtr> Patch(const ResourceType& type, std::string_view namespace_name, std::string_view name, PatchType patch,
                          std::string_view patch_json, std::string_view subresource = "", const PatchOptions& options = {},
                          const Patience& = {});
  // Returns the object while it is being deleted, or the server's Status if it is gone.
  Result<ObjectPtr> Delete(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                           const DeleteOptions& options = {}, const Patience& = {});

  // Sends any request that the calls above do not cover. The target has path and query. A response that is not a success is an error.
  Result<http::Response> Raw(http::Request request, std::string_view what, const Patience& patience = {});
  // The same with a body that is read as it arrives and may be endless, such as a followed log. `patience` covers the response's head.
  Result<std::unique_ptr<http::BodyStream>> Stream(http::Request request, std::string_view what, const Patience& patience = {});

 private:
  Client(Config config, ClientOptions options, ServerUrl url);

  // The remaining time of a call, and of a plugin that the call needs.
  Patience Within(const Patience& caller) const;
  Patience LoginWithin(const Patience& caller) const;
  Result<std::shared_ptr<const http::TlsClient>> Tls();
  // Sends until the response is final. Extends `within` by the time that signing in took.
  Result<std::unique_ptr<http::BodyStream>> Exchange(http::Request request, std::string_view what, const Patience& caller,
                                                     Patience& within);
  Result<http::Response> ReadAll(http::BodyStream& stream, std::string_view what, const Patience& patience) const;
  Result<ObjectPtr> SendObject(http::Request request, std::string_view what, const Patience& patience);

  const Config config_;
  const ClientOptions options_;
  const ServerUrl url_;
  RateLimit limit_;
  std::unique_ptr<http::Client> http_;

  std::mutex tls_mutex_;
  std::string tls_key_;  // the PEM texts that tls_ was made from
  std::shared_ptr<const http::TlsClient> tls_;
};

}  // namespace allot::kube
