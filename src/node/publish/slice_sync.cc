#include "node/publish/slice_sync.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "json/json.h"
#include "model/quantity.h"

namespace allot::node {
namespace {

using json::Value;
using kube::Object;
using kube::ObjectPtr;

constexpr size_t kIndexDigits = 5;  // at least

// Whether both objects have the same keys, with values that are equal by `same`(key, a, b).
template <typename Same>
bool SameMembers(const Value& a, const Value& b, Same same) {
  if (MembersOf(a).size() != MembersOf(b).size()) return false;
  return std::all_of(MembersOf(a).begin(), MembersOf(a).end(), [&](const json::Member& member) {
    const Value& other = b[member.key];
    return !other.IsNull() && same(member.key, member.value, other);
  });
}

bool SameAmount(const Value& a, const Value& b) {
  if (!a.IsString() || !b.IsString()) return json::Equal(a, b);
  const auto x = model::Quantity::Parse(a.AsString()), y = model::Quantity::Parse(b.AsString());
  return x.ok() && y.ok() ? *x == *y : a.AsString() == b.AsString();
}

// Compares a DeviceCapacity, or an object or list in it. All strings in it are quantities.
bool SameCapacity(const Value& a, const Value& b) {
  if (a.IsObject() && b.IsObject()) return SameMembers(a, b, [](auto, const Value& x, const Value& y) { return SameCapacity(x, y); });
  if (a.IsArray() && b.IsArray()) return std::equal(a.Items().begin(), a.Items().end(), b.Items().begin(), b.Items().end(), SameAmount);
  return SameAmount(a, b);
}

bool SameTaint(const Value& a, const Value& b) {
  constexpr std::string_view kFields[] = {"key", "value", "effect"};
  return std::all_of(std::begin(kFields), std::end(kFields),
                     [&](std::string_view field) { return Object::Text(a[field]) == Object::Text(b[field]); });
}

bool SameTaints(const Value& a, const Value& b) {
  return std::equal(ItemsOf(a).begin(), ItemsOf(a).end(), ItemsOf(b).begin(), ItemsOf(b).end(), SameTaint);
}

bool SameDevice(const Value& wanted, const Value& stored) {
  return SameMembers(wanted, stored, [](std::string_view key, const Value& a, const Value& b) {
    if (key == "capacity") return SameCapacity(a, b);
    return key == "taints" ? SameTaints(a, b) : json::Equal(a, b);
  });
}

// Returns the index in the name of one of our slices: 10 for "0000a-gpu.nvidia.com-n1-x7k2p".
std::optional<size_t> IndexOf(std::string_view name) {
  const std::string_view digits = name.substr(0, name.find('-'));
  size_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index, 16);
  if (digits.size() < kIndexDigits || digits.size() == name.size()) return std::nullopt;
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(index) : std::nullopt;
}

std::string Prefix(size_t index, size_t count) {
  const auto hex = [](size_t number) {
    char text[17];
    return std::string(text, std::to_chars(text, text + sizeof text, number, 16).ptr);
  };
  const std::string digits = hex(index);
  const size_t width = std::max(kIndexDigits, hex(count - 1).size());
  return std::string(width - digits.size(), '0') + digits;
}

int64_t GenerationOf(const Object& slice) {
  const Value& generation = slice.json()["spec"]["pool"]["generation"];
  return generation.IsNumber() ? generation.AsInt64().value_or(0) : 0;
}

bool IsOwned(const Object& slice, const DesiredPool& pool) {
  const auto owners = ItemsOf(slice.json()["metadata"]["ownerReferences"]);
  if (owners.size() != 1) return false;
  const Value& controller = owners[0]["controller"];
  return Object::Text(owners[0]["kind"]) == "Node" && Object::Text(owners[0]["uid"]) == pool.node_uid && controller.IsBool() &&
         controller.AsBool();
}

// Whether everything except the generation is as wanted.
bool IsAsWanted(const Object& slice, const DesiredPool& pool, size_t index) {
  const Value& spec = slice.json()["spec"];
  const Value& count = spec["pool"]["resourceSliceCount"];
  if (!count.IsNumber() || count.AsInt64() != static_cast<int64_t>(pool.slices.Items().size())) return false;
  // A field that we do not write comes from another client.
  const auto known = {"driver", "nodeName", "pool", "devices"};
  const bool only_known = std::all_of(MembersOf(spec).begin(), MembersOf(spec).end(), [&](const json::Member& member) {
    return member.value.IsNull() || std::find(known.begin(), known.end(), member.key) != known.end();
  });
  return only_known && IsOwned(slice, pool) && SameDevices(pool.slices.Items()[index], spec["devices"]);
}

// Writes the slices that are wanted. Taints that exist already keep their times.
class SliceWriter {
 public:
  SliceWriter(const DesiredPool& pool, std::span<const ObjectPtr> existing) : pool_(pool), existing_(existing) {}

