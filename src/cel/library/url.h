#pragma once
// URLs as Kubernetes' url() parses them.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace allot::cel {

struct Url {
  std::string scheme;
  std::string opaque;  // the text after the scheme if it is not a path
  std::string user;    // with "@", as written
  std::string host;    // with the port
  std::string path;    // decoded
  std::string raw_path;
  std::string query;
  std::string fragment;
  bool force_query = false;  // ends in '?'

  std::string Hostname() const;
  std::string Port() const;
  std::string EscapedPath() const;
  // Names in the order of the text. A repeated name adds a value.
  std::vector<std::pair<std::string, std::vector<std::string>>> Query() const;
  std::string ToString() const;
};

// Parses an absolute URL or an absolute path. Returns nullopt for anything else.
std::optional<Url> ParseUrl(std::string_view text);
// Whether url() accepts the text.
bool IsRequestUri(std::string_view text);

}  // namespace allot::cel
