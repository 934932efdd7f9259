#include "cli/listing.h"

#include "base/strings.h"

namespace allot::cli {

Listing ListAll(Session& session, const kube::ResourceType& type, std::string_view namespace_name, const kube::ListOptions& options) {
  return view::ListAll(session.client(), type, namespace_name, options);
}

std::string Printable(std::string_view text) {
  std::string clean;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are control characters, too; U+009B is the same as ESC [.
    const bool is_long = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    clean += byte < 0x20 || byte == 0x7F || is_long ? ' ' : text[i];
    if (is_long) ++i;
  }
  return clean;
}

std::string Wrap(std::string_view first, std::string_view text, size_t indent, size_t width) {
  const std::string clean = Printable(text);
  std::string wrapped(first);
  size_t column = first.size();
  bool begins = true;  // the line has no word yet
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
