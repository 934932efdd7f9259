#include "node/publish/publisher.h"

#include <algorithm>

#include "json/json.h"
#include "model/trouble.h"

namespace allot::node {
namespace {

using kube::types::kNodes;
using kube::types::kResourceSlices;
using std::chrono::steady_clock;

// A device with every field that a feature gate may take away.
std::string QuestionOf(std::string_view driver) {
  return StrCat(R"([[{"name":"question","allowMultipleAllocations":true,
    "capacity":{"memory":{"value":"2Mi","requestPolicy":{"default":"2Mi","validRange":{"min":"1Mi","max":"2Mi","step":"1Mi"}}}},
    "taints":[{"key":")",
                driver, R"(/question","effect":"NoSchedule"},{"key":")", driver, R"(/note","effect":"None"}]}]])");
}

constexpr int kDistrust = 9;  // times ask_again: the pause after a server kept less than it said

kube::Informer::Options InformerOptions(const PublisherOptions& options) {
  kube::Informer::Options informer;
  informer.field_selector = StrCat("spec.driver=", options.driver, ",spec.nodeName=", options.node_name);
  informer.longest_pause = options.longest_pause;
  return informer;
}

size_t CountDevices(const json::Value& slices) {
  size_t count = 0;
  for (const json::Value& slice : slices.Items()) count += slice.Items().size();
  return count;
}

std::string Devices(size_t count) { return StrCat(count, count == 1 ? " device is" : " devices are"); }

}  // namespace

Publisher::Publisher(kube::Client& client, PublisherOptions options, Random& random, const Clock& clock, OnChange on_change)
    : client_(client),
      options_(std::move(options)),
      on_change_(std::move(on_change)),
      informer_(client, kResourceSlices, InformerOptions(options_), random, this),
      slices_([this] { return informer_.snapshot(); }, clock),
      repairs_(options_.repairs_per_second, options_.repair_burst),
      pause_(options_.first_pause) {}

void Publisher::Start() {
  informer_.Start();
  thread_ = std::thread([this] { Run(); });
}

void Publisher::Publish(json::Document slices) {
  const std::lock_guard lock(mutex_);
  if (wanted_ != nullptr && json::Equal(wanted_->root(), slices.root())) return;
  wanted_ = std::make_shared<const json::Document>(std::move(slices));
  renewed_ = true;
  due_ = steady_clock::now();
  changed_.notify_all();
}

Publication Publisher::status() const {
  const std::lock_guard lock(mutex_);
  return publication_;
}

Result<std::vector<kube::ObjectPtr>> Publisher::Slices(const Patience& patience) const {
  TRY(informer_.AwaitSync(patience));
  std::vector<kube::ObjectPtr> slices;
  informer_.snapshot()->Each([&](const kube::ObjectPtr& slice) { slices.push_back(slice); });
  return slices;
}

void Publisher::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_.Request();
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  informer_.Stop();
}

void Publisher::Heard() {
  const std::lock_guard lock(mutex_);
  const MonotonicTime soon = steady_clock::now() + options_.settle;
  due_ = due_ ? std::min(*due_, soon) : soon;
  changed_.notify_all();
}

void Publisher::OnDeleted(const kube::ObjectPtr& last) {
  {
    const std::lock_guard lock(mutex_);
    gone_.emplace(last->name());
    // Garbage collection removes the slices of a Node that is gone, and there may be another Node of its name.
    node_in_doubt_ = true;
  }
  // The slice may have come and gone between two looks. Names are not used again.
  slices_.Forget("", last->name());
  Heard();
}

void Publisher::Run() {
  while (const std::optional<Work> work = Await()) {
    if (!work->repair) adopted_.clear();
    Status status = Sync(*work);
    if (stop_.requested()) return;
    Finish(std::move(status));
  }
}

std::optional<Publisher::Work> Publisher::Await() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stop_.requested()) return std::nullopt;
    const MonotonicTime now = steady_clock::now();
    if (wanted_ != nullptr && due_ && now >= *due_) {
      due_.reset();
      gone_.clear();
      return Work{wanted_, !std::exchange(renewed_, false)};
    }
    if (wanted_ != nullptr && !due_ && informer_.counts().failures != failures_seen_ && informer_.status().ok()) {
      due_ = now;
      continue;
    }
    const MonotonicTime look = now + options_.look_around;
    changed_.wait_until(lock, wanted_ != nullptr && due_ ? std::min(*due_, look) : look);
  }
}

