#include "cel/library/url.h"

#include <algorithm>

namespace allot::cel {
namespace {

enum class Part { kPath, kHost, kZone, kUser, kQuery, kFragment };

bool IsAlnum(char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
bool IsIn(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// Whether the character must be written as %xx in this part.
bool MustEscape(char c, Part part) {
  if (IsAlnum(c) || IsIn(c, "-_.~")) return false;
  if ((part == Part::kHost || part == Part::kZone) && IsIn(c, "!$&'()*+,;=:[]<>\"")) return false;
  if (IsIn(c, "$&+,/:;=?@")) {
    switch (part) {
      case Part::kPath: return c == '?';
      case Part::kUser: return IsIn(c, "@/?:");
      case Part::kFragment: return false;
      default: return true;
    }
  }
  if (part == Part::kFragment && IsIn(c, "!()*")) return false;
  return true;
}

std::optional<std::string> Unescape(std::string_view text, Part part) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || HexValue(text[i + 1]) < 0 || HexValue(text[i + 2]) < 0) return std::nullopt;
      // In a host, only bytes outside ASCII and the percent sign may be escaped.
      if (part == Part::kHost && HexValue(text[i + 1]) < 8 && text.substr(i, 3) != "%25") return std::nullopt;
      const char decoded = static_cast<char>(HexValue(text[i + 1]) << 4 | HexValue(text[i + 2]));
      if (part == Part::kZone && text.substr(i, 3) != "%25" && decoded != ' ' && MustEscape(decoded, Part::kHost)) return std::nullopt;
      plain += decoded;
      i += 2;
    } else if (c == '+' && part == Part::kQuery) {
      plain += ' ';
    } else {
      if ((part == Part::kHost || part == Part::kZone) && static_cast<unsigned char>(c) < 0x80 && MustEscape(c, part)) return std::nullopt;
      plain += c;
    }
  }
  return plain;
}

std::string Escape(std::string_view text, Part part) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    if (!MustEscape(c, part)) {
      escaped += c;
    } else {
      escaped += '%';
      escaped += kHex[static_cast<unsigned char>(c) >> 4];
      escaped += kHex[static_cast<unsigned char>(c) & 15];
    }
  }
  return escaped;
}

bool IsOptionalPort(std::string_view port) {
  return port.empty() || (port[0] == ':' && std::all_of(port.begin() + 1, port.end(), IsDigit));
}

std::optional<std::string> ParseHost(std::string_view host) {
  if (const size_t open = host.rfind('['); open != std::string_view::npos && open > 0) return std::nullopt;
  if (!host.empty() && host[0] == '[') {
    const size_t close = host.rfind(']');
    if (close == std::string_view::npos || !IsOptionalPort(host.substr(close + 1))) return std::nullopt;
    if (const size_t zone = host.substr(0, close).find("%25"); zone != std::string_view::npos) {
      const auto address = Unescape(host.substr(0, zone), Part::kHost);
      const auto name = Unescape(host.substr(zone, close - zone), Part::kZone);
      const auto rest = Unescape(host.substr(close), Part::kHost);
      if (!address || !name || !rest) return std::nullopt;
      return *address + *name + *rest;
    }
  } else if (const size_t colon = host.rfind(':'); colon != std::string_view::npos && !IsOptionalPort(host.substr(colon))) {
    return std::nullopt;
  }
  return Unescape(host, Part::kHost);
}

bool ParseAuthority(std::string_view authority, Url* url) {
  const size_t at = authority.rfind('@');
  const auto host = ParseHost(at == std::string_view::npos ? authority : authority.substr(at + 1));
  if (!host) return false;
  url->host = *host;
  if (at == std::string_view::npos) return true;
  const std::string_view user = authority.substr(0, at);
  if (!std::all_of(user.begin(), user.end(), [](char c) { return IsAlnum(c) || IsIn(c, "-._:~!$&'()*+,;=%@"); })) return false;
  if (!Unescape(user, Part::kUser)) return false;
  url->user = std::string(user) + "@";
  return true;
}

// Splits off the scheme and its colon. Returns false if nothing precedes the colon.
bool TakeScheme(std::string_view* text, std::string* scheme) {
  for (size_t i = 0; i < text->size(); ++i) {
    const char c = (*text)[i];
    const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    if (letter) continue;
    if (IsDigit(c) || IsIn(c, "+-.")) {
      if (i == 0) return true;
      continue;
    }
    if (c != ':') return true;
    if (i == 0) return false;
    *scheme = std::string(text->substr(0, i));
    std::transform(scheme->begin(), scheme->end(), scheme->begin(),
                   [](char l) { return l >= 'A' && l <= 'Z' ? static_cast<char>(l | 0x20) : l; });
    text->remove_prefix(i + 1);
    return true;
  }
  return true;
}

