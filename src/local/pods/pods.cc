#include "local/pods/pods.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include "local/run/run_protocol.h"

namespace allot::local {
namespace {

kube::Informer::Options Following(const std::string& node) {
  kube::Informer::Options options;
  options.field_selector = StrCat("spec.nodeName=", node);
  options.label_selector = StrCat("!", kRunLabel);  // commands of `allot run` are in runs.h
  return options;
}

kube::QueueOptions Retries() {
  kube::QueueOptions options;
  options.first_pause = std::chrono::milliseconds(100);
  options.longest_pause = std::chrono::seconds(30);
  options.retries_per_second = 0;
  return options;
}

kube::EventOptions EventsOf(const std::string& node) {
  kube::EventOptions options;
  options.component = "allot";
  options.host = node;
  options.max_queue = 10'000;
  return options;
}

// ROOT/NODE/NAMESPACE/NAME/UID/CONTAINER/ATTEMPT
std::string UidOfRun(const std::string& folder) {
  const std::vector<std::string_view> parts = Split(folder, '/');
  return parts.size() < 3 ? "" : std::string(parts[parts.size() - 3]);
}

PodRecord RecordOf(const kube::Object& pod) {
  return {std::string(pod.namespace_name()), std::string(pod.name()), std::string(pod.uid()), {}};
}

}  // namespace

Pods::Pods(PodsOptions options, kube::Client& client, Devices& devices, FileSystem& files, const Clock& clock, Random& random, Log& log)
    : options_(std::move(options)),
      files_(files),
      log_(log),
      queue_(Retries()),
      claims_(devices),
      containers_(options_.containers, files, clock, random, [this](const std::string& folder) { queue_.Add(UidOfRun(folder)); }),
      events_(client, EventsOf(options_.node), clock),
      world_{.node = options_.node,
             .node_folder = StrCat(options_.root, "/", options_.node),
             .limits = options_.limits,
             .files = files,
             .clock = clock,
             .client = client,
             .events = events_,
             .containers = containers_,
             .claims = claims_,
             .podman = options_.podman,
             .stop = stop_,
             .prepare_slots = std::counting_semaphore<>(std::max(options_.workers / 2, 1))},
      informer_(client, kube::types::kPods, Following(options_.node), random, this) {}

Status Pods::Start(const Patience& patience) {
  TRY(files_.MakeDirs(world_.node_folder));
  for (const std::string& folder : {options_.root, world_.node_folder}) {
    if (::chmod(folder.c_str(), 0700) != 0) return Unavailable("restrict access to ", folder, ": ", std::generic_category().message(errno));
  }
  // Restore all uses of claims before the first Release, which unprepares a claim without other users.
  for (const PodFolder& folder : FindPodFolders(files_, world_.node_folder)) {
    const Result<PodRecord> record = folder.Read();
    if (!record.ok()) continue;
    for (const node::ClaimRef& claim : record->claims) claims_.Remember(claim.uid, record->uid);
  }
  informer_.Start();
  TRY(informer_.AwaitSync(patience));
  TakeOverGone(*informer_.snapshot());
  for (int i = 0; i < options_.workers; ++i) threads_.emplace_back([this] { Work(); });
  return Status();
}

size_t Pods::Stop() {
  stop_.Request();
  informer_.Stop();
  queue_.ShutDown();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  return static_cast<size_t>(
      std::count_if(entries_.begin(), entries_.end(), [](const auto& entry) { return entry.second.worker->AnyRuns(); }));
}

size_t Pods::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

// Creates workers for Pods that were deleted while `allot up` did not run.
void Pods::TakeOverGone(const kube::Snapshot& snapshot) {
  std::set<std::string> present;
  snapshot.Each([&](const kube::ObjectPtr& pod) { present.emplace(pod->uid()); });
  for (const PodFolder& folder : FindPodFolders(files_, world_.node_folder)) {
    const std::vector<std::string_view> parts = Split(folder.path(), '/');
    const size_t last = parts.size() - 1;
    PodRecord record{std::string(parts[last - 2]), std::string(parts[last - 1]), std::string(parts[last]), {}};
    if (present.contains(record.uid)) continue;
    log_.Info("cleaning up a deleted Pod", {{"pod", record.ToString()}, {"uid", record.uid}});
    const std::string uid = record.uid;
    const std::lock_guard lock(mutex_);
    if (entries_.contains(uid)) continue;  // the informer delivered it meanwhile
    entries_[uid].worker = std::make_unique<PodWorker>(world_, std::move(record));
    queue_.Add(uid);
  }
}

void Pods::Put(const kube::ObjectPtr& pod) {
  const std::string uid(pod->uid());
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[uid];
    entry.latest = pod;
    if (entry.worker == nullptr) entry.worker = std::make_unique<PodWorker>(world_, RecordOf(*pod));
  }
  queue_.Add(uid);
}

void Pods::OnDeleted(const kube::ObjectPtr& last) {
  const std::string uid(last->uid());
  {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(uid);
    if (entry == entries_.end()) return;
    entry->second.latest = nullptr;
  }
  queue_.Add(uid);
}

void Pods::Work() {
  while (const std::optional<std::string> uid = queue_.Take()) {
    WorkOn(*uid);
    queue_.Done(*uid);
  }
}

void Pods::WorkOn(const std::string& uid) {
  PodWorker* worker = nullptr;
  kube::ObjectPtr pod;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(uid);
    if (entry == entries_.end()) return;
    worker = entry->second.worker.get();
    pod = entry->second.latest;
  }
  // No other thread uses the worker: the queue gives a key to one thread at a time.
  const Result<PodWorker::Next> next = worker->Sync(pod);
  if (!next.ok()) {
    if (!stop_.requested()) log_.Warning("cannot sync a Pod, will retry", {{"uid", uid}, {"error", next.status().message()}});
    queue_.Retry(uid);
    return;
  }
  queue_.Forget(uid);
  if (next->done) {
    const std::lock_guard lock(mutex_);
    entries_.erase(uid);
  } else if (next->after) {
    queue_.AddAfter(uid, *next->after);
  }
}

}  // namespace allot::local
