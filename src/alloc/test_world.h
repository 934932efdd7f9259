#pragma once
// A small cluster in YAML, for tests of this area.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "alloc/allocator.h"
#include "base/random.h"
#include "model/objects.h"

namespace allot::alloc {

class World {
 public:
  // Documents of any kind that this area reads, "---" between them: Node, DeviceClass, ResourceSlice, ResourceClaim. A claim with an
  // allocation goes to the ledger, others are what is asked for.
  explicit World(std::string_view yaml) : random_(1) { Add(yaml); }

  void Add(std::string_view yaml) {
    const Status status = objects_.Add(yaml);
    ASSERT_TRUE(status.ok()) << status.message();
    for (; read_claims_ < objects_.claims.size(); ++read_claims_) {
      const model::ResourceClaim& claim = objects_.claims[read_claims_];
      if (claim.allocation) {
        ledger_.Add(claim);
      } else {
        asked_.push_back(&claim);
      }
    }
  }

  Result<Answer> Allocate(Options options = {}) {
    std::vector<const model::ResourceSlice*> slices;
    for (const auto& slice : objects_.slices) slices.push_back(&slice);
    auto inventory = Inventory::Gather(objects_.nodes.front(), slices, options.features, options.quirks);
    if (!inventory.ok()) return inventory.status();
    Classes classes;
    for (const auto& device_class : objects_.classes) classes.Add(device_class);
    cel::Cache cache(SelectorOptions(options.features));
    return Allocator(classes, cache, random_, options).Allocate(*inventory, ledger_, asked_);
  }

  // "gpu-0" for each device that was given, in order, "," between them; "|" between claims; or what else came out.
  std::string Devices(Options options = {}) {
    const Result<Answer> answer = Allocate(options);
    if (!answer.ok()) return "error: " + answer.status().message();
    if (answer->outcome == Answer::Outcome::kGaveUp) return "gave up";
    if (answer->outcome == Answer::Outcome::kDoesNotFit) return "does not fit";
    std::string text;
    for (size_t i = 0; i < answer->allocations.size(); ++i) {
      if (i > 0) text += "|";
      for (size_t j = 0; j < answer->allocations[i].results.size(); ++j) {
        text += StrCat(j > 0 ? "," : "", answer->allocations[i].results[j].device);
      }
    }
    return text;
  }

  Ledger& ledger() { return ledger_; }

 private:
  model::Objects objects_;
  size_t read_claims_ = 0;
  std::vector<const model::ResourceClaim*> asked_;
  Ledger ledger_;
  SeededRandom random_;
};

}  // namespace allot::alloc
