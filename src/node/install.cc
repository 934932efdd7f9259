#include "node/install.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

#include "base/system_error.h"

namespace allot::node {

namespace fs = std::filesystem;

std::string ProgramBeside(const std::string& name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path beside = self.parent_path() / name;
  return fs::is_regular_file(beside, error) ? beside.string() : std::string();
}

namespace {

// Files of an image all have the same date, so their contents are compared.
bool SameContent(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::file_size(a, error) != fs::file_size(b, error) || error) return false;
  std::ifstream left(a, std::ios::binary), right(b, std::ios::binary);
  std::array<char, 64 << 10> ours, theirs;
  while (left.read(ours.data(), ours.size()), left.gcount() > 0) {
    right.read(theirs.data(), left.gcount());
    if (right.gcount() != left.gcount() || !std::equal(ours.begin(), ours.begin() + left.gcount(), theirs.begin())) return false;
  }
  return !left.bad() && left.eof();
}

}  // namespace

Status InstallProgram(const std::string& from, const std::string& to) {
  std::error_code error;
  const auto failed = [&] { return SystemFailure(error.value(), "copy ", from, " to ", to, ": ", error.message()); };
  std::error_code unused;
  if (SameContent(from, to)) return {};

  // Another agent may do the same at the same time, with the same PID in its own container.
  const std::string half = StrCat(to, ".tmp.", std::random_device()());
  fs::copy_file(from, half, fs::copy_options::overwrite_existing, error);
  constexpr fs::perms kProgram =
      fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec;
  // libstdc++ says "Input/output error" even if the disk is full.
  if (error == std::errc::io_error && fs::space(half, unused).available < fs::file_size(from, unused))
    error = std::make_error_code(std::errc::no_space_on_device);
  if (!error) fs::permissions(half, kProgram, error);
  if (!error) fs::rename(half, to, error);
  if (!error) return {};
  fs::remove(half, unused);
  return failed();
}

}  // namespace allot::node
