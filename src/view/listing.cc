#include "view/listing.h"

#include "kube/error.h"

namespace allot::view {
namespace {

bool HasHttpStatus(const Status& status, int http_status) {
  const kube::ApiError* const error = kube::ApiErrorOf(status);
  return error != nullptr && error->http_status == http_status;
}

}  // namespace

Listing ListAll(kube::Client& client, const kube::ResourceType& type, std::string_view namespace_name, const kube::ListOptions& options) {
  Listing listing;
  listing.status =
      client.List(type, namespace_name, options, [&](kube::ObjectPtr object) { listing.objects.push_back(std::move(object)); }).status();
  if (!listing.ok()) listing.objects.clear();  // some of the pages say nothing about the whole
  return listing;
}

bool IsForbidden(const Status& status) { return HasHttpStatus(status, 403); }
bool IsMissing(const Status& status) { return HasHttpStatus(status, 404); }

std::string ServerMessage(const Status& status) {
  const kube::ApiError* const error = kube::ApiErrorOf(status);
  return error != nullptr && !error->message.empty() ? error->message : status.message();
}

}  // namespace allot::view
