#include <set>
#include <string_view>

#include "apiserver/json_names.h"
#include "apiserver/kinds/pod/env.h"
#include "apiserver/kinds/pod/volumes.h"

namespace allot::apiserver {

namespace {

constexpr int64_t kLeastTokenSeconds = 600;
constexpr int64_t kMostTokenSeconds = int64_t{1} << 32;

// All files of a projected volume share one folder, so paths must be unique.
class Projection {
 public:
  Projection(const FieldPath& field, FieldErrors& errors) : field_(field), errors_(errors) {}

  void Check(const FieldPath& path, const json::Value& source) {
    int sources = 0;
    for (const auto& [kind, value] : json::MembersOf(source)) {
      ++sources;
      const FieldPath at = path.Child(kind);
      if (kind == "secret" || kind == "configMap") CheckKeys(at, value);
      if (kind == "downwardAPI") CheckFiles(at, value);
      if (kind == "serviceAccountToken") CheckToken(at, value);
    }
    if (sources > 1) errors_.Forbidden(path, "may not specify more than 1 volume type per source");
  }

 private:
  void Take(std::string_view file, std::string_view owner) {
    if (!file.empty() && !files_.insert(file).second) errors_.Invalid(field_, owner, "conflicting duplicate paths");
  }

  void CheckKeys(const FieldPath& at, const json::Value& source) {
    const std::string_view name = TextOf(source["name"]);
    if (name.empty()) errors_.Required(at.Child("name"));
    Each(at.Child("items"), source["items"], [&](const FieldPath& path, const json::Value& item) {
      CheckKeyToPath(path, item, errors_);
      Take(TextOf(item["path"]), name);
    });
  }

  void CheckFiles(const FieldPath& at, const json::Value& source) {
    for (const json::Value& file : ItemsOf(source["items"])) {
      CheckDownwardFile(at, file, errors_);
      Take(TextOf(file["path"]), TextOf(file["path"]));
    }
  }

  // The path of a token is reported as a field of the volume itself.
  void CheckToken(const FieldPath& at, const json::Value& token) {
    const int64_t seconds = IntOf(token["expirationSeconds"]);
    const FieldPath expiration = at.Child("expirationSeconds");
    if (seconds < kLeastTokenSeconds) errors_.Invalid(expiration, seconds, "may not specify a duration less than 10 minutes");
    if (seconds > kMostTokenSeconds) errors_.Invalid(expiration, seconds, "may not specify a duration larger than 2^32 seconds");
    const std::string_view path = TextOf(token["path"]);
    if (path.empty()) return errors_.Required(field_.Child("path"));
    CheckProjectedPath(field_.Child("path"), path, errors_);
  }

  const FieldPath field_;
  FieldErrors& errors_;
  std::set<std::string_view> files_;
};

}  // namespace

void CheckProjectedVolume(const FieldPath& field, const json::Value& source, FieldErrors& errors) {
  CheckFileMode(field.Child("defaultMode"), source["defaultMode"], errors);
  Projection projection(field, errors);
  Each(field.Child("sources"), source["sources"], [&](const FieldPath& path, const json::Value& one) { projection.Check(path, one); });
}

void CheckDownwardFile(const FieldPath& field, const json::Value& file, FieldErrors& errors) {
  const std::string_view path = TextOf(file["path"]);
  if (path.empty()) errors.Required(field.Child("path"));
  CheckProjectedPath(field.Child("path"), path, errors);
  const bool of_pod = IsSet(file["fieldRef"]);
  const bool of_container = IsSet(file["resourceFieldRef"]);
  if (of_pod) {
    CheckFieldReference(field.Child("fieldRef"), file["fieldRef"], ShownIn::kVolume, errors);
    if (of_container) errors.Invalid(field, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
  } else if (of_container) {
    CheckResourceReference(field.Child("resourceFieldRef"), file["resourceFieldRef"], ShownIn::kVolume, errors);
  } else {
    errors.Required(field, "one of fieldRef and resourceFieldRef is required");
  }
  CheckFileMode(field.Child("mode"), file["mode"], errors);
}

void CheckKeyToPath(const FieldPath& field, const json::Value& item, FieldErrors& errors) {
  if (TextOf(item["key"]).empty()) errors.Required(field.Child("key"));
  if (TextOf(item["path"]).empty()) errors.Required(field.Child("path"));
  CheckProjectedPath(field.Child("path"), TextOf(item["path"]), errors);
  CheckFileMode(field.Child("mode"), item["mode"], errors);
}

}  // namespace allot::apiserver
