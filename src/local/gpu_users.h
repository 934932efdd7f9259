#pragma once
// Which processes offer or use the real GPUs of this machine, across all data folders. They are names of sockets: the kernel keeps a name
// exactly as long as its process lives, and all users can read it (/proc/net/unix).
//
//   @allot-gpus/up           the `allot up` that offers the GPUs; there is only one, since two ledgers would promise a GPU twice
//   @allot-gpus/FOLDER/PID   a process with a GPU. It may outlive its `up`, and then only an `up` of the same folder may offer the GPUs

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/status.h"

namespace allot::local {

inline constexpr std::string_view kGpuNames = "allot-gpus";
// The environment variable with the name that a process with a real GPU has to take.
inline constexpr char kGpuMark[] = "ALLOT_GPU_MARK";

// Reserves the GPUs for this process as long as the object lives. `names` is kGpuNames except in tests.
class GpuOffer {
 public:
  // kUnavailable: another process offers them, or a process of another folder's `up` still uses one.
  static Result<GpuOffer> Make(std::string_view names, const std::string& data_folder);
  GpuOffer(GpuOffer&& other) noexcept : mark_(std::move(other.mark_)), fd_(std::exchange(other.fd_, -1)) {}
  GpuOffer& operator=(GpuOffer&&) = delete;
  ~GpuOffer();

  // Returns the value of kGpuMark: "allot-gpus/3f29c0d1".
  const std::string& mark() const { return mark_; }

 private:
  GpuOffer(std::string mark, int fd) : mark_(std::move(mark)), fd_(fd) {}

  std::string mark_;
  int fd_;
};

// Marks this process as one that uses a GPU, until it closes the returned descriptor or ends. With `keep` the mark survives exec. Returns
// -1 on an error. Safe between fork and exec.
int MarkGpuUse(const char* mark, bool keep);

// Returns the processes with another mark than this one.
std::vector<pid_t> OtherGpuUsers(std::string_view names, std::string_view mark);

}  // namespace allot::local
