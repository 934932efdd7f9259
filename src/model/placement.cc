#include "model/placement.h"

#include <algorithm>

#include "model/reader.h"

namespace allot::model {
namespace {

void MaxAmounts(Amounts& to, const Amounts& other) {
  for (const auto& [name, amount] : other) {
    const auto at = std::lower_bound(to.begin(), to.end(), name, [](const auto& one, std::string_view n) { return one.first < n; });
    if (at != to.end() && at->first == name) {
      at->second = std::max(at->second, amount);
    } else {
      to.insert(at, {name, amount});
    }
  }
}

// What a container asks for; what it does not ask for it gets as much of as its limit.
Amounts RequestsOf(const Reader& container) {
  const Reader resources = container["resources"];
  Amounts requests = ReadAmounts(resources, "requests");
  for (const auto& limit : ReadAmounts(resources, "limits")) {
    const bool asked = std::any_of(requests.begin(), requests.end(), [&](const auto& one) { return one.first == limit.first; });
    if (!asked) AddAmounts(requests, {limit});
  }
  return requests;
}

// As Kubernetes counts: the containers with the sidecars together, or what an init container needs while it runs beside the sidecars that
// were started before it; whichever is more. What the Pod says as a whole counts instead.
Amounts PodRequests(const Reader& spec) {
  Amounts running, sidecars, starting;
  spec.Each("containers", [&](const Reader& container) { AddAmounts(running, RequestsOf(container)); });
  spec.Each("initContainers", [&](const Reader& container) {
    Amounts own = RequestsOf(container);
    if (container.Text("restartPolicy") == "Always") {
      AddAmounts(running, own);
      AddAmounts(sidecars, own);
      own = sidecars;
    } else {
      AddAmounts(own, sidecars);
    }
    MaxAmounts(starting, own);
  });
  MaxAmounts(running, starting);
  for (const auto& [name, amount] : ReadAmounts(spec["resources"], "requests")) {
    std::erase_if(running, [&, n = name](const auto& one) { return one.first == n; });
    AddAmounts(running, {{name, amount}});
  }
  AddAmounts(running, ReadAmounts(spec, "overhead"));
  return running;
}

// matchLabelKeys: adds a requirement on the Pod's own value of each key to the selector.
void AddKeys(LabelSelector& selector, const Labels& own, const std::vector<std::string_view>& keys, std::string_view op) {
  if (!selector.is_set) return;
  for (const std::string_view key : keys) {
    if (const std::string_view* value = FindLabel(own, key)) selector.requirements.push_back({key, op, {*value}});
  }
}

PodTerm ReadPodTerm(const Reader& term, const Labels& own) {
  PodTerm read;
  read.selector = LabelSelector::Read(term, "labelSelector");
  AddKeys(read.selector, own, term.Texts("matchLabelKeys"), "In");
  AddKeys(read.selector, own, term.Texts("mismatchLabelKeys"), "NotIn");
  read.topology_key = term.Text("topologyKey");
  read.namespaces = term.Texts("namespaces");
  read.namespace_selector = LabelSelector::Read(term, "namespaceSelector");
  return read;
}

std::vector<PodTerm> ReadPodTerms(const Reader& affinity, const Labels& own) {
  std::vector<PodTerm> terms;
  affinity.Each("requiredDuringSchedulingIgnoredDuringExecution", [&](const Reader& term) { terms.push_back(ReadPodTerm(term, own)); });
  affinity.Each("preferredDuringSchedulingIgnoredDuringExecution", [&](const Reader& weighted) {
    PodTerm term = ReadPodTerm(weighted["podAffinityTerm"], own);
    term.weight = weighted.OptionalInt("weight").value_or(1);
    terms.push_back(std::move(term));
  });
  return terms;
}

std::vector<HostPort> ReadPorts(const Reader& spec) {
  std::vector<HostPort> ports;
  const auto read = [&](const Reader& container) {
    container.Each("ports", [&](const Reader& port) {
      const int64_t number = port.OptionalInt("hostPort").value_or(0);
      const std::string_view protocol = port.Text("protocol");
      if (number > 0) ports.push_back({number, protocol.empty() ? "TCP" : protocol, port.Text("hostIP")});
    });
  };
  spec.Each("containers", read);
  spec.Each("initContainers", [&](const Reader& container) {
    if (container.Text("restartPolicy") == "Always") read(container);
  });
  return ports;
}

}  // namespace

int64_t AmountOf(const Amounts& amounts, std::string_view name) {
  const auto at = std::lower_bound(amounts.begin(), amounts.end(), name, [](const auto& one, std::string_view n) { return one.first < n; });
  return at != amounts.end() && at->first == name ? at->second : 0;
}

void AddAmounts(Amounts& to, const Amounts& more) {
  for (const auto& [name, amount] : more) {
    const auto at = std::lower_bound(to.begin(), to.end(), name, [](const auto& one, std::string_view n) { return one.first < n; });
    if (at == to.end() || at->first != name) {
      to.insert(at, {name, amount});
    } else if (__builtin_add_overflow(at->second, amount, &at->second)) {
      at->second = INT64_MAX;
    }
  }
}

Amounts ReadAmounts(const Reader& parent, std::string_view key) {
  Amounts amounts;
  parent.EachQuantity(key, [&](std::string_view name, const Quantity& quantity) {
    const std::optional<int64_t> amount = name == "cpu" ? quantity.MilliValue() : quantity.Value();
    amounts.emplace_back(name, amount.value_or(quantity.Sign() < 0 ? 0 : INT64_MAX));
  });
  std::sort(amounts.begin(), amounts.end());
  return amounts;
}

bool HostPort::Collides(const HostPort& other) const {
  const auto is_any = [](std::string_view address) { return address.empty() || address == "0.0.0.0"; };
  return port == other.port && protocol == other.protocol && (is_any(ip) || is_any(other.ip) || ip == other.ip);
}

Result<Placement> Placement::Read(const json::Value& pod) {
  const Reader reader(pod);
  const Reader metadata = reader["metadata"];
  const Reader spec = reader["spec"];
  Placement read;
  read.labels = ReadLabels(metadata, "labels");
  read.priority = spec.OptionalInt("priority").value_or(0);
  read.scheduler = spec.Text("schedulerName");
  spec.Each("schedulingGates", [&](const Reader& gate) { read.gates.push_back(gate.Text("name")); });
  read.node_selector = ReadLabels(spec, "nodeSelector");
  const Reader affinity = spec["affinity"];
  const Reader node = affinity["nodeAffinity"];
  if (const Reader required = node["requiredDuringSchedulingIgnoredDuringExecution"]; required.IsPresent()) {
    read.required_nodes = NodeSelector::Read(required);
  }
  node.Each("preferredDuringSchedulingIgnoredDuringExecution", [&](const Reader& weighted) {
    read.preferred_nodes.push_back({weighted.OptionalInt("weight").value_or(1), NodeSelectorTerm::Read(weighted["preference"])});
  });
  read.affinity = ReadPodTerms(affinity["podAffinity"], read.labels);
  read.anti_affinity = ReadPodTerms(affinity["podAntiAffinity"], read.labels);
  spec.Each("tolerations", [&](const Reader& one) {
    read.tolerations.push_back(
        {one.Text("key"), one.Text("operator"), one.Text("value"), one.Text("effect"), one.OptionalInt("tolerationSeconds")});
  });
  spec.Each("topologySpreadConstraints", [&](const Reader& one) {
    SpreadConstraint& constraint = read.spread.emplace_back();
    constraint.max_skew = one.OptionalInt("maxSkew").value_or(1);
    constraint.min_domains = one.OptionalInt("minDomains").value_or(1);
    constraint.topology_key = one.Text("topologyKey");
    constraint.required = one.Text("whenUnsatisfiable") != "ScheduleAnyway";
    constraint.selector = LabelSelector::Read(one, "labelSelector");
    AddKeys(constraint.selector, read.labels, one.Texts("matchLabelKeys"), "In");
    constraint.honor_affinity = one.Text("nodeAffinityPolicy") != "Ignore";
    constraint.honor_taints = one.Text("nodeTaintsPolicy") == "Honor";
  });
  read.ports = ReadPorts(spec);
  read.requests = PodRequests(spec);
  reader["status"]["extendedResourceClaimStatus"].Each("requestMappings", [&](const Reader& mapping) {
    const std::string_view name = mapping.Text("resourceName");
    if (AmountOf(read.requests, name) == 0) return;  // another container maps it too
    AddAmounts(read.claimed, {{name, AmountOf(read.requests, name)}});
    std::erase_if(read.requests, [&](const auto& one) { return one.first == name; });
  });
  TRY(reader.status());
  return read;
}

}  // namespace allot::model
