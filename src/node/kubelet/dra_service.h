#pragma once
// Kubelet's DRAPlugin service, v1 and v1beta1: claims in, devices out.

#include "base/log.h"
#include "node/metrics.h"
#include "node/prepare/prepare.h"
#include "node/rpc/messages.h"
#include "node/rpc/service.h"

namespace allot::node {

class DraService {
 public:
  // All references must outlive it, and it must outlive the server.
  DraService(Preparer& preparer, CallMetrics& metrics, Log& log) : preparer_(preparer), metrics_(metrics), log_(log) {}

  void AddTo(rpc::Services& services);

 private:
  // Answers for each claim. An error belongs to its claim alone, so that the Pod's other claims are not prepared in vain.
  Result<std::string> Prepare(rpc::DraVersion version, const rpc::Call& call, std::string_view request);
  Result<std::string> Unprepare(const rpc::Call& call, std::string_view request);

  Preparer& preparer_;
  CallMetrics& metrics_;
  Log& log_;
};

}  // namespace allot::node
