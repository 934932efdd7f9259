// Answers tests/conformance/wire: each line is a kind and an object of it, as protobuf and as JSON, in base64.
//
//   kinds                                  -> "v1/Pod apps/v1/Deployment ..."
//   APIVERSION KIND PROTOBUF JSON          -> the protobuf decoded and encoded again, the JSON as protobuf, the protobuf as JSON

#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include "apiserver/schema/protobuf.h"
#include "base/strings.h"
#include "json/json.h"
#include "kube/config/credentials.h"

namespace {

using namespace allot;
using namespace allot::apiserver;

const Type* Find(std::string_view api_version, std::string_view kind) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return Schema::BuiltIn().FindKind("", api_version, kind);
  return Schema::BuiltIn().FindKind(api_version.substr(0, slash), api_version.substr(slash + 1), kind);
}

std::string Kinds() {
  std::string names;
  for (const auto& [name, type] : Schema::BuiltIn().types()) {
    if (type->kind.empty() || !HasProtobuf(*type)) continue;
    if (!names.empty()) names += ' ';
    names += StrCat(type->group, type->group.empty() ? "" : "/", type->version, "/", type->kind);
  }
  return names;
}

Result<std::string> Answer(std::string_view line) {
  const auto words = Split(line, ' ');
  if (words.size() == 1 && words[0] == "kinds") return Kinds();
  if (words.size() != 4) return Invalid("a line has four words");
  ASSIGN_OR_RETURN(const std::string protobuf, kube::DecodeBase64(words[2]));
  ASSIGN_OR_RETURN(const std::string text, kube::DecodeBase64(words[3]));
  json::Document tree;
  json::Editor edit(tree.arena());
  ASSIGN_OR_RETURN(const json::Value object, DecodeProtobuf(edit, protobuf, Find));
  const Type* type = Find(words[0], words[1]);
  CHECK(type != nullptr);
  ASSIGN_OR_RETURN(const std::string again, EncodeProtobuf(*type, words[0], words[1], object));
  ASSIGN_OR_RETURN(const auto document, json::Parse(text));
  ASSIGN_OR_RETURN(const std::string from_json, EncodeProtobuf(*type, words[0], words[1], document.root()));
  return StrCat(kube::EncodeBase64(again), " ", kube::EncodeBase64(from_json), " ", kube::EncodeBase64(json::Write(object)));
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = Answer(line);
    const std::string text = answer.ok() ? *answer : StrCat("error: ", answer.status().ToString());
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
  }
}
