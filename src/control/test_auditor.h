#pragma once
// Looks on while a scheduler works, and notes every moment at which a device gives out more than it has. Included by *_test.cc only.

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/test_util.h"
#include "json/editor.h"
#include "kube/informer.h"
#include "model/memory.h"

namespace allot::control {

// Watches all claims, and keeps the account of what each device gives out.
class Auditor {
 public:
  Auditor(kube::Client& client, int64_t mib)
      : mib_(mib), books_(*this), informer_(client, kube::types::kResourceClaims, {}, random_, &books_) {
    informer_.Start();
    EXPECT_OK(informer_.AwaitSync({std::chrono::steady_clock::now() + std::chrono::seconds(30), nullptr}));
  }
  ~Auditor() { informer_.Stop(); }

  std::string findings() const {
    const std::lock_guard lock(mutex_);
    return findings_;
  }
  uint64_t events() const { return informer_.counts().events; }
  // Whether it has heard of a claim of this name, and so of all that was written before it.
  bool Knows(std::string_view claim) const {
    const std::lock_guard lock(mutex_);
    return names_.contains(claim);
  }

 private:
  struct Books final : kube::Informer::Handler {
    explicit Books(Auditor& auditor) : owner(auditor) {}
    void OnAdded(const kube::ObjectPtr& object) override { owner.Enter(*object, false); }
    void OnUpdated(const kube::ObjectPtr&, const kube::ObjectPtr& after) override { owner.Enter(*after, false); }
    void OnDeleted(const kube::ObjectPtr& last) override { owner.Enter(*last, true); }
    Auditor& owner;
  };

  void Enter(const kube::Object& claim, bool gone) {
    const std::lock_guard lock(mutex_);
    names_.emplace(claim.name());
    auto& entry = held_[std::string(claim.uid())];
    for (const auto& [device, amount] : entry) used_[device] -= amount;
    entry.clear();
    if (!gone) {
      for (const json::Value& one : json::ItemsOf(claim.json()["status"]["allocation"]["devices"]["results"])) {
        const auto amount = model::Quantity::Parse(json::TextOf(one["consumedCapacity"]["memory"]));
        EXPECT_OK(amount);
        const auto mib = model::MiB::Taken(*amount).count();
        const std::string device = StrCat(json::TextOf(one["pool"]), "/", json::TextOf(one["device"]));
        entry.emplace_back(device, mib);
        if ((used_[device] += mib) > mib_) findings_ += StrCat(device, " gives out ", used_[device], " MiB\n");
      }
    }
  }

  const int64_t mib_;
  SystemRandom random_;
  Books books_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::pair<std::string, int64_t>>> held_;  // by claim
  std::map<std::string, int64_t> used_;                                       // MiB, by device
  std::set<std::string, std::less<>> names_;
  std::string findings_;
  kube::Informer informer_;
};

}  // namespace allot::control
