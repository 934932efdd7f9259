#pragma once
// A collection of the API, or why it cannot be seen; and text that fits a screen.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/session.h"
#include "kube/object.h"

namespace allot::cli {

struct Listing {
  std::vector<kube::ObjectPtr> objects;  // none where it could not be read to its end
  Status status;

  bool ok() const { return status.ok(); }
};

// All objects of the kind; of all namespaces unless one is given.
Listing ListAll(Session& session, const kube::ResourceType& type, std::string_view namespace_name = "",
                const kube::ListOptions& options = {});

// The server does not let us (403), or does not have it (404).
bool IsForbidden(const Status& status);
bool IsMissing(const Status& status);

// The server's words, without ours in front.
std::string Reason(const Status& status);

// The text in one line, in which nothing can control the terminal.
std::string Printable(std::string_view text);

// `text` behind `first`, in lines of `width` where words allow it; lines but the first are indented by `indent`. Nothing in `text`
// can control the terminal. With a line end.
std::string Wrap(std::string_view first, std::string_view text, size_t indent, size_t width);

// "n1, n2 and 3 more"
std::string SomeOf(const std::vector<std::string>& names);

}  // namespace allot::cli
