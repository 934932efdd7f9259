#include "local/parts.h"

#include "control/scheduler.h"
#include "local/pods/pod_logs.h"
#include "local/pods/pods.h"
#include "local/run/runs.h"

namespace allot::local {
namespace {

constexpr std::chrono::seconds kStartTime{30};

Patience StartPatience() { return {std::chrono::steady_clock::now() + kStartTime, nullptr}; }

class SchedulerPart final : public Part {
 public:
  SchedulerPart(const PartContext& context, sched::Strategy strategy)
      : scheduler_({.strategy = strategy}, context.client, context.clock, context.random, context.log) {}

  Status Start() override {
    scheduler_.Start();
    return scheduler_.AwaitSync(StartPatience());
  }
  void Stop() override { scheduler_.Stop(); }

 private:
  control::Scheduler scheduler_;
};

class PodsPart final : public Part {
 public:
  PodsPart(const PartContext& context, std::shared_ptr<const Podman> podman)
      : podman_(std::move(podman)), logs_(context.logs), local_logs_(context.files, StrCat(context.folder.path(), "/pods")) {
    PodsOptions options{.root = StrCat(context.folder.path(), "/pods"), .podman = podman_.get()};
    if (context.open_files > 0) options.containers.shim.push_back(StrCat("--open-files=", context.open_files));
    for (const std::unique_ptr<LocalNode>& node : context.nodes) {
      options.node = node->name();
      pods_.push_back(
          std::make_unique<Pods>(options, context.client, node->devices(), context.files, context.clock, context.random, context.log));
    }
  }

  Status Start() override {
    logs_.Set(&local_logs_);
    for (const std::unique_ptr<Pods>& pods : pods_) TRY(pods->Start(StartPatience()));
    return Status();
  }
  void Stop() override {
    for (const std::unique_ptr<Pods>& pods : pods_) running_ += pods->Stop();
  }
  size_t running() const override { return running_; }

 private:
  const std::shared_ptr<const Podman> podman_;
  LateLogs& logs_;
  LocalPodLogs local_logs_;
  std::vector<std::unique_ptr<Pods>> pods_;
  size_t running_ = 0;
};

class RunsPart final : public Part {
 public:
  explicit RunsPart(const PartContext& context)
      : runs_(
            context.client,
            [nodes = context.nodes](std::string_view name) -> Devices* {
              for (const std::unique_ptr<LocalNode>& node : nodes) {
                if (node->name() == name) return &node->devices();
              }
              return nullptr;
            },
            context.clock, context.random, context.log) {}

  Status Start() override {
    runs_.Start();
    return Status();
  }
  void Stop() override {
    running_ = runs_.running();
    runs_.Stop();
  }
  size_t running() const override { return running_; }

 private:
  Runs runs_;
  size_t running_ = 0;
};

template <typename Made, typename... Arguments>
Result<std::unique_ptr<Part>> Make(const Arguments&... arguments) {
  return std::unique_ptr<Part>(std::make_unique<Made>(arguments...));
}

}  // namespace

std::vector<PartMaker> AllParts(sched::Strategy strategy, std::shared_ptr<const Podman> podman) {
  return {{"scheduler", [strategy](const PartContext& context) { return Make<SchedulerPart>(context, strategy); }},
          {"Pods", [podman](const PartContext& context) { return Make<PodsPart>(context, podman); }},
          {"allot run", [](const PartContext& context) { return Make<RunsPart>(context); }}};
}

}  // namespace allot::local
