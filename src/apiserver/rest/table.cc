#include "apiserver/rest/table.h"

#include <array>
#include <cstddef>

#include "apiserver/kinds/columns/columns.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

std::string JsonText(std::string_view text) { return Quoted(text, std::string_view::npos); }

Result<json::Document> ParseObject(std::string_view text) {
  ASSIGN_OR_RETURN(json::Document document, json::Parse(text));
  if (!document.root().IsObject()) return Invalid("expected an object, found ", json::KindName(document.root().kind()));
  return document;
}

void AppendHead(std::string& out, std::string_view kind, std::string_view version) {
  out += StrCat(R"({"kind":")", kind, R"(","apiVersion":"meta.k8s.io/)", version, R"(","metadata":)");
}

void AppendListInfo(std::string& out, const ListInfo& info) {
  out += '{';
  std::string_view comma;
  if (!info.resource_version.empty()) {
    out += StrCat(R"("resourceVersion":)", JsonText(info.resource_version));
    comma = ",";
  }
  if (!info.continue_token.empty()) {
    out += StrCat(comma, R"("continue":)", JsonText(info.continue_token));
    comma = ",";
  }
  if (info.remaining) out += StrCat(comma, R"("remainingItemCount":)", *info.remaining);
  out += '}';
}

void AppendPartial(std::string& out, const json::Value& object, std::string_view version) {
  AppendHead(out, "PartialObjectMetadata", version);
  out += object["metadata"].IsObject() ? json::Write(object["metadata"]) : "{}";
  out += '}';
}

void AppendColumns(std::string& out, const std::vector<Column>& columns) {
  out += '[';
  for (const Column& column : columns) {
    if (&column != columns.data()) out += ',';
    out += StrCat(R"({"name":)", JsonText(column.name), R"(,"type":)", JsonText(column.type), R"(,"format":)", JsonText(column.format),
                  R"(,"description":)", JsonText(column.description), R"(,"priority":)", column.priority, "}");
  }
  out += ']';
}

// Appends the object as it is stored; items of lists may lack their kind.
void AppendWhole(std::string& out, const Kind& kind, const json::Value& object, std::string_view text) {
  if (object["kind"].IsString()) {
    out += text;
    return;
  }
  out += StrCat(R"({"kind":)", JsonText(kind.type.kind), R"(,"apiVersion":)", JsonText(kind.ApiVersion()));
  for (const json::Member& member : object.Members()) {
    if (member.key != "kind" && member.key != "apiVersion") out += StrCat(",", JsonText(member.key), ":", json::Write(member.value));
  }
  out += '}';
}

// Whether this bookmark ends the initial events of a watch. Clients look for its annotation, so it always keeps its metadata.
bool EndsInitialEvents(const json::Value& object) {
  return json::TextOf(object["metadata"]["annotations"]["k8s.io/initial-events-end"]) == "true";
}

class TableWriter {
 public:
  TableWriter(const Kind& kind, WallTime now, const TableOptions& options) : kind_(kind), now_(now), options_(options) {}

  void Begin(const ListInfo& info) {
    if (!kind_.row) bare_ = NameAndCreationColumns();
    AppendHead(out_, "Table", options_.version);
    AppendListInfo(out_, info);
    out_ += R"(,"columnDefinitions":)";
    if (options_.columns) {
      AppendColumns(out_, kind_.row ? kind_.columns : bare_.columns);
    } else {
      out_ += "null";
    }
    out_ += R"(,"rows":[)";
  }

  void Row(const json::Value& object, std::string_view text) {
    if (rows_++ > 0) out_ += ',';
    out_ += R"({"cells":[)";
    AppendCells(object);
    out_ += R"(],"object":)";
    if (options_.include == IncludeObject::kObject) {
      AppendWhole(out_, kind_, object, text);
    } else if (options_.include == IncludeObject::kMetadata || EndsInitialEvents(object)) {
      AppendPartial(out_, object, options_.version);
    } else {
      out_ += "null";
    }
    out_ += '}';
  }

  std::string Finish() && {
    out_ += "]}";
    return std::move(out_);
  }

 private:
  void AppendCells(const json::Value& object) {
    std::array<std::byte, 2048> buffer;  // enough for the cells of nearly every object
    json::Arena arena(buffer.data(), buffer.size());
    json::Editor edit(arena);
    const std::vector<json::Value> cells = (kind_.row ? kind_.row : bare_.row)(edit, object, now_);
    for (const json::Value& cell : cells) {
      if (&cell != cells.data()) out_ += ',';
      out_ += json::Write(cell);
    }
  }

  const Kind& kind_;
  const WallTime now_;
  const TableOptions options_;
  ColumnsAndRow bare_;  // for kinds without columns
  size_t rows_ = 0;
  std::string out_;
};

}  // namespace

std::optional<IncludeObject> ParseIncludeObject(std::string_view text) {
  if (text.empty() || text == "Metadata") return IncludeObject::kMetadata;
  if (text == "Object") return IncludeObject::kObject;
  if (text == "None") return IncludeObject::kNone;
  return std::nullopt;
}

Result<std::string> WriteTable(const Kind& kind, std::span<const std::string_view> objects, const ListInfo& info, WallTime now,
                               const TableOptions& options) {
  TableWriter writer(kind, now, options);
  writer.Begin(info);
  for (const std::string_view text : objects) {
    ASSIGN_OR_RETURN(const json::Document object, ParseObject(text));
    writer.Row(object.root(), text);
  }
  return std::move(writer).Finish();
}

Result<std::string> WriteTableOfOne(const Kind& kind, std::string_view text, WallTime now, const TableOptions& options) {
  ASSIGN_OR_RETURN(const json::Document object, ParseObject(text));
  TableWriter writer(kind, now, options);
  writer.Begin({.resource_version = std::string(json::TextOf(object.root()["metadata"]["resourceVersion"])), .continue_token = ""});
  writer.Row(object.root(), text);
  return std::move(writer).Finish();
}

Result<std::string> WritePartial(std::string_view text, std::string_view version) {
  ASSIGN_OR_RETURN(const json::Document object, ParseObject(text));
  std::string out;
  AppendPartial(out, object.root(), version);
  return out;
}

Result<std::string> WritePartialList(std::span<const std::string_view> objects, const ListInfo& info, std::string_view version) {
  std::string out;
  AppendHead(out, "PartialObjectMetadataList", version);
  AppendListInfo(out, info);
  out += R"(,"items":[)";
  for (const std::string_view& text : objects) {
    ASSIGN_OR_RETURN(const json::Document object, ParseObject(text));
    if (&text != objects.data()) out += ',';
    AppendPartial(out, object.root(), version);
  }
  out += "]}";
  return out;
}

}  // namespace allot::apiserver
