#pragma once
// Collections of the API through a verb's session, and text that fits a screen.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/session.h"
#include "kube/object.h"
#include "view/listing.h"

namespace allot::cli {

using view::IsForbidden;
using view::IsMissing;
using view::Listing;
using view::ServerMessage;

// Lists all objects of the kind, of all namespaces unless one is given.
Listing ListAll(Session& session, const kube::ResourceType& type, std::string_view namespace_name = "",
                const kube::ListOptions& options = {});

// The text in one line, with every control character replaced, so that it cannot control the terminal.
std::string Printable(std::string_view text);

// `first`, then `text` broken between words into lines of `width`; the second and later lines are indented by `indent`. Control
// characters of `text` are replaced. Ends with a line end.
std::string Wrap(std::string_view first, std::string_view text, size_t indent, size_t width);

// "n1, n2 and 3 more"
std::string SomeOf(const std::vector<std::string>& names);

}  // namespace allot::cli
