#include "kube/client.h"

#include <poll.h>

#include <algorithm>
#include <thread>

#include "base/check.h"
#include "base/file_system.h"
#include "json/json.h"

namespace allot::kube {
namespace {

using std::chrono::steady_clock;

// Sleeps, or returns early if cancelled. Returns kUnavailable if the patience ends first.
Status Pause(std::chrono::nanoseconds time, const Patience& patience) {
  const MonotonicTime until = steady_clock::now() + time;
  if (patience.deadline && until > *patience.deadline) return Unavailable("no answer in time");
  for (;;) {
    if (patience.cancel != nullptr && patience.cancel->requested()) return Unavailable("cancelled");
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now()).count();
    if (left <= 0) return Status();
    pollfd polled = {patience.cancel != nullptr ? patience.cancel->fd() : -1, POLLIN, 0};
    poll(&polled, 1, static_cast<int>(std::min<int64_t>(left, 60'000)));
  }
}

Query WriteQueryOf(const WriteOptions& options) {
  return {{"dryRun", options.dry_run ? "All" : ""}, {"fieldManager", options.field_manager}, {"fieldValidation", options.field_validation}};
}

std::string_view ContentTypeOf(PatchType patch) {
  switch (patch) {
    case PatchType::kJson: return "application/json-patch+json";
    case PatchType::kMerge: return "application/merge-patch+json";
    case PatchType::kStrategic: return "application/strategic-merge-patch+json";
    case PatchType::kApply: return "application/apply-patch+yaml";
  }
  return "";
}

// Returns "pods lab/train".
std::string Subject(const ResourceType& type, std::string_view namespace_name, std::string_view name) {
  std::string text = type.FullName();
  if (!name.empty()) return StrCat(text, " ", namespace_name.empty() || !type.namespaced ? "" : StrCat(namespace_name, "/"), name);
  if (type.namespaced && !namespace_name.empty()) text += StrCat(" in ", namespace_name);
  return text;
}

http::Request NewRequest(std::string method, std::string target, std::string body = "", std::string_view content_type = "") {
  http::Request request{std::move(method), std::move(target), {{"Accept", "application/json"}}, std::move(body)};
  if (!content_type.empty()) request.headers.Set("Content-Type", content_type);
  return request;
}

std::string DeleteBody(const DeleteOptions& options) {
  json::Arena arena;
  json::Builder b(arena);
  b.StartObject();
  b.Key("kind"), b.String("DeleteOptions");
  b.Key("apiVersion"), b.String("v1");
  if (options.grace_seconds) b.Key("gracePeriodSeconds"), b.Int(*options.grace_seconds);
  if (!options.propagation.empty()) b.Key("propagationPolicy"), b.String(options.propagation);
  if (!options.uid.empty() || !options.resource_version.empty()) {
    b.Key("preconditions"), b.StartObject();
    if (!options.uid.empty()) b.Key("uid"), b.String(options.uid);
    if (!options.resource_version.empty()) b.Key("resourceVersion"), b.String(options.resource_version);
    b.EndObject();
  }
  if (options.dry_run) b.Key("dryRun"), b.StartArray(), b.String("All"), b.EndArray();
  b.EndObject();
  return json::Write(b.Finish());
}

void Impersonate(const Config& config, http::Headers& headers) {
  if (!config.impersonate_user.empty()) headers.Set("Impersonate-User", config.impersonate_user);
  if (!config.impersonate_uid.empty()) headers.Set("Impersonate-Uid", config.impersonate_uid);
  for (const std::string& group : config.impersonate_groups) headers.Add("Impersonate-Group", group);
  for (const auto& [key, values] : config.impersonate_extra) {
    for (const std::string& value : values) headers.Add(StrCat("Impersonate-Extra-", EscapeHeaderName(key)), value);
  }
}

}  // namespace

Client::Client(Config config, ClientOptions options, ServerUrl url)
    : config_(std::move(config)), options_(std::move(options)), url_(std::move(url)), limit_(options_.qps, options_.burst) {}

Result<std::unique_ptr<Client>> Client::Make(Config config, ClientOptions options) {
  ASSIGN_OR_RETURN(ServerUrl url, ServerUrl::Parse(config.server).Context(config.origin));
  std::unique_ptr<Client> client(new Client(std::move(config), std::move(options), std::move(url)));
  http::ClientOptions http;
  http.address = {.host = client->url_.host, .port = client->url_.port, .unix_path = client->url_.unix_path};
  http.host = client->url_.HostHeader();
  if (!client->config_.proxy_url.empty()) {
    ASSIGN_OR_RETURN(const ServerUrl proxy, ServerUrl::Parse(client->config_.proxy_url).Context(client->config_.origin, ": proxy-url"));
    if (proxy.tls) return Unsupported(client->config_.origin, ": proxy-url: an https proxy is not supported; use http://");
    http.proxy = {.host = proxy.host, .port = proxy.port, .unix_path = ""};
    http.proxy_authorization = client->config_.proxy_authorization;
  }
  if (client->url_.tls) {
    TRY(client->Tls().status());  // report a bad certificate at once
    http.tls = [raw = client.get()] { return raw->Tls(); };
  }
  client->http_ = std::make_unique<http::Client>(std::move(http));
  return client;
}

Result<std::shared_ptr<const http::TlsClient>> Client::Tls() {
  ASSIGN_OR_RETURN(const Credentials::Grant grant, config_.credentials->Get(LoginWithin({})));
  const PosixFileSystem files;
  http::TlsClientOptions options;
  options.insecure = config_.insecure_skip_tls_verify;
  options.server_name = config_.tls_server_name.empty() ? url_.host : config_.tls_server_name;
  ASSIGN_OR_RETURN(options.ca_pem, config_.ca.Read(files).Context(config_.origin, ": certificate authority"));
  if (!grant.certificate_pem.empty()) {
    options.certificate_pem = grant.certificate_pem;
    options.key_pem = grant.key_pem;
  } else {
    ASSIGN_OR_RETURN(options.certificate_pem, config_.client_certificate.Read(files).Context(config_.origin, ": client certificate"));
    ASSIGN_OR_RETURN(options.key_pem, config_.client_key.Read(files).Context(config_.origin, ": client key"));
  }
  // Certificate files may be rotated at any time: make the TLS context again when one has changed.
  const std::string key = StrCat(options.ca_pem, "\n", options.certificate_pem, "\n", options.key_pem);
  const std::lock_guard lock(tls_mutex_);
  if (tls_ == nullptr || key != tls_key_) {
    ASSIGN_OR_RETURN(tls_, http::TlsClient::Make(options).Context(config_.origin));
    tls_key_ = key;
  }
  return tls_;
}

Patience Client::Within(const Patience& caller) const {
  const MonotonicTime limit = steady_clock::now() + options_.timeout;
  return {caller.deadline ? std::min(*caller.deadline, limit) : limit, caller.cancel};
}

Patience Client::LoginWithin(const Patience& caller) const {
  if (!options_.login_timeout) return caller;
  const MonotonicTime limit = steady_clock::now() + *options_.login_timeout;
  return {caller.deadline ? std::min(*caller.deadline, limit) : limit, caller.cancel};
}

Result<std::unique_ptr<http::BodyStream>> Client::Exchange(http::Request request, std::string_view what, const Patience& caller,
                                                           Patience& patience) {
  request.target = url_.prefix + request.target;
  request.headers.Set("User-Agent", options_.user_agent);
  Impersonate(config_, request.headers);
  std::optional<Status> refused;  // the last 401
  uint64_t refused_version = 0;
  int refusals = 0;
  for (int retry = 0;; ++retry) {
    const MonotonicTime now = steady_clock::now();
    const auto turn =
        limit_.Take(now, patience.deadline ? std::optional<std::chrono::nanoseconds>(*patience.deadline - now) : std::nullopt);
    if (!turn) return Unavailable(what, ": the client's own rate limit leaves no time for the request");
    TRY(Pause(*turn, patience).Context(what));
    const MonotonicTime asked = steady_clock::now();
    ASSIGN_OR_RETURN(const Credentials::Grant grant, config_.credentials->Get(LoginWithin(caller)).Context(what));
    const MonotonicTime later = *patience.deadline + (steady_clock::now() - asked);
    patience.deadline = caller.deadline ? std::min(*caller.deadline, later) : later;
    // Try the same credentials once more: the connection may have used an older certificate.
    if (refusals > 1 && grant.version == refused_version) return *refused;
    request.headers.Remove("Authorization");
    if (!grant.authorization.empty()) request.headers.Set("Authorization", grant.authorization);
    const MonotonicTime sent = steady_clock::now();
    ASSIGN_OR_RETURN(std::unique_ptr<http::BodyStream> stream, http_->Open(request, patience).Context(what));
    const int status = stream->head().status;
    if (options_.observer) options_.observer({request.method, request.target, stream->head(), steady_clock::now() - sent});
    if (status >= 200 && status < 300) return stream;

    ASSIGN_OR_RETURN(const http::Response response, ReadAll(*stream, what, patience));
    Status error = ErrorOf(response).Context(what);
    if (status == 401 && ++refusals <= 2) {
      refused = error;
      refused_version = grant.version;
      config_.credentials->Reject(grant.version);
      http_->DropIdle();  // a client certificate is bound to its connection
      continue;
    }
    const ApiError* const details = ApiErrorOf(error);
    const bool asked_to_retry = (status == 429 || status >= 500) && details->retry_after;
    if (!asked_to_retry || retry >= options_.max_retries) return error;
    // Wait as long as an overloaded server asks, unless the caller's deadline comes first.
    if (!Pause(*details->retry_after, patience).ok()) return error;
  }
}

Result<http::Response> Client::ReadAll(http::BodyStream& stream, std::string_view what, const Patience& patience) const {
  http::Response response{stream.head().status, stream.head().headers, ""};
  for (;;) {
    ASSIGN_OR_RETURN(const std::string piece, stream.Read(patience).Context(what));
    if (piece.empty()) return response;
    response.body += piece;
    if (response.body.size() > options_.max_object) return Exhausted(what, ": an answer of more than ", options_.max_object, " bytes");
  }
}

Result<http::Response> Client::Raw(http::Request request, std::string_view what, const Patience& patience) {
  Patience within = Within(patience);
  ASSIGN_OR_RETURN(const std::unique_ptr<http::BodyStream> stream, Exchange(std::move(request), what, patience, within));
  return ReadAll(*stream, what, within);
}

Result<std::unique_ptr<http::BodyStream>> Client::Stream(http::Request request, std::string_view what, const Patience& patience) {
  Patience within = Within(patience);
  return Exchange(std::move(request), what, patience, within);
}

Result<ObjectPtr> Client::SendObject(http::Request request, std::string_view what, const Patience& patience) {
  ASSIGN_OR_RETURN(const http::Response response, Raw(std::move(request), what, patience));
  ASSIGN_OR_RETURN(json::Document document, json::Parse(response.body, {.bytes = options_.max_object}).Context(what, ": the answer"));
  const json::Value root = document.root();
  return ObjectPtr(std::make_shared<Object>(std::move(document), root));
}

Result<ObjectPtr> Client::Get(const ResourceType& type, std::string_view namespace_name, std::string_view name, const Patience& patience) {
  TRY(CheckNames(namespace_name, name).Context("get ", type.FullName()));
  return SendObject(NewRequest("GET", type.ObjectPath(namespace_name, name)), StrCat("get ", Subject(type, namespace_name, name)),
                    patience);
}

Result<std::string> Client::List(const ResourceType& type, std::string_view namespace_name, const ListOptions& options,
                                 const std::function<void(ObjectPtr)>& each, const Patience& patience) {
  return ListValues(type, namespace_name, options, [&](const json::Value& value) { each(CopyObject(value)); }, patience);
}

Result<std::string> Client::ListValues(const ResourceType& type, std::string_view namespace_name, const ListOptions& options,
                                       const std::function<void(const json::Value&)>& each, const Patience& patience) {
  const std::string what = StrCat("list ", Subject(type, namespace_name, ""));
  std::string next;
  for (;;) {
    Query query = {{"labelSelector", options.label_selector},
                   {"fieldSelector", options.field_selector},
                   {"limit", options.limit > 0 ? std::to_string(options.limit) : ""},
                   {"continue", next}};
    if (next.empty()) {
      query.emplace_back("resourceVersion", options.resource_version);
      query.emplace_back("resourceVersionMatch", options.resource_version_match);
    }
    ASSIGN_OR_RETURN(const http::Response response,
                     Raw(NewRequest("GET", type.CollectionPath(namespace_name) + WriteQuery(query)), what, patience));
    ASSIGN_OR_RETURN(const json::Document page, json::Parse(response.body, {.bytes = options_.max_object}).Context(what, ": the answer"));
    const json::Value& items = page.root()["items"];
    if (!items.IsArray() && !items.IsNull())
      return Unavailable(what, ": the answer: items: expected a list, not ", json::KindName(items.kind()));
    if (items.IsArray()) {
      for (const json::Value& item : items.Items()) {
        if (!item.IsObject()) return Unavailable(what, ": the answer: items: expected objects, not ", json::KindName(item.kind()));
        each(item);
      }
    }
    const json::Value& metadata = page.root()["metadata"];
    std::string token(Object::Text(metadata["continue"]));
    if (token.empty()) return std::string(Object::Text(metadata["resourceVersion"]));
    if (token == next) return Unavailable(what, ": the server returns the same page again and again");
    next = std::move(token);
  }
}

Result<std::unique_ptr<Watch>> Client::StartWatch(const ResourceType& type, std::string_view namespace_name, const WatchOptions& options,
                                                  const Patience& patience) {
  const std::string what = StrCat("watch ", Subject(type, namespace_name, ""));
  const Query query = {{"watch", "1"},
                       {"allowWatchBookmarks", "true"},
                       {"labelSelector", options.label_selector},
                       {"fieldSelector", options.field_selector},
                       {"resourceVersion", options.resource_version},
                       {"timeoutSeconds", std::to_string(options.timeout.count())}};
  http::Request request = NewRequest("GET", type.CollectionPath(namespace_name) + WriteQuery(query));
  request.headers.Set("Accept", options.accept);
  Patience within = Within(patience);
  ASSIGN_OR_RETURN(std::unique_ptr<http::BodyStream> stream, Exchange(std::move(request), what, patience, within));
  return std::make_unique<Watch>(std::move(stream), what, options_);
}

Result<ObjectPtr> Client::Create(const ResourceType& type, std::string_view namespace_name, std::string_view object_json,
                                 const WriteOptions& options, const Patience& patience) {
  return SendObject(NewRequest("POST", type.CollectionPath(namespace_name) + WriteQuery(WriteQueryOf(options)), std::string(object_json),
                               "application/json"),
                    StrCat("create ", Subject(type, namespace_name, "")), patience);
}

Result<ObjectPtr> Client::Update(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                                 std::string_view object_json, std::string_view subresource, const WriteOptions& options,
                                 const Patience& patience) {
  TRY(CheckNames(namespace_name, name).Context("update ", type.FullName()));
  return SendObject(NewRequest("PUT", type.ObjectPath(namespace_name, name, subresource) + WriteQuery(WriteQueryOf(options)),
                               std::string(object_json), "application/json"),
                    StrCat("update ", Subject(type, namespace_name, name)), patience);
}

Result<ObjectPtr> Client::Patch(const ResourceType& type, std::string_view namespace_name, std::string_view name, PatchType patch,
                                std::string_view patch_json, std::string_view subresource, const PatchOptions& options,
                                const Patience& patience) {
  TRY(CheckNames(namespace_name, name).Context("patch ", type.FullName()));
  Query query = WriteQueryOf(options);
  query.emplace_back("force", options.force ? "true" : "");
  return SendObject(NewRequest("PATCH", type.ObjectPath(namespace_name, name, subresource) + WriteQuery(query), std::string(patch_json),
                               ContentTypeOf(patch)),
                    StrCat(patch == PatchType::kApply ? "apply " : "patch ", Subject(type, namespace_name, name)), patience);
}

Result<ObjectPtr> Client::Delete(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                                 const DeleteOptions& options, const Patience& patience) {
  TRY(CheckNames(namespace_name, name).Context("delete ", type.FullName()));
  return SendObject(NewRequest("DELETE", type.ObjectPath(namespace_name, name), DeleteBody(options), "application/json"),
                    StrCat("delete ", Subject(type, namespace_name, name)), patience);
}

}  // namespace allot::kube