  // `before` is the slice that is replaced, or null.
  std::string Write(size_t index, int64_t generation, const Object* before) const {
    json::Arena arena;
    json::Builder b(arena);
    b.StartObject();
    b.SharedKey("apiVersion"), b.String(kube::types::kResourceSlices.ApiVersion());
    b.SharedKey("kind"), b.String(kube::types::kResourceSlices.kind);
    b.SharedKey("metadata"), WriteMetadata(index, before, b);
    b.SharedKey("spec"), b.StartObject();
    b.SharedKey("driver"), b.String(pool_.driver);
    b.SharedKey("nodeName"), b.String(pool_.node_name);
    b.SharedKey("pool"), b.StartObject();
    b.SharedKey("name"), b.String(pool_.node_name);
    b.SharedKey("generation"), b.Int(generation);
    b.SharedKey("resourceSliceCount"), b.Int(static_cast<int64_t>(pool_.slices.Items().size()));
    b.EndObject();
    b.SharedKey("devices"), b.StartArray();
    for (const Value& device : pool_.slices.Items()[index].Items()) WriteDevice(device, b);
    b.EndArray(), b.EndObject(), b.EndObject();
    return json::Write(b.Finish());
  }

 private:
  void WriteMetadata(size_t index, const Object* before, json::Builder& b) const {
    b.StartObject();
    if (before == nullptr) {
      // The number comes first because the scheduler sorts slices by name.
      const std::string prefix = Prefix(index, pool_.slices.Items().size());
      b.SharedKey("generateName"), b.String(StrCat(prefix, "-", pool_.driver, "-", pool_.node_name, "-"));
    } else {
      // Labels and annotations of other clients stay.
      for (const json::Member& member : MembersOf(before->json()["metadata"])) {
        if (member.key != "ownerReferences") b.SharedKey(member.key), b.Add(member.value);
      }
    }
    b.SharedKey("ownerReferences"), b.StartArray(), b.StartObject();
    b.SharedKey("apiVersion"), b.String("v1");
    b.SharedKey("kind"), b.String("Node");
    b.SharedKey("name"), b.String(pool_.node_name);
    b.SharedKey("uid"), b.String(pool_.node_uid);
    b.SharedKey("controller"), b.Bool(true);
    b.EndObject(), b.EndArray(), b.EndObject();
  }

  void WriteDevice(const Value& device, json::Builder& b) const {
    if (device["taints"].IsNull()) return b.Add(device);
    b.StartObject();
    for (const json::Member& member : device.Members()) {
      b.SharedKey(member.key);
      if (member.key != "taints") {
        b.Add(member.value);
        continue;
      }
      b.StartArray();
      for (const Value& taint : member.value.Items()) WriteTaint(device, taint, b);
      b.EndArray();
    }
    b.EndObject();
  }

  void WriteTaint(const Value& device, const Value& taint, json::Builder& b) const {
    b.StartObject();
    for (const json::Member& member : taint.Members()) b.SharedKey(member.key), b.Add(member.value);
    if (const Value* const added = TimeAdded(device["name"].AsString(), taint)) b.SharedKey("timeAdded"), b.Add(*added);
    b.EndObject();
  }

  // Null: the device has no such taint yet.
  const Value* TimeAdded(std::string_view device_name, const Value& taint) const {
    for (const ObjectPtr& slice : existing_) {
      for (const Value& device : ItemsOf(slice->json()["spec"]["devices"])) {
        if (Object::Text(device["name"]) != device_name) continue;
        for (const Value& known : ItemsOf(device["taints"])) {
          if (SameTaint(taint, known) && known["timeAdded"].IsString()) return &known["timeAdded"];
        }
      }
    }
    return nullptr;
  }

