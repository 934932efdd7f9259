#pragma once
// What an HTTP request asks of the API: the parts of its path and its query.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/api.h"
#include "base/status.h"

namespace allot::apiserver {

// The query of a URL, unescaped. Of a key that stands there twice, the first value counts.
class Query {
 public:
  static Query Parse(std::string_view target);

  std::string_view Get(std::string_view key) const;  // empty: not there
  bool Has(std::string_view key) const { return values_.find(key) != values_.end(); }
  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }
  // "", "true", "1": true. Anything else is false, as Go's parser for these has it.
  bool Flag(std::string_view key) const;
  // kInvalid refusals name the key.
  Result<std::optional<int64_t>> Number(std::string_view key) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/half/status"
struct Path {
  std::vector<std::string> parts;  // unescaped, without empty ones
  // Of what is below /api/v1 and /apis/GROUP/VERSION; a resource that is empty: a document about the group.
  bool is_api = false;
  std::string group, version, space, resource, name, subresource;
  bool has_space = false;
  bool is_legacy_watch = false;  // /api/v1/watch/...: an old way to write ?watch=true
};

Path ParsePath(std::string_view target);

// 400, naming the place, where a part of the path or of the query is not UTF-8: it could be stored, or said again, as no JSON.
Status CheckText(const Path& path, const Query& query);

// Who owns the fields that a request writes: its fieldManager (ReadWriteOptions checks it), or what its User-Agent has before the first
// slash, as far as it can be printed; at most 128 bytes, never empty.
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

// 400 or 422, as kube-apiserver answers.
Result<ListOptions> ReadListOptions(const Query& query);
Result<WriteOptions> ReadWriteOptions(const Query& query, bool is_patch, bool is_apply);
// Of the query and of the body (a DeleteOptions object, or null where there is none).
Result<DeleteOptions> ReadDeleteOptions(const Query& query, const json::Value& body);
// The number in a resourceVersion; 0 for none.
Result<uint64_t> ReadVersion(std::string_view text);

}  // namespace allot::apiserver
