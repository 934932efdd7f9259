#include "device/nvidia/scanner.h"

#include <algorithm>

namespace allot::device::nvidia {
namespace {

constexpr std::chrono::seconds kFirstPause{1}, kLongestPause{30};
constexpr std::chrono::seconds kReopenWhileLost{60};

}  // namespace

Scanner::Scanner(ScanOptions options, const FileSystem& files, const Clock& clock, NvmlSession& session)
    : options_(std::move(options)),
      root_(options_.driver_root),
      files_(files),
      clock_(clock),
      session_(session),
      book_(options_.health, clock),
      next_(clock.MonotonicNow()),
      pause_(kFirstPause) {}

Scanner::~Scanner() {
  watch_.reset();
  session_.Close(Unavailable("the GPU scanner has stopped"));
}

Snapshot Scanner::Scan() {
  if (Status status = OpenIfNeeded(); !status.ok()) return Broken(std::move(status));
  Result<Discovery> found = Discover(*session_.get(), files_, options_.sysfs, known_);
  if (!found.ok()) return Broken(std::move(found).status());
  pause_ = kFirstPause;
  next_ = clock_.MonotonicNow() + options_.interval;
  known_ = Merge(*found);
  book_.KeepOnly(known_);
  Watch(known_);
  return {Status(), known_, book_.All(known_), std::move(found->left_out)};
}

Result<bool> Scanner::WaitForErrors(std::chrono::milliseconds timeout) {
  CHECK(CanWait());
  ASSIGN_OR_RETURN(const std::vector<DeviceError> errors, watch_->Wait(timeout));
  bool changed = false;
  for (const DeviceError& error : errors) changed = book_.OnXid(error.place, error.xid) || changed;
  return changed;
}

Status Scanner::OpenIfNeeded() {
  const MonotonicTime now = clock_.MonotonicNow();
  std::vector<std::string> bound = BoundDevices();
  if (session_.get() && bound == bound_ && !(any_lost_ && now >= reopen_)) return {};
  watch_.reset();
  bound_ = std::move(bound);
  reopen_ = now + kReopenWhileLost;
  TRY(session_.Open(root_));
  watch_.emplace(*session_.get());
  return {};
}

// Keeps the errors and the known GPUs, so that after the driver is back it is known which GPUs are missing.
Snapshot Scanner::Broken(Status why) {
  watch_.reset();
  session_.Close(why);
  next_ = clock_.MonotonicNow() + pause_;
  pause_ = std::min(pause_ * 2, kLongestPause);
  return {.status = std::move(why)};
}

// Returns the GPUs to offer: those that were found, and known ones that NVML still counts but whose UUID it cannot read.
std::vector<Gpu> Scanner::Merge(Discovery& found) {
  std::vector<Gpu> gpus = std::move(found.gpus);
  for (const Gpu& gpu : gpus) CheckAnswer(gpu);
  if (!found.left_out.empty()) {
    for (const Gpu& gpu : known_) {
      if (std::ranges::find(gpus, gpu.uuid, &Gpu::uuid) != gpus.end()) continue;
      book_.OnLost(gpu.uuid, found.left_out.front());
      gpus.push_back(gpu);
    }
  }
  std::ranges::sort(gpus, {}, &Gpu::minor);
  any_lost_ = std::ranges::any_of(gpus, [&](const Gpu& gpu) { return book_.IsLost(gpu.uuid); });
  return gpus;
}

// Reading the UUID proves nothing, because NVML remembers it without asking the GPU.
void Scanner::CheckAnswer(const Gpu& gpu) {
  const Nvml& nvml = *session_.get();
  const Result<nvml::Device> device = nvml.DeviceByUuid(gpu.uuid);
  const Status status = device.ok() ? nvml.Memory(*device).status() : device.status();
  if (NvmlErrorOf(status) == nvml::Return::kGpuIsLost) {
    book_.OnLost(gpu.uuid, status.message());
  } else if (status.ok() || status.code() == Code::kUnsupported) {
    book_.OnAnswer(gpu.uuid);
  }
}

void Scanner::Watch(const std::vector<Gpu>& gpus) {
  // While one GPU of an event set is lost, waiting fails for all of them.
  const bool lost_one = std::ranges::any_of(gpus, [&](const Gpu& gpu) { return book_.IsLost(gpu.uuid) && watch_->Has(gpu.uuid); });
  if (lost_one) watch_.emplace(*session_.get());
  for (const Gpu& gpu : gpus) {
    if (book_.IsLost(gpu.uuid)) continue;
    const Status status = watch_->Add(gpu.uuid);
    book_.SetMonitored(gpu.uuid, status.message());
  }
}

std::vector<std::string> Scanner::BoundDevices() const {
  Result<std::vector<std::string>> names = files_.List(options_.sysfs + "/bus/pci/drivers/nvidia");
  if (!names.ok()) return {};
  std::erase_if(*names, [](const std::string& name) { return name.find(':') == std::string::npos; });
  return *std::move(names);
}

}  // namespace allot::device::nvidia
