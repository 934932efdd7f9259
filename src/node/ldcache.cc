#include "node/ldcache.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "json/json.h"
#include "model/reader.h"

namespace allot::node {

namespace {

constexpr size_t kMaxConfig = 16 << 20;
constexpr const char* kConfig = "000-allot.conf";
// Some Debian releases wrap the program in a script. The program behind it is static, so it runs in any root.
constexpr const char* kLdConfigs[] = {"/sbin/ldconfig.real", "/usr/sbin/ldconfig.real", "/sbin/ldconfig", "/usr/sbin/ldconfig"};

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  const int fd_;
};

Status Failed(std::string_view doing) { return Unavailable(doing, ": ", std::generic_category().message(errno)); }

// Opens a path below `root` as if `root` were "/" (Linux 5.6).
int OpenInside(int root, const char* path, uint64_t flags, uint64_t mode = 0) {
  open_how how = {};
  how.flags = flags | O_CLOEXEC;
  how.mode = mode;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, root, path, &how, sizeof how));
}

Status WriteConfig(int root, const std::vector<std::string>& folders) {
  const Fd etc(OpenInside(root, "etc", O_PATH | O_DIRECTORY));
  if (!etc.valid()) return Failed("open /etc");
  if (::mkdirat(etc.get(), "ld.so.conf.d", 0755) != 0 && errno != EEXIST) return Failed("make /etc/ld.so.conf.d");
  const Fd inside(OpenInside(root, "etc/ld.so.conf.d", O_RDONLY | O_DIRECTORY));
  if (!inside.valid()) return Failed("open /etc/ld.so.conf.d");
  // The image may have a device or a pipe of that name. It is replaced and never opened.
  if (::unlinkat(inside.get(), kConfig, 0) != 0 && errno != ENOENT) return Failed(StrCat("replace /etc/ld.so.conf.d/", kConfig));
  const Fd file(::openat(inside.get(), kConfig, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.valid()) return Failed(StrCat("write /etc/ld.so.conf.d/", kConfig));
  std::string text;
  for (const std::string& folder : folders) text += folder + "\n";
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return Failed(StrCat("write /etc/ld.so.conf.d/", kConfig));
  return {};
}

// Copies the machine's program. A process in the container could reach the original through /proc and overwrite it.
Result<int> CopyOfLdConfig() {
  for (const char* const path : kLdConfigs) {
    const Fd program(::open(path, O_RDONLY | O_CLOEXEC));
    struct stat found;
    if (!program.valid() || ::fstat(program.get(), &found) != 0) continue;
    const int copy = ::memfd_create("ldconfig", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (copy < 0) return Failed("memfd_create");
    off_t at = 0;
    while (at < found.st_size) {
      if (::sendfile(copy, program.get(), &at, static_cast<size_t>(found.st_size - at)) <= 0) return Failed(StrCat("copy ", path));
    }
    ::fcntl(copy, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return copy;
  }
  return NotFound("there is no ldconfig on this machine (/sbin/ldconfig)");
}

}  // namespace

Result<std::string> ContainerRoot(const FileSystem& files, std::string_view state) {
  ASSIGN_OR_RETURN(const json::Document parsed, json::Parse(state).Context("the container's state on stdin"));
  const model::Reader from(parsed.root());
  const std::string bundle(from.Text("bundle"));
  TRY(Status(from.status()));
  if (!bundle.starts_with('/')) return Invalid("the container's state on stdin: bundle: expected an absolute path, not ", Quoted(bundle));
  const std::string path = bundle + "/config.json";
  ASSIGN_OR_RETURN(const std::string text, files.ReadFile(path, kMaxConfig));
  ASSIGN_OR_RETURN(const json::Document config, json::Parse(text).Context(path));
  const model::Reader container(config.root());
  const std::string root(container["root"].Text("path"));
  TRY(Status(container.status()).Context(path));
  if (root.empty()) return Invalid(path, ": root.path: is missing");
  return root.starts_with('/') ? root : StrCat(bundle, "/", root);
}

Status UpdateLdCache(const std::string& root, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (!folder.starts_with('/') || folder.find_first_of(" \t\n\r#,:=") != std::string::npos) {
      return Invalid("--folder: ", Quoted(folder), " is not an absolute path without special characters");
    }
  }
  const Fd inside(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!inside.valid()) return Failed(StrCat("open ", root));
  if (!Fd(OpenInside(inside.get(), "etc", O_PATH | O_DIRECTORY)).valid()) return {};
  TRY(WriteConfig(inside.get(), folders));
  ASSIGN_OR_RETURN(const int program, CopyOfLdConfig());
  const Fd ldconfig(program);

  const pid_t child = ::fork();
  if (child < 0) return Failed("fork");
  if (child == 0) {
    char name[] = "ldconfig", cache_flag[] = "-C", cache[] = "/etc/ld.so.cache", config_flag[] = "-f", config[] = "/etc/ld.so.conf";
    std::vector<std::string> arguments = folders;
    std::vector<char*> argv = {name, cache_flag, cache, config_flag, config};
    for (std::string& folder : arguments) argv.push_back(folder.data());
    argv.push_back(nullptr);
    char* const environment[] = {nullptr};
    if (::fchdir(inside.get()) != 0 || ::chroot(".") != 0 || ::chdir("/") != 0) ::_exit(126);
    // ldconfig reads files of an untrusted image, so it runs with root's access to files and no other privilege.
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[2] = {};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::syscall(SYS_capset, &header, none) != 0) ::_exit(125);
    ::syscall(SYS_execveat, ldconfig.get(), "", argv.data(), environment, AT_EMPTY_PATH);
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return Failed("wait for ldconfig");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Unavailable("ldconfig in ", root, WIFEXITED(status) ? " ended with exit code " : " was ended by signal ",
                     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

}  // namespace allot::node
