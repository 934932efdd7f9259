#pragma once
// An Api for tests of controllers: a real store in a temporary file, the kinds that controllers use, and the common part of all writes
// (names, uids, generations, finalizers, grace periods), without defaults and validation. Included by *_test.cc only.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/api.h"
#include "apiserver/controllers/stored.h"
#include "base/fake_clock.h"
#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

class FakeApi final : public Api {
 public:
  explicit FakeApi(const Clock& clock) : clock_(clock), built_in_(MakeKinds()), kinds_(std::make_shared<Kinds>(built_in_)) {
    char folder[] = "/tmp/fake_api_XXXXXX";
    CHECK(mkdtemp(folder) != nullptr);
    folder_ = folder;
    auto store = Store::Open(folder_ + "/store.db", {});
    CHECK(store.ok());
    store_ = *std::move(store);
  }
  ~FakeApi() override {
    store_.reset();
    for (const char* file : {"/store.db", "/store.db-wal", "/store.db-shm", "/store.db-journal"}) unlink((folder_ + file).c_str());
    rmdir(folder_.c_str());
  }

  static std::shared_ptr<Kind> MakeKind(std::string group, std::string version, std::string plural, std::string name, bool namespaced) {
    auto kind = std::make_shared<Kind>();
    kind->type = {std::move(group), std::move(version), std::move(plural), std::move(name), namespaced};
    return kind;
  }

  std::shared_ptr<const Kinds> kinds() const override { return kinds_; }
  void SetCustomKinds(std::vector<std::shared_ptr<const Kind>> kinds) override {
    ++custom_kinds_set_;
    kinds.insert(kinds.begin(), built_in_.begin(), built_in_.end());
    kinds_ = std::make_shared<Kinds>(std::move(kinds));
  }
  int custom_kinds_set() const { return custom_kinds_set_; }
  std::shared_ptr<const Kind> BuiltIn(std::string_view resource) const override {
    const auto found =
        std::find_if(built_in_.begin(), built_in_.end(), [&](const auto& kind) { return kind->type.FullName() == resource; });
    CHECK(found != built_in_.end());
    return *found;
  }
  Store& store() override { return *store_; }

  // Refuses the following writes of a resource, until called with an empty name.
  void Refuse(std::string resource) { refused_ = std::move(resource); }

  Result<Answer> Get(const Target& target) override {
    Answer answer;
    answer.entry = store_->Get(KeyOf(target));
    if (answer.entry == nullptr) return NotFound(*target.kind, target.name);
    return answer;
  }

  Result<Answer> Create(const Caller&, const Target& target, const json::Value& body, const WriteOptions&) override {
    if (target.kind->type.FullName() == refused_) return ForbiddenOn(*target.kind, "", "the test says so");
    json::Arena arena;
    json::Editor edit(arena);
    const Kind& kind = *target.kind;
    json::Value metadata = body["metadata"];
    std::string name(json::TextOf(metadata["name"]));
    if (name.empty()) name = StrCat(json::TextOf(metadata["generateName"]), Suffix());
    metadata = edit.Set(metadata, "name", edit.String(name));
    if (kind.type.namespaced) metadata = edit.Set(metadata, "namespace", edit.String(target.space));
    metadata = edit.Set(metadata, "uid", edit.String(Uuid4(random_)));
    metadata = edit.Set(metadata, "creationTimestamp", TimeValue(edit, clock_.Now()));
    if (kind.has_generation) metadata = edit.Set(metadata, "generation", edit.Int(1));
    json::Value object = edit.Set(body, "metadata", metadata);
    object = edit.Set(edit.Set(object, "kind", edit.String(kind.type.kind)), "apiVersion", edit.String(kind.ApiVersion()));
    if (kind.type.plural == "namespaces") object = edit.SetAt(object, {"spec", "finalizers"}, edit.Array({edit.Literal("kubernetes")}));
    if (kind.type.plural == "pods") object = edit.SetAt(object, {"status", "phase"}, edit.Literal("Pending"));
    Answer answer;
    Result<EntryPtr> put = store_->Put({kind.type.FullName(), target.space, name}, 0, MakeDraft(kind, object));
    if (!put.ok()) return AlreadyExists(kind, name);
    answer.code = 201;
    answer.entry = *put;
    return answer;
  }

