#include "apiserver/controllers/workloads/deployment_sets.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "apiserver/controllers/workloads/deployments.h"
#include "json/json.h"

namespace allot::apiserver {

namespace {

// Annotations that are not copied from the Deployment to its ReplicaSets.
constexpr std::string_view kOwn[] = {"kubectl.kubernetes.io/last-applied-configuration",
                                     kRevision,
                                     "deployment.kubernetes.io/revision-history",
                                     kDesired,
                                     kMost,
                                     "deprecated.deployment.rollback.to"};

std::optional<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

int64_t HighestRevision(const std::vector<Stored>& sets) {
  int64_t highest = 0;
  for (const Stored& set : sets) highest = std::max(highest, RevisionOf(set));
  return highest;
}

}  // namespace

std::string TemplateHash(const json::Value& pod_template, int64_t collisions) {
  uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : StrCat(json::Write(pod_template), collisions)) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += kLetters[hash % kLetters.size()];
    hash /= kLetters.size();
  }
  return text;
}

std::optional<int64_t> NumberIn(const Stored& set, std::string_view annotation) {
  return Number(json::TextOf(set.metadata()["annotations"][annotation]));
}

int64_t RevisionOf(const Stored& set) { return NumberIn(set, kRevision).value_or(0); }

SetSize SizeOf(const Stored& set) {
  return {IntOr(set.spec()["replicas"], 1), IntOr(set.status()["availableReplicas"], 0), NumberIn(set, kMost)};
}

bool HasTemplate(const Stored& set, const json::Value& pod_template) {
  json::Arena arena;
  json::Editor edit(arena);
  const auto plain = [&](const json::Value& one) { return edit.WithoutAt(one, {"metadata", "labels", kTemplateHash}); };
  return json::Equal(plain(set.spec()["template"]), plain(pod_template));
}

json::Value MarkSize(json::Editor& edit, const json::Value& set, const RolloutPlan& plan) {
  const json::Value desired = edit.SetAt(set, {"metadata", "annotations", kDesired}, edit.String(std::to_string(plan.replicas)));
  return edit.SetAt(desired, {"metadata", "annotations", kMost}, edit.String(std::to_string(plan.most())));
}

json::Value CopyAnnotations(json::Editor& edit, const json::Value& set, const json::Value& deployment, int64_t revision) {
  json::Value annotations = set["metadata"]["annotations"];
  for (const json::Member& one : json::MembersOf(deployment["metadata"]["annotations"])) {
    if (std::find(std::begin(kOwn), std::end(kOwn), one.key) == std::end(kOwn)) annotations = edit.Set(annotations, one.key, one.value);
  }
  if (Number(json::TextOf(annotations[kRevision])).value_or(0) < revision) {
    annotations = edit.Set(annotations, kRevision, edit.String(std::to_string(revision)));
  }
  return edit.SetAt(set, {"metadata", "annotations"}, annotations);
}

json::Value SetFor(json::Editor& edit, const json::Value& deployment, std::string_view hash, int64_t replicas, int64_t revision) {
  const json::Value& spec = deployment["spec"];
  const json::Value label = edit.String(hash);
  const json::Value pod_template = edit.SetAt(spec["template"], {"metadata", "labels", kTemplateHash}, label);
  json::Value set_spec = edit.Object({{"replicas", edit.Int(replicas)},
                                      {"selector", edit.SetAt(spec["selector"], {"matchLabels", kTemplateHash}, label)},
                                      {"template", pod_template}});
  if (!spec["minReadySeconds"].IsNull()) set_spec = edit.Set(set_spec, "minReadySeconds", spec["minReadySeconds"]);
  const json::Value metadata = edit.Object({{"name", edit.String(StrCat(json::TextOf(deployment["metadata"]["name"]), "-", hash))},
                                            {"labels", pod_template["metadata"]["labels"]},
                                            {"ownerReferences", edit.Array({ControllerReference(edit, deployment)})}});
  const json::Value set = edit.Object({{"metadata", metadata}, {"spec", set_spec}});
  return MarkSize(edit, CopyAnnotations(edit, set, deployment, revision), PlanOf(deployment));
}

Status Deployments::HaveCurrent(Rollout& rollout) {
  // Users may edit a revision: avoid overflow.
  const int64_t revision = std::min(HighestRevision(rollout.old), std::numeric_limits<int64_t>::max() - 1) + 1;
  return rollout.current ? KeepCurrent(rollout, revision) : MakeCurrent(rollout, revision);
}

Status Deployments::KeepCurrent(Rollout& rollout, int64_t revision) {
  const Stored& deployment = rollout.deployment;
  const Key key = rollout.current->key();
  TRY(Change(TargetOf(key), rollout.current->uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    json::Value changed = CopyAnnotations(edit, stored, deployment.json(), revision);
    if (const int64_t wait = IntOr(deployment.spec()["minReadySeconds"], 0); wait != IntOr(stored["spec"]["minReadySeconds"], 0)) {
      changed = edit.SetAt(changed, {"spec", "minReadySeconds"}, edit.Int(wait));
    }
    return json::Equal(changed, stored) ? stored : changed;
  }));
  std::optional<Stored> now = Read(store(), key);
  if (!now || now->uid() != rollout.current->uid()) return Unavailable("ReplicaSet ", key.name, " was deleted meanwhile");
  rollout.current = std::move(now);
  return Status();
}

Status Deployments::MakeCurrent(Rollout& rollout, int64_t revision) {
  const Stored& deployment = rollout.deployment;
  json::Arena arena;
  json::Editor edit(arena);
  std::vector<SetSize> old;
  for (const Stored& set : rollout.old) old.push_back(SizeOf(set));
  const std::string hash = TemplateHash(deployment.spec()["template"], IntOr(deployment.status()["collisionCount"], 0));
  const int64_t replicas = NextSize(PlanOf(deployment.json()), SetSize(), old);
  Result<Stored> made = Create("replicasets.apps", deployment.key().space, SetFor(edit, deployment.json(), hash, replicas, revision));
  if (made.ok()) {
    rollout.current = *std::move(made);
    rollout.news = Rollout::News::kCreated;
    return Status();
  }
  if (HasReason(made.status(), "AlreadyExists")) TRY(CountCollision(deployment));
  rollout.news = Rollout::News::kFailed;
  rollout.failure = made.status().message();
  return made.status();
}

// The name belongs to another template or owner. The next attempt uses another name.
Status Deployments::CountCollision(const Stored& deployment) {
  return Change(TargetOf(deployment.key(), "status"), deployment.uid(),
                [](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
                  return edit.SetAt(stored, {"status", "collisionCount"}, edit.Int(IntOr(stored["status"]["collisionCount"], 0) + 1));
                });
}

}  // namespace allot::apiserver
