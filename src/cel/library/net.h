#pragma once
// IP addresses and networks.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace allot::cel {

struct Ip {
  std::array<uint8_t, 16> bytes = {};  // the first four for version 4
  bool v4 = false;

  bool operator==(const Ip&) const = default;
  size_t size() const { return v4 ? 4 : 16; }
  std::string ToString() const;
  bool IsUnspecified() const;
  bool IsLoopback() const;
  bool IsLinkLocalUnicast() const;
  bool IsLinkLocalMulticast() const;
  bool IsMulticast() const { return v4 ? (bytes[0] & 0xF0) == 0xE0 : bytes[0] == 0xFF; }
  bool IsGlobalUnicast() const;
};

struct Cidr {
  Ip address;
  uint8_t bits = 0;

  bool operator==(const Cidr&) const = default;
  std::string ToString() const;
  Cidr Masked() const;
  bool Contains(const Ip& ip) const;
  bool Contains(const Cidr& other) const;
};

// Return nullopt for invalid text. Addresses with a zone and IPv4 addresses written as IPv6 are invalid.
std::optional<Ip> ParseIp(std::string_view text);
std::optional<Cidr> ParseCidr(std::string_view text);

}  // namespace allot::cel
