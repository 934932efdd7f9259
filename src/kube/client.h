#pragma once
// The Kubernetes API over HTTP: one client for each server and identity, shared by threads.
//
// Every call is one request, repeated only where the server asks for it (429 and 5xx with Retry-After) or where credentials were refused
// and fresh ones are at hand (401). An error says what was asked: "get pods lab/train: pods \"train\" not found"; ApiErrorOf has the
// server's reason and causes.

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
#include "kube/config.h"
#include "kube/error.h"
#include "kube/object.h"
#include "kube/rate_limit.h"
#include "kube/url.h"

namespace allot::kube {

// One answer, for somebody who looks on: `-v` and the server's warnings. Without credentials.
struct Exchanged {
  std::string_view method, target;
  const http::Head& answer;
  std::chrono::nanoseconds took;  // to the answer's head
};

struct ClientOptions {
  std::string user_agent = "allot";
  std::function<void(const Exchanged&)> observer;  // of every answer, on the thread of the call; may be empty
  double qps = 50;                                 // requests a second, on average; 0: no limit
  int burst = 100;                                 // that many at once
  std::chrono::milliseconds timeout{60'000};       // of a call, with its repetitions
  // Of a credential plugin, within its own limit; nothing: that limit alone. The time that it takes is not the call's, so that nobody
  // who signs in with a browser is cut short.
  std::optional<std::chrono::milliseconds> login_timeout;
  int max_retries = 10;
  size_t max_object = 64 << 20;     // bytes of an answer
  size_t max_watch_line = 8 << 20;  // bytes of an event
  // A watch without a byte for so long is dead: the server sends a bookmark about every minute.
  std::chrono::seconds watch_silence{150};
};

struct ListOptions {
  std::string label_selector, field_selector;
  int64_t limit = 500;  // objects of a page; 0: all in one
  std::string resource_version, resource_version_match;
};

struct WatchOptions {
  std::string label_selector, field_selector;
  std::string resource_version;
  std::chrono::seconds timeout{480};  // after which the server ends it
  std::string accept = "application/json";
};

struct WriteOptions {
  bool dry_run = false;
  std::string field_manager;
  std::string field_validation;  // Strict, Warn, Ignore; empty: the server's default
};

enum class PatchType { kJson, kMerge, kStrategic, kApply };

struct PatchOptions : WriteOptions {
  bool force = false;  // of kApply: takes fields over from other managers
};

struct DeleteOptions {
  std::string uid, resource_version;  // preconditions
  std::string propagation;            // Foreground, Background, Orphan; empty: the kind's default
  std::optional<int64_t> grace_seconds;
  bool dry_run = false;
};

// A page or the whole of a collection.
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

// The events of one watch. Not thread-safe; must not outlive its Client.
class Watch {
 public:
  Watch(std::unique_ptr<http::BodyStream> stream, std::string what, const ClientOptions& options)
      : stream_(std::move(stream)), what_(std::move(what)), options_(options) {}

  // The next event; nothing when the server ended the watch in good order. An error ends the watch; IsExpired asks for a new list.
  Result<std::optional<WatchEvent>> Next(const http::Patience& patience);

 private:
  Result<WatchEvent> Parse(std::string_view line) const;

  const std::unique_ptr<http::BodyStream> stream_;
  const std::string what_;
  const ClientOptions& options_;
  std::string buffer_;
  size_t begin_ = 0;     // of the line that comes next
  size_t searched_ = 0;  // where to look on for its end
};

class Client {
 public:
  // kInvalid for a server address or certificate that cannot be used.
  static Result<std::unique_ptr<Client>> Make(Config config, ClientOptions options = {});

  const Config& config() const { return config_; }

  Result<ObjectPtr> Get(const ResourceType& type, std::string_view namespace_name, std::string_view name, const http::Patience& = {});
  // All pages; `each` gets every one as it comes, in a tree of its own. Gives the collection's resourceVersion.
  Result<std::string> List(const ResourceType& type, std::string_view namespace_name, const ListOptions& options,
                           const std::function<void(ObjectPtr)>& each, const http::Patience& = {});
  // The same; the object that `each` is shown is gone when it returns.
  Result<std::string> ListValues(const ResourceType& type, std::string_view namespace_name, const ListOptions& options,
                                 const std::function<void(const json::Value&)>& each, const http::Patience& = {});
  Result<std::unique_ptr<Watch>> StartWatch(const ResourceType& type, std::string_view namespace_name, const WatchOptions& options,
                                            const http::Patience& = {});
  Result<ObjectPtr> Create(const ResourceType& type, std::string_view namespace_name, std::string_view object_json,
                           const WriteOptions& options = {}, const http::Patience& = {});
  Result<ObjectPtr> Update(const ResourceType& type, std::string_view namespace_name, std::string_view name, std::string_view object_json,
                           std::string_view subresource = "", const WriteOptions& options = {}, const http::Patience& = {});
  Result<ObjectPtr> Patch(const ResourceType& type, std::string_view namespace_name, std::string_view name, PatchType patch,
                          std::string_view patch_json, std::string_view subresource = "", const PatchOptions& options = {},
                          const http::Patience& = {});
  // The object as it is being deleted, or the server's Status where it is gone.
  Result<ObjectPtr> Delete(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                           const DeleteOptions& options = {}, const http::Patience& = {});

  // Any request, for what the calls above do not cover. The target has path and query. Answers that are no success are errors.
  Result<http::Response> Raw(http::Request request, std::string_view what, const http::Patience& patience = {});
  // The same with a body that is read as it comes and may have no end: a log that is followed. `patience` is for the answer's head.
  Result<std::unique_ptr<http::BodyStream>> Stream(http::Request request, std::string_view what, const http::Patience& patience = {});

 private:
  Client(Config config, ClientOptions options, ServerUrl url);

  // What is left to a call of this caller, and to the plugin that it may need.
  http::Patience Within(const http::Patience& caller) const;
  http::Patience LoginWithin(const http::Patience& caller) const;
  Result<std::shared_ptr<const http::TlsClient>> Tls();
  // Sends until the answer is final. `within` is moved on by the time that signing in took.
  Result<std::unique_ptr<http::BodyStream>> Exchange(http::Request request, std::string_view what, const http::Patience& caller,
                                                     http::Patience& within);
  Result<http::Response> ReadAll(http::BodyStream& stream, std::string_view what, const http::Patience& patience) const;
  Result<ObjectPtr> SendObject(http::Request request, std::string_view what, const http::Patience& patience);

  const Config config_;
  const ClientOptions options_;
  const ServerUrl url_;
  RateLimit limit_;
  std::unique_ptr<http::Client> http_;

  std::mutex tls_mutex_;
  std::string tls_key_;  // what tls_ was made of
  std::shared_ptr<const http::TlsClient> tls_;
};

}  // namespace allot::kube
