#pragma once
// For tests: a Lease without a server.

#include <optional>
#include <string>

#include "kube/leader/leader.h"

namespace allot::kube {

inline LeaderOptions As(std::string identity) { return {.identity = std::move(identity)}; }

// The Lease as a server has it, without a network.
class MemoryLease {
 public:
  std::optional<LeaseRecord> Get() const { return record_; }
  std::optional<LeaseRecord> Put(LeaseRecord record) {
    const std::string version = record_ ? record_->resource_version : "";
    if (record.resource_version != version) return std::nullopt;
    // As the server does: what changes nothing is no new version.
    if (record_ && record.renew_time == record_->renew_time && record.holder == record_->holder) return record_;
    record.resource_version = StrCat(++version_);
    record_ = record;
    return record_;
  }
  void Delete() { record_.reset(); }

 private:
  int version_ = 0;
  std::optional<LeaseRecord> record_;
};

}  // namespace allot::kube
