#include "local/containers/podman.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "json/builder.h"
#include "json/editor.h"
#include "json/json.h"
#include "local/containers/containers.h"
#include "local/pods/pod_spec.h"

namespace allot::local {
namespace {

using json::ItemsOf;
using json::TextOf;

constexpr int kOldest = 4;  // the first major version with all flags used here
constexpr std::chrono::seconds kVersionTime{20};

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::string NameOf(std::string_view pod_uid, std::string_view container) { return StrCat("allot-", pod_uid, "-", container); }

std::string_view PullOf(const json::Value& container) {
  const std::string_view policy = TextOf(container["imagePullPolicy"]);
  return policy == "Always" ? "always" : policy == "Never" ? "never" : "missing";
}

void WriteTexts(json::Builder& to, const std::vector<std::string>& texts) {
  to.StartArray();
  for (const std::string& text : texts) to.String(text);
  to.EndArray();
}

std::string JsonList(const std::vector<std::string>& texts) {
  json::Arena arena;
  json::Builder to(arena);
  WriteTexts(to, texts);
  return json::Write(to.Finish());
}

// A file of podman's --hooks-dir.
std::string HookJson(const std::vector<std::string>& hook) {
  json::Arena arena;
  json::Builder to(arena);
  to.StartObject();
  to.SharedKey("version"), to.String("1.0.0");
  to.SharedKey("hook"), to.StartObject();
  to.SharedKey("path"), to.String(hook[0]);
  to.SharedKey("args"), WriteTexts(to, hook);
  to.EndObject();
  to.SharedKey("when"), to.StartObject();
  to.SharedKey("always"), to.Bool(true);
  to.EndObject();
  to.SharedKey("stages"), WriteTexts(to, {"createContainer"});
  to.EndObject();
  return json::Write(to.Finish());
}

Result<std::vector<std::string>> Words(const json::Value& list, const Environment& variables) {
  std::vector<std::string> words;
  for (const json::Value& word : ItemsOf(list)) {
    words.push_back(ExpandVariables(TextOf(word), variables));
    if (words.back().find('\0') != std::string::npos) return Invalid("command has a NUL byte");
  }
  return words;
}

void AddRights(const ImageUser& user, const json::Value& context, std::vector<std::string>& argv) {
  if (user.uid) argv.push_back(StrCat("--user=", *user.uid, user.gid ? StrCat(":", *user.gid) : ""));
  for (const gid_t group : user.groups) argv.push_back(StrCat("--group-add=", group));
  if (user.restricted) argv.emplace_back("--cap-drop=all");
  for (const json::Value& right : ItemsOf(context["capabilities"]["drop"])) argv.push_back(StrCat("--cap-drop=", TextOf(right)));
  const json::Value &escalation = context["allowPrivilegeEscalation"], &read_only = context["readOnlyRootFilesystem"];
  if (user.restricted || (escalation.IsBool() && !escalation.AsBool())) argv.emplace_back("--security-opt=no-new-privileges");
  if (json::IsTrue(read_only)) argv.emplace_back("--read-only");
}

// Whether a line "NAME=value" of podman's --env-file can hold the variable.
bool FitsALine(std::string_view name, std::string_view value) {
  constexpr size_t kLongest = 60'000;
  return name.find_first_of("# \t") == std::string_view::npos && value.find_first_of("\n\r") == std::string_view::npos &&
         name.size() + value.size() < kLongest;
}

// The variables whose value is in the Pod's spec. They are not secret: every user who can get the Pod can read them.
std::set<std::string, std::less<>> PlainVariables(const json::Value& container) {
  std::set<std::string, std::less<>> names;
  for (const json::Value& variable : ItemsOf(container["env"])) {
    const json::Value& value = variable["value"];
    if (value.IsString() && value.AsString().find("$(") == std::string_view::npos) names.emplace(TextOf(variable["name"]));
  }
  return names;
}

}  // namespace

Status CheckImageName(std::string_view image) {
  const auto bad = [&](std::string_view why) { return Invalid(why, "; name an image as registry.example/name:tag"); };
  if (image.empty()) return bad("podman needs an image");
  for (const char c : image) {
    if (!IsAlphanumeric(c) && std::string_view("._-/:@").find(c) == std::string_view::npos)
      return bad("an image name has only letters, digits and ._-/:@");
  }
  if (!IsAlphanumeric(image[0])) return bad("an image name begins with a letter or a digit");
  // podman takes these prefixes for a transport, which may read a file that only root can read.
  constexpr std::string_view kTransports[] = {
      "atomic", "containers-storage", "dir", "docker-archive", "docker-daemon", "oci", "oci-archive", "ostree", "sif", "tarball"};
  const size_t colon = image.find(':');
  const std::string_view before = image.substr(0, colon);
  if (colon != std::string_view::npos && (std::find(std::begin(kTransports), std::end(kTransports), before) != std::end(kTransports) ||
                                          image.substr(colon + 1).starts_with('/'))) {
    return bad("images must come from a registry, not from this machine's files");
  }
  return Status();
}

Result<Podman> Podman::Find(FileSystem& files, std::string folder, Environment environment) {
  if (folder.find_first_of(":,") != std::string::npos) {
    return Invalid("podman cannot mount files of ", folder, ", because its name has a colon or a comma; use another folder (--data)");
  }
  Podman podman(files, std::move(folder), std::move(environment));
  const Result<ProcessOutput> output = RunProcess({.argv = {"podman", "--version"},
                                                   .environment = podman.environment_,
                                                   .stderr_to = ProcessSpec::Stderr::kCapture,
                                                   .time_limit = kVersionTime});
  if (!output.ok() && output.status().code() == Code::kNotFound) {
    return NotFound("podman is not in PATH; install it, or omit --runtime to run Pods as processes");
  }
  TRY(output.status());
  if (!output->succeeded()) return Unavailable("`podman --version` ", output->Ending(), ": ", output->stderr_text);
  // "podman version 4.3.1"
  std::string_view text = output->stdout_text;
  text = text.substr(0, text.find('\n'));
  podman.version_ = text.substr(text.rfind(' ') + 1);
  int major = 0;
  std::from_chars(podman.version_.data(), podman.version_.data() + podman.version_.size(), major);
  if (major < kOldest) return Unsupported("podman ", kOldest, " or newer is needed; `podman --version` says ", Quoted(text));
  return podman;
}

Result<ContainerSpec> Podman::SpecOf(const json::Value& pod, const json::Value& container, const PodPlace& place,
                                     const ContainerEdits& edits, const ObjectSource& objects) const {
  TRY(CheckImageName(TextOf(container["image"])).Context("image"));
  ASSIGN_OR_RETURN(const ImageUser user, ImageUserOf(pod, container));
  ASSIGN_OR_RETURN(Environment variables, ContainerEnvironment(pod, container, place, objects));
  ASSIGN_OR_RETURN(const std::vector<std::string> command, Words(container["command"], variables));
  ASSIGN_OR_RETURN(const std::vector<std::string> arguments, Words(container["args"], variables));
  const std::string name = NameOf(TextOf(pod["metadata"]["uid"]), TextOf(container["name"]));

  ContainerSpec spec;
  spec.environment = environment_;  // no variables of the Pod: podman, its libraries and helpers would obey them
  // --replace: podman still knows a container that was killed. --log-driver=none: the shim writes the log.
  spec.argv = {"podman", "run", "--rm", "--replace", StrCat("--name=", name), "--network=host", "--log-driver=none"};
  spec.argv.push_back(StrCat("--label=allot.dev/pod=", TextOf(pod["metadata"]["namespace"]), "/", TextOf(pod["metadata"]["name"])));
  spec.argv.push_back(StrCat("--pull=", PullOf(container)));
  if (const std::string_view folder = TextOf(container["workingDir"]); !folder.empty()) spec.argv.push_back(StrCat("--workdir=", folder));
  AddRights(user, container["securityContext"], spec.argv);
  TRY(AddDevices(name, edits, spec.argv));

  variables.insert({"HOSTNAME", HostnameOf(pod)});
  // Keep NVIDIA's own hook from adding GPUs: the container gets the devices of its claims only.
  variables["NVIDIA_VISIBLE_DEVICES"] = "void";
  AddDeviceEnvironment(edits.environment, variables);
  TRY(AddVariables(name, variables, PlainVariables(container), spec.argv));
  spec.argv.push_back(StrCat("--env=", kIdVariable));

  if (!command.empty()) spec.argv.push_back(StrCat("--entrypoint=", JsonList(command)));
  // After "--" an argument that begins with a dash is not a flag.
  spec.argv.insert(spec.argv.end(), {"--", std::string(TextOf(container["image"]))});
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  return spec;
}

// Passes variables in a file, because other users of the machine can read a command line.
Status Podman::AddVariables(const std::string& name, const Environment& variables, const std::set<std::string, std::less<>>& plain,
                            std::vector<std::string>& argv) const {
  std::string text;
  for (const auto& [variable, value] : variables) {
    if (FitsALine(variable, value)) {
      text += StrCat(variable, "=", value, "\n");
    } else if (plain.contains(variable)) {
      argv.push_back(StrCat("--env=", variable, "=", value));
    } else {
      return Invalid("env: ", Quoted(variable),
                     " has a name or a value (several lines, or more than 60000 bytes) that cannot be passed to podman ",
                     "without showing it to other users; encode it in one line, for example with base64");
    }
  }
  const std::string path = FolderOf(name) + "/env";
  TRY(files_->MakeDirs(FolderOf(name)));
  std::error_code error;
  std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, error);
  if (error) return Unavailable("restrict access to ", folder_, ": ", error.message());
  TRY(files_->ReplaceFile(path, text));
  argv.push_back("--env-file=" + path);
  return Status();
}

