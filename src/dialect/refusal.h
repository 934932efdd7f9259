#pragma once

#include <string>

namespace allot::dialect {

// Why a Pod is not translated: the field at fault, and a message that ends with the way out.
struct Refusal {
  std::string field;  // of the Pod ("spec.nodeName"), or of the Share ("fraction")
  std::string message;
  bool retry = false;  // the same request may succeed later

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

}  // namespace allot::dialect
