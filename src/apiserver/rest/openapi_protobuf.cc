#include "apiserver/rest/openapi_protobuf.h"

#include <limits>
#include <ranges>

#include "apiserver/json_names.h"
#include "apiserver/schema/wire_format.h"

namespace allot::apiserver {

namespace {

// One function for each message. WireWriter writes from the end to the beginning, and so do they: fields by descending number, lists from
// the last item. A wrapper message with a single field is given as a second number.
class DocumentWriter {
 public:
  void Document(const Value& document);
  std::string Take() && { return std::move(out_).Take(); }

 private:
  using Write = void (DocumentWriter::*)(const Value&);

  void Info(const Value& info);
  void PathItem(const Value& path);
  void Operation(const Value& operation);
  void ParametersItem(const Value& parameter);
  void BodyParameter(const Value& parameter);
  void QueryParameter(const Value& parameter);
  void PathParameter(const Value& parameter);
  void ResponseValue(const Value& response);
  void Schema(const Value& schema);
  void SchemaItem(const Value& schema) { Message(1, schema, &DocumentWriter::Schema); }

  // Each writes nothing if the value has another kind or is zero, as in protobuf.
  void Text(int number, const Value& text);
  void Texts(int number, const Value& texts);
  void Flag(int number, const Value& flag);
  void Message(int number, const Value& object, Write write);
  void Messages(int number, const Value& objects, Write write);
  // Writes a message with one field: a list of name-value pairs.
  void Named(int number, int pairs, const Value& object, Write write);
  void Extensions(int number, const Value& object);

  WireWriter out_;
};

void DocumentWriter::Text(int number, const Value& text) {
  if (const std::string_view bytes = json::TextOf(text); !bytes.empty()) out_.Bytes(number, bytes);
}

void DocumentWriter::Texts(int number, const Value& texts) {
  for (const Value& text : std::views::reverse(json::ItemsOf(texts))) out_.Bytes(number, json::TextOf(text));
}

void DocumentWriter::Flag(int number, const Value& flag) {
  if (json::IsTrue(flag)) out_.Varint(number, 1);
}

void DocumentWriter::Message(int number, const Value& object, Write write) {
  if (!object.IsObject()) return;
  const size_t end = out_.size();
  (this->*write)(object);
  out_.Message(number, end);
}

void DocumentWriter::Messages(int number, const Value& objects, Write write) {
  for (const Value& object : std::views::reverse(json::ItemsOf(objects))) Message(number, object, write);
}

void DocumentWriter::Named(int number, int pairs, const Value& object, Write write) {
  if (!object.IsObject()) return;
  const size_t end = out_.size();
  for (const json::Member& member : std::views::reverse(object.Members())) {
    const size_t pair_end = out_.size();
    Message(2, member.value, write);
    out_.Bytes(1, member.key);
    out_.Message(pairs, pair_end);
  }
  out_.Message(number, end);
}

void DocumentWriter::Extensions(int number, const Value& object) {
  for (const json::Member& member : std::views::reverse(json::MembersOf(object))) {
    if (!member.key.starts_with("x-")) continue;
    const size_t end = out_.size();
    out_.Bytes(2, json::Write(member.value));  // Any.yaml
    out_.Message(2, end);
    out_.Bytes(1, member.key);
    out_.Message(number, end);
  }
}

void DocumentWriter::Document(const Value& document) {
  Named(9, 1, document["definitions"], &DocumentWriter::Schema);
  Named(8, 2, document["paths"], &DocumentWriter::PathItem);
  Message(2, document["info"], &DocumentWriter::Info);
  Text(1, document["swagger"]);
}

void DocumentWriter::Info(const Value& info) {
  Text(2, info["version"]);
  Text(1, info["title"]);
}

void DocumentWriter::PathItem(const Value& path) {
  Messages(9, path["parameters"], &DocumentWriter::ParametersItem);
  Message(8, path["patch"], &DocumentWriter::Operation);
  Message(5, path["delete"], &DocumentWriter::Operation);
  Message(4, path["post"], &DocumentWriter::Operation);
  Message(3, path["put"], &DocumentWriter::Operation);
  Message(2, path["get"], &DocumentWriter::Operation);
}

void DocumentWriter::Operation(const Value& operation) {
  Extensions(13, operation);
  Named(9, 1, operation["responses"], &DocumentWriter::ResponseValue);
  Messages(8, operation["parameters"], &DocumentWriter::ParametersItem);
  Texts(7, operation["consumes"]);
  Texts(6, operation["produces"]);
  Text(5, operation["operationId"]);
  Text(3, operation["description"]);
}

void DocumentWriter::ParametersItem(const Value& parameter) {
  const std::string_view in = json::TextOf(parameter["in"]);
  const size_t end = out_.size();
  if (in == "body") {
    Message(1, parameter, &DocumentWriter::BodyParameter);
  } else {
    in == "path" ? Message(4, parameter, &DocumentWriter::PathParameter) : Message(3, parameter, &DocumentWriter::QueryParameter);
    out_.Message(2, end);
  }
  out_.Message(1, end);
}

void DocumentWriter::BodyParameter(const Value& parameter) {
  Message(5, parameter["schema"], &DocumentWriter::Schema);
  Flag(4, parameter["required"]);
  Text(3, parameter["in"]);
  Text(2, parameter["name"]);
  Text(1, parameter["description"]);
}

void DocumentWriter::QueryParameter(const Value& parameter) {
  Flag(20, parameter["uniqueItems"]);
  Text(6, parameter["type"]);
  Text(4, parameter["name"]);
  Text(3, parameter["description"]);
  Text(2, parameter["in"]);
  Flag(1, parameter["required"]);
}

void DocumentWriter::PathParameter(const Value& parameter) {
  Flag(19, parameter["uniqueItems"]);
  Text(5, parameter["type"]);
  Text(4, parameter["name"]);
  Text(3, parameter["description"]);
  Text(2, parameter["in"]);
  Flag(1, parameter["required"]);
}

void DocumentWriter::ResponseValue(const Value& response) {
  const size_t end = out_.size();
  Message(2, response["schema"], &DocumentWriter::SchemaItem);
  Text(1, response["description"]);
  out_.Message(1, end);
}

void DocumentWriter::Schema(const Value& schema) {
  Extensions(31, schema);
  Named(25, 1, schema["properties"], &DocumentWriter::Schema);
  Message(23, schema["items"], &DocumentWriter::SchemaItem);
  if (const Value& type = schema["type"]; type.IsString()) {
    const size_t end = out_.size();
    Text(1, type);
    out_.Message(22, end);
  }
  Message(21, schema["additionalProperties"], &DocumentWriter::SchemaItem);
  Texts(19, schema["required"]);
  Text(4, schema["description"]);
  Text(2, schema["format"]);
  Text(1, schema["$ref"]);
}

}  // namespace

Result<std::string> OpenApiV2Protobuf(std::string_view json) {
  // The text is the server's own, and its size depends on the kinds. Types are at most 128 deep (openapi_schema.cc), each with two levels
  // of JSON.
  constexpr size_t kAny = std::numeric_limits<size_t>::max();
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(json, {.depth = 300, .nodes = kAny, .bytes = kAny}));
  DocumentWriter writer;
  writer.Document(document.root());
  return std::move(writer).Take();
}

}  // namespace allot::apiserver
