#pragma once
// Cases with Kubernetes' outcomes, and their comparison with ours.
//
// A case has one of three kinds. The vectors' documentation describes its fields. The name of a case and the order of cases do not matter.

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

// One case, and where it was read: "vectors/a.json", "b.jsonl:17", "c.json[3]".
struct Case {
  std::string where;
  json::Value value;
};

// Cases, and the documents that own their values.
struct Cases {
  std::vector<json::Document> documents;
  std::vector<Case> cases;

  // Adds the cases of one file: one case, a list of cases, or with `jsonl` one case a line. For quantities also {"parse": [...], "pairs":
  // [...]}.
  Status AddText(Kind kind, std::string_view text, std::string_view where, bool jsonl);
};

// `path` itself, or if it is a folder every .json and .jsonl file below it, sorted by name.
std::vector<std::filesystem::path> CaseFiles(const std::filesystem::path& path);

// Loads the cases of one .json or .jsonl file.
Result<Cases> LoadCases(Kind kind, const std::filesystem::path& file);

// The input of the allocator, read from a case.
struct AllocatorCase {
  alloc::Options options;
  model::Node node;
  std::vector<model::DeviceClass> classes;
  std::vector<model::ResourceSlice> slices;
  std::vector<model::ResourceClaim> claims;
  alloc::Ledger ledger;
  // The classes in the allocator's form.
  alloc::Classes known_classes;
  std::vector<const model::ResourceSlice*> all_slices;
  std::vector<const model::ResourceClaim*> all_claims;

  static Result<AllocatorCase> Read(const json::Value& value);
  // Decides the case from scratch, like Kubernetes: gathers the pools, then searches.
  Result<alloc::Answer> Decide(cel::Cache& selectors, Random& random) const;
};

// A selector, and the device that it is evaluated for.
struct CelCase {
  std::string_view expression;
  cel::Options options;
  json::Document document;  // a slice with the device
  model::ResourceSlice slice;

  const model::Device& device() const { return slice.devices[0]; }
  std::string_view driver() const { return slice.driver; }

  static Result<CelCase> Read(const json::Value& value);
};

// The feature gates of a case: those of 1.36 if absent, none if null.
Result<alloc::Features> FeaturesOf(const json::Value& value);

// The differences between our outcome and the expected one; empty if they agree. `expect` is part of a vector, and the oracle's answer for
// a random case.
std::vector<std::string> CompareAllocator(const json::Value& value, const json::Value& expect);
std::vector<std::string> CompareCel(const json::Value& value, const json::Value& expect);
std::vector<std::string> CompareQuantity(const json::Value& value, const json::Value& expect);

// Compares our outcome with the expectation in the case.
std::vector<std::string> CompareCase(Kind kind, const json::Value& value);

}  // namespace allot::conformance
