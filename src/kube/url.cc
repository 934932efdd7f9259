#include "kube/url.h"

#include <charconv>

#include "base/strings.h"
#include "model/names.h"

namespace allot::kube {
namespace {

std::string Escape(std::string_view text, std::string_view plain) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || plain.find(c) != plain.npos;
    if (is_plain) {
      escaped += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      escaped += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return escaped;
}

}  // namespace

Result<ServerUrl> ServerUrl::Parse(std::string_view text) {
  // Show only what follows the user, which may include a password.
  const auto fail = [&](std::string_view why) {
    return Invalid("server ", Quoted(text.substr(text.rfind('@') + 1)), ": ", why, "; expected https://HOST[:PORT][/PREFIX]");
  };
  ServerUrl url;
  std::string_view rest = text;
  if (rest.starts_with("unix:///")) {
    url.unix_path = rest.substr(7);
    url.host = "localhost";
    url.port = 80;
    url.tls = false;
    return url;
  }
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    url.tls = false;
    url.port = 80;
  } else {
    return fail("the scheme is neither https nor http, nor unix with the path of a socket (unix:///PATH)");
  }
  for (const unsigned char c : rest) {
    if (c <= ' ' || c == 0x7F || c == '?' || c == '#' || c == '@') return fail("it has a query, a user or a character that is not allowed");
  }
  const size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, slash);
  url.prefix = rest.substr(slash);
  while (url.prefix.ends_with('/')) url.prefix.pop_back();

  std::string_view port;
  if (authority.starts_with('[')) {
    const size_t close = authority.find(']');
    if (close == authority.npos) return fail("']' is missing");
    url.host = authority.substr(1, close - 1);
    authority.remove_prefix(close + 1);
    if (!authority.empty() && !authority.starts_with(':')) return fail("expected ':' after ']'");
    port = authority;
  } else {
    const size_t colon = std::min(authority.find(':'), authority.size());
    url.host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (url.host.empty()) return fail("there is no host");
  if (!port.empty()) {
    port.remove_prefix(1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
    if (error != std::errc() || end != port.data() + port.size() || url.port < 1 || url.port > 65535)
      return fail("the port is not 1 to 65535");
  }
  return url;
}

std::string ServerUrl::HostHeader() const {
  std::string name = host.find(':') == std::string::npos ? host : StrCat("[", host, "]");
  return port == (tls ? 443 : 80) ? name : StrCat(name, ":", port);
}

Status CheckNames(std::string_view namespace_name, std::string_view name) {
  for (const std::string_view part : {namespace_name, name}) {
    if (part == "." || part == ".." || part.find_first_of("/%") != part.npos) return Invalid(Quoted(part), " is not the name of an object");
  }
  return name.empty() ? Invalid("the name is empty") : Status();
}

Status CheckNamespace(std::string_view name) {
  if (name.size() <= 63 && name.find('.') == name.npos && model::IsDnsSubdomain(name)) return {};
  return Invalid("namespace ", Quoted(name), " is not at most 63 lower case letters, digits and dashes");
}

std::string EscapePath(std::string_view text) { return Escape(text, "-._~:@!$&'()*+,;="); }

std::string EscapeHeaderName(std::string_view text) { return Escape(text, "!#$&'*+-.^_`|~"); }

std::string WriteQuery(const Query& query) {
  std::string text;
  for (const auto& [key, value] : query) {
    if (value.empty()) continue;
    text += StrCat(text.empty() ? "?" : "&", Escape(key, "-._~"), "=", Escape(value, "-._~"));
  }
  return text;
}

}  // namespace allot::kube
