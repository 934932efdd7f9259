#pragma once

#include <string>
#include <vector>

namespace allot::local {

// The IP addresses of this machine, without link-local ones. Empty if the kernel does not tell.
std::vector<std::string> InterfaceAddresses();

}  // namespace allot::local
