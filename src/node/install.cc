#include "node/install.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace allot::node {

namespace fs = std::filesystem;

std::string ProgramBeside(const std::string& name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path beside = self.parent_path() / name;
  return fs::is_regular_file(beside, error) ? beside.string() : std::string();
}

Status InstallProgram(const std::string& from, const std::string& to) {
  std::error_code error;
  const auto failed = [&] { return Unavailable("copy ", from, " to ", to, ": ", error.message()); };
  // The time is copied too, so that a program that is there already is known by it.
  const auto size = fs::file_size(from, error);
  if (error) return failed();
  const auto time = fs::last_write_time(from, error);
  if (error) return failed();
  std::error_code unused;
  if (fs::file_size(to, unused) == size && fs::last_write_time(to, unused) == time) return {};

  const std::string half = StrCat(to, ".tmp.", ::getpid());
  fs::copy_file(from, half, fs::copy_options::overwrite_existing, error);
  constexpr fs::perms kProgram =
      fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec;
  if (!error) fs::permissions(half, kProgram, error);
  if (!error) fs::last_write_time(half, time, error);
  if (!error) fs::rename(half, to, error);
  if (!error) return {};
  fs::remove(half, unused);
  return failed();
}

}  // namespace allot::node
