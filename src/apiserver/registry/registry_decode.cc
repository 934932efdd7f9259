// Registry: decodes bodies and patches into objects, and records the owners of fields.
#include "apiserver/kinds/custom/prune.h"
#include "apiserver/patch/json_patch.h"
#include "apiserver/patch/managed_fields.h"
#include "apiserver/patch/merge_patch.h"
#include "apiserver/patch/strategic_patch.h"
#include "apiserver/registry/registry_work.h"
#include "apiserver/schema/normalize.h"
#include "json/json.h"

namespace allot::apiserver {

Result<json::Value> Registry::Patched(Work& work, const Existing& existing, PatchType type, const json::Value& patch) const {
  switch (type) {
    case PatchType::kJson: return ApplyJsonPatch(work.edit, existing.object, patch);
    case PatchType::kMerge:
      if (!patch.IsObject()) return BadRequest("a merge patch is a JSON object");
      return ApplyMergePatch(work.edit, existing.object, patch);
    case PatchType::kStrategic:
      if (!patch.IsObject()) return BadRequest("a strategic merge patch is a JSON object");
      if (work.kind.custom)
        return Refuse(415, "UnsupportedMediaType", "custom resources do not support strategic merge patches; use a merge patch");
      return ApplyStrategicPatch(work.edit, *work.kind.schema, existing.object, patch);
    case PatchType::kApply: break;
  }
  return InternalError("no such type of patch");
}

// Decodes a body into an object of the kind, with defaults.
Result<json::Value> Registry::Decode(Work& work, const json::Value& body) const {
  const Kind& kind = work.kind;
  if (!body.IsObject()) return BadRequest(StrCat("the body must be a ", kind.type.kind, " object, not ", json::KindName(body.kind())));
  const std::string_view version = json::TextOf(body["apiVersion"]), name = json::TextOf(body["kind"]);
  if (!version.empty() && version != kind.ApiVersion()) {
    return BadRequest(
        StrCat("the API version in the data (", version, ") does not match the expected API version (", kind.ApiVersion(), ")"));
  }
  if (!name.empty() && name != kind.type.kind) {
    if (kinds()->FindKind(kind.type.group, kind.type.version, name) == nullptr) {
      return BadRequest(StrCat("no kind \"", name, "\" is registered for version \"", kind.ApiVersion(), "\""));
    }
    return BadRequest(StrCat(name, " in version \"", kind.ApiVersion(), "\" cannot be handled as a ", kind.type.kind));
  }
  std::vector<std::string> unknown;
  ASSIGN_OR_RETURN(const json::Value object, Understood(work, body, &unknown));
  TRY(CheckFields(work, unknown));
  return kind.rules == nullptr ? object : kind.rules->Default(work.edit, object);
}

Result<json::Value> Registry::Understood(Work& work, const json::Value& body, std::vector<std::string>* unknown) const {
  const Kind& kind = work.kind;
  const auto bad = [&](const Status& status) {
    return BadRequest(
        StrCat(kind.type.kind, " in version \"", kind.type.version, "\" cannot be handled as a ", kind.type.kind, ": ", status.message()));
  };
  json::Value object = body;
  if (kind.custom) {
    static const Type& metadata_type = *Schema::BuiltIn().Find("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    Result<Normalized> metadata = Normalize(work.edit, metadata_type, body["metadata"].IsNull() ? work.edit.Object({}) : body["metadata"]);
    if (!metadata.ok()) return bad(metadata.status());
    for (const std::string& field : metadata->unknown) unknown->push_back(StrCat("metadata.", field));
    object = work.edit.Set(PruneCustom(work.edit, *kind.schema, body, unknown), "metadata", metadata->value);
  } else {
    Result<Normalized> normalized = Normalize(work.edit, *kind.schema, body);
    if (!normalized.ok()) return bad(normalized.status());
    object = work.normal = normalized->value;
    unknown->insert(unknown->end(), normalized->unknown.begin(), normalized->unknown.end());
  }
  return WithTypeInFront(work.edit, kind, work.api_version, object);
}

Status Registry::CheckFields(Work& work, const std::vector<std::string>& unknown) const {
  if (work.options.validation == FieldValidation::kIgnore) return Status();
  std::vector<std::string> found;
  for (const std::string& field : unknown) found.push_back(StrCat("unknown field \"", field, "\""));
  for (const std::string& field : work.options.duplicates) found.push_back(StrCat("duplicate field \"", field, "\""));
  if (found.empty()) return Status();
  if (work.options.validation == FieldValidation::kStrict) {
    return BadRequest(StrCat(work.kind.type.kind, " in version \"", work.kind.type.version, "\" cannot be handled as a ",
                             work.kind.type.kind, ": strict decoding error: ", Join(found, ", ")));
  }
  work.warnings.insert(work.warnings.end(), found.begin(), found.end());
  return Status();
}

FieldWrite Registry::FieldsOf(Work& work) const {
  const Kind& kind = work.kind;
  FieldWrite write{*kind.schema,
                   work.api_version,
                   kind.type.kind,
                   work.target.subresource,
                   work.caller.manager,
                   work.now,
                   kind.custom,
                   ResetFields(work.edit, kind.type.FullName(), work.target.subresource, kind.has_status, kind.custom),
                   {}};
  if (kind.custom) {
    write.version = [kinds = kinds(), &kind](std::string_view api_version) {
      const size_t slash = api_version.find('/');
      const Kind* other = kinds->FindKind(kind.type.group, api_version.substr(slash + 1), kind.type.kind);
      return other == nullptr ? nullptr : other->schema;
    };
  }
  return write;
}

json::Value Registry::RecordManager(Work& work, const json::Value& old, const Proposal& proposal) const {
  const json::Value object =
      proposal.forgets_managers ? work.edit.WithoutAt(proposal.object, {"metadata", "managedFields"}) : proposal.object;
  return UpdateManaged(work.edit, FieldsOf(work), old, object, proposal.forgets_managers);
}

Result<json::Value> Registry::Applied(Work& work, const Existing* existing, const json::Value& config) const {
  const json::Value live = existing == nullptr ? json::Value() : existing->object;
  if (!config.IsObject()) return BadRequest("an apply patch is an object");
  ASSIGN_OR_RETURN(const json::Value merged, ApplyManaged(work.edit, FieldsOf(work), live, config, work.options.force));
  return Decode(work, merged);
}

}  // namespace allot::apiserver
