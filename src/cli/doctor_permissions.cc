// Checks what the agents may do.

#include <set>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/doctor_checks.h"

namespace allot::cli {
namespace {

struct Right {
  std::string_view group, resource, verb;
};

// All that an agent asks of the API, as the chart's ClusterRole has it.
constexpr Right kRights[] = {
    {"resource.k8s.io", "resourceclaims", "get"},
    {"resource.k8s.io", "resourceslices", "list"},
    {"resource.k8s.io", "resourceslices", "watch"},
    {"resource.k8s.io", "resourceslices", "create"},
    {"resource.k8s.io", "resourceslices", "update"},
    {"resource.k8s.io", "resourceslices", "delete"},
    {"", "nodes", "get"},
};

Result<bool> Has(Session& session, const std::string& user, const Right& right) {
  static const kube::ResourceType kReviews{"authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false};
  const std::string review =
      StrCat(R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":)", Quoted(user, user.size() + 1),
             R"(,"groups":["system:serviceaccounts","system:authenticated"],"resourceAttributes":{"group":")", right.group,
             R"(","resource":")", right.resource, R"(","verb":")", right.verb, R"("}}})");
  ASSIGN_OR_RETURN(const kube::ObjectPtr answer, session.client().Create(kReviews, "", review));
  const json::Value& allowed = answer->json()["status"]["allowed"];
  return allowed.IsBool() && allowed.AsBool();
}

void CheckAccount(Session& session, const std::string& user, Findings& findings) {
  std::vector<std::string> lacks;
  for (const Right& right : kRights) {
    const Result<bool> has = Has(session, user, right);
    if (!has.ok()) return findings.push_back(CannotSee("permissions", "create", "subjectaccessreviews.authorization.k8s.io", has.status()));
    if (!*has) lacks.push_back(StrCat(right.verb, " ", right.resource));
  }
  if (lacks.empty()) return findings.push_back({"permissions", Verdict::kOk, StrCat("rights of ", user, ": all that the agent needs")});
  findings.push_back(
      {"permissions", Verdict::kFailed, StrCat("rights of ", user, ": it may not ", Join(lacks, ", ")),
       "the chart's ClusterRole and its binding have them; put them back:",
       "helm upgrade nvidia-dra-driver-gpu ./deployments/helm/nvidia-dra-driver-gpu -n nvidia-dra-driver-gpu --reuse-values"});
}

}  // namespace

void CheckPermissions(Session& session, const ClusterFacts& facts, Findings& findings) {
  std::set<std::string> users;
  for (const kube::ObjectPtr& set : facts.daemon_sets.objects) {
    const std::string_view account = Text(set->json()["spec"]["template"]["spec"]["serviceAccountName"]);
    users.insert(StrCat("system:serviceaccount:", set->namespace_name(), ":", account.empty() ? "default" : account));
  }
  for (const std::string& user : users) CheckAccount(session, user, findings);
}

}  // namespace allot::cli
