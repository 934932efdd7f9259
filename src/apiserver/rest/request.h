#pragma once
// Parses the path and query of an HTTP request.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/api.h"
#include "base/status.h"

namespace allot::apiserver {

// The query of a URL, unescaped. Of a repeated key the first value counts.
class Query {
 public:
  static Query Parse(std::string_view target);

  std::string_view Get(std::string_view key) const;  // empty if missing
  bool Has(std::string_view key) const { return values_.find(key) != values_.end(); }
  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }
  // "", "true", "1" are true. Anything else is false, as in Go's parser.
  bool Flag(std::string_view key) const;
  // A kInvalid refusal names the key.
  Result<std::optional<int64_t>> Number(std::string_view key) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/half/status"
struct Path {
  std::vector<std::string> parts;  // unescaped, without empty ones
  // For paths below /api/v1 and /apis/GROUP/VERSION. An empty resource means a document about the group.
  bool is_api = false;
  std::string group, version, space, resource, name, subresource;
  bool has_space = false;
  bool is_legacy_watch = false;  // /api/v1/watch/...: the old form of ?watch=true
};

Path ParsePath(std::string_view target);

// Returns 400, with the place, if a part of the path or query is not UTF-8: it could be neither stored nor repeated as JSON.
Status CheckText(const Path& path, const Query& query);

// Returns the field manager of a request: its fieldManager (validated by ReadWriteOptions), or its User-Agent up to the first slash without
// unprintable characters. At most 128 bytes, never empty.
std::string ManagerOf(const Query& query, std::string_view user_agent);

struct ListOptions {
  std::string labels, fields;
  std::string version, version_match;  // resourceVersion, resourceVersionMatch
  std::string next;                    // continue
  size_t limit = 0;                    // 0: none
  bool watch = false, bookmarks = false;
  std::optional<bool> initial_events;
  std::optional<int64_t> timeout_seconds;
};

// Refuse with 400 or 422, like kube-apiserver.
Result<ListOptions> ReadListOptions(const Query& query);
Result<WriteOptions> ReadWriteOptions(const Query& query, bool is_patch, bool is_apply);
// Reads the query and the body (a DeleteOptions object, or null).
Result<DeleteOptions> ReadDeleteOptions(const Query& query, const json::Value& body);
// The number in a resourceVersion; 0 if empty.
Result<uint64_t> ReadVersion(std::string_view text);

}  // namespace allot::apiserver