Status Podman::AddDevices(const std::string& name, const ContainerEdits& edits, std::vector<std::string>& argv) const {
  const auto add_volume = [&](const ContainerEdits::File& file, std::string_view options) {
    argv.push_back(StrCat("--volume=", file.host, ":", file.container, options.empty() ? "" : ":", options));
  };
  for (const ContainerEdits::File& node : edits.device_nodes) {
    std::error_code error;
    if (std::filesystem::is_regular_file(node.host, error)) {
      add_volume(node, "ro");  // a simulated GPU
    } else {
      argv.push_back(StrCat("--device=", node.host, ":", node.container, ":", node.options));
    }
  }
  for (const ContainerEdits::File& mount : edits.mounts) add_volume(mount, mount.options);
  if (edits.hooks.empty()) return Status();
  const std::string hooks = FolderOf(name) + "/hooks";
  TRY(files_->MakeDirs(hooks));
  for (size_t i = 0; i < edits.hooks.size(); ++i) {
    TRY(files_->ReplaceFile(StrCat(hooks, "/", i, ".json"), HookJson(edits.hooks[i])));
  }
  argv.push_back(StrCat("--hooks-dir=", hooks));
  return Status();
}

Status Podman::Forget(std::string_view pod_uid, const std::vector<std::string>& containers, const Patience& patience) const {
  if (containers.empty()) return Status();
  std::vector<std::string> argv = {"podman", "rm", "--force", "--ignore", "--volumes", "--time=0", "--"};
  for (const std::string& container : containers) argv.push_back(NameOf(pod_uid, container));
  std::string said;
  // Right after a container has ended podman may not have recorded it yet, and fail.
  for (int tries = 0; tries < 3; ++tries) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*patience.deadline - std::chrono::steady_clock::now());
    ASSIGN_OR_RETURN(const ProcessOutput output, RunProcess({.argv = argv,
                                                             .environment = environment_,
                                                             .stderr_to = ProcessSpec::Stderr::kCapture,
                                                             .time_limit = std::max(left, std::chrono::milliseconds(1)),
                                                             .cancel = patience.cancel}));
    if (output.succeeded()) {
      for (const std::string& container : containers) TRY(RemoveTree(FolderOf(NameOf(pod_uid, container))));
      return Status();
    }
    said = StrCat("`podman rm` ", output.Ending(), ": ", output.stderr_text);
  }
  return Unavailable(said);
}

}  // namespace allot::local
