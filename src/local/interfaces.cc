#include "local/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <memory>

namespace allot::local {

std::vector<std::string> InterfaceAddresses() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(first, ::freeifaddrs);
  std::vector<std::string> addresses;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    const void* bytes = nullptr;
    const int family = one->ifa_addr->sa_family;
    if (family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
    if (family == AF_INET6) {
      const in6_addr& address = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr;
      if (!IN6_IS_ADDR_LINKLOCAL(&address)) bytes = &address;
    }
    char text[INET6_ADDRSTRLEN] = {};
    if (bytes != nullptr && inet_ntop(family, bytes, text, sizeof text) != nullptr) addresses.emplace_back(text);
  }
  return addresses;
}

}  // namespace allot::local
