// Answers tests/conformance/patch: each line is an object, and a patch for it.
//
//   {"kind": "apps/v1/Deployment", "type": "strategic" or "json" or "merge", "live": {...}, "patch": ...}
//     -> {"result": ...} or {"refused": 422, "message": "..."}

#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include "apiserver/patch/json_patch.h"
#include "apiserver/patch/merge_patch.h"
#include "apiserver/patch/strategic_patch.h"
#include "apiserver/refusal.h"
#include "base/check.h"
#include "base/strings.h"
#include "json/json.h"

namespace {

using namespace allot;
using namespace allot::apiserver;

// "v1/Pod", "apps/v1/Deployment"
const Type& Find(std::string_view name) {
  const auto parts = Split(name, '/');
  CHECK(parts.size() == 2 || parts.size() == 3);
  const size_t version = parts.size() - 2;
  const Type* const type = Schema::BuiltIn().FindKind(version == 0 ? "" : parts[0], parts[version], parts[version + 1]);
  CHECK(type != nullptr);
  return *type;
}

Result<json::Value> Patched(json::Editor& edit, const json::Value& question) {
  const std::string_view type = json::TextOf(question["type"]);
  const json::Value &live = question["live"], &patch = question["patch"];
  if (type == "strategic") return ApplyStrategicPatch(edit, Find(json::TextOf(question["kind"])), live, patch);
  if (type == "json") return ApplyJsonPatch(edit, live, patch);
  CHECK(type == "merge");
  return ApplyMergePatch(edit, live, patch);
}

std::string Answer(std::string_view line) {
  const auto question = json::Parse(line);
  CHECK(question.ok());
  json::Arena arena;
  json::Editor edit(arena);
  const auto patched = Patched(edit, question->root());
  if (patched.ok()) return json::Write(edit.Object({{"result", *patched}}));
  return json::Write(edit.Object({{"refused", edit.Int(CodeOf(patched.status()))}, {"message", edit.String(patched.status().message())}}));
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const std::string answer = Answer(line);
    std::printf("%s\n", answer.c_str());
    std::fflush(stdout);
  }
}
