#include "node/publish/offering.h"

namespace allot::node {

namespace {

using std::chrono::seconds;

constexpr seconds kNodeTime{5};    // to read our Node
constexpr seconds kSlicesTime{2};  // to list our slices

}  // namespace

Offering::Offering(Driver& driver, std::string node_name, kube::Client& client, const Clock& clock, Random& random, Log& log)
    : driver_(driver),
      node_name_(std::move(node_name)),
      client_(client),
      log_(log),
      publisher_(client, {.driver = std::string(driver.name()), .node_name = node_name_, .offer_whole = std::string(driver.offer_whole())},
                 random, clock, [this](const Publication& publication) { OnPublished(publication); }) {}

bool Offering::MayPublish(const Cancel& stop) {
  if (publishing_) return true;
  if (driver_.changes() == 0) return false;
  const MonotonicTime soon = std::chrono::steady_clock::now() + kNodeTime;
  const Result<kube::ObjectPtr> node = client_.Get(kube::types::kNodes, "", node_name_, {soon, &stop});
  const Status alone = node.ok() ? driver_.CheckNode((*node)->json()) : node.status();
  if (rival_told_.IsNew(alone) && !alone.ok()) {
    log_.Error("nothing is offered", {{"error", std::string(alone.message())}, {"driver", std::string(driver_.name())}});
  }
  {
    const std::lock_guard lock(mutex_);
    rival_ = alone;
  }
  if (!alone.ok()) return false;
  publisher_.Start();
  return publishing_ = true;
}

bool Offering::Recall() {
  if (recalled_) return true;
  const Result<std::vector<kube::ObjectPtr>> slices = publisher_.Slices({std::chrono::steady_clock::now() + kSlicesTime});
  if (!slices.ok()) return false;
  std::vector<json::Value> devices;
  for (const kube::ObjectPtr& slice : *slices) devices.push_back(slice->json()["spec"]["devices"]);
  driver_.Recall(devices);
  return recalled_ = true;
}

void Offering::Publish(const Holdings& holdings, const Cancel& stop) {
  if (!MayPublish(stop) || !Recall()) return;
  std::optional<json::Document> slices = driver_.Offer(holdings);
  if (!slices) return;
  size_t devices = 0;
  for (const json::Value& slice : slices->root().Items()) devices += slice.Items().size();
  offered_ = devices;
  publisher_.Publish(*std::move(slices));
}

void Offering::OnPublished(const Publication& publication) {
  const std::string driver(driver_.name());
  if (publication.status.ok()) {
    log_.Info(
        "published",
        {{"devices", std::to_string(publication.devices)}, {"generation", std::to_string(publication.generation)}, {"driver", driver}});
  } else {
    log_.Error(StrCat("published ", publication.devices, " of ", offered_.load(), " devices"),
               {{"error", publication.status.message()}, {"driver", driver}});
  }
}

Status Offering::state() {
  {
    const std::lock_guard lock(mutex_);
    TRY(Status(rival_));
  }
  TRY(driver_.state());
  const Publication publication = publisher_.status();
  TRY(Status(publication.status));
  return publication.generation > 0 ? Status() : Unavailable("no devices are published yet");
}

}  // namespace allot::node
