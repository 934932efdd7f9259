// A cheap client, so that a benchmark measures the server: api_load MODE NAMESPACE ... (the server is that of KUBECONFIG).
//
//   create NAMESPACE FIRST COUNT WRITERS          creates the Pods FIRST to FIRST + COUNT - 1
//   list NAMESPACE ROUNDS plain|gzip              lists all Pods, ROUNDS times
//   watch NAMESPACE WATCHERS CHANGES live|replay  changes the Pods 0 to 99 while WATCHERS watch; replay: the changes come first, and the
//                                                 watches start at the version before them
//
// Reads responses to their end, but does not parse them. Prints a line of JSON: the seconds, the number of requests or events, the bytes of
// a list, and how often watches that the server ended were resumed.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "http/client.h"
#include "kube/config/config.h"
#include "kube/url.h"
#include "tests/kube/load_pod.h"

namespace {

using namespace allot;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{300};
constexpr int kChangedPods = 100, kChangers = 16;

double SecondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// The server; creates clients with one connection each.
class Server {
 public:
  static Result<Server> Load() {
    const PosixFileSystem files;
    const SystemClock clock;
    ASSIGN_OR_RETURN(const kube::Config config, kube::LoadConfig(kube::SystemConfigSources(files, clock)));
    ASSIGN_OR_RETURN(const kube::ServerUrl url, kube::ServerUrl::Parse(config.server));
    ASSIGN_OR_RETURN(const auto grant, config.credentials->Get());
    Server server;
    server.authorization_ = grant.authorization;
    server.options_.address = {.host = url.host, .port = url.port, .unix_path = ""};
    server.options_.host = url.HostHeader();
    server.options_.max_body = size_t{1} << 30;
    if (url.tls) {
      http::TlsClientOptions tls;
      ASSIGN_OR_RETURN(tls.ca_pem, config.ca.Read(files));
      tls.server_name = url.host;
      ASSIGN_OR_RETURN(const auto context, http::TlsClient::Make(tls));
      server.options_.tls = [context] { return Result<std::shared_ptr<const http::TlsClient>>(context); };
    }
    return server;
  }

  std::unique_ptr<http::Client> Connect() const { return std::make_unique<http::Client>(options_); }

  http::Request Make(std::string method, std::string target, std::string body = "", std::string_view type = "application/json") const {
    http::Request request{
        std::move(method), std::move(target), {{"Authorization", authorization_}, {"Accept", "application/json"}}, std::move(body)};
    if (!request.body.empty()) request.headers.Add("Content-Type", type);
    return request;
  }

