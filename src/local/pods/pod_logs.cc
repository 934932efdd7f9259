#include "local/pods/pod_logs.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "local/containers/container_files.h"
#include "local/containers/log_reader.h"
#include "local/pods/pod_folder.h"
#include "local/run/run_protocol.h"

namespace allot::local {
namespace {

constexpr size_t kPiece = 256 << 10;     // bytes of one log sent at a time
constexpr size_t kMostQueued = 1 << 20;  // bytes that a client has not received yet
constexpr int kSlowReader = 20;          // milliseconds until a slow client is tried again
constexpr uint32_t kChanges = IN_MODIFY | IN_CREATE | IN_MOVED_TO;

}  // namespace

// One response. Only the sending thread uses it, except `gone`.
class LocalPodLogs::Stream {
 public:
  Stream(const Request& request, std::string folder, std::string since, std::shared_ptr<http::ResponseWriter> writer)
      : request_(request), folder_(std::move(folder)), since_(std::move(since)), writer_(std::move(writer)), reader_(folder_) {
    if (request_.limit_bytes) left_ = static_cast<size_t>(std::max<int64_t>(*request_.limit_bytes, 0));
    if (request_.tail_lines) reader_.SeekTail(*request_.tail_lines);
  }

  enum class State {
    kMore,  // there is more to send
    kSlow,  // the client must receive some first
    kIdle,  // everything is sent for now
    kDone,
  };

  State Send(const FileSystem& files) {
    if (gone) return State::kDone;
    if (writer_->queued_bytes() > kMostQueued) return State::kSlow;
    // Test for the end before reading: after the end the log does not grow.
    const bool ended = !request_.follow || files.Exists(StrCat(folder_, "/", kExitFile)) || !files.Exists(folder_);
    std::string piece;
    bool empty = false;
    while (piece.size() < kPiece && !empty) {
      const std::optional<LogEntry> entry = reader_.Next();
      empty = !entry;
      if (entry && (since_.empty() || entry->time >= since_)) Append(*entry, piece);
    }
    if (left_ && piece.size() >= *left_) {
      piece.resize(*left_);
      left_ = 0;
    } else if (left_) {
      *left_ -= piece.size();
    }
    if (writer_->Write(piece) != http::WriteState::kAccepted) return State::kDone;
    if ((empty && ended) || left_ == size_t{0}) {
      writer_->End();
      return State::kDone;
    }
    return empty ? State::kIdle : State::kMore;
  }

  void End() { writer_->End(); }
  const std::string& folder() const { return folder_; }

  std::shared_ptr<std::atomic<bool>> gone_flag = std::make_shared<std::atomic<bool>>(false);
  const std::atomic<bool>& gone = *gone_flag;
  int watch = -1;

 private:
  void Append(const LogEntry& entry, std::string& to) {
    if (request_.timestamps && begins_) to.append(entry.time).append(" ");
    to.append(entry.text);
    if (entry.whole) to += '\n';
    begins_ = entry.whole;
  }

  const Request request_;
  const std::string folder_, since_;
  const std::shared_ptr<http::ResponseWriter> writer_;
  LogReader reader_;
  std::optional<size_t> left_;  // bytes that may be sent
  bool begins_ = true;          // the next entry begins a line
};

LocalPodLogs::LocalPodLogs(FileSystem& files, std::string root)
    : files_(files),
      root_(std::move(root)),
      notify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  CHECK(wake_ >= 0);
  thread_ = std::thread([this] { Run(); });
}

LocalPodLogs::~LocalPodLogs() {
  stop_.Request();
  thread_.join();
  if (notify_ >= 0) ::close(notify_);
  ::close(wake_);
}

void LocalPodLogs::Wake() {
  const uint64_t one = 1;
  if (::write(wake_, &one, sizeof one) < 0) return;  // the counter is full, so the thread wakes anyway
}

