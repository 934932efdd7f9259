// Compares our code with Kubernetes' own on random cases. tests/conformance/differential builds the oracle and runs this program.

#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "base/strings.h"
#include "json/json.h"
#include "tests/conformance/case.h"
#include "tests/conformance/generate.h"
#include "tests/conformance/oracle_process.h"

namespace {

using allot::StrCat;
using allot::conformance::Kind;

struct Counts {
  uint64_t agreed = 0, differed = 0;
  std::map<std::string_view, uint64_t> left_out;  // by reason
};

std::string Generate(Kind kind, uint64_t seed) {
  switch (kind) {
    case Kind::kAllocator: return allot::conformance::GenerateAllocatorCase(seed);
    case Kind::kCel: return allot::conformance::GenerateCelCase(seed);
    case Kind::kQuantity: return allot::conformance::GenerateQuantityText(seed);
  }
  return "";
}

std::string Question(Kind kind, const std::string& text) {
  switch (kind) {
    // Repeat the case, to find answers of Kubernetes that depend on the order of a Go map; these cases are skipped.
    case Kind::kAllocator: return StrCat(R"({"kind":"allocator","times":16,"case":)", text, "}");
    case Kind::kCel: return StrCat(R"({"kind":"cel","times":24,"case":)", text, "}");
    case Kind::kQuantity: return StrCat(R"({"kind":"quantity",)", std::string_view(text).substr(1));
  }
  return "";
}

std::vector<std::string> Compare(Kind kind, const allot::json::Value& value, const allot::json::Value& answer) {
  switch (kind) {
    case Kind::kAllocator: return allot::conformance::CompareAllocator(value, answer["expect"]);
    case Kind::kCel: return allot::conformance::CompareCel(value, answer);
    case Kind::kQuantity: return allot::conformance::CompareQuantity(value, answer);
  }
  return {};
}

// Why the case is skipped: Kubernetes has no definite answer. Empty if it has.
std::string_view WhyLeftOut(const allot::json::Value& answer) {
  if (!answer["panic"].IsNull()) return "Kubernetes crashed";
  if (!answer["timeout"].IsNull()) return "Kubernetes took too long";
  if (!answer["unstable"].IsNull()) return "Kubernetes' answer changes from run to run";
  if (!answer["mutated"].IsNull()) return "Kubernetes changed its input while it decided";
  return "";
}

allot::Result<Counts> Run(Kind kind, std::string_view name, uint64_t count, uint64_t first, const std::string& oracle_path) {
  ASSIGN_OR_RETURN(allot::conformance::Oracle oracle, allot::conformance::Oracle::Start(oracle_path));
  Counts counts;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const std::string text = Generate(kind, seed);
    ASSIGN_OR_RETURN(const allot::json::Document question, allot::json::Parse(text).Context(name, " case ", seed));
    ASSIGN_OR_RETURN(const allot::json::Document answer, oracle.Ask(Question(kind, text)));
    if (const std::string_view why = WhyLeftOut(answer.root()); !why.empty()) {
      ++counts.left_out[why];
    } else if (const auto differences = Compare(kind, question.root(), answer.root()); differences.empty()) {
      ++counts.agreed;
    } else {
      ++counts.differed;
      for (const std::string& difference : differences)
        std::printf("%s case %lu: %s\n", std::string(name).c_str(), seed, difference.c_str());
    }
    if ((seed - first + 1) % 5000 == 0) std::fprintf(stderr, "%s: %lu of %lu\n", std::string(name).c_str(), seed - first + 1, count);
  }
  return counts;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: allot_differential allocator|cel|quantity COUNT FIRST_SEED ORACLE\n", stderr);
    return 2;
  }
  const allot::Result<Kind> kind = allot::conformance::ParseKind(argv[1]);
  uint64_t count = 0, first = 0;
  const auto number = [](const char* text, uint64_t& to) {
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), to);
    return error == std::errc() && *end == '\0';
  };
  if (!kind.ok() || !number(argv[2], count) || !number(argv[3], first) || count == 0) {
    std::fprintf(stderr, "error: %s\n",
                 kind.ok() ? "COUNT and FIRST_SEED are whole numbers, COUNT above 0" : kind.status().message().c_str());
    return 2;
  }
  const allot::Result<Counts> counts = Run(*kind, argv[1], count, first, argv[4]);
  if (!counts.ok()) {
    std::fprintf(stderr, "error: %s\n", counts.status().message().c_str());
    return 1;
  }
  std::printf("%s: seeds %lu to %lu: %lu agreed, %lu disagreements\n", argv[1], first, first + count - 1, counts->agreed, counts->differed);
  for (const auto& [why, number_of] : counts->left_out) std::printf("  skipped: %lu (%s)\n", number_of, std::string(why).c_str());
  return counts->differed > 0 || counts->agreed == 0 ? 1 : 0;
}
