#pragma once
// Writes allocations, and the Pods that use them (status.reservedFor), into claims.
//
// Promises:
//   1. the finalizer that protects an allocation is written before the allocation;
//   2. an allocation of another scheduler is never replaced. Only Deallocate takes one back, and only if the claim is for no other user
//      than the given one;
//   3. every write carries the version that it was decided on; after a conflict, the claim is read again;
//   4. `claims` gets every version of a claim that the server answers with, from writes and from reads;
//   5. an unacknowledged take-back is resolved (done or impossible) before the claim is allocated or reserved again, so that it never
//      removes a newer allocation.
// Errors: kConflict and kNotFound where the claim differs from what the caller expects (nothing was written); kUnavailable where the write
// may or may not have arrived.
// Thread-safe.

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "kube/client.h"
#include "kube/mutation.h"
#include "model/claim.h"

namespace allot::control {

inline constexpr std::string_view kClaimFinalizer = "resource.kubernetes.io/delete-protection";

struct ClaimName {
  std::string name_space, name, uid;
};

// A Pod that uses a claim.
struct ClaimUser {
  std::string name, uid;
};

enum class Written { kNothing, kUser, kAllocation };

class ClaimWriter {
 public:
  // `claims` holds the newest known versions. All arguments must outlive the writer.
  ClaimWriter(kube::Client& client, kube::MutationCache& claims, const Clock& clock) : client_(client), claims_(claims), clock_(clock) {}

  // Writes the allocation into a claim that has none, and reserves the claim for the user.
  Result<Written> Allocate(const ClaimName& claim, const model::Allocation& allocation, const ClaimUser& user, const Patience& patience);
  // Adds the user to a claim that has this allocation.
  Result<Written> Reserve(const ClaimName& claim, const model::Allocation& allocation, const ClaimUser& user, const Patience& patience);
  // Removes the user. `allocated`: Allocate wrote the allocation; it is removed too when no user is left.
  Status Release(const ClaimName& claim, const ClaimUser& user, bool allocated, const Patience& patience);
  // Removes this allocation for the user, and changes the claim's version: a write of the allocation that is still under way is refused
  // when it arrives.
  Status Undo(const ClaimName& claim, const model::Allocation& allocation, const ClaimUser& user, const Patience& patience);
  // Reads the claim into `claims`. A write of an allocation that is still under way can no longer succeed after this.
  Status Settle(const ClaimName& claim, const Patience& patience);
  // Removes the allocation if the claim has no user, or only this one.
  Status Deallocate(const ClaimName& claim, const ClaimUser& user, const Patience& patience);

 private:
  enum class Take { kUser, kUserAndAllocation, kAllocation };
  // An unacknowledged take-back. It can still succeed while the claim has this version.
  struct Late {
    std::string version, body;
  };

  // The newest known version of the claim; `fresh`: asks the server.
  Result<kube::ObjectPtr> Find(const ClaimName& claim, bool fresh, const Patience& patience);
  Result<kube::ObjectPtr> Put(const ClaimName& claim, const json::Value& object, std::string_view subresource, const Patience& patience);
  // Writes a take-back, and remembers it in late_ where no answer came.
  Status PutBack(const ClaimName& claim, const json::Value& object, const Patience& patience);
  // Resolves the claim's entry of late_: the take-back has arrived, or can no longer succeed.
  Status FinishLate(const ClaimName& claim, const Patience& patience);
  Status TakeBack(const ClaimName& claim, const ClaimUser& user, Take take, const Patience& patience);
  // The claim from the server; null: it is gone. Removes the finalizer of an unallocated claim, which changes the version, so that a late
  // write of an allocation is refused.
  Result<kube::ObjectPtr> Settled(const ClaimName& claim, const Patience& patience);

  kube::Client& client_;
  kube::MutationCache& claims_;
  const Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Late, std::less<>> late_;  // by the uid of the claim; guarded by mutex_
};

// Whether the server refused the write, or the claim had changed: nothing was written. Otherwise something may have been written.
bool IsRefused(const Status& status);

}  // namespace allot::control
