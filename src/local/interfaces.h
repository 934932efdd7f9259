#pragma once

#include <string>
#include <vector>

namespace allot::local {

// The IP addresses of this machine, but those that mean something on one link only. None where the kernel does not tell.
std::vector<std::string> InterfaceAddresses();

}  // namespace allot::local
