#pragma once
// Kubelet's Registration service: introduces the driver to kubelet and remembers whether kubelet accepted it.
//
// Thread-safe. Answers at once, however busy the node is: kubelet waits for one second.

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "base/status.h"
#include "node/rpc/messages.h"
#include "node/rpc/service.h"

namespace allot::node {

class Registration {
 public:
  // The server's thread calls `on_notice` with each verdict of kubelet's; it must return soon. Kubelet registers the driver again after its
  // own restart, and whenever the socket's file is made again.
  Registration(rpc::PluginInfo info, std::function<void(const rpc::RegistrationStatus&)> on_notice)
      : info_(std::move(info)), on_notice_(std::move(on_notice)) {}

  // Describes a DRA driver that is served at `endpoint`, the absolute path of a socket.
  static rpc::PluginInfo DraPlugin(std::string driver, std::string endpoint);

  // It must outlive the server that has the services.
  void AddTo(rpc::Services& services);

  // Ok if kubelet has registered the driver. kUnavailable: it has not called yet, or its reason for refusing.
  Status state() const;

 private:
  Result<std::string> OnNotice(std::string_view request);

  const rpc::PluginInfo info_;
  const std::function<void(const rpc::RegistrationStatus&)> on_notice_;
  mutable std::mutex mutex_;
  std::optional<rpc::RegistrationStatus> last_;
};

}  // namespace allot::node
