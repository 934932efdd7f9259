#include "apiserver/kinds/pod/admission.h"

#include <string>

#include "apiserver/api.h"
#include "apiserver/kinds/pod/admit_pod.h"
#include "json/json.h"

namespace allot::apiserver {

namespace {

class StoreLookup final : public Lookup {
 public:
  explicit StoreLookup(const AdmissionRequest& request) : store_(request.api.store()) {}

  Result<json::Value> Find(json::Editor& edit, std::string_view resource, std::string_view space, std::string_view name,
                           std::string_view mention) const override {
    const EntryPtr entry = store_.Get({std::string(resource), std::string(space), std::string(name)});
    if (entry == nullptr) return json::Value();
    return entry->json.find(mention) == std::string::npos ? edit.Object({}) : Read(edit, *entry);
  }

  Result<std::vector<json::Value>> List(json::Editor& edit, std::string_view resource, std::string_view mention) const override {
    std::vector<json::Value> objects;
    for (const EntryPtr& entry : store_.List(resource, "").entries) {
      if (entry->json.find(mention) == std::string::npos) continue;
      ASSIGN_OR_RETURN(const json::Value object, Read(edit, *entry));
      objects.push_back(object);
    }
    return objects;
  }

 private:
  static Result<json::Value> Read(json::Editor& edit, const Entry& entry) {
    ASSIGN_OR_RETURN(const json::Document document, json::Parse(entry.json));
    return edit.Copy(document.root());
  }

  Store& store_;
};

bool IsWrite(const AdmissionRequest& request, std::string_view resource) {
  return request.operation != Operation::kDelete && request.subresource.empty() && request.kind.type.FullName() == resource;
}

}  // namespace

Result<json::Value> PodAdmission::Mutate(const AdmissionRequest& request, json::Editor& edit, const json::Value& object) const {
  if (!IsWrite(request, "pods")) return object;
  if (request.operation == Operation::kCreate) return AdmitNewPod(StoreLookup(request), edit, request.space, object);
  return request.old == nullptr ? object : AdmitChangedPod(edit, object, *request.old);
}

Status PodAdmission::Validate(const AdmissionRequest& request, const json::Value& object) const {
  const bool is_new = request.operation == Operation::kCreate;
  if (is_new && IsWrite(request, "pods")) return CheckPodOverhead(StoreLookup(request), object);
  if (IsWrite(request, "priorityclasses.scheduling.k8s.io")) return CheckOnlyDefaultClass(StoreLookup(request), object, is_new);
  return Status();
}

}  // namespace allot::apiserver
