#include "dialect/extended_resources.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/status.h"
#include "json/editor.h"
#include "json/json.h"
#include "model/quantity.h"

namespace allot::dialect {
namespace {

struct Container {
  json::Value json;
  bool passes = false;  // an init container that is not a sidecar: it ends before the next one begins
};

struct Request {
  std::string name, class_name;
  int64_t count = 0;
};

struct Mapping {
  std::string_view container;
  std::string resource, request;
};

std::vector<Container> ContainersOf(const json::Value& spec) {
  std::vector<Container> containers;
  for (const json::Value& one : json::ItemsOf(spec["initContainers"])) {
    containers.push_back({one, json::TextOf(one["restartPolicy"]) != "Always"});
  }
  for (const json::Value& one : json::ItemsOf(spec["containers"])) containers.push_back({one, false});
  return containers;
}

int64_t AmountOf(const Container& container, std::string_view resource) {
  const json::Value& amount = container.json["resources"]["requests"][resource];
  const std::string text = amount.IsString() ? std::string(amount.AsString()) : amount.IsNull() ? "" : json::Write(amount);
  const Result<model::Quantity> read = model::Quantity::Parse(text);
  return read.ok() ? read->Value().value_or(INT64_MAX) : 0;
}

std::string RequestName(const Container& container, size_t index, std::string_view resource) {
  std::set<std::string_view> names;
  for (const json::Member& one : json::MembersOf(container.json["resources"]["requests"])) names.insert(one.key);
  return StrCat("container-", index, "-request-", std::distance(names.begin(), names.find(resource)));
}

// The requests of all containers for one resource.
class Asks {
 public:
  Asks(const std::vector<Container>& containers, std::string resource, std::string class_name)
      : containers_(containers), resource_(std::move(resource)), class_name_(std::move(class_name)), lasting_(containers.size()) {
    for (size_t i = 0; i < containers.size(); ++i) {
      if (!containers[i].passes) AddLasting(i);
    }
    for (size_t i = 0; i < containers.size(); ++i) {
      if (containers[i].passes) AddPassing(i);
    }
    for (Mapping& mapping : mappings_) {
      if (mapping.request.empty()) mapping.request = passing_->name;
    }
  }

  void Add(std::vector<Request>& requests, std::vector<Mapping>& mappings) const {
    if (passing_) requests.push_back(*passing_);
    for (const std::optional<Request>& one : lasting_) {
      if (one) requests.push_back(*one);
    }
    mappings.insert(mappings.end(), mappings_.begin(), mappings_.end());
  }

 private:
  Request RequestOf(size_t index, int64_t count) const { return {RequestName(containers_[index], index, resource_), class_name_, count}; }
  void Map(size_t index, std::string request) {
    mappings_.push_back({json::TextOf(containers_[index].json["name"]), resource_, std::move(request)});
  }

  void AddLasting(size_t index) {
    const int64_t amount = AmountOf(containers_[index], resource_);
    if (amount <= 0) return;
    lasting_[index] = RequestOf(index, amount);
    Map(index, lasting_[index]->name);
  }

  // The container first uses what later containers will have. What it still lacks comes from one request that all passing init containers
  // share; that request has the largest amount that any of them lacks.
  void AddPassing(size_t index) {
    int64_t lacks = AmountOf(containers_[index], resource_);
    for (size_t i = index; i < lasting_.size() && lacks > 0; ++i) {
      if (!lasting_[i]) continue;
      Map(index, lasting_[i]->name);
      lacks -= lasting_[i]->count;
    }
    if (lacks <= 0) return;
    if (!passing_ || passing_->count < lacks) passing_ = RequestOf(index, lacks);
    Map(index, "");  // the name is known once all containers have been seen
  }

  const std::vector<Container>& containers_;
  const std::string resource_, class_name_;
  std::vector<std::optional<Request>> lasting_;  // by container index
  std::optional<Request> passing_;
  std::vector<Mapping> mappings_;
};

// Returns whether `made` is the claim for exactly these resources and classes.
bool IsClaimFor(const model::ResourceClaim& made, const model::Amounts& claimed, const ResourceClasses& resources) {
  std::set<std::string_view> wanted, asked;
  for (const auto& [resource, class_name] : resources) wanted.insert(class_name);
  for (const model::Request& one : made.requests) asked.insert(one.exactly ? one.exactly->class_name : std::string_view());
  return wanted == asked && std::equal(resources.begin(), resources.end(), claimed.begin(), claimed.end(),
                                       [](const auto& one, const auto& other) { return one.first == other.first; });
}

}  // namespace

std::set<std::string_view> ExtendedResourcesOf(const model::Pod& pod, const Facts& facts) {
  std::set<std::string_view> resources;
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const model::Container& container : *containers) {
      for (const model::NamedQuantity& limit : container.limits) {  // Kubernetes: the request equals the limit
        const bool is_extended = limit.name.find('/') != limit.name.npos && limit.amount.Sign() > 0;
        if (is_extended && !facts.plugin_resources.contains(limit.name)) resources.insert(limit.name);
      }
    }
  }
  return resources;
}

