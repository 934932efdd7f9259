#pragma once
// A collection of the API as it was listed, or the reason why it could not be listed.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kube/client.h"
#include "kube/object.h"

namespace allot::view {

struct Listing {
  std::vector<kube::ObjectPtr> objects;  // empty where the list could not be read to its end
  Status status;

  bool ok() const { return status.ok(); }
};

// Lists all objects of the kind, of all namespaces unless one is given.
Listing ListAll(kube::Client& client, const kube::ResourceType& type, std::string_view namespace_name = "",
                const kube::ListOptions& options = {});

// Whether the server refused the request (403), respectively does not serve the kind or object (404).
bool IsForbidden(const Status& status);
bool IsMissing(const Status& status);
// The server's own message, without the context that the client puts in front of it.
std::string ServerMessage(const Status& status);

}  // namespace allot::view
