// Compares our allocator and selectors with Kubernetes' own code, on the same cases in one run: bench ORACLE REPORT.json
//
// Both sides start with parsed objects and a warm cache of selectors, and time only the decision: gather the pools from the slices, check
// the claims, search, write the result. The oracle measures itself in its own process.

#include <cstdio>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/strings.h"
#include "cel/cache.h"
#include "cel/program.h"
#include "json/json.h"
#include "tests/bench/measure.h"
#include "tests/bench/report.h"
#include "tests/bench/shapes.h"
#include "tests/conformance/case.h"
#include "tests/conformance/generate.h"
#include "tests/conformance/oracle_process.h"

namespace allot::bench {
namespace {

constexpr int kCases = 200;
constexpr int kSelectors = 200;

struct Peer {
  double ns = 0, allocations = 0;
};

// The oracle's measurement of each case; nullopt if it could not measure the case.
Result<std::vector<std::optional<Peer>>> AskPeer(conformance::Oracle& oracle, std::string_view kind, const std::vector<std::string>& cases,
                                                 double seconds) {
  std::string question = StrCat(R"({"kind":")", kind, R"(","seconds":)", static_cast<int>(seconds), R"(,"cases":[)");
  for (size_t i = 0; i < cases.size(); ++i) question += StrCat(i > 0 ? "," : "", cases[i]);
  question += "]}";
  ASSIGN_OR_RETURN(const json::Document answer, oracle.Ask(question));
  if (!answer.root()["cases"].IsArray() || answer.root()["cases"].Items().size() != cases.size())
    return Unavailable("the oracle: ", json::Write(answer.root()));
  std::vector<std::optional<Peer>> peers;
  for (const json::Value& one : answer.root()["cases"].Items()) {
    if (one["ns"].IsNumber()) {
      peers.push_back(Peer{one["ns"].AsDouble(), one["allocsPerOp"].AsDouble()});
    } else {
      peers.push_back(std::nullopt);
    }
  }
  return peers;
}

// With `explain` our allocator also computes reasons, which Kubernetes does not have.
Result<Measured> MeasureDecision(const json::Value& value, bool explain) {
  ASSIGN_OR_RETURN(conformance::AllocatorCase question, conformance::AllocatorCase::Read(value));
  question.options.explain = explain;
  cel::Cache selectors(alloc::SelectorOptions(question.options.features));
  SeededRandom random(1);
  return Measure([&] { static_cast<void>(question.Decide(selectors, random)); });
}

Status BenchAllocator(conformance::Oracle& oracle, Report& report) {
  std::printf("allocation: %d random cases\n", kCases);
  std::vector<std::string> cases;
  for (uint64_t seed = 1; seed <= kCases; ++seed) cases.push_back(conformance::GenerateAllocatorCase(seed));
  ASSIGN_OR_RETURN(const auto peers, AskPeer(oracle, "bench-allocator", cases, 30));
  std::vector<double> ours, with_reasons, theirs, ratios, explained_ratios, our_allocations, their_allocations;
  size_t worst = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!peers[i]) continue;
    ASSIGN_OR_RETURN(const json::Document document, json::Parse(cases[i]));
    ASSIGN_OR_RETURN(const Measured measured, MeasureDecision(document.root(), false));
    ASSIGN_OR_RETURN(const Measured explained, MeasureDecision(document.root(), true));
    with_reasons.push_back(explained.ns);
    explained_ratios.push_back(peers[i]->ns / explained.ns);
    ours.push_back(measured.ns);
    theirs.push_back(peers[i]->ns);
    our_allocations.push_back(measured.allocations);
    their_allocations.push_back(peers[i]->allocations);
    ratios.push_back(peers[i]->ns / measured.ns);
    if (ratios.back() < ratios[worst]) worst = ratios.size() - 1;
  }
  if (ours.empty()) return Unavailable("the oracle timed no case");
  report.Add("allocate", Median(ours), Median(theirs), "ns", Median(ratios));
  report.Add("allocate/worst case", ours[worst], theirs[worst], "ns", ratios[worst]);
  report.Add("allocate/with reasons", Median(with_reasons), Median(theirs), "ns", Median(explained_ratios));
  report.Add("allocate/heap allocations", Median(our_allocations), Median(their_allocations), "count");
  return Status();
}

Status BenchShapes(conformance::Oracle& oracle, Report& report) {
  for (const Shape& shape : Shapes()) {
    std::printf("allocation: %s\n", shape.name.c_str());
    const std::vector<std::string> cases = {shape.allocator_case};
    std::optional<Peer> peer;
    if (shape.ask_peer) {
      ASSIGN_OR_RETURN(const auto peers, AskPeer(oracle, "bench-allocator", cases, 2));
      peer = peers[0];
    }
    ASSIGN_OR_RETURN(const json::Document document, json::Parse(cases[0]));
    ASSIGN_OR_RETURN(const Measured measured, MeasureDecision(document.root(), false));
    report.Add(StrCat("allocate/", shape.name), measured.ns, peer ? peer->ns : 0, "ns");
  }
  return Status();
}

Status BenchSelectors(conformance::Oracle& oracle, Report& report) {
  std::printf("selectors: %d random expressions and %zu of GPU users\n", kSelectors, Selectors().size());
  std::vector<std::string> cases;
  for (const Selector& selector : Selectors()) cases.push_back(selector.cel_case);
  for (uint64_t seed = 1; seed <= kSelectors; ++seed) cases.push_back(conformance::GenerateCelCase(seed));
  ASSIGN_OR_RETURN(const auto peers, AskPeer(oracle, "bench-cel", cases, 30));
  std::vector<double> ours, theirs, ratios;
  size_t worst = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!peers[i]) continue;
    ASSIGN_OR_RETURN(const json::Document document, json::Parse(cases[i]));
    ASSIGN_OR_RETURN(conformance::CelCase question, conformance::CelCase::Read(document.root()));
    ASSIGN_OR_RETURN(const auto program, cel::Program::Compile(question.expression, question.options));
    const Measured measured = Measure([&] { static_cast<void>(program->Matches(question.device(), question.driver())); });
    if (i < Selectors().size()) report.Add(StrCat("cel/", Selectors()[i].name), measured.ns, peers[i]->ns, "ns");
    ours.push_back(measured.ns);
    theirs.push_back(peers[i]->ns);
    ratios.push_back(peers[i]->ns / measured.ns);
    if (ratios.back() < ratios[worst]) worst = ratios.size() - 1;
  }
  if (ours.empty()) return Unavailable("the oracle timed no selector");
  report.Add("cel", Median(ours), Median(theirs), "ns", Median(ratios));
  report.Add("cel/worst case", ours[worst], theirs[worst], "ns", ratios[worst]);
  return Status();
}

Status Run(const std::string& oracle_path, const std::string& report_path) {
  ASSIGN_OR_RETURN(conformance::Oracle oracle, conformance::Oracle::Start(oracle_path));
  Report report;
  report.Note("peer: the allocator and selector packages of Kubernetes 1.36.4; 0: not measured, because its search does not end");
  TRY(BenchAllocator(oracle, report));
  TRY(BenchShapes(oracle, report));
  TRY(BenchSelectors(oracle, report));
  std::printf("\n");
  report.Print();
  TRY(report.Write(report_path));
  std::printf("written to %s\n", report_path.c_str());
  return Status();
}

}  // namespace
}  // namespace allot::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: bench ORACLE REPORT.json   (`make bench` calls it)\n", stderr);
    return 2;
  }
  const allot::Status status = allot::bench::Run(argv[1], argv[2]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 1;
}
