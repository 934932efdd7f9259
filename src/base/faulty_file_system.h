#pragma once
// Real files whose nth operation fails or ends the process. Tests use it to interrupt a procedure at each of its steps.

#include <unistd.h>

#include <atomic>

#include "base/file_system.h"

namespace allot {

class FaultyFileSystem final : public FileSystem {
 public:
  enum class Fault {
    kFail,        // nothing is done, the caller gets an error
    kFailDone,    // the operation is done, the caller gets an error
    kExitBefore,  // the process exits before the operation
    kExitAfter,   // the process exits after the operation
  };
  static constexpr int kExitCode = 42;

  explicit FaultyFileSystem(FileSystem& real) : real_(real) {}

  // Only the nth operation that changes something (counted from 1) meets the fault.
  void Arm(int n, Fault fault) {
    operations_ = 0;
    at_ = n;
    fault_ = fault;
  }
  int operations() const { return operations_; }

  Result<std::string> ReadFile(const std::string& path, size_t max_bytes) const override { return real_.ReadFile(path, max_bytes); }
  Result<std::vector<std::string>> List(const std::string& path) const override { return real_.List(path); }
  bool Exists(const std::string& path) const override { return real_.Exists(path); }
  Result<FileStamp> Stamp(const std::string& path) const override { return real_.Stamp(path); }

  Status WriteFileAtomic(const std::string& path, std::string_view content) override {
    return Do([&] { return real_.WriteFileAtomic(path, content); });
  }
  Status ReplaceFile(const std::string& path, std::string_view content) override {
    return Do([&] { return real_.ReplaceFile(path, content); });
  }
  // kFailDone leaves half of the content, as a full disk does.
  Status AppendFile(const std::string& path, std::string_view content) override {
    const bool torn = operations_ + 1 == at_ && fault_ == Fault::kFailDone;
    return Do([&] { return real_.AppendFile(path, torn ? content.substr(0, content.size() / 2) : content); });
  }
  Status SyncFile(const std::string& path) override {
    return Do([&] { return real_.SyncFile(path); });
  }
  Status Remove(const std::string& path) override {
    return Do([&] { return real_.Remove(path); });
  }
  Status MakeDirs(const std::string& path) override {
    return Do([&] { return real_.MakeDirs(path); });
  }
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path, std::chrono::milliseconds wait) override {
    TRY(Do([] { return Status(); }));
    return real_.Lock(path, wait);
  }

 private:
  template <typename Operation>
  Status Do(Operation operation) {
    if (++operations_ != at_) return operation();
    if (fault_ == Fault::kExitBefore) ::_exit(kExitCode);
    if (fault_ == Fault::kFail) return Unavailable("injected: No space left on device");
    const Status done = operation();
    if (fault_ == Fault::kExitAfter) ::_exit(kExitCode);
    return done.ok() ? Unavailable("injected: Input/output error") : done;
  }

  FileSystem& real_;
  std::atomic<int> operations_ = 0;
  int at_ = 0;
  Fault fault_ = Fault::kFail;
};

}  // namespace allot
