#pragma once
// How the GPUs of a node may be used: what admins say in the node config (docs/node-config.md), and what becomes of it while claims hold
// a GPU.
//
// One file serves a whole cluster. It is read strictly: a field or value that is not known is an error, so that a typing error does not
// share a GPU that was meant to be exclusive.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/status.h"
#include "device/gpu.h"

namespace allot::node {

enum class Mode {
  kShared,     // by memory
  kExclusive,  // one claim has all of it
};

struct Policy {
  Mode mode = Mode::kShared;
  int max_sharers = 0;    // of kShared; 0: as many as their memory fits
  bool cordoned = false;  // no new claims

  friend bool operator==(const Policy&, const Policy&) = default;
};

// By the GPU's UUID.
using Policies = std::map<std::string, Policy, std::less<>>;

// All that is set must match; product_name is a pattern with * ? and [...].
struct GpuRule {
  std::optional<std::string> uuid, product_name;
  std::optional<int64_t> minor;
  Policy policy;

  bool Matches(const device::Gpu& gpu) const;
  friend bool operator==(const GpuRule&, const GpuRule&) = default;
};

// The first rule that matches decides, then `fallback`; where that is not set, somebody else does.
struct PolicyRules {
  std::vector<GpuRule> gpus;
  std::optional<Policy> fallback;

  std::optional<Policy> Find(const device::Gpu& gpu) const;
  friend bool operator==(const PolicyRules&, const PolicyRules&) = default;
};

struct NodeConfig {
  struct Override {
    std::string name;  // of nodes: a pattern
    PolicyRules rules;
    friend bool operator==(const Override&, const Override&) = default;
  };

  PolicyRules everywhere;
  std::vector<Override> nodes;  // the first that matches; it decides before `everywhere`

  // kInvalid with the path of the field: "gpus[1].mode: ...".
  static Result<NodeConfig> Parse(std::string_view yaml);

  friend bool operator==(const NodeConfig&, const NodeConfig&) = default;
};

// What the admin wants of this GPU; shared where the config does not speak of it.
Policy PolicyFor(const NodeConfig& config, std::string_view node_name, const device::Gpu& gpu);

// What may be offered now. A change of mode waits until no claim holds the GPU, since its holders were promised the old one; a cordon does
// not wait, since it only keeps new claims away, and leaves the mode as it was. `offered` is what was offered last; null: nothing yet.
Policy Settle(const Policy& wanted, const Policy* offered, bool held);

// The config of a file, read again when the file changes. Not thread-safe.
class PolicyFile {
 public:
  // `files` must outlive it. An empty path: there is no file.
  PolicyFile(const FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}

  // Looks whether the file changed, and reads it. An error says why the file as it is now cannot be used, again at each call; the last
  // good config stays. No file is no error: all GPUs are shared.
  Status Refresh();

  const NodeConfig& current() const { return current_; }

 private:
  const FileSystem& files_;
  const std::string path_;
  std::optional<FileStamp> read_;  // the state that current_ and status_ are of; nothing: there was no file
  Status status_;
  NodeConfig current_;
};

}  // namespace allot::node