 private:
  http::ClientOptions options_;
  std::string authorization_;
};

Patience Patience() { return {Clock::now() + kPatience, nullptr}; }

// Sends the request; an HTTP error is an error.
Result<http::Response> Ask(http::Client& client, const http::Request& request) {
  ASSIGN_OR_RETURN(http::Response response, client.Send(request, Patience()));
  if (response.status / 100 != 2)
    return Unavailable(request.method, " ", request.target, ": ", response.status, " ", response.body.substr(0, 300));
  return response;
}

std::string PodsOf(std::string_view space) { return StrCat("/api/v1/namespaces/", space, "/pods"); }

// Calls work(client, i) for i from 0 to count - 1 on several threads, each with its own connection, opened before the clock starts. Returns
// the seconds, or the first error.
Result<double> InParallel(const Server& server, int threads, int count, const std::function<Status(http::Client&, int)>& work) {
  std::vector<std::unique_ptr<http::Client>> clients;
  for (int t = 0; t < threads; ++t) {
    clients.push_back(server.Connect());
    TRY(Ask(*clients.back(), server.Make("GET", "/version")).status());
  }
  std::atomic<int> next{0};
  std::mutex mutex;
  Status failure;
  const auto begin = Clock::now();
  std::vector<std::thread> running;
  for (const auto& client : clients) {
    running.emplace_back([&, c = client.get()] {
      for (int i = next++; i < count; i = next++) {
        if (Status status = work(*c, i); !status.ok()) {
          const std::lock_guard lock(mutex);
          failure = std::move(status);
          next = count;
        }
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  if (!failure.ok()) return failure;
  return SecondsSince(begin);
}

Status Create(const Server& server, const std::string& space, int first, int count, int writers) {
  ASSIGN_OR_RETURN(const double seconds, InParallel(server, writers, count, [&](http::Client& client, int i) {
                     return Ask(client, server.Make("POST", PodsOf(space), tests::PodJson(static_cast<uint64_t>(first + i)))).status();
                   }));
  std::printf("{\"seconds\": %.6f, \"done\": %d}\n", seconds, count);
  return Status();
}

Status List(const Server& server, const std::string& space, int rounds, bool gzip) {
  const auto client = server.Connect();
  http::Request request = server.Make("GET", PodsOf(space));
  request.headers.Add("Accept-Encoding", gzip ? "gzip" : "identity");
  std::vector<double> seconds;
  size_t bytes = 0;
  for (int i = 0; i <= rounds; ++i) {  // the first round is a warm-up
    const auto begin = Clock::now();
    ASSIGN_OR_RETURN(const http::Response response, Ask(*client, request));
    if (i > 0) seconds.push_back(SecondsSince(begin));
    bytes = response.body.size();
    if (gzip != (response.headers.Get("Content-Encoding") == "gzip"))
      return Unavailable("the response does not have the requested encoding");
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("{\"seconds\": %.6f, \"done\": %d, \"bytes\": %zu}\n", seconds[seconds.size() / 2], rounds, bytes);
  return Status();
}

Result<double> Touch(const Server& server, const std::string& space, int changes) {
  const auto run = Clock::now().time_since_epoch().count();  // a value of an earlier run would change nothing
  return InParallel(server, kChangers, changes, [&](http::Client& client, int i) {
    const std::string body = StrCat(R"({"metadata":{"labels":{"touched":")", run, "-", i, R"("}}})");
    return Ask(client, server.Make("PATCH", StrCat(PodsOf(space), "/pod-", i % kChangedPods), body, "application/merge-patch+json"))
        .status();
  });
}

// The first resourceVersion in the text: that of the list, or of the event's object.
std::string VersionIn(std::string_view text) {
  constexpr std::string_view kKey = "\"resourceVersion\":\"";
  const size_t at = text.find(kKey);
  if (at == std::string_view::npos) return "";
  const size_t begin = at + kKey.size();
  return std::string(text.substr(begin, text.find('"', begin) - begin));
}

Result<std::string> VersionNow(const Server& server, const std::string& space) {
  const auto client = server.Connect();
  ASSIGN_OR_RETURN(const http::Response response, Ask(*client, server.Make("GET", StrCat(PodsOf(space), "?limit=1"))));
  std::string version = VersionIn(response.body);
  if (version.empty()) return Invalid("a list without a version");
  return version;
}

// One watch, like an informer's: if the server ends it because the client is too slow, it resumes at the last version.
class Watcher {
 public:
  Watcher(const Server& server, const std::string& space, std::string version)
      : server_(server),
        path_(StrCat(PodsOf(space), "?watch=1&timeoutSeconds=600&resourceVersion=")),
        version_(std::move(version)),
        client_(server.Connect()) {}

  Status Open() {
    ASSIGN_OR_RETURN(stream_, client_->Open(server_.Make("GET", path_ + version_), Patience()));
    if (stream_->head().status != 200) return Unavailable("a watch was refused: ", stream_->head().status);
    return Status();
  }

  // Reads `events` events. An event is a line.
  Status Follow(int events) {
    for (int seen = 0; seen < events;) {
      const Result<std::string> bytes = stream_->Read(Patience());
      if (bytes.ok() && !bytes->empty()) {
        seen += static_cast<int>(std::count(bytes->begin(), bytes->end(), '\n'));
        Keep(*bytes);
        continue;
      }
      if (++resumed_ > kMostResumed)
        return Unavailable("the server ended a watch ", resumed_, " times; ", seen, " of ", events, " events arrived");
      if (!last_.empty()) version_ = VersionIn(last_);
      rest_.clear();
      TRY(Open());
    }
    return Status();
  }

  int resumed() const { return resumed_; }

 private:
  static constexpr int kMostResumed = 1000;

  // Keeps the last whole line, and the bytes after it.
  void Keep(std::string_view bytes) {
    const size_t end = bytes.rfind('\n');
    if (end == std::string_view::npos) {
      rest_ += bytes;
      return;
    }
    const size_t before = end == 0 ? std::string_view::npos : bytes.rfind('\n', end - 1);
    last_ = before == std::string_view::npos ? rest_ + std::string(bytes.substr(0, end))
                                             : std::string(bytes.substr(before + 1, end - before - 1));
    rest_ = bytes.substr(end + 1);
  }

  const Server& server_;
  const std::string path_;
  std::string version_, last_, rest_;
  const std::unique_ptr<http::Client> client_;
  std::unique_ptr<http::BodyStream> stream_;
  int resumed_ = 0;
};

Status Watch(const Server& server, const std::string& space, int watchers, int changes, bool replay) {
  ASSIGN_OR_RETURN(const std::string version, VersionNow(server, space));
  if (replay) TRY(Touch(server, space, changes).status());
  const auto begin_opening = Clock::now();
  std::vector<std::unique_ptr<Watcher>> watches;
  for (int i = 0; i < watchers; ++i) {
    watches.push_back(std::make_unique<Watcher>(server, space, version));
    TRY(watches.back()->Open());
  }
  std::mutex mutex;
  Status failure;
  std::vector<std::thread> following;
  const auto begin = replay ? begin_opening : Clock::now();
  for (const auto& watch : watches) {
    following.emplace_back([&, one = watch.get()] {
      Status status = one->Follow(changes);
      const std::lock_guard lock(mutex);
      if (!status.ok()) failure = std::move(status);
    });
  }
  const Status touched = replay ? Status() : Touch(server, space, changes).status();
  for (std::thread& thread : following) thread.join();
  const double seconds = SecondsSince(begin);
  TRY(touched);
  TRY(failure);
  int resumed = 0;
  for (const auto& watch : watches) resumed += watch->resumed();
  std::printf("{\"seconds\": %.6f, \"done\": %d, \"resumed\": %d}\n", seconds, watchers * changes, resumed);
  return Status();
}

Status Run(const std::vector<std::string>& arguments) {
  const auto number = [&](size_t i) { return std::atoi(arguments[i].c_str()); };
  ASSIGN_OR_RETURN(const Server server, Server::Load());
  const std::string& mode = arguments[0];
  if (mode == "create" && arguments.size() == 5) return Create(server, arguments[1], number(2), number(3), number(4));
  if (mode == "list" && arguments.size() == 4) return List(server, arguments[1], number(2), arguments[3] == "gzip");
  if (mode == "watch" && arguments.size() == 5) return Watch(server, arguments[1], number(2), number(3), arguments[4] == "replay");
  return Invalid("no mode ", Quoted(mode), " with ", arguments.size() - 1, " arguments; api_load.cc has the list");
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // writing to a closed connection then returns an error
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const allot::Status status = arguments.empty() ? allot::Invalid("usage: api_load MODE NAMESPACE ...") : Run(arguments);
  if (status.ok()) return 0;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 1;
}
