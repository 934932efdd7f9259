#pragma once
// Objects of several kinds, as a manifest lists them, with the text that they view.

#include <deque>
#include <string_view>

#include "base/status.h"
#include "json/value.h"
#include "model/claim.h"
#include "model/device.h"
#include "model/node.h"

namespace allot::model {

// Addresses stay valid when more is added.
struct Objects {
  std::deque<Node> nodes;
  std::deque<DeviceClass> classes;
  std::deque<ResourceSlice> slices;
  std::deque<ResourceClaim> claims;

  // Reads a stream of YAML documents. kInvalid names the document (1, 2, ...) and the field; kUnsupported a kind that is not above.
  Status Add(std::string_view yaml);

 private:
  Status Read(const json::Value& object);

  std::deque<json::Document> documents_;
};

}  // namespace allot::model
