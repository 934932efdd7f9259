#include "apiserver/schema/protobuf.h"

#include <algorithm>
#include <vector>

#include "apiserver/schema/wire_format.h"
#include "apiserver/schema/wire_message.h"
#include "apiserver/schema/wire_text.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kMagic("k8s\0", 4);

struct Envelope {
  std::string_view api_version, kind, object;
};

Status ReadTypeMeta(std::string_view message, Envelope& envelope) {
  return ForEachField(message, [&](const WireField& wire) -> Status {
    if (wire.number > 2) return {};
    (wire.number == 1 ? envelope.api_version : envelope.kind) = wire.bytes;
    return Expect(wire, WireType::kBytes);
  });
}

Result<Envelope> Open(std::string_view body) {
  if (!body.starts_with(kMagic)) return Invalid("the body is not protobuf: it does not begin with \"k8s\\0\"");
  Envelope envelope;
  TRY(ForEachField(body.substr(kMagic.size()), [&](const WireField& wire) -> Status {
    if (wire.number > 2) return {};  // ignore contentEncoding and contentType, which clients do not set
    if (wire.type == WireType::kBytes && wire.number == 1) return ReadTypeMeta(wire.bytes, envelope);
    envelope.object = wire.bytes;
    return Expect(wire, WireType::kBytes);
  }));
  return envelope;
}

}  // namespace

bool HasProtobuf(const Type& type) {
  return std::ranges::any_of(type.fields, [](const Field& field) { return field.number != 0; });
}

Result<json::Value> DecodeProtobuf(json::Editor& edit, std::string_view body, const FindType& find) {
  ASSIGN_OR_RETURN(const Envelope envelope, Open(body));
  const Type* type = find(envelope.api_version, envelope.kind);
  if (type == nullptr) {
    return allot::NotFound("no kind ", Quoted(envelope.kind), " is registered for version ", Quoted(envelope.api_version));
  }
  ASSIGN_OR_RETURN(const json::Value object, DecodeMessage(edit, *type, envelope.object));
  std::vector<json::Member> members;
  std::string buffer;
  if (!envelope.kind.empty()) members.push_back({"kind", edit.String(MendUtf8(envelope.kind, buffer))});
  if (!envelope.api_version.empty()) members.push_back({"apiVersion", edit.String(MendUtf8(envelope.api_version, buffer))});
  // If a type itself has fields of these names, they have no number and are not in the message.
  members.insert(members.end(), object.Members().begin(), object.Members().end());
  return edit.Object(members);
}

Result<std::string> EncodeProtobuf(const Type& type, std::string_view api_version, std::string_view kind, const json::Value& object) {
  WireWriter out;
  TRY(EncodeMessage(type, object, out));
  out.Message(2, 0);
  const size_t end = out.size();
  out.Bytes(2, kind);
  out.Bytes(1, api_version);
  out.Message(1, end);
  out.Raw(kMagic);
  return std::move(out).Take();
}

std::string EncodeProtobufEvent(std::string_view type, std::string_view object) {
  WireWriter out;
  out.Bytes(1, object);
  out.Message(2, 0);
  out.Bytes(1, type);
  const size_t size = out.size();
  char length[4];
  for (int i = 0; i < 4; ++i) length[i] = static_cast<char>(size >> (24 - 8 * i));
  out.Raw({length, sizeof length});
  return std::move(out).Take();
}

}  // namespace allot::apiserver