  const DesiredPool& pool_;
  const std::span<const ObjectPtr> existing_;
};

}  // namespace

SyncPlan PlanSync(std::vector<ObjectPtr> existing, const DesiredPool& pool, const std::function<bool(const Object&)>& accept) {
  const size_t count = pool.slices.Items().size();
  CHECK(count > 0);
  std::sort(existing.begin(), existing.end(), [](const ObjectPtr& a, const ObjectPtr& b) { return a->name() < b->name(); });
  // A slice that waits for its finalizers can be neither used nor deleted.
  std::erase_if(existing, [](const ObjectPtr& slice) { return !slice->json()["metadata"]["deletionTimestamp"].IsNull(); });

  const auto in_pool = [&](const Object& slice) { return Object::Text(slice.json()["spec"]["pool"]["name"]) == pool.node_name; };
  SyncPlan plan;
  for (const ObjectPtr& slice : existing) {
    if (in_pool(*slice)) plan.generation = std::max(plan.generation, GenerationOf(*slice));
  }
  std::vector<ObjectPtr> matched(count);
  for (const ObjectPtr& slice : existing) {
    const std::optional<size_t> index = IndexOf(slice->name());
    const bool current = in_pool(*slice) && GenerationOf(*slice) == plan.generation;
    if (current && index && *index < count && matched[*index] == nullptr) {
      matched[*index] = slice;
    } else {
      plan.operations.push_back({SliceOperation::Kind::kDelete, slice, 0, ""});
    }
  }

  std::vector<bool> changed(count);
  for (size_t i = 0; i < count; ++i) {
    changed[i] = matched[i] != nullptr && !(accept && accept(*matched[i])) && !IsAsWanted(*matched[i], pool, i);
  }
  const bool creates = std::find(matched.begin(), matched.end(), nullptr) != matched.end();
  // A single slice changes atomically. If several change, readers may see some before and some after the change.
  const bool renumber = creates || std::count(changed.begin(), changed.end(), true) > 1;
  if (renumber) ++plan.generation;

  const SliceWriter writer(pool, existing);
  for (size_t i = 0; i < count; ++i) {
    if (matched[i] == nullptr || !(renumber || changed[i])) continue;
    plan.operations.push_back({SliceOperation::Kind::kUpdate, matched[i], i, writer.Write(i, plan.generation, matched[i].get())});
  }
  for (size_t i = 0; i < count; ++i) {
    if (matched[i] == nullptr)
      plan.operations.push_back({SliceOperation::Kind::kCreate, nullptr, i, writer.Write(i, plan.generation, nullptr)});
  }
  return plan;
}

bool SameDevices(const Value& wanted, const Value& stored) {
  return std::equal(ItemsOf(wanted).begin(), ItemsOf(wanted).end(), ItemsOf(stored).begin(), ItemsOf(stored).end(), SameDevice);
}

Dropped DroppedFields(const Value& sent, const Value& stored) {
  Dropped dropped;
  const size_t count = std::min(ItemsOf(sent).size(), ItemsOf(stored).size());
  for (size_t i = 0; i < count; ++i) {
    const Value& device = ItemsOf(sent)[i];
    const Value& kept = ItemsOf(stored)[i];
    const auto lost = [](const Value& before, const Value& after, std::string_view field) {
      return !before[field].IsNull() && after[field].IsNull();
    };
    dropped.taints |= lost(device, kept, "taints");
    dropped.sharing |= lost(device, kept, "allowMultipleAllocations");
    for (const json::Member& capacity : MembersOf(device["capacity"])) {
      dropped.sharing |= lost(capacity.value, kept["capacity"][capacity.key], "requestPolicy");
    }
  }
  dropped.other = !dropped.sharing && !dropped.taints && !SameDevices(sent, stored);
  return dropped;
}

std::string NewSlice(const DesiredPool& pool, size_t index, int64_t generation) {
  return SliceWriter(pool, {}).Write(index, generation, nullptr);
}

}  // namespace allot::node
