// One writer on the store of allot's API server, without the server: store_load FILE COUNT writes COUNT Pods, each durable before the next.
// Prints a line of JSON: the seconds, and the number of writes.

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "apiserver/store/store.h"
#include "tests/kube/load_pod.h"

namespace {

using namespace allot;

Status Run(const std::string& path, int count) {
  ASSIGN_OR_RETURN(const auto store, apiserver::Store::Open(path, {}));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    apiserver::Draft draft;
    draft.before = R"({"metadata":{"resourceVersion":")";
    draft.after = StrCat(R"("},"pod":)", tests::PodJson(static_cast<uint64_t>(i)), "}");
    TRY(store->Put({"pods", "default", StrCat("pod-", i)}, 0, std::move(draft)).status());
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("{\"seconds\": %.6f, \"done\": %d}\n", seconds, count);
  return Status();
}

}  // namespace

int main(int argc, char** argv) {
  const allot::Status status = argc == 3 ? Run(argv[1], std::atoi(argv[2])) : allot::Invalid("usage: store_load FILE COUNT");
  if (status.ok()) return 0;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 1;
}
