// Request bodies in protobuf: a body that can be read can be written, and reading and writing that again gives the same bytes.

#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/schema/protobuf.h"
#include "base/check.h"
#include "json/json.h"

namespace {

using namespace allot;
using namespace allot::apiserver;

// Finds the type of a body. An unknown kind becomes a Pod, so that inputs need not name a kind.
struct Found {
  const Type* type = nullptr;

  const Type* operator()(std::string_view api_version, std::string_view kind) {
    const size_t slash = api_version.find('/');
    const bool core = slash == std::string_view::npos;
    const Schema& schema = Schema::BuiltIn();
    type = schema.FindKind(core ? "" : api_version.substr(0, slash), core ? api_version : api_version.substr(slash + 1), kind);
    if (type == nullptr) type = schema.FindKind("", "v1", "Pod");
    return type;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  json::Arena arena;
  json::Editor edit(arena);
  Found found;
  const auto object = DecodeProtobuf(edit, std::string_view(reinterpret_cast<const char*>(data), size), std::ref(found));
  if (!object.ok()) {
    CHECK(!object.status().message().empty());
    return 0;
  }
  CHECK(json::Parse(json::Write(*object)).ok());
  const auto written = EncodeProtobuf(*found.type, "v1", "Same", *object);
  CHECK(written.ok());
  const auto again = DecodeProtobuf(edit, *written, [&](std::string_view, std::string_view) { return found.type; });
  CHECK(again.ok());
  CHECK(EncodeProtobuf(*found.type, "v1", "Same", *again).value() == *written);
  return 0;
}
