// Publishes made-up GPUs of a node: publish_probe NODE (the server is KUBECONFIG's).
//
// Reads commands from stdin, and answers each with one line of JSON:
//   publish N [CONFIG]   N GPUs of 24 GiB, with the rest of the line as node config (its default, gpus and nodes, as one YAML object)
//   mig N                from the next publish on, the first GPU has N MIG devices of 4 GiB
//   taint UUID           from the next publish on, that GPU has a taint; `taint` alone: no GPU has one
//   hold UUID            from the next publish on, a claim holds that GPU; `hold` alone: no GPU is held
//   status               what is published
// Its first line has the policies that were offered when it started.

#include <cstdio>
#include <iostream>
#include <sstream>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/random.h"
#include "json/json.h"
#include "kube/client.h"
#include "kube/config/config.h"
#include "node/nvidia/devices.h"
#include "node/nvidia/offer.h"
#include "node/publish/publisher.h"

namespace allot {
namespace {

uint64_t ResidentKib() {
  const auto text = PosixFileSystem().ReadFile("/proc/self/status", 1 << 16);
  const size_t at = text.ok() ? text->find("VmRSS:") : std::string::npos;
  return at == std::string::npos ? 0 : std::stoull(text->substr(at + 6));
}

void Say(const node::Publication& publication) {
  json::Arena arena;
  json::Builder b(arena);
  b.StartObject();
  b.Key("ok"), b.Bool(publication.status.ok());
  b.Key("message"), b.String(publication.status.message());
  b.Key("generation"), b.Int(publication.generation);
  b.Key("slices"), b.Int(static_cast<int64_t>(publication.slices));
  b.Key("devices"), b.Int(static_cast<int64_t>(publication.devices));
  b.Key("residentKiB"), b.Int(static_cast<int64_t>(ResidentKib()));
  b.EndObject();
  std::printf("%s\n", json::Write(b.Finish()).c_str());
  std::fflush(stdout);
}

void Say(const node::nvidia::Policies& policies) {
  json::Arena arena;
  json::Builder b(arena);
  b.StartObject();
  for (const auto& [uuid, policy] : policies) {
    b.Key(uuid), b.String(StrCat(policy.mode == node::nvidia::Mode::kShared ? "shared " : "exclusive ", policy.max_sharers));
  }
  b.EndObject();
  std::printf("%s\n", json::Write(b.Finish()).c_str());
  std::fflush(stdout);
}

std::vector<device::nvidia::Gpu> MakeGpus(int count, int mig) {
  std::vector<device::nvidia::Gpu> gpus(count);
  for (int i = 0; i < count; ++i) {
    device::nvidia::Gpu& gpu = gpus[i];
    gpu.minor = i;
    gpu.uuid = StrCat("GPU-", i);
    gpu.product_name = "NVIDIA GeForce RTX 3090";
    gpu.brand = "GeForce";
    gpu.architecture = "Ampere";
    gpu.cuda_compute_capability = "8.6.0";
    gpu.driver_version = "580.105.8";
    gpu.cuda_driver_version = "13.0.0";
    gpu.pci_bus_id = StrCat("0000:", 10 + i, ":00.0");
    gpu.pcie_root = "pci0000:00";
    gpu.numa_node = 0;
    gpu.memory_mib = 24576;
  }
  if (mig > 0) gpus[0].mig_enabled = true;
  for (int i = 0; i < mig; ++i) {
    device::nvidia::MigDevice& device = gpus[0].mig.emplace_back();
    device.uuid = StrCat("MIG-", i);
    device.profile = "1g.4gb";
    device.profile_id = 19;
    device.placement_start = i;
    device.placement_size = 1;
    device.memory_mib = 4096;
    device.multiprocessors = 14;
    device.copy_engines = 1;
  }
  return gpus;
}

// The state that the commands change.
struct Node {
  node::nvidia::Policies offered;
  node::nvidia::DeviceTaints taints;
  std::set<std::string, std::less<>> held;
  int mig = 0;

  Result<json::Document> Make(const std::string& name, int count, std::string_view rest) {
    // The config on one line, as an object with the two fields that every config has.
    const std::string inner(Trim(rest));
    ASSIGN_OR_RETURN(
        const node::nvidia::NodeConfig config,
        node::nvidia::NodeConfig::Parse(StrCat("{apiVersion: allot/v1, kind: NodeConfig", inner.empty() ? "" : ", ", inner, "}")));
    node::nvidia::Offer offer = node::nvidia::MakeOffer({MakeGpus(count, mig), name, config, held, offered, taints});
    offered = std::move(offer.policies);
    return std::move(offer.slices);
  }
};

Status Run(const std::string& name) {
  const PosixFileSystem files;
  const SystemClock clock;
  SystemRandom random;
  ASSIGN_OR_RETURN(kube::Config config, kube::LoadConfig(kube::SystemConfigSources(files, clock)));
  ASSIGN_OR_RETURN(const auto client, kube::Client::Make(std::move(config), {.user_agent = "allot-publish-probe"}));
  node::PublisherOptions options{
      .driver = std::string(node::nvidia::kDriver), .node_name = name, .offer_whole = std::string(node::nvidia::kOfferWhole)};
  options.longest_pause = std::chrono::milliseconds(2000);
  options.ask_again = std::chrono::milliseconds(1000);
  options.look_around = std::chrono::milliseconds(500);
  node::Publisher publisher(*client, options, random, clock);
  publisher.Start();
  Node node;
  ASSIGN_OR_RETURN(const std::vector<kube::ObjectPtr> slices,
                   publisher.Slices({std::chrono::steady_clock::now() + std::chrono::seconds(30), nullptr}));
  for (const kube::ObjectPtr& slice : slices) node::nvidia::ReadPolicies(slice->json()["spec"]["devices"], node.offered);
  Say(node.offered);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb, what;
    words >> verb >> what;
    if (verb == "publish") {
      std::string rest;
      std::getline(words, rest);
      ASSIGN_OR_RETURN(json::Document made, node.Make(name, std::stoi(what), rest));
      publisher.Publish(std::move(made));
    } else if (verb == "taint") {
      node.taints.clear();
      if (!what.empty()) node.taints[what] = {{"gpu.nvidia.com/xid", "79", "NoSchedule"}};
    } else if (verb == "hold") {
      node.held.clear();
      if (!what.empty()) node.held.insert(what);
    } else if (verb == "mig") {
      node.mig = std::stoi(what);
    }
    Say(publisher.status());
  }
  return {};
}

}  // namespace
}  // namespace allot

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: publish_probe NODE\n", stderr);
    return 2;
  }
  const allot::Status status = allot::Run(argv[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 1;
}
