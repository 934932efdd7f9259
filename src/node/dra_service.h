#pragma once
// Kubelet's DRAPlugin service, v1 and v1beta1: claims in, devices out.

#include "base/log.h"
#include "node/metrics.h"
#include "node/prepare.h"
#include "node/rpc/messages.h"
#include "node/rpc/service.h"

namespace allot::node {

class DraService {
 public:
  // All must outlive it, and it the server.
  DraService(Preparer& preparer, CallMetrics& metrics, Log& log) : preparer_(preparer), metrics_(metrics), log_(log) {}

  void AddTo(rpc::Services& services);

 private:
  // One answer for each claim: what fails is the claim's own error, so that the others of the Pod are not prepared in vain.
  Result<std::string> Prepare(rpc::DraVersion version, const rpc::Call& call, std::string_view request);
  Result<std::string> Unprepare(const rpc::Call& call, std::string_view request);

  Preparer& preparer_;
  CallMetrics& metrics_;
  Log& log_;
};

}  // namespace allot::node
