#pragma once
// Who has to do with the real GPUs of this machine, of whichever data folder: names of sockets, which the kernel keeps for exactly as long
// as their processes live, and everybody can read (/proc/net/unix).
//
//   @allot-gpus/up           the one `allot up` that offers them: two ledgers would promise a GPU twice
//   @allot-gpus/FOLDER/PID   a process that was given one: it may outlive its `up`, which then must be followed by one of its own folder

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/status.h"

namespace allot::local {

inline constexpr std::string_view kGpuNames = "allot-gpus";
// The variable by which a process that is given a real GPU hears under which name to be known.
inline constexpr char kGpuMark[] = "ALLOT_GPU_MARK";

// Offers the GPUs for as long as it lives. `names` is kGpuNames but in tests.
class GpuOffer {
 public:
  // kUnavailable: somebody else does, or a process of another folder's `up` still uses one.
  static Result<GpuOffer> Make(std::string_view names, const std::string& data_folder);
  GpuOffer(GpuOffer&& other) noexcept : mark_(std::move(other.mark_)), fd_(std::exchange(other.fd_, -1)) {}
  GpuOffer& operator=(GpuOffer&&) = delete;
  ~GpuOffer();

  // The value of kGpuMark: "allot-gpus/3f29c0d1".
  const std::string& mark() const { return mark_; }

 private:
  GpuOffer(std::string mark, int fd) : mark_(std::move(mark)), fd_(fd) {}

  std::string mark_;
  int fd_;
};

// From now on this process is known as one that uses a GPU, until it closes the descriptor, or ends; -1: it could not be done. With `keep`
// also the programs that it becomes. Safe between fork and exec.
int MarkGpuUse(const char* mark, bool keep);

// Those that are known by a mark other than this one.
std::vector<pid_t> OtherGpuUsers(std::string_view names, std::string_view mark);

}  // namespace allot::local
