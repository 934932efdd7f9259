#include "local/pods/pod_environment.h"

#include <algorithm>
#include <cctype>

#include "base/utf8.h"
#include "json/editor.h"
#include "kube/config/credentials.h"
#include "model/quantity.h"

namespace allot::local {
namespace {

using json::ItemsOf;
using json::MembersOf;
using json::TextOf;

const kube::ResourceType& Secrets() {
  static const kube::ResourceType type{"", "v1", "secrets", "Secret", true};
  return type;
}

bool IsText(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t length = Utf8Length(bytes);
    if (length == 0 || bytes.front() == '\0') return false;
    bytes.remove_prefix(length);
  }
  return true;
}

// Whether Kubernetes 1.36 accepts the name of a variable: printable ASCII without an equals sign.
bool IsName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

// The values of a ConfigMap or Secret.
Result<std::map<std::string, std::string>> DataOf(const kube::Object& object, bool secret) {
  std::map<std::string, std::string> data;
  for (const json::Member& member : MembersOf(object.json()["data"])) {
    if (!secret) {
      data.emplace(member.key, TextOf(member.value));
      continue;
    }
    ASSIGN_OR_RETURN(std::string bytes, kube::DecodeBase64(TextOf(member.value)).Context("key ", member.key));
    data.emplace(member.key, std::move(bytes));
  }
  return data;
}

class Variables {
 public:
  Variables(const json::Value& pod, const json::Value& container, const PodPlace& place, const ObjectSource& objects)
      : pod_(pod), container_(container), place_(place), objects_(objects) {}

  Result<Environment> Make() {
    Environment variables;
    for (const json::Value& from : ItemsOf(container_["envFrom"])) TRY(AddAll(from, variables));
    for (const json::Value& variable : ItemsOf(container_["env"])) {
      const std::string name(TextOf(variable["name"]));
      const json::Value& from = variable["valueFrom"];
      if (from.IsNull()) {
        variables[name] = ExpandVariables(TextOf(variable["value"]), variables);
        continue;
      }
      ASSIGN_OR_RETURN(std::optional<std::string> value, ValueFrom(from).Context("env ", name));
      if (!value) continue;
      if (!IsText(*value)) return Invalid("env ", name, ": its value is not valid UTF-8");
      variables[name] = *std::move(value);
    }
    return variables;
  }

 private:
  std::string_view Space() const { return TextOf(pod_["metadata"]["namespace"]); }

  // nullopt if the object does not exist and the reference is optional.
  Result<std::optional<std::map<std::string, std::string>>> Find(const json::Value& reference, bool secret) {
    const std::string_view name = TextOf(reference["name"]);
    Result<kube::ObjectPtr> object = objects_(secret ? Secrets() : kube::types::kConfigMaps, Space(), name);
    if (object.ok()) {
      ASSIGN_OR_RETURN(auto data, DataOf(**object, secret).Context(secret ? "secret " : "configmap ", Quoted(name)));
      return std::optional(std::move(data));
    }
    if (object.status().code() != Code::kNotFound) return object.status();
    if (json::IsTrue(reference["optional"])) return std::optional<std::map<std::string, std::string>>();
    return NotFound(secret ? "secret " : "configmap ", Quoted(name), " not found");
  }

  Status AddAll(const json::Value& from, Environment& variables) {
    const bool secret = !from["secretRef"].IsNull();
    const json::Value& reference = secret ? from["secretRef"] : from["configMapRef"];
    ASSIGN_OR_RETURN(const auto data, Find(reference, secret));
    if (!data) return Status();
    for (const auto& [key, value] : *data) {
      const std::string name = StrCat(TextOf(from["prefix"]), key);
      if (IsName(name) && IsText(value)) variables[name] = value;
    }
    return Status();
  }

  Result<std::optional<std::string>> ValueFrom(const json::Value& from) {
    if (!from["fieldRef"].IsNull()) return FieldOf(TextOf(from["fieldRef"]["fieldPath"]));
    if (!from["resourceFieldRef"].IsNull()) return AmountOf(from["resourceFieldRef"]);
    const bool secret = !from["secretKeyRef"].IsNull();
    const json::Value& reference = secret ? from["secretKeyRef"] : from["configMapKeyRef"];
    if (reference.IsNull()) return Invalid("valueFrom: has no supported source");
    ASSIGN_OR_RETURN(const auto data, Find(reference, secret));
    if (!data) return std::optional<std::string>();
    const std::string key(TextOf(reference["key"]));
    if (const auto found = data->find(key); found != data->end()) return std::optional(found->second);
    if (json::IsTrue(reference["optional"])) return std::optional<std::string>();
    return NotFound("couldn't find key ", key, " in ", secret ? "Secret " : "ConfigMap ", Space(), "/", TextOf(reference["name"]));
  }

