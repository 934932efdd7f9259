#include "node/kubelet/dra_service.h"

namespace allot::node {

namespace {

std::string Milliseconds(std::chrono::nanoseconds time) {
  const int64_t micros = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  return StrCat(micros / 1000, ".", micros / 100 % 10, " ms");
}

// Measures the work for one claim and logs its outcome.
template <typename Work>
Status Measured(CallMetrics& metrics, CallMetrics::Operation operation, Log& log, const ClaimRef& claim, std::string_view done, Work work) {
  const auto begin = std::chrono::steady_clock::now();
  metrics.Begin(operation);
  Status status = work();
  const auto took = std::chrono::steady_clock::now() - begin;
  metrics.End(operation, took, status);
  const std::string name = StrCat(claim.name_space, "/", claim.name);
  const std::string& driver = metrics.driver();
  if (status.ok()) {
    log.Info(done, {{"claim", name}, {"uid", claim.uid}, {"took", Milliseconds(took)}, {"driver", driver}});
  } else {
    log.Error(StrCat("not ", done),
              {{"claim", name}, {"uid", claim.uid}, {"took", Milliseconds(took)}, {"error", status.message()}, {"driver", driver}});
  }
  return status;
}

}  // namespace

void DraService::AddTo(rpc::Services& services) {
  for (const rpc::DraVersion version : {rpc::DraVersion::kV1, rpc::DraVersion::kV1beta1}) {
    services.Add(rpc::DraPath(version, "NodePrepareResources"),
                 [this, version](const rpc::Call& call, std::string_view request) { return Prepare(version, call, request); });
    services.Add(rpc::DraPath(version, "NodeUnprepareResources"),
                 [this](const rpc::Call& call, std::string_view request) { return Unprepare(call, request); });
  }
}

Result<std::string> DraService::Prepare(rpc::DraVersion version, const rpc::Call& call, std::string_view request) {
  ASSIGN_OR_RETURN(const std::vector<ClaimRef> claims, rpc::DecodeClaims(request));
  std::vector<rpc::ClaimAnswer> answers;
  for (const ClaimRef& claim : claims) {
    rpc::ClaimAnswer& answer = answers.emplace_back();
    answer.uid = claim.uid;
    const Status status = Measured(metrics_, CallMetrics::kPrepare, log_, claim, "prepared", [&] {
      ASSIGN_OR_RETURN(answer.devices, preparer_.Prepare(claim, call.patience));
      return Status();
    });
    if (!status.ok()) answer.error = status.message();
  }
  return rpc::EncodePrepared(version, answers);
}

Result<std::string> DraService::Unprepare(const rpc::Call& call, std::string_view request) {
  ASSIGN_OR_RETURN(const std::vector<ClaimRef> claims, rpc::DecodeClaims(request));
  std::vector<rpc::ClaimAnswer> answers;
  for (const ClaimRef& claim : claims) {
    rpc::ClaimAnswer& answer = answers.emplace_back();
    answer.uid = claim.uid;
    const Status status =
        Measured(metrics_, CallMetrics::kUnprepare, log_, claim, "unprepared", [&] { return preparer_.Unprepare(claim, call.patience); });
    if (!status.ok()) answer.error = status.message();
  }
  return rpc::EncodeUnprepared(answers);
}

}  // namespace allot::node
