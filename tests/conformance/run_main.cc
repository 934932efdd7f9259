// Runs cases with Kubernetes' outcomes through our code, and prints the differences. tests/conformance/run finds or builds this program.

#include <cstdio>
#include <string>

#include "tests/conformance/case.h"

namespace {

constexpr char kUsage[] =
    "usage: tests/conformance/run allocator|cel|quantity PATH...\n"
    "\n"
    "Runs the cases in the files (.json, .jsonl) and folders PATH, prints each disagreement with Kubernetes,\n"
    "and ends with `N passed, M failed`. Exits with 1 if a case failed or there was none,\n"
    "with 2 if a file could not be read (the others are still run).\n"
    "\n"
    "  tests/conformance/run allocator ../shared/vectors/allocator\n"
    "  tests/conformance/run cel ../shared/vectors/cel-dra.json\n"
    "  tests/conformance/run quantity ../shared/vectors/quantity.json\n";

}  // namespace

int main(int argc, char** argv) {
  using namespace allot;
  if (argc == 2 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h")) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (argc < 3) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const Result<conformance::Kind> kind = conformance::ParseKind(argv[1]);
  if (!kind.ok()) {
    std::fprintf(stderr, "error: %s\n", kind.status().message().c_str());
    return 2;
  }
  size_t passed = 0, failed = 0;
  bool unreadable = false;
  for (int i = 2; i < argc; ++i) {
    for (const std::filesystem::path& file : conformance::CaseFiles(argv[i])) {
      const Result<conformance::Cases> cases = conformance::LoadCases(*kind, file);
      if (!cases.ok()) {
        std::fprintf(stderr, "error: %s\n", cases.status().message().c_str());
        unreadable = true;
        continue;
      }
      for (const conformance::Case& one : cases->cases) {
        const std::vector<std::string> differences = conformance::CompareCase(*kind, one.value);
        ++(differences.empty() ? passed : failed);
        for (const std::string& difference : differences) std::printf("%s: %s\n", one.where.c_str(), difference.c_str());
      }
    }
  }
  if (passed + failed == 0) std::fprintf(stderr, "error: no case found\n");
  std::printf("%zu passed, %zu failed\n", passed, failed);
  if (std::fflush(stdout) != 0) {
    std::perror("error: standard output");
    return 2;
  }
  if (unreadable) return 2;
  return failed > 0 || passed == 0 ? 1 : 0;
}