  Result<std::optional<std::string>> FieldOf(std::string_view path) const {
    const json::Value& metadata = pod_["metadata"];
    const auto text = [](const json::Value& value) { return std::optional(std::string(TextOf(value))); };
    if (path == "metadata.name") return text(metadata["name"]);
    if (path == "metadata.namespace") return text(metadata["namespace"]);
    if (path == "metadata.uid") return text(metadata["uid"]);
    if (path == "spec.nodeName") return std::optional(place_.node);
    if (path == "spec.serviceAccountName") return text(pod_["spec"]["serviceAccountName"]);
    if (path == "status.podIP" || path == "status.hostIP" || path == "status.podIPs" || path == "status.hostIPs") {
      return std::optional(place_.address);
    }
    for (const std::string_view map : {"labels", "annotations"}) {
      const std::string begin = StrCat("metadata.", map, "['");
      if (path.starts_with(begin) && path.ends_with("']")) {
        return text(metadata[map][path.substr(begin.size(), path.size() - begin.size() - 2)]);
      }
    }
    return Invalid("fieldPath ", Quoted(path), " is not supported");
  }

  // The value of "limits.cpu", "requests.memory" and the like, of this or another container, in units of the divisor, rounded up.
  Result<std::optional<std::string>> AmountOf(const json::Value& reference) const {
    const json::Value* container = &container_;
    if (const std::string_view name = TextOf(reference["containerName"]); !name.empty()) {
      for (const std::string_view list : {"initContainers", "containers"}) {
        for (const json::Value& one : ItemsOf(pod_["spec"][list])) {
          if (TextOf(one["name"]) == name) container = &one;
        }
      }
    }
    const std::string_view path = TextOf(reference["resource"]);
    const size_t dot = path.find('.');
    if (dot == std::string_view::npos) return Invalid("resource ", Quoted(path), " is not supported");
    const std::string_view kind = path.substr(0, dot), resource = path.substr(dot + 1);
    std::string text(TextOf((*container)["resources"][kind][resource]));
    if (text.empty() && kind == "limits") {
      ASSIGN_OR_RETURN(const kube::ObjectPtr node, objects_(kube::types::kNodes, "", place_.node));
      text = TextOf(node->json()["status"]["allocatable"][resource]);
    }
    ASSIGN_OR_RETURN(const model::Quantity amount, model::Quantity::Parse(text.empty() ? "0" : text));
    const std::string_view written = TextOf(reference["divisor"]);
    ASSIGN_OR_RETURN(const model::Quantity divisor, model::Quantity::Parse(written.empty() || written == "0" ? "1" : written));
    const bool cpu = resource == "cpu";
    const auto number = [&](const model::Quantity& of) { return (cpu ? of.MilliValue() : of.Value()).value_or(0); };
    const int64_t by = std::max<int64_t>(number(divisor), 1), of = number(amount);
    return std::optional(StrCat(of / by + (of % by != 0 ? 1 : 0)));
  }

  const json::Value& pod_;
  const json::Value& container_;
  const PodPlace& place_;
  const ObjectSource& objects_;
};

bool IsSearchPath(std::string_view name) { return name == "PATH" || name == "LD_LIBRARY_PATH" || name == "LD_PRELOAD"; }

// The parts of `first`, then those of `second` that are not among them.
std::string Union(std::string_view first, std::string_view second, char separator) {
  std::vector<std::string> parts;
  for (const std::string_view text : {first, second}) {
    for (const std::string_view part : Split(text, separator)) {
      if (!part.empty() && std::find(parts.begin(), parts.end(), part) == parts.end()) parts.emplace_back(part);
    }
  }
  return Join(parts, std::string_view(&separator, 1));
}

}  // namespace

Result<Environment> ContainerEnvironment(const json::Value& pod, const json::Value& container, const PodPlace& place,
                                         const ObjectSource& objects) {
  return Variables(pod, container, place, objects).Make();
}

std::string ExpandVariables(std::string_view text, const Environment& variables) {
  std::string expanded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      expanded += text[i];
      continue;
    }
    const char next = text[i + 1];
    const size_t end = next == '(' ? text.find(')', i) : std::string_view::npos;
    if (end != std::string_view::npos) {
      const auto found = variables.find(std::string(text.substr(i + 2, end - i - 2)));
      expanded += found == variables.end() ? text.substr(i, end - i + 1) : std::string_view(found->second);
      i = end;
    } else {
      expanded += '$';
      if (next != '$') expanded += next;
      ++i;
    }
  }
  return expanded;
}

void AddDeviceEnvironment(const Environment& devices, Environment& environment) {
  for (const auto& [name, value] : devices) {
    std::string& place = environment[name];
    place = IsSearchPath(name) ? Union(value, place, ':') : value;
  }
}

void MergeDeviceEnvironment(const Environment& more, Environment& devices) {
  for (const auto& [name, value] : more) {
    const auto [place, is_new] = devices.emplace(name, value);
    if (is_new) continue;
    std::string& old = place->second;
    if (IsSearchPath(name)) {
      old = Union(old, value, ':');
    } else if (name.ends_with("_VISIBLE_DEVICES")) {
      // The list of a claim without devices is "void" or empty.
      old = old == "void" || old.empty() ? value : value == "void" || value.empty() ? old : Union(old, value, ',');
    } else {
      old = value;
    }
  }
}

}  // namespace allot::local
