#include "local/containers/container_files.h"

#include <cstdio>

#include "json/editor.h"
#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::local {
namespace {

constexpr size_t kLongestFile = 16 << 20;

std::string PathOf(const std::string& folder, std::string_view file) { return StrCat(folder, "/", file); }

// Reads a file with a JSON object. Errors name the path; kInvalid if the content is not an object.
Result<json::Document> Read(const FileSystem& files, const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, files.ReadFile(path, kLongestFile));
  Result<json::Document> document = json::Parse(text);
  if (!document.ok()) return Invalid(path, ": ", document.status().message());
  if (!document->root().IsObject()) return Invalid(path, ": is not an object");
  return document;
}

int64_t NumberOf(const json::Value& value) { return value.IsNumber() ? value.AsInt64().value_or(0) : 0; }
std::string StringOf(const json::Value& value) { return std::string(json::TextOf(value)); }
WallTime TimeOf(const json::Value& value) { return kube::ParseTime(json::TextOf(value)).value_or(WallTime()); }

json::Value Process(json::Editor& edit, const ProcessId& process) {
  return edit.Object({{"pid", edit.Int(process.pid)}, {"start", edit.Int(process.start)}});
}
ProcessId ProcessOf(const json::Value& value) { return {static_cast<pid_t>(NumberOf(value["pid"])), NumberOf(value["start"])}; }

json::Value Identity(json::Editor& edit, const RunAs& run_as) {
  std::vector<json::Value> groups;
  for (const gid_t group : run_as.groups) groups.push_back(edit.Int(group));
  return edit.Object({{"uid", edit.Int(run_as.uid)}, {"gid", edit.Int(run_as.gid)}, {"groups", edit.Array(groups)}});
}

}  // namespace

std::string WriteNanoTime(WallTime time) {
  const auto since = time.time_since_epoch();
  const auto whole = std::chrono::floor<std::chrono::seconds>(since);
  std::string text = kube::WriteTime(WallTime(whole));
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%09lldZ",
                static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(since - whole).count()));
  text.pop_back();
  return text + fraction;
}

Status WriteSpec(FileSystem& files, const std::string& folder, const ContainerSpec& spec) {
  json::Arena arena;
  json::Editor edit(arena);
  std::vector<json::Value> argv;
  for (const std::string& word : spec.argv) argv.push_back(edit.String(word));
  std::vector<json::Member> environment;
  for (const auto& [name, value] : spec.environment) environment.push_back({name, edit.String(value)});
  const json::Value object = edit.Object({{"id", edit.String(spec.id)},
                                          {"argv", edit.Array(argv)},
                                          {"environment", edit.Object(environment)},
                                          {"workingDirectory", edit.String(spec.working_directory)},
                                          {"runAs", spec.run_as ? Identity(edit, *spec.run_as) : json::Value()},
                                          {"noNewPrivileges", edit.Bool(spec.no_new_privileges)},
                                          {"logBytes", edit.Int(spec.log_bytes)}});
  return files.WriteFileAtomic(PathOf(folder, kSpecFile), json::Write(object, {.indent = 2}));
}

Result<ContainerSpec> ReadSpec(const FileSystem& files, const std::string& folder) {
  ASSIGN_OR_RETURN(const json::Document document, Read(files, PathOf(folder, kSpecFile)));
  const json::Value& object = document.root();
  ContainerSpec spec;
  spec.id = StringOf(object["id"]);
  for (const json::Value& word : json::ItemsOf(object["argv"])) spec.argv.push_back(StringOf(word));
  if (spec.argv.empty()) return Invalid(PathOf(folder, kSpecFile), ": argv: is empty");
  for (const json::Member& member : json::MembersOf(object["environment"])) {
    spec.environment.emplace(member.key, StringOf(member.value));
  }
  spec.working_directory = StringOf(object["workingDirectory"]);
  if (const json::Value& run_as = object["runAs"]; run_as.IsObject()) {
    spec.run_as = RunAs{static_cast<uid_t>(NumberOf(run_as["uid"])), static_cast<gid_t>(NumberOf(run_as["gid"])), {}};
    for (const json::Value& group : json::ItemsOf(run_as["groups"])) spec.run_as->groups.push_back(static_cast<gid_t>(NumberOf(group)));
  }
  spec.no_new_privileges = json::IsTrue(object["noNewPrivileges"]);
  spec.log_bytes = NumberOf(object["logBytes"]);
  return spec;
}

Status WriteBirth(FileSystem& files, const std::string& folder, const ContainerBirth& birth) {
  json::Arena arena;
  json::Editor edit(arena);
  const json::Value object = edit.Object({{"shim", Process(edit, birth.shim)},
                                          {"main", Process(edit, birth.main)},
                                          {"boot", edit.String(birth.boot)},
                                          {"startedAt", edit.String(WriteNanoTime(birth.started_at))}});
  return files.WriteFileAtomic(PathOf(folder, kStateFile), json::Write(object));
}

Result<ContainerBirth> ReadBirth(const FileSystem& files, const std::string& folder) {
  ASSIGN_OR_RETURN(const json::Document document, Read(files, PathOf(folder, kStateFile)));
  const json::Value& object = document.root();
  return ContainerBirth{ProcessOf(object["shim"]), ProcessOf(object["main"]), StringOf(object["boot"]), TimeOf(object["startedAt"])};
}

Status WriteExit(FileSystem& files, const std::string& folder, const ContainerExit& ending) {
  json::Arena arena;
  json::Editor edit(arena);
  const json::Value object = edit.Object({{"exitCode", edit.Int(ending.exit_code)},
                                          {"signal", edit.Int(ending.signal)},
                                          {"reason", edit.String(ending.reason)},
                                          {"message", edit.String(ending.message)},
                                          {"finishedAt", edit.String(WriteNanoTime(ending.finished_at))}});
  return files.WriteFileAtomic(PathOf(folder, kExitFile), json::Write(object));
}

Result<ContainerExit> ReadExit(const FileSystem& files, const std::string& folder) {
  ASSIGN_OR_RETURN(const json::Document document, Read(files, PathOf(folder, kExitFile)));
  const json::Value& object = document.root();
  return ContainerExit{static_cast<int>(NumberOf(object["exitCode"])), static_cast<int>(NumberOf(object["signal"])),
                       StringOf(object["reason"]), StringOf(object["message"]), TimeOf(object["finishedAt"])};
}

}  // namespace allot::local
