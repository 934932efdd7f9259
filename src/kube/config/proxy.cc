#include "kube/config/proxy.h"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/strings.h"
#include "kube/config/credentials.h"

namespace allot::kube {
namespace {

// An IP address as 16 bytes. IPv4 has the form ::ffff:a.b.c.d, so both spellings of an address are equal.
using Ip = std::array<unsigned char, 16>;

std::optional<Ip> ParseIp(std::string_view text) {
  const std::string copy(text);
  Ip ip{};
  if (inet_pton(AF_INET6, copy.c_str(), ip.data()) == 1) return ip;
  ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (inet_pton(AF_INET, copy.c_str(), ip.data() + 12) == 1) return ip;
  return std::nullopt;
}

bool IsIpv4(const Ip& ip) {
  constexpr Ip kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return std::memcmp(ip.data(), kMapped.data(), 12) == 0;
}

bool IsLoopback(const Ip& ip) {
  constexpr Ip kOne = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return ip == kOne || (IsIpv4(ip) && ip[12] == 127);
}

bool SameBits(const Ip& a, const Ip& b, size_t bits) {
  for (size_t i = 0; i < bits; ++i) {
    if (((a[i / 8] ^ b[i / 8]) >> (7 - i % 8) & 1) != 0) return false;
  }
  return true;
}

// Returns whether `text` is a range ("10.0.0.0/8"). Sets `has` to whether the range contains `ip`.
bool ReadRange(std::string_view text, const std::optional<Ip>& ip, bool& has) {
  const size_t slash = text.find('/');
  if (slash == text.npos) return false;
  const std::optional<Ip> base = ParseIp(text.substr(0, slash));
  const std::string_view digits = text.substr(slash + 1);
  size_t bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (!base || error != std::errc() || end != digits.data() + digits.size()) return false;
  const bool short_form = text.substr(0, slash).find(':') == text.npos;
  if (bits > (short_form ? 32 : 128)) return false;
  has = ip && IsIpv4(*ip) == IsIpv4(*base) && SameBits(*ip, *base, short_form ? bits + 96 : bits);
  return true;
}

// Splits "host:port" and "[::1]:port". A text without a port, or with more colons, is a host.
std::pair<std::string, std::string> SplitPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  const bool bracketed = text.starts_with('[') && text.find("]:") != text.npos;
  if (colon == text.npos || (!bracketed && text.find(':') != colon)) return {std::string(text), ""};
  std::string_view host = text.substr(0, colon);
  if (bracketed) host = host.substr(1, host.size() - 2);
  return {std::string(host), std::string(text.substr(colon + 1))};
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return lower;
}

bool MatchesName(std::string_view host, std::string name) {
  if (name.starts_with("*.")) name.erase(0, 1);
  if (name.starts_with('.')) return host.ends_with(name);
  return host == name || host.ends_with("." + name);
}

// Decodes %XX in the user and password of a proxy's address.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const bool escaped = text[i] == '%' && i + 2 < text.size() &&
                         std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3;
    plain += escaped ? static_cast<char>(byte) : text[i];
    if (escaped) i += 2;
  }
  return plain;
}

}  // namespace

bool UsesProxy(const ServerUrl& server, std::string_view no_proxy) {
  const std::string host = Lower(server.host);
  const std::optional<Ip> ip = ParseIp(host);
  if (host == "localhost" || (ip && IsLoopback(*ip))) return false;
  for (const std::string_view written : Split(no_proxy, ',')) {
    const std::string entry = Lower(Trim(written));
    if (entry.empty()) continue;
    if (entry == "*") return false;
    if (bool has = false; ReadRange(entry, ip, has)) {
      if (has) return false;
      continue;
    }
    const auto [name, port] = SplitPort(entry);
    if (name.empty() || (!port.empty() && port != std::to_string(server.port))) continue;
    if (const std::optional<Ip> other = ParseIp(name)) {
      if (ip && *ip == *other) return false;
    } else if (MatchesName(host, name)) {
      return false;
    }
  }
  return true;
}

Result<Proxy> ProxyFromEnvironment(const ServerUrl& server, const Environment& environment) {
  const auto first = [&](std::string_view upper, std::string_view lower) -> std::pair<std::string, std::string> {
    for (const std::string_view name : {upper, lower}) {
      const auto found = environment.find(std::string(name));
      if (found != environment.end() && !found->second.empty()) return {std::string(name), found->second};
    }
    return {};
  };
  auto [variable, text] = server.tls ? first("HTTPS_PROXY", "https_proxy") : first("HTTP_PROXY", "http_proxy");
  if (text.empty() || !UsesProxy(server, first("NO_PROXY", "no_proxy").second)) return Proxy();
  if (text.find("://") == std::string::npos) text = "http://" + text;
  if (!text.starts_with("http://")) {
    return Unsupported(variable, ": only http proxies are supported; write http://HOST:PORT, or take ", server.host,
                       " out of it with NO_PROXY");
  }
  Proxy proxy;
  std::string_view rest = std::string_view(text).substr(7);
  if (const size_t at = rest.rfind('@'); at != rest.npos) {
    const std::string_view user = rest.substr(0, at);
    const size_t colon = std::min(user.find(':'), user.size());
    const std::string_view password = colon == user.size() ? "" : user.substr(colon + 1);
    proxy.authorization = StrCat("Basic ", EncodeBase64(StrCat(Unescape(user.substr(0, colon)), ":", Unescape(password))));
    rest.remove_prefix(at + 1);
  }
  proxy.url = StrCat("http://", rest);
  // Omit the parser's message: it may contain part of a password.
  if (!ServerUrl::Parse(proxy.url).ok()) return Invalid(variable, ": expected the address of a proxy, like http://HOST:PORT");
  return proxy;
}

}  // namespace allot::kube
