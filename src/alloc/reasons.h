#pragma once
// Why a Pod's claims do not fit on a node, in words for the person who waits.

#include <string>
#include <vector>

namespace allot::alloc {

// One reason and the devices that it rules out.
struct Reason {
  std::string text;                  // "6144 MiB asked, 2048 MiB of 24576 MiB free (held by default/train-1)"
  std::vector<std::string> devices;  // in inventory order; empty: it is not about single devices
};

// "a, b, c, d", or "a, b, c and 7 more".
std::string Shortened(const std::vector<std::string>& names);

// For the request that could not be satisfied: each device with the first thing that ruled it out, equal reasons together.
struct Reasons {
  std::string claim;    // "default/train"
  std::string request;  // "gpu"
  // What the request needed and what there was: "1 device asked, none of the 8 of node lab-1 fits".
  std::string summary;
  std::vector<Reason> reasons;

  bool empty() const { return summary.empty() && reasons.empty(); }

  // A line for the whole and one for each reason:
  //   claim default/train, request gpu: 1 device asked, none of the 8 of node lab-1 fits
  //     gpu-0: 6144 MiB asked, 2048 MiB of 24576 MiB free (held by default/train-1)
  //     gpu-1, gpu-2 and 5 more: selector 1 is false: productName is "NVIDIA L4"
  std::string ToString() const;
};

}  // namespace allot::alloc
