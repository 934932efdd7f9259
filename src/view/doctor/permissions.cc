// Checks what the agents may do.

#include <set>
#include <span>

#include "base/strings.h"
#include "json/editor.h"
#include "view/doctor/checks.h"

namespace allot::view {
namespace {

using json::TextOf;
using Check = Finding::Check;
using Kind = Finding::Kind;
using Verdict = Finding::Verdict;

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

// In its own namespace, as the chart's Role has it. Without them it works all the same.
constexpr Right kOwnRights[] = {
    {"", "events", "create"},
    {"", "events", "patch"},
};

struct Account {
  std::string namespace_name, name;

  std::string User() const { return StrCat("system:serviceaccount:", namespace_name, ":", name); }
};

// In `namespace_name`, or where that is empty in all.
Result<bool> Has(kube::Client& client, const Account& account, const Right& right, std::string_view namespace_name) {
  static const kube::ResourceType kReviews{"authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false};
  const std::string user = account.User();
  const std::string review =
      StrCat(R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":)", Quoted(user, user.size() + 1),
             R"(,"groups":["system:serviceaccounts","system:serviceaccounts:)", account.namespace_name,
             R"(","system:authenticated"],"resourceAttributes":{"namespace":")", namespace_name, R"(","group":")", right.group,
             R"(","resource":")", right.resource, R"(","verb":")", right.verb, R"("}}})");
  ASSIGN_OR_RETURN(const kube::ObjectPtr answer, client.Create(kReviews, "", review));
  const json::Value& allowed = answer->json()["status"]["allowed"];
  return json::IsTrue(allowed);
}

// "watch resourceslices" of each that it lacks.
Result<std::vector<std::string>> Lacks(kube::Client& client, const Account& account, std::span<const Right> rights,
                                       std::string_view namespace_name) {
  std::vector<std::string> lacks;
  for (const Right& right : rights) {
    ASSIGN_OR_RETURN(const bool has, Has(client, account, right, namespace_name));
    if (!has) lacks.push_back(StrCat(right.verb, " ", right.resource));
  }
  return lacks;
}

void CheckAccount(kube::Client& client, const Account& account, const Release& release, Findings& findings) {
  const Result<std::vector<std::string>> lacks = Lacks(client, account, kRights, "");
  const Result<std::vector<std::string>> lacks_own = lacks.ok() ? Lacks(client, account, kOwnRights, account.namespace_name) : lacks;
  if (!lacks_own.ok()) {
    return findings.push_back(NotSeen(Check::kPermissions, "create", "subjectaccessreviews.authorization.k8s.io", lacks_own.status()));
  }
  const auto add = [&](Verdict verdict, Kind kind, const std::vector<std::string>& rights) {
    findings.push_back(
        {.check = Check::kPermissions, .verdict = verdict, .kind = kind, .name = account.User(), .names = rights, .release = release});
  };
  if (!lacks->empty()) add(Verdict::kFailed, Kind::kLacksRights, *lacks);
  if (!lacks_own->empty()) {
    add(Verdict::kWarning, Kind::kLacksOwnRights, *lacks_own);
    findings.back().resource = account.namespace_name;
  }
  if (lacks->empty() && lacks_own->empty()) add(Verdict::kOk, Kind::kRightsOk, {});
}

}  // namespace

void CheckPermissions(kube::Client& client, const ClusterFacts& facts, Findings& findings) {
  std::set<std::string> seen;
  for (const kube::ObjectPtr& set : facts.daemon_sets.objects) {
    const std::string_view name = TextOf(set->json()["spec"]["template"]["spec"]["serviceAccountName"]);
    const Account account{std::string(set->namespace_name()), std::string(name.empty() ? "default" : name)};
    if (seen.insert(account.User()).second) CheckAccount(client, account, ReleaseOf(*set), findings);
  }
}

}  // namespace allot::view
