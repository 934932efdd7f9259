#include "tests/support/requirements.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/strings.h"

namespace allot::tests {
namespace {

bool HasGo() {
  static const bool has_go = std::system(StrCat("'", SourceDir().string(), "/tools/setup' --go-path >/dev/null 2>&1").c_str()) == 0;
  return has_go;
}

bool Required(std::string_view name) {
  const char* list = std::getenv("ALLOT_REQUIRE");
  if (list == nullptr) return false;
  for (const std::string_view word : Split(list, ',')) {
    if (Trim(word) == name) return true;
  }
  return false;
}

Missing Lack(std::string_view name, std::string_view why) { return {StrCat("SKIP: needs ", name, ": ", why), Required(name)}; }

}  // namespace

std::optional<Missing> MissingFor(Need need) {
  switch (need) {
    case Need::kGo:
      if (HasGo()) return std::nullopt;
      return Lack("go", "no Go 1.26.6 or newer here; tools/setup fetches one");
    case Need::kRoot:
      if (geteuid() == 0) return std::nullopt;
      return Lack("root", "run as root");
    case Need::kVectors:
      if (std::filesystem::is_directory(VectorsDir())) return std::nullopt;
      return Lack("vectors", StrCat("no folder ", VectorsDir().string(), "; ALLOT_VECTORS names another"));
  }
  return std::nullopt;
}

std::filesystem::path SourceDir() { return ALLOT_SOURCE_DIR; }

std::filesystem::path VectorsDir() {
  if (const char* named = std::getenv("ALLOT_VECTORS"); named != nullptr && *named != '\0') return SourceDir() / named;
  return SourceDir().parent_path() / "shared" / "vectors";
}

}  // namespace allot::tests
