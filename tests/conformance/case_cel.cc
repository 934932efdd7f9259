#include "base/strings.h"
#include "cel/program.h"
#include "json/builder.h"
#include "tests/conformance/case.h"

namespace allot::conformance {
namespace {

std::string Outcome(const Result<bool>& matches) { return matches.ok() ? StrCat(*matches) : StrCat("error: ", matches.status().message()); }

}  // namespace

// Reads the device from a slice, as every device is read.
Result<CelCase> CelCase::Read(const json::Value& value) {
  if (!value.IsObject() || !value["expression"].IsString()) return Invalid("not a CEL case: expected \"expression\"");
  CelCase result;
  result.expression = value["expression"].AsString();
  ASSIGN_OR_RETURN(const alloc::Features features, FeaturesOf(value));
  result.options = alloc::SelectorOptions(features);
  json::Builder to(result.document.arena());
  to.StartObject();
  to.Key("spec");
  to.StartObject();
  to.Key("driver");
  to.Add(value["driver"]);
  to.Key("devices");
  to.StartArray();
  to.StartObject();
  for (const std::string_view key : {"attributes", "capacity", "allowMultipleAllocations"}) {
    to.Key(key);
    to.Add(value[key]);
  }
  to.EndObject();
  to.EndArray();
  to.EndObject();
  to.EndObject();
  TRY(to.status());
  ASSIGN_OR_RETURN(result.slice, model::ResourceSlice::Read(to.Finish()).Context("the device"));
  return result;
}

std::vector<std::string> CompareCel(const json::Value& value, const json::Value& expect) {
  const Result<CelCase> question = CelCase::Read(value);
  if (!question.ok()) return {question.status().message()};
  const auto program = cel::Program::Compile(question->expression, question->options);
  const bool compiles = expect["compiles"].IsBool() && expect["compiles"].AsBool();
  if (program.ok() != compiles) {
    const std::string got = program.ok() ? "compiles" : StrCat("does not: ", program.status().message());
    return {StrCat("compiles: expected ", compiles, ", got ", got)};
  }
  std::vector<std::string> differences;
  if (!compiles) return differences;
  if (expect["maxCost"].IsNumber() && expect["maxCost"].NumberText() != StrCat((*program)->max_cost())) {
    differences.push_back(StrCat("maxCost: expected ", expect["maxCost"].NumberText(), ", got ", (*program)->max_cost()));
  }
  uint64_t cost = 0;
  const Result<bool> matches = (*program)->Matches(question->device(), question->driver(), &cost);
  const bool error = expect["matchError"].IsString() && !expect["matchError"].AsString().empty();
  const std::string expected =
      error ? StrCat("error: ", expect["matchError"].AsString()) : StrCat(expect["match"].IsBool() && expect["match"].AsBool());
  if (error ? matches.ok() : Outcome(matches) != expected) {
    differences.push_back(StrCat("match: expected ", expected, ", got ", Outcome(matches)));
  }
  // Only the oracle gives the cost, and only of an evaluation that succeeded. With maps Kubernetes' own cost may differ from run to run.
  if (!error && matches.ok() && expect["unstableCost"].IsNull() && expect["actualCost"].IsNumber() &&
      expect["actualCost"].NumberText() != StrCat(cost)) {
    differences.push_back(StrCat("actualCost: expected ", expect["actualCost"].NumberText(), ", got ", cost));
  }
  return differences;
}

}  // namespace allot::conformance
