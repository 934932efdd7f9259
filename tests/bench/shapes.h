#pragma once
// Cases in which one number grows, and typical selectors.

#include <string>
#include <vector>

namespace allot::bench {

struct Shape {
  std::string name;
  std::string allocator_case;
  bool ask_peer;  // whether Kubernetes' search ends in reasonable time
};
const std::vector<Shape>& Shapes();

struct Selector {
  std::string name;
  std::string cel_case;
};
const std::vector<Selector>& Selectors();

}  // namespace allot::bench
