#pragma once
// Kubelet's Registration service: tells kubelet who we are, and remembers what kubelet made of it.
//
// Thread-safe. Answers at once, whatever else the node does: kubelet waits for one second.

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
  // `on_notice` is called with each of kubelet's verdicts, on the server's thread: it must be short. Kubelet registers us again after its
  // own restart, and whenever the socket's file is made again.
  Registration(rpc::PluginInfo info, std::function<void(const rpc::RegistrationStatus&)> on_notice)
      : info_(std::move(info)), on_notice_(std::move(on_notice)) {}

  // A driver of DRA that is served at `endpoint`, the absolute path of a socket.
  static rpc::PluginInfo DraPlugin(std::string driver, std::string endpoint);

  // It must outlive the server that has the services.
  void AddTo(rpc::Services& services);

  // Ok: kubelet has us. kUnavailable: it has not called yet, or what it has against us.
  Status state() const;

 private:
  Result<std::string> OnNotice(std::string_view request);

  const rpc::PluginInfo info_;
  const std::function<void(const rpc::RegistrationStatus&)> on_notice_;
  mutable std::mutex mutex_;
  std::optional<rpc::RegistrationStatus> last_;
};

}  // namespace allot::node
