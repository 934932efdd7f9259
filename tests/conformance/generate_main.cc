// allot_generate KIND COUNT [--seed N]: prints random cases, one a line, of the seeds N, N + 1, ...

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "generate.h"

namespace {

using Generate = std::string (*)(uint64_t);

Generate Find(std::string_view kind) {
  if (kind == "allocator") return allot::conformance::GenerateAllocatorCase;
  if (kind == "cel") return allot::conformance::GenerateCelCase;
  if (kind == "quantity") return allot::conformance::GenerateQuantityText;
  return nullptr;
}

bool Read(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

int main(int argc, char** argv) {
  const Generate generate = argc >= 3 ? Find(argv[1]) : nullptr;
  uint64_t count = 0;
  uint64_t seed = 1;
  const bool seeded = argc == 5 && std::string_view(argv[3]) == "--seed" && Read(argv[4], seed);
  if (generate == nullptr || !Read(argv[2], count) || (argc != 3 && !seeded)) {
    std::fputs("usage: allot_generate allocator|cel|quantity COUNT [--seed N]\n", stderr);
    return 2;
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (std::puts(generate(seed + i).c_str()) == EOF) return 1;
  }
  return 0;
}
