#include "node/kubelet/registration.h"

#include <utility>

namespace allot::node {

rpc::PluginInfo Registration::DraPlugin(std::string driver, std::string endpoint) {
  // Kubelet takes the first version of DRAPlugin that it knows, so the newest comes first.
  return {.type = "DRAPlugin",
          .name = std::move(driver),
          .endpoint = std::move(endpoint),
          .versions = {"v1.DRAPlugin", "v1beta1.DRAPlugin", "v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth"}};
}

void Registration::AddTo(rpc::Services& services) {
  services.AddQuick("/pluginregistration.Registration/GetInfo",
                    [this](const rpc::Call&, std::string_view) -> Result<std::string> { return rpc::EncodePluginInfo(info_); });
  services.AddQuick("/pluginregistration.Registration/NotifyRegistrationStatus",
                    [this](const rpc::Call&, std::string_view request) { return OnNotice(request); });
}

Result<std::string> Registration::OnNotice(std::string_view request) {
  ASSIGN_OR_RETURN(const auto status, rpc::DecodeRegistrationStatus(request));
  {
    const std::lock_guard lock(mutex_);
    last_ = status;
  }
  if (on_notice_ != nullptr) on_notice_(status);
  return std::string();  // an empty message; an error would undo the registration
}

Status Registration::state() const {
  const std::lock_guard lock(mutex_);
  if (!last_) return Unavailable("kubelet has not registered ", info_.name, " yet");
  if (!last_->registered) return Unavailable("kubelet did not register ", info_.name, ": ", last_->error);
  return Status();
}

}  // namespace allot::node
