#include "apiserver/kinds/pod/image_name.h"

#include <algorithm>

#include "base/strings.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxRepository = 255;

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsAlphanumeric(char c) { return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z'); }
bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Runs of [a-z0-9] separated by one dot, one or two underscores, or any number of dashes.
bool IsPathComponent(std::string_view text) {
  if (text.empty() || !IsLowerOrDigit(text.front()) || !IsLowerOrDigit(text.back())) return false;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    if (IsLowerOrDigit(text[i])) {
      ++i;
      continue;
    }
    while (i < text.size() && text[i] == text[begin]) ++i;
    const size_t run = i - begin;
    const bool good = text[begin] == '-' || (text[begin] == '.' && run == 1) || (text[begin] == '_' && run <= 2);
    if (!good || !IsLowerOrDigit(text[i])) return false;
  }
  return true;
}

bool IsTag(std::string_view text) {
  const auto is_word = [](char c) { return IsAlphanumeric(c) || c == '_'; };
  return !text.empty() && text.size() <= 128 && is_word(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

bool IsDigest(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view hash = text.substr(colon + 1);
  return hash.size() >= 32 && std::all_of(hash.begin(), hash.end(), IsHex);
}

// Whether the part before the first slash looks like a host.
bool IsHost(std::string_view text) {
  return text == "localhost" || text.find_first_of(".:") != std::string_view::npos ||
         std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// A name of [A-Za-z0-9-] or an address in brackets, with an optional port.
bool IsGoodHost(std::string_view host) {
  const size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  if (has_port && (colon + 1 == host.size() || host.find_first_not_of("0123456789", colon + 1) != std::string_view::npos)) return false;
  if (has_port) host = host.substr(0, colon);
  if (host.starts_with('[')) return host.size() > 2 && host.find_first_not_of("0123456789abcdefABCDEF:", 1) == host.size() - 1;
  const auto inner = [](char c) { return IsAlphanumeric(c) || c == '-'; };
  for (const std::string_view part : Split(host, '.')) {
    if (part.empty() || part.front() == '-' || part.back() == '-' || !std::all_of(part.begin(), part.end(), inner)) return false;
  }
  return true;
}

bool IsRepository(std::string_view name) {
  const size_t slash = name.find('/');
  if (slash != std::string_view::npos && IsHost(name.substr(0, slash))) {
    if (!IsGoodHost(name.substr(0, slash))) return false;
    name.remove_prefix(slash + 1);
  }
  if (name.size() > kMaxRepository) return false;
  if (name.size() == 64 && std::all_of(name.begin(), name.end(), IsHex)) return false;  // an identifier, not a name
  const auto parts = Split(name, '/');
  return std::all_of(parts.begin(), parts.end(), IsPathComponent);
}

}  // namespace

bool IsLatestImage(std::string_view image) {
  bool has_digest = false;
  if (const size_t at = image.find('@'); at != std::string_view::npos) {
    if (!IsDigest(image.substr(at + 1))) return false;
    has_digest = true;
    image = image.substr(0, at);
  }
  std::string_view tag = has_digest ? "" : "latest";
  const size_t colon = image.rfind(':');
  if (colon != std::string_view::npos && image.find('/', colon) == std::string_view::npos) {
    tag = image.substr(colon + 1);
    if (!IsTag(tag)) return false;
    image = image.substr(0, colon);
  }
  return tag == "latest" && IsRepository(image);
}

}  // namespace allot::apiserver