ResourceClasses ResourcesToClaim(const model::Pod& pod, const Facts& facts) {
  ResourceClasses found;
  for (const std::string_view resource : ExtendedResourcesOf(pod, facts)) {
    const model::DeviceClass* best = nullptr;
    for (const model::DeviceClass* one : facts.classes) {
      if (one->StandsFor(resource) && (best == nullptr || one->created > best->created)) best = one;
    }
    if (best != nullptr) found.emplace(resource, best->name);
  }
  return found;
}

ResourceClasses UnclaimedResources(const model::Pod& pod, const model::Amounts& claimed, const MadeClaim& made,
                                   const std::function<Facts()>& facts) {
  if (!pod.node_name.empty()) return {};                     // the scheduler no longer makes a claim for it
  if (ExtendedResourcesOf(pod, Facts()).empty()) return {};  // most Pods
  if (made.claim != nullptr && (made.claim->allocation || made.deleting || made.owner != pod.name)) return {};
  ResourceClasses resources = ResourcesToClaim(pod, facts());
  if (made.claim != nullptr && IsClaimFor(*made.claim, claimed, resources)) resources.clear();
  return resources;
}

std::string ExtendedClaimName(const json::Value& pod) {
  const json::Value& metadata = pod["metadata"];
  constexpr size_t kLongest = 200, kOfUid = 8;  // of the 253 characters of a name
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  std::string stem(json::TextOf(metadata["name"]).substr(0, kLongest));
  while (!stem.empty() && !is_plain(stem.back())) stem.pop_back();
  std::string uid(json::TextOf(metadata["uid"]));
  std::erase_if(uid, [&](char c) { return !is_plain(c); });
  return StrCat(stem, "-extended-resources-", std::string_view(uid).substr(uid.size() - std::min(uid.size(), kOfUid)));
}

ExtendedClaim ClaimForResources(const json::Value& pod, const ResourceClasses& classes) {
  const std::vector<Container> containers = ContainersOf(pod["spec"]);
  std::vector<Request> requests;
  std::vector<Mapping> mappings;
  for (const auto& [resource, class_name] : classes) Asks(containers, resource, class_name).Add(requests, mappings);
  std::sort(requests.begin(), requests.end(), [](const Request& a, const Request& b) { return a.name < b.name; });

  json::Arena arena;
  json::Editor edit(arena);
  std::vector<json::Value> asks, mapped;
  for (const Request& one : requests) {
    asks.push_back(edit.Object({{"name", edit.String(one.name)},
                                {"exactly", edit.Object({{"deviceClassName", edit.String(one.class_name)},
                                                         {"allocationMode", edit.Literal("ExactCount")},
                                                         {"count", edit.Int(one.count)}})}}));
  }
  for (const Mapping& one : mappings) {
    mapped.push_back(edit.Object({{"containerName", edit.String(one.container)},
                                  {"resourceName", edit.String(one.resource)},
                                  {"requestName", edit.String(one.request)}}));
  }
  ExtendedClaim made;
  const json::Value& metadata = pod["metadata"];
  made.name = ExtendedClaimName(pod);
  const json::Value owner = edit.Object({{"apiVersion", edit.Literal("v1")},
                                         {"kind", edit.Literal("Pod")},
                                         {"name", metadata["name"]},
                                         {"uid", metadata["uid"]},
                                         {"controller", edit.Bool(true)}});
  const json::Value about =
      edit.Object({{"name", edit.String(made.name)},
                   {"namespace", metadata["namespace"]},
                   {"annotations", edit.Object({{"resource.kubernetes.io/extended-resource-claim", edit.Literal("true")}})},
                   {"ownerReferences", edit.Array({owner})}});
  made.claim = json::Write(edit.Object({{"apiVersion", edit.Literal("resource.k8s.io/v1")},
                                        {"kind", edit.Literal("ResourceClaim")},
                                        {"metadata", about},
                                        {"spec", edit.SetAt(json::Value(), {"devices", "requests"}, edit.Array(asks))}}));
  made.pod_status = json::Write(edit.Object({{"requestMappings", edit.Array(mapped)}, {"resourceClaimName", edit.String(made.name)}}));
  return made;
}

}  // namespace allot::dialect