void Publisher::Finish(Status failed) {
  const MonotonicTime now = steady_clock::now();
  std::optional<MonotonicTime> next;
  if (!failed.ok()) {
    next = now + pause_;
    pause_ = std::min(pause_ * 2, options_.longest_pause);
    Tell([&](Publication& publication) { publication.status = std::move(failed); });
  } else {
    pause_ = options_.first_pause;
    if (features_ && !features_->all()) next = asked_at_ + options_.ask_again;
  }
  if (!next) return;
  const std::lock_guard lock(mutex_);
  due_ = due_ ? std::min(*due_, *next) : *next;
}

void Publisher::Tell(const std::function<void(Publication&)>& change) {
  Publication now;
  {
    const std::lock_guard lock(mutex_);
    now = publication_;
    change(now);
    if (now == publication_) return;
    publication_ = now;
  }
  if (on_change_) on_change_(now);
}

Status Publisher::Sync(const Work& work) {
  TRY(informer_.AwaitSync({steady_clock::now() + std::chrono::seconds(5), &stop_}));
  TRY(LearnNode());
  TRY(AskFeatures());
  const json::Value& wanted = work.slices->root();
  const Reduced reduced = features_->all() ? Reduced() : Reduce(wanted, *features_);
  const DesiredPool pool{options_.driver, options_.node_name, node_uid_, features_->all() ? wanted : reduced.slices.root()};
  const SyncPlan plan =
      PlanSync(Existing(), pool, [&](const kube::Object& slice) { return adopted_.contains(std::string(slice.resource_version())); });
  if (!plan.operations.empty() && !MayWrite(work)) {
    return Conflict("the ResourceSlices of node ", options_.node_name,
                    " are changed or deleted by another client again and again; does another driver ", options_.driver, " run on it?");
  }
  const ServerFeatures believed = *features_;
  for (const SliceOperation& operation : plan.operations) {
    TRY(Execute(operation, pool));
    // The server kept less than it said, or another server answered. What is visible now is wrong and must be replaced.
    if (features_->sharing != believed.sharing || features_->taints != believed.taints) return Sync({work.slices, false});
  }
  paid_ = false;
  Status shortfall = Shortfall(reduced);
  if (shortfall.ok() && !adopted_.empty()) {
    shortfall = Conflict("the API server stores other devices than node ", options_.node_name, " published; does a webhook change them?");
  }
  Tell([&](Publication& publication) {
    publication = {std::move(shortfall), plan.generation, pool.slices.Items().size(), CountDevices(pool.slices)};
  });
  return {};
}

bool Publisher::MayWrite(const Work& work) {
  paid_ = paid_ || !work.repair || repairs_.Take(steady_clock::now(), std::chrono::nanoseconds(0));
  return paid_;
}

Status Publisher::AskFeatures() {
  const uint64_t failures = informer_.counts().failures;
  const bool fresh = features_ && failures == failures_seen_;
  if (fresh && (features_->all() || steady_clock::now() < asked_at_ + options_.ask_again)) return {};
  ASSIGN_OR_RETURN(const json::Document question, json::Parse(QuestionOf(options_.driver)));
  Result<Dropped> dropped = Ask(question.root());
  // Kubernetes 1.34 refuses taints without effect.
  const bool notes = dropped.ok() || dropped.status().code() != Code::kInvalid;
  if (!notes) dropped = Ask(Reduce(question.root(), {.notes = false}).slices.root());
  TRY(dropped.status());
  features_ = ServerFeatures{.sharing = !dropped->sharing, .taints = !dropped->taints, .notes = notes};
  asked_at_ = steady_clock::now();
  failures_seen_ = failures;
  return {};
}

Result<Dropped> Publisher::Ask(const json::Value& slices) {
  const DesiredPool pool{options_.driver, options_.node_name, node_uid_, slices};
  ASSIGN_OR_RETURN(const kube::ObjectPtr answer,
                   client_
                       .Create(kResourceSlices, "", NewSlice(pool, 0, 1), {.dry_run = true, .field_manager = "", .field_validation = ""},
                               {std::nullopt, &stop_})
                       .Context("ask the API server with a dry run which fields of a device it keeps"));
  return DroppedFields(slices.Items()[0], answer->json()["spec"]["devices"]);
}