  Result<Answer> Update(const Caller&, const Target&, const json::Value&, const WriteOptions&) override { return MethodNotAllowed(); }
  Result<Answer> Patch(const Caller&, const Target&, PatchType, const json::Value&, const WriteOptions&) override {
    return MethodNotAllowed();
  }

  Result<Answer> Delete(const Caller&, const Target& target, const DeleteOptions& options) override {
    const std::optional<Stored> old = Read(*store_, KeyOf(target));
    if (!old) return NotFound(*target.kind, target.name);
    if (options.uid && *options.uid != old->uid()) return ConflictOn(*target.kind, target.name, "another uid");
    if (options.resource_version && *options.resource_version != std::to_string(old->entry().version)) {
      return ConflictOn(*target.kind, target.name, "another version");
    }
    json::Arena arena;
    json::Editor edit(arena);
    json::Value object = old->json();
    if (options.propagation == "Orphan") object = WithFinalizer(edit, object, "orphan");
    if (options.propagation == "Foreground") object = WithFinalizer(edit, object, "foregroundDeletion");
    const bool begun = IsDeleting(object);
    if (!begun && !target.kind->finalizer_on_delete.empty()) object = WithFinalizer(edit, object, target.kind->finalizer_on_delete);
    const int64_t grace = target.kind->graceful ? GraceOf(object, options) : 0;
    if (!begun || grace < IntOr(object["metadata"]["deletionGracePeriodSeconds"], 0)) {
      object = edit.SetAt(object, {"metadata", "deletionTimestamp"}, TimeValue(edit, clock_.Now() + std::chrono::seconds(grace)));
      object = edit.SetAt(object, {"metadata", "deletionGracePeriodSeconds"}, edit.Int(grace));
    }
    return Write(target, *old, object);
  }

  Result<Answer> Change(const Caller&, const Target& target, const ChangeFunction& change) override {
    if (target.kind->type.FullName() == refused_) return ForbiddenOn(*target.kind, target.name, "the test says so");
    const std::optional<Stored> old = Read(*store_, KeyOf(target));
    if (!old) return NotFound(*target.kind, target.name);
    json::Arena arena;
    json::Editor edit(arena);
    ASSIGN_OR_RETURN(const json::Value changed, change(edit, old->json()));
    json::Value object = changed;
    if (target.subresource == "status") {
      object = edit.Set(old->json(), "status", changed["status"]);
      // As in kube-apiserver 1.36, for Deployments only: annotations may be written with the status.
      if (target.kind->annotations_raise_generation && !changed["metadata"]["annotations"].IsNull()) {
        object = edit.SetAt(object, {"metadata", "annotations"}, changed["metadata"]["annotations"]);
      }
    } else if (target.kind->has_status) {
      object = old->status().IsNull() ? edit.Without(changed, "status") : edit.Set(changed, "status", old->status());
      if (target.kind->has_generation && !json::Equal(object["spec"], old->spec())) {
        object = edit.SetAt(object, {"metadata", "generation"}, edit.Int(IntOr(old->metadata()["generation"], 0) + 1));
      }
    }
    return Write(target, *old, object);
  }

 private:
  static Key KeyOf(const Target& target) { return {target.kind->type.FullName(), target.space, target.name}; }

  static int64_t GraceOf(const json::Value& pod, const DeleteOptions& options) {
    const std::string_view phase = json::TextOf(pod["status"]["phase"]);
    if (json::TextOf(pod["spec"]["nodeName"]).empty() || phase == "Succeeded" || phase == "Failed") return 0;
    return options.grace_seconds.value_or(30);
  }

