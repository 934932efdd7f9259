#pragma once
// Cases with Kubernetes' outcomes, and how ours is compared with them.
//
// A case belongs to one of three kinds; its shape and the meaning of its fields are documented with the vectors. Nothing here looks at
// a case's name, and the order of cases does not matter.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/allocator.h"
#include "base/status.h"
#include "cel/program.h"
#include "json/value.h"
#include "model/claim.h"
#include "model/device.h"
#include "model/node.h"

namespace allot::conformance {

enum class Kind { kAllocator, kCel, kQuantity };

Result<Kind> ParseKind(std::string_view name);

// One case and where it was read ("vectors/a.json", "b.jsonl:17", "c.json[3]").
struct Case {
  std::string where;
  json::Value value;
};

// Cases and the documents that they view.
struct Cases {
  std::vector<json::Document> documents;
  std::vector<Case> cases;

  // From the text of one file. `jsonl`: one case a line. A list is a list of cases; of quantities also {"parse": [...], "pairs": [...]}.
  Status AddText(Kind kind, std::string_view text, std::string_view where, bool jsonl);
};

// `path` itself, or every .json and .jsonl file below it where it is a folder, in the order of their names.
std::vector<std::filesystem::path> CaseFiles(const std::filesystem::path& path);

// From one file, .json or .jsonl.
Result<Cases> LoadCases(Kind kind, const std::filesystem::path& file);

// What is asked of the allocator, read from a case.
struct AllocatorCase {
  alloc::Options options;
  model::Node node;
  std::vector<model::DeviceClass> classes;
  std::vector<model::ResourceSlice> slices;
  std::vector<model::ResourceClaim> claims;
  alloc::Ledger ledger;
  // The same as the allocator takes them.
  alloc::Classes known_classes;
  std::vector<const model::ResourceSlice*> all_slices;
  std::vector<const model::ResourceClaim*> all_claims;

  static Result<AllocatorCase> Read(const json::Value& value);
  // Decides it from scratch, as Kubernetes does: gathers the pools, then searches.
  Result<alloc::Answer> Decide(cel::Cache& selectors, Random& random) const;
};

// A selector and the device that it is asked about.
struct CelCase {
  std::string_view expression;
  cel::Options options;
  json::Document document;  // the slice around the device
  model::ResourceSlice slice;

  const model::Device& device() const { return slice.devices[0]; }
  std::string_view driver() const { return slice.driver; }

  static Result<CelCase> Read(const json::Value& value);
};

// The gates of a case: absent: 1.36's defaults; null: none.
Result<alloc::Features> FeaturesOf(const json::Value& value);

// How our outcome differs from the expected one: empty when they agree. `expect` is the case's own for vectors, the oracle's answer for
// random cases.
std::vector<std::string> CompareAllocator(const json::Value& value, const json::Value& expect);
std::vector<std::string> CompareCel(const json::Value& value, const json::Value& expect);
std::vector<std::string> CompareQuantity(const json::Value& value, const json::Value& expect);

// Compares a case that carries its own expectation.
std::vector<std::string> CompareCase(Kind kind, const json::Value& value);

}  // namespace allot::conformance
