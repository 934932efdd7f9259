#pragma once
// What a scheduler writes into claims: allocations, and for whom they are.
//
// Promises:
//   1. the finalizer that protects an allocation is there before the allocation;
//   2. an allocation that somebody else made is never replaced; nor taken back, but for one that is for the user alone and keeps it from
//      where it could be (Deallocate);
//   3. every write goes by the version that it was decided on; where somebody else was faster, the claim is read again;
//   4. `claims` knows of every answer, also of those that only said how a claim is;
//   5. nothing is taken back late: before a claim is allocated or reserved again, a write that was to take it back, and of which nobody
//      knows whether it arrived, has arrived or can no longer.
// Errors: kConflict and kNotFound where the claim is no longer what the caller goes by (nothing was written); kUnavailable where it is not
// known whether it was written.
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
  // `claims` is what is known of them. All must outlive it.
  ClaimWriter(kube::Client& client, kube::MutationCache& claims, const Clock& clock) : client_(client), claims_(claims), clock_(clock) {}

  // Gives the claim, which has none, this allocation, for the user.
  Result<Written> Allocate(const ClaimName& claim, const model::Allocation& allocation, const ClaimUser& user,
                           const http::Patience& patience);
  // Adds the user to a claim that has this allocation.
  Result<Written> Reserve(const ClaimName& claim, const model::Allocation& allocation, const ClaimUser& user,
                          const http::Patience& patience);
  // Removes the user. `allocated`: it was Allocate that put them there; where nobody is left then, the allocation goes too.
  Status Release(const ClaimName& claim, const ClaimUser& user, bool allocated, const http::Patience& patience);
  // Makes sure that the claim has not this allocation for the user, nor will: a write of it that is still under way can then no longer
  // arrive, since the claim's version has moved on.
  Status Undo(const ClaimName& claim, const model::Allocation& allocation, const ClaimUser& user, const http::Patience& patience);
  // What the claim has stays, and `claims` knows of it: a write of an allocation that is still under way can no longer arrive.
  Status Settle(const ClaimName& claim, const http::Patience& patience);
  // Removes the allocation if it is for nobody, or for this user alone.
  Status Deallocate(const ClaimName& claim, const ClaimUser& user, const http::Patience& patience);

 private:
  enum class Take { kUser, kUserAndAllocation, kAllocation };
  // A write that was to take something back, and may still be on its way. It can arrive while the claim has the version that it goes by.
  struct Late {
    std::string version, body;
  };

  // The claim as it is known, `fresh`: as the server has it.
  Result<kube::ObjectPtr> Find(const ClaimName& claim, bool fresh, const http::Patience& patience);
  Result<kube::ObjectPtr> Put(const ClaimName& claim, const json::Value& object, std::string_view subresource,
                              const http::Patience& patience);
  // Put of what takes something back: where it is not known whether it arrived, that is remembered.
  Status PutBack(const ClaimName& claim, const json::Value& object, const http::Patience& patience);
  // Of what is remembered: it has arrived, or can no longer.
  Status FinishLate(const ClaimName& claim, const http::Patience& patience);
  Status TakeBack(const ClaimName& claim, const ClaimUser& user, Take take, const http::Patience& patience);
  // The claim as the server has it; null: it is gone. Where it is not allocated, it has no finalizer: a late write of an allocation goes by
  // a version that has it.
  Result<kube::ObjectPtr> Settled(const ClaimName& claim, const http::Patience& patience);

  kube::Client& client_;
  kube::MutationCache& claims_;
  const Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Late, std::less<>> late_;  // by the uid of the claim
};

// Whether the server refused, or the claim is no longer what it was: nothing was written. Else it may have been.
bool IsRefused(const Status& status);

}  // namespace allot::control