  Result<Answer> Write(const Target& target, const Stored& old, const json::Value& object) {
    Answer answer;
    answer.entry = store_->Get(old.key());
    const json::Value& metadata = object["metadata"];
    const bool over = IsDeleting(object) && json::ItemsOf(metadata["finalizers"]).empty() &&
                      json::ItemsOf(object["spec"]["finalizers"]).empty() && IntOr(metadata["deletionGracePeriodSeconds"], 0) == 0;
    if (!over && json::Equal(object, old.json())) return answer;
    const uint64_t version = old.entry().version;
    ASSIGN_OR_RETURN(answer.entry, over ? store_->Remove(old.key(), version, MakeDraft(*target.kind, object))
                                        : store_->Put(old.key(), version, MakeDraft(*target.kind, object)));
    answer.removed = over;
    return answer;
  }

  static Draft MakeDraft(const Kind& kind, const json::Value& object) {
    static constexpr std::string_view kMark = "@version@";
    json::Arena arena;
    json::Editor edit(arena);
    const std::string text = json::Write(edit.SetAt(object, {"metadata", "resourceVersion"}, edit.Literal(kMark)));
    const size_t at = text.find(kMark);
    Draft draft;
    draft.before = text.substr(0, at);
    draft.after = text.substr(at + kMark.size());
    draft.uid = json::TextOf(object["metadata"]["uid"]);
    draft.index = IndexOf(kind, object);
    return draft;
  }

  std::string Suffix() {
    std::string suffix;
    for (int i = 0; i < 5; ++i) suffix += static_cast<char>('a' + random_.Below(26));
    return suffix;
  }

  static std::vector<std::shared_ptr<const Kind>> MakeKinds() {
    struct Line {
      const char *group, *version, *plural, *kind;
      bool namespaced, status;
    };
    static constexpr Line kLines[] = {
        {"", "v1", "namespaces", "Namespace", false, true},
        {"", "v1", "nodes", "Node", false, true},
        {"", "v1", "pods", "Pod", true, true},
        {"", "v1", "configmaps", "ConfigMap", true, false},
        {"", "v1", "secrets", "Secret", true, false},
        {"", "v1", "serviceaccounts", "ServiceAccount", true, false},
        {"", "v1", "events", "Event", true, false},
        {"apps", "v1", "deployments", "Deployment", true, true},
        {"apps", "v1", "replicasets", "ReplicaSet", true, true},
        {"batch", "v1", "jobs", "Job", true, true},
        {"scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false, false},
        {"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim", true, true},
        {"resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate", true, false},
        {"resource.k8s.io", "v1", "resourceslices", "ResourceSlice", false, false},
        {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false, true},
    };
    std::vector<std::shared_ptr<const Kind>> kinds;
    for (const Line& line : kLines) {
      const auto kind = MakeKind(line.group, line.version, line.plural, line.kind, line.namespaced);
      kind->has_status = kind->has_generation = line.status;
      if (kind->type.plural == "pods") {
        kind->graceful = true;
        kind->selectable = {{"spec.nodeName", {"spec", "nodeName"}, ""}, {"status.phase", {"status", "phase"}, ""}};
      }
      kind->annotations_raise_generation = kind->type.plural == "deployments";
      if (kind->type.plural == "customresourcedefinitions") kind->finalizer_on_delete = "customresourcecleanup.apiextensions.k8s.io";
      kinds.push_back(kind);
    }
    return kinds;
  }

  const Clock& clock_;
  SeededRandom random_{1};
  std::string folder_;
  std::unique_ptr<Store> store_;
  const std::vector<std::shared_ptr<const Kind>> built_in_;
  std::shared_ptr<const Kinds> kinds_;
  std::string refused_;
  int custom_kinds_set_ = 0;
};

}  // namespace allot::apiserver
