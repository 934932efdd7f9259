#include "cli/listing.h"

#include "base/strings.h"
#include "kube/error.h"

namespace allot::cli {
namespace {

bool HasHttpStatus(const Status& status, int http_status) {
  const kube::ApiError* const error = kube::ApiErrorOf(status);
  return error != nullptr && error->http_status == http_status;
}

std::string WithoutControls(std::string_view text) {
  std::string clean(text);
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return clean;
}

}  // namespace

Listing ListAll(Session& session, const kube::ResourceType& type, std::string_view namespace_name, const kube::ListOptions& options) {
  Listing listing;
  listing.status = session.client()
                       .List(type, namespace_name, options, [&](kube::ObjectPtr object) { listing.objects.push_back(std::move(object)); })
                       .status();
  if (!listing.ok()) listing.objects.clear();  // some of the pages say nothing about the whole
  return listing;
}

bool IsForbidden(const Status& status) { return HasHttpStatus(status, 403); }
bool IsMissing(const Status& status) { return HasHttpStatus(status, 404); }

std::string Reason(const Status& status) {
  const kube::ApiError* const error = kube::ApiErrorOf(status);
  return error != nullptr && !error->message.empty() ? error->message : status.message();
}

std::string Wrap(std::string_view first, std::string_view text, size_t indent, size_t width) {
  const std::string clean = WithoutControls(text);
  std::string wrapped(first);
  size_t column = first.size();
  bool begins = true;  // no word stands on the line yet
  for (const std::string_view word : Split(clean, ' ')) {
    if (word.empty()) continue;
    if (!begins && column + 1 + word.size() > width) {
      wrapped += StrCat("\n", std::string(indent, ' '));
      column = indent;
      begins = true;
    }
    wrapped += StrCat(begins ? "" : " ", word);
    column += word.size() + (begins ? 0 : 1);
    begins = false;
  }
  return wrapped + "\n";
}

std::string SomeOf(const std::vector<std::string>& names) {
  if (names.size() <= 3) return Join(names, ", ");
  return StrCat(names[0], ", ", names[1], " and ", names.size() - 2, " more");
}

}  // namespace allot::cli