// The folder of the requested run.
Result<std::string> LocalPodLogs::FindRun(const Request& request) const {
  if (request.labels.contains(kRunLabel)) return apiserver::BadRequest(NoLogOfRun(request.space, request.pod));
  std::vector<std::string> runs;  // those that were started
  const Result<std::vector<std::string>> nodes = files_.List(root_);
  for (const std::string& node : nodes.ok() ? *nodes : std::vector<std::string>()) {
    const PodFolder pod(files_, StrCat(root_, "/", node), request.space, request.pod, request.uid);
    for (const int attempt : pod.Attempts(request.container)) {
      std::string run = pod.RunPath(request.container, attempt);
      if (files_.Exists(StrCat(run, "/", kStateFile)) || files_.Exists(StrCat(run, "/", kExitFile))) runs.push_back(std::move(run));
    }
  }
  if (request.previous) {
    if (runs.size() >= 2) return runs[runs.size() - 2];
    return apiserver::BadRequest(
        StrCat("previous terminated container ", Quoted(request.container), " in pod ", Quoted(request.pod), " not found"));
  }
  if (!runs.empty()) return runs.back();
  return apiserver::BadRequest(
      StrCat("container ", Quoted(request.container), " in pod ", Quoted(request.pod), " is waiting to start: ContainerCreating"));
}

void LocalPodLogs::Serve(const Request& request, std::shared_ptr<http::ResponseWriter> writer) {
  const Result<std::string> folder = FindRun(request);
  if (!folder.ok()) {
    writer->Send({apiserver::CodeOf(folder.status()), {{"Content-Type", "application/json"}}, apiserver::WriteStatus(folder.status())});
    return;
  }
  const std::string since = request.since ? WriteNanoTime(*request.since) : "";
  if (writer->Start(200, {{"Content-Type", "text/plain"}}) != http::WriteState::kAccepted) return;
  auto stream = std::make_shared<Stream>(request, *folder, since, writer);
  writer->OnGone([gone = stream->gone_flag] { *gone = true; });
  writer->OnDrain([gone = stream->gone_flag, weak = std::weak_ptr(writer)] {
    *gone = true;
    if (const auto still = weak.lock()) still->End();
  });
  {
    const std::lock_guard lock(mutex_);
    arrived_.push_back(std::move(stream));
  }
  Wake();
}

void LocalPodLogs::Run() {
  std::list<std::shared_ptr<Stream>> streams;
  int wait = -1;
  while (!stop_.requested()) {
    std::array<pollfd, 3> ready{pollfd{stop_.fd(), POLLIN, 0}, pollfd{wake_, POLLIN, 0}, pollfd{notify_, POLLIN, 0}};
    ::poll(ready.data(), ready.size(), wait);
    uint64_t ignored = 0;
    while (::read(wake_, &ignored, sizeof ignored) > 0) continue;
    char events[16 << 10];
    while (notify_ >= 0 && ::read(notify_, events, sizeof events) > 0) continue;
    {
      const std::lock_guard lock(mutex_);
      streams.splice(streams.end(), arrived_);
    }
    wait = -1;
    for (auto at = streams.begin(); at != streams.end();) {
      Stream& stream = **at;
      if (stream.watch < 0 && notify_ >= 0) stream.watch = ::inotify_add_watch(notify_, stream.folder().c_str(), kChanges);
      const Stream::State state = stream.Send(files_);
      if (state == Stream::State::kDone) {
        const int watch = stream.watch;
        at = streams.erase(at);
        // Another stream may follow the same container: the kernel has one watch per folder.
        const auto same = [&](const std::shared_ptr<Stream>& other) { return other->watch == watch; };
        if (watch >= 0 && std::none_of(streams.begin(), streams.end(), same)) ::inotify_rm_watch(notify_, watch);
        continue;
      }
      if (state == Stream::State::kMore) wait = 0;
      if (state == Stream::State::kSlow && wait != 0) wait = kSlowReader;
      // Poll if inotify is unavailable (the machine's limit), and to notice clients that have disconnected.
      if (const int pause = stream.watch >= 0 ? 5'000 : 200; state == Stream::State::kIdle && (wait < 0 || wait > pause)) wait = pause;
      ++at;
    }
  }
  for (const std::shared_ptr<Stream>& stream : streams) stream->End();
}

}  // namespace allot::local
