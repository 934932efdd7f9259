#pragma once
// How the GPUs of a node may be used: what admins write in the node config (docs/node-config.md), and when a change of it takes effect.
//
// One file serves a whole cluster. It is read strictly: an unknown field or value is an error, so that a typing error does not share a GPU
// that should be exclusive.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/status.h"
#include "device/nvidia/gpu.h"

namespace allot::node::nvidia {

// Says how whole GPUs are offered where shared ones cannot be.
inline constexpr std::string_view kOfferWhole = "set mode: exclusive in the node config to offer whole GPUs";

enum class Mode {
  kShared,     // claims divide the memory
  kExclusive,  // one claim has the whole GPU
};

struct Policy {
  Mode mode = Mode::kShared;
  int max_sharers = 0;    // for kShared; 0: limited by the memory alone
  bool cordoned = false;  // no new claims

  friend bool operator==(const Policy&, const Policy&) = default;
};

// By the GPU's UUID.
using Policies = std::map<std::string, Policy, std::less<>>;

// Every field that is set must match; product_name is a pattern with * ? and [...].
struct GpuRule {
  std::optional<std::string> uuid, product_name;
  std::optional<int64_t> minor;
  Policy policy;

  bool Matches(const device::nvidia::Gpu& gpu) const;
  friend bool operator==(const GpuRule&, const GpuRule&) = default;
};

// The first rule that matches decides, then `fallback`. If that is not set either, these rules do not decide.
struct PolicyRules {
  std::vector<GpuRule> gpus;
  std::optional<Policy> fallback;

  std::optional<Policy> Find(const device::nvidia::Gpu& gpu) const;
  friend bool operator==(const PolicyRules&, const PolicyRules&) = default;
};

struct NodeConfig {
  struct Override {
    std::string name;  // a pattern for names of nodes
    PolicyRules rules;
    friend bool operator==(const Override&, const Override&) = default;
  };

  PolicyRules everywhere;
  std::vector<Override> nodes;  // the first one that matches decides before `everywhere`

  // kInvalid names the path of the field: "gpus[1].mode: ...".
  static Result<NodeConfig> Parse(std::string_view yaml);

  friend bool operator==(const NodeConfig&, const NodeConfig&) = default;
};

// Returns what the admin wants for this GPU. A GPU that the config does not mention is shared.
Policy PolicyFor(const NodeConfig& config, std::string_view node_name, const device::nvidia::Gpu& gpu);

// Returns what may be offered now. A change of mode waits until no claim holds the GPU, because its holders were promised the old mode. A
// cordon takes effect at once, because it only keeps new claims away; it leaves the mode as it was. `offered` is what was offered last;
// null: nothing yet.
Policy Settle(const Policy& wanted, const Policy* offered, bool held);

// The config of a file, read again when the file changes. Not thread-safe.
class PolicyFile {
 public:
  // `files` must outlive it. If `path` is empty, there is no file.
  PolicyFile(const FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}

  // Reads the file if it changed. Returns an error, at each call, while the file cannot be used; the last good config stays. A missing file
  // is no error: all GPUs are shared.
  Status Refresh();

  const NodeConfig& current() const { return current_; }

 private:
  const FileSystem& files_;
  const std::string path_;
  std::optional<FileStamp> read_;  // of the file that current_ and status_ come from; nothing: there was no file
  Status status_;
  NodeConfig current_;
};

}  // namespace allot::node::nvidia