Status Publisher::LearnNode() {
  {
    const std::lock_guard lock(mutex_);
    if (!node_in_doubt_) return {};
    node_in_doubt_ = false;
  }
  const Result<kube::ObjectPtr> node = client_.Get(kNodes, "", options_.node_name, {std::nullopt, &stop_});
  if (!node.ok()) {
    const std::lock_guard lock(mutex_);
    node_in_doubt_ = true;
    return node.status();
  }
  node_uid_ = (*node)->uid();
  return {};
}

Status Publisher::Execute(const SliceOperation& operation, const DesiredPool& pool) {
  const Patience patience{std::nullopt, &stop_};
  if (operation.kind == SliceOperation::Kind::kDelete) {
    const kube::Object& slice = *operation.before;
    kube::DeleteOptions options;
    options.uid = slice.uid();
    options.resource_version = slice.resource_version();
    Status deleted = client_.Delete(kResourceSlices, "", slice.name(), options, patience).status();
    if (!deleted.ok() && deleted.code() != Code::kNotFound) return deleted;
    slices_.AssumeDeleted(operation.before);
    return {};
  }
  if (operation.before != nullptr) adopted_.erase(std::string(operation.before->resource_version()));
  const kube::WriteOptions options{.dry_run = false, .field_manager = "", .field_validation = "Strict"};
  const Result<kube::ObjectPtr> answer =
      operation.kind == SliceOperation::Kind::kCreate
          ? client_.Create(kResourceSlices, "", operation.body, options, patience)
          : client_.Update(kResourceSlices, "", operation.before->name(), operation.body, "", options, patience);
  if (!answer.ok()) return answer.status();
  slices_.Assume(*answer);
  {
    // The watch may have reported the deletion before the answer arrived.
    const std::lock_guard lock(mutex_);
    if (gone_.contains((*answer)->name())) slices_.Forget("", (*answer)->name());
  }
  return CheckAnswer(*answer, pool.slices.Items()[operation.index]);
}

Status Publisher::CheckAnswer(const kube::ObjectPtr& answer, const json::Value& sent) {
  const Dropped dropped = DroppedFields(sent, answer->json()["spec"]["devices"]);
  if (dropped.other) adopted_.emplace(answer->resource_version());
  if (dropped.sharing || dropped.taints) {
    features_->sharing &= !dropped.sharing;
    features_->taints &= !dropped.taints;
    // One of several servers has the feature gate off, so the next answer to a question is unreliable too. Each try publishes the devices
    // for a moment, so the server is asked less often.
    asked_at_ = steady_clock::now() + kDistrust * options_.ask_again;
  }
  return {};
}

Status Publisher::Shortfall(const Reduced& reduced) const {
  if (reduced.shared > 0) {
    return Unsupported("node ", options_.node_name, ": ", Devices(reduced.shared),
                       " not offered: the API server drops allowMultipleAllocations, which would make shared devices exclusive. Turn on "
                       "the feature gate DRAConsumableCapacity of kube-apiserver and kube-scheduler (it is on from Kubernetes 1.36 on)",
                       options_.offer_whole.empty() ? "" : ", or ", options_.offer_whole, " ", model::CodeOf(model::Trouble::kNoSharing));
  }
  if (reduced.tainted > 0) {
    return Unsupported("node ", options_.node_name, ": ", Devices(reduced.tainted),
                       " left out instead of tainted: the API server drops taints of devices. Turn on the feature gate DRADeviceTaints of "
                       "kube-apiserver and kube-scheduler (it is on from Kubernetes 1.36 on) ",
                       model::CodeOf(model::Trouble::kNoTaints));
  }
  return {};
}

std::vector<kube::ObjectPtr> Publisher::Existing() {
  std::vector<kube::ObjectPtr> existing;
  slices_.Take().Each([&](const kube::ObjectPtr& slice) { existing.push_back(slice); });
  return existing;
}

}  // namespace allot::node