std::optional<Url> Parse(std::string_view text, bool request) {
  Url url;
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) return std::nullopt;
  if (text.empty() && request) return std::nullopt;
  if (text == "*") {
    url.path = "*";
    return url;
  }
  if (!TakeScheme(&text, &url.scheme)) return std::nullopt;
  if (text.ends_with('?') && std::count(text.begin(), text.end(), '?') == 1) {
    url.force_query = true;
    text.remove_suffix(1);
  } else if (const size_t mark = text.find('?'); mark != std::string_view::npos) {
    url.query = std::string(text.substr(mark + 1));
    text = text.substr(0, mark);
  }
  if (!text.starts_with('/')) {
    if (!url.scheme.empty()) {
      url.opaque = std::string(text);
      return url;
    }
    if (request) return std::nullopt;
    const std::string_view segment = text.substr(0, text.find('/'));
    if (segment.find(':') != std::string_view::npos) return std::nullopt;
  }
  if ((!url.scheme.empty() || (!request && !text.starts_with("///"))) && text.starts_with("//")) {
    std::string_view authority = text.substr(2);
    const size_t slash = authority.find('/');
    text = slash == std::string_view::npos ? std::string_view() : authority.substr(slash);
    authority = authority.substr(0, slash);
    if (!ParseAuthority(authority, &url)) return std::nullopt;
  }
  const auto path = Unescape(text, Part::kPath);
  if (!path) return std::nullopt;
  url.path = *path;
  if (Escape(url.path, Part::kPath) != text) url.raw_path = std::string(text);
  return url;
}

}  // namespace

bool IsRequestUri(std::string_view text) { return Parse(text, true).has_value(); }

std::optional<Url> ParseUrl(std::string_view text) {
  if (!IsRequestUri(text)) return std::nullopt;
  const size_t hash = text.find('#');
  auto url = Parse(text.substr(0, hash), false);
  if (!url || hash == std::string_view::npos) return url;
  const auto fragment = Unescape(text.substr(hash + 1), Part::kFragment);
  if (!fragment) return std::nullopt;
  url->fragment = *fragment;
  return url;
}

std::string Url::Hostname() const {
  std::string_view name = host;
  if (const size_t colon = name.rfind(':'); colon != std::string_view::npos && IsOptionalPort(name.substr(colon)))
    name = name.substr(0, colon);
  if (name.size() >= 2 && name.front() == '[' && name.back() == ']') name = name.substr(1, name.size() - 2);
  return std::string(name);
}

std::string Url::Port() const {
  const size_t colon = host.rfind(':');
  if (colon == std::string::npos || !IsOptionalPort(std::string_view(host).substr(colon))) return "";
  return host.substr(colon + 1);
}

std::string Url::EscapedPath() const {
  if (!raw_path.empty()) {
    const bool valid =
        std::all_of(raw_path.begin(), raw_path.end(), [](char c) { return IsIn(c, "!$&'()*+,;=:@[]%") || !MustEscape(c, Part::kPath); });
    if (valid && Unescape(raw_path, Part::kPath) == path) return raw_path;
  }
  return path == "*" ? "*" : Escape(path, Part::kPath);
}

std::vector<std::pair<std::string, std::vector<std::string>>> Url::Query() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  std::string_view rest = query;
  while (!rest.empty()) {
    const size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (pair.empty() || pair.find(';') != std::string_view::npos) continue;
    const size_t equals = pair.find('=');
    const auto name = Unescape(pair.substr(0, equals), Part::kQuery);
    const auto value = Unescape(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), Part::kQuery);
    if (!name || !value) continue;
    const auto known = std::find_if(values.begin(), values.end(), [&](const auto& entry) { return entry.first == *name; });
    if (known == values.end()) {
      values.push_back({*name, {*value}});
    } else {
      known->second.push_back(*value);
    }
  }
  return values;
}

std::string Url::ToString() const {
  std::string text;
  if (!scheme.empty()) text += scheme + ":";
  if (!opaque.empty()) {
    text += opaque;
  } else {
    if (!host.empty() || !user.empty()) text += "//" + user + Escape(host, Part::kHost);
    text += EscapedPath();
  }
  if (force_query || !query.empty()) text += "?" + query;
  if (!fragment.empty()) text += "#" + Escape(fragment, Part::kFragment);
  return text;
}

}  // namespace allot::cel
