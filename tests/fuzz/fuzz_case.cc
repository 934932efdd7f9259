// Allocator cases: any text gives an error or a decision, and no decision over-commits a device.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/random.h"
#include "cel/cache.h"
#include "tests/conformance/case.h"
#include "tests/conformance/overcommit.h"

using namespace allot;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  conformance::Cases cases;
  if (!cases.AddText(conformance::Kind::kAllocator, text, "fuzz", size % 2 == 0).ok()) return 0;
  for (const conformance::Case& one : cases.cases) {
    auto question = conformance::AllocatorCase::Read(one.value);
    if (!question.ok()) continue;
    question->options.max_steps = 300;
    cel::Cache selectors(alloc::SelectorOptions(question->options.features));
    SeededRandom random(1);
    const auto answer = question->Decide(selectors, random);
    if (!answer.ok() || answer->outcome != alloc::Answer::Outcome::kFits) continue;
    if (const std::string why = conformance::Overcommitted(*question, *answer); !why.empty()) {
      std::fprintf(stderr, "over-committed: %s\n", why.c_str());
      std::abort();
    }
  }
  return 0;
}
