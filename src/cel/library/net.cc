#include "cel/library/net.h"

#include <algorithm>
#include <cstdio>

#include "base/strings.h"

namespace allot::cel {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Parses four numbers without leading zeros.
bool ParseV4(std::string_view text, uint8_t* bytes) {
  const auto parts = Split(text, '.');
  if (parts.size() != 4) return false;
  for (size_t i = 0; i < 4; ++i) {
    const std::string_view part = parts[i];
    if (part.empty() || part.size() > 3 || (part.size() > 1 && part[0] == '0') || !std::all_of(part.begin(), part.end(), IsDigit))
      return false;
    int value = 0;
    for (const char c : part) value = value * 10 + (c - '0');
    if (value > 255) return false;
    bytes[i] = static_cast<uint8_t>(value);
  }
  return true;
}

bool ParseV6(std::string_view text, std::array<uint8_t, 16>* bytes) {
  size_t at = 0;
  size_t gap = SIZE_MAX;
  if (text.substr(0, 2) == "::") {
    gap = 0;
    text.remove_prefix(2);
    if (text.empty()) return true;
  }
  while (at < 16) {
    size_t length = 0;
    uint32_t value = 0;
    while (length < text.size() && HexValue(text[length]) >= 0) {
      value = value * 16 + static_cast<uint32_t>(HexValue(text[length]));
      if (++length > 4) return false;
    }
    if (length == 0) return false;
    if (length < text.size() && text[length] == '.') {
      if ((gap == SIZE_MAX && at != 12) || at + 4 > 16 || !ParseV4(text, bytes->data() + at)) return false;
      text = {};
      at += 4;
      break;
    }
    (*bytes)[at++] = static_cast<uint8_t>(value >> 8);
    (*bytes)[at++] = static_cast<uint8_t>(value);
    text.remove_prefix(length);
    if (text.empty()) break;
    if (text[0] != ':' || text.size() == 1) return false;
    text.remove_prefix(1);
    if (text[0] == ':') {
      if (gap != SIZE_MAX) return false;
      gap = at;
      text.remove_prefix(1);
      if (text.empty()) break;
    }
  }
  if (!text.empty()) return false;
  if (at < 16) {
    if (gap == SIZE_MAX) return false;
    const size_t moved = at - gap;
    std::copy_backward(bytes->begin() + static_cast<std::ptrdiff_t>(gap), bytes->begin() + static_cast<std::ptrdiff_t>(at), bytes->end());
    std::fill(bytes->begin() + static_cast<std::ptrdiff_t>(gap), bytes->end() - static_cast<std::ptrdiff_t>(moved), uint8_t{0});
    return true;
  }
  return gap == SIZE_MAX;
}

bool IsMappedV4(const Ip& ip) {
  return !ip.v4 && std::all_of(ip.bytes.begin(), ip.bytes.begin() + 10, [](uint8_t b) { return b == 0; }) && ip.bytes[10] == 0xFF &&
         ip.bytes[11] == 0xFF;
}

}  // namespace

std::optional<Ip> ParseIp(std::string_view text) {
  Ip ip;
  // The first '.' or ':' decides the version.
  for (const char c : text) {
    if (c == '.') {
      ip.v4 = true;
      if (!ParseV4(text, ip.bytes.data())) return std::nullopt;
      return ip;
    }
    if (c == ':') {
      if (!ParseV6(text, &ip.bytes) || IsMappedV4(ip)) return std::nullopt;
      return ip;
    }
    if (c == '%') return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Cidr> ParseCidr(std::string_view text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto ip = ParseIp(text.substr(0, slash));
  const std::string_view bits = text.substr(slash + 1);
  if (!ip || bits.empty() || bits.size() > 3 || (bits.size() > 1 && bits[0] == '0') || !std::all_of(bits.begin(), bits.end(), IsDigit))
    return std::nullopt;
  int value = 0;
  for (const char c : bits) value = value * 10 + (c - '0');
  if (value > static_cast<int>(ip->size()) * 8) return std::nullopt;
  return Cidr{*ip, static_cast<uint8_t>(value)};
}

std::string Ip::ToString() const {
  if (v4) return StrCat(int{bytes[0]}, ".", int{bytes[1]}, ".", int{bytes[2]}, ".", int{bytes[3]});
  std::array<unsigned, 8> groups;
  for (size_t i = 0; i < 8; ++i) groups[i] = static_cast<unsigned>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  // The longest run of more than one zero becomes "::".
  size_t best = 8, best_length = 1;
  for (size_t i = 0; i < 8; ++i) {
    size_t end = i;
    while (end < 8 && groups[end] == 0) ++end;
    if (end - i > best_length) {
      best = i;
      best_length = end - i;
    }
  }
  std::string text;
  for (size_t i = 0; i < 8; ++i) {
    if (i == best) {
      text += "::";
      i += best_length - 1;
      continue;
    }
    if (i > 0 && i != best + best_length) text += ':';
    char group[8];
    std::snprintf(group, sizeof group, "%x", groups[i]);
    text += group;
  }
  return text;
}

bool Ip::IsUnspecified() const {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
}
bool Ip::IsLoopback() const {
  if (v4) return bytes[0] == 127;
  return std::all_of(bytes.begin(), bytes.end() - 1, [](uint8_t b) { return b == 0; }) && bytes[15] == 1;
}
bool Ip::IsLinkLocalUnicast() const { return v4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80; }
bool Ip::IsLinkLocalMulticast() const {
  return v4 ? bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0 : bytes[0] == 0xFF && (bytes[1] & 0x0F) == 2;
}
bool Ip::IsGlobalUnicast() const {
  const bool broadcast = v4 && bytes[0] == 255 && bytes[1] == 255 && bytes[2] == 255 && bytes[3] == 255;
  return !broadcast && !IsUnspecified() && !IsLoopback() && !IsMulticast() && !IsLinkLocalUnicast();
}

std::string Cidr::ToString() const { return StrCat(address.ToString(), "/", int{bits}); }

Cidr Cidr::Masked() const {
  Cidr masked = *this;
  for (size_t i = 0; i < masked.address.size(); ++i) {
    const int keep = std::clamp(static_cast<int>(bits) - static_cast<int>(i) * 8, 0, 8);
    masked.address.bytes[i] = static_cast<uint8_t>(masked.address.bytes[i] & (0xFF00 >> keep));
  }
  return masked;
}

bool Cidr::Contains(const Ip& ip) const {
  if (ip.v4 != address.v4) return false;
  return Cidr{ip, bits}.Masked().address == Masked().address;
}

bool Cidr::Contains(const Cidr& other) const { return bits <= other.bits && Contains(other.address); }

}  // namespace allot::cel
