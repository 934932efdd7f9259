// get --watch: the list, then a row for each change.

#include <map>
#include <thread>

#include "base/strings.h"
#include "cli/get/get.h"
#include "cli/get/tabs.h"
#include "cli/output.h"
#include "json/yaml_write.h"

namespace allot::cli {
namespace {

class Watcher {
 public:
  Watcher(Session& session, const Target& target, GetRequest request)
      : session_(session), target_(target), resource_(*target.resource), request_(std::move(request)) {
    request_.sort_by.reset();
    if (!target.names.empty()) {
      name_ = target.names[0];
      request_.field_selector += StrCat(request_.field_selector.empty() ? "" : ",", "metadata.name=", name_);
    }
    options_ = request_.Options();
    options_.namespaces = session.all_namespaces() && resource_.type.namespaced;
  }

  Status Run() {
    // If the named object does not exist at the start, that is an error; later it may be deleted and created again.
    if (!name_.empty()) TRY(session_.client().Get(resource_.type, session_.NamespaceOf(target_), name_).status());
    TRY(List());
    bool expired = false;
    for (;;) {
      const Status ended = expired ? List() : Follow();
      if (ended.ok()) {
        expired = false;
        continue;
      }
      if (kube::IsExpired(ended)) {
        expired = true;
        continue;
      }
      const kube::ApiError* const refused = kube::ApiErrorOf(ended);
      if (output_failed_ || (refused != nullptr && refused->http_status < 500 && refused->http_status != 429)) return ended;
      if (!complained_) Note(StrCat(ErrorText(ended), "; trying again until it answers"));
      complained_ = true;
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
  }

 private:
  // Prints the rows that changed since the last list or event.
  Status List() {
    std::map<std::string, std::string> seen;
    if (request_.IsTable()) {
      ASSIGN_OR_RETURN(Table table, FetchTable(session_, target_, "", request_));
      version_ = table.resource_version;
      table_.columns = table.columns;
      std::string text;
      for (const Row& row : table.rows) {
        seen[KeyOf(row)] = row.resource_version;
        if (seen_[KeyOf(row)] != row.resource_version) text += RowLine(table_, row, options_);
      }
      TRY(PrintRows(text));
    } else {
      kube::ListOptions options;
      options.label_selector = request_.label_selector;
      options.field_selector = request_.field_selector;
      std::vector<kube::ObjectPtr> objects;
      ASSIGN_OR_RETURN(version_, session_.client().List(resource_.type, session_.NamespaceOf(target_), options,
                                                        [&](kube::ObjectPtr object) { objects.push_back(std::move(object)); }));
      for (const kube::ObjectPtr& object : objects) {
        const std::string key = kube::KeyOf(*object);
        seen[key] = object->resource_version();
        if (seen_[key] != object->resource_version()) TRY(PrintObject(*object));
      }
    }
    seen_ = std::move(seen);
    return Status();
  }

  // Runs one watch to its end.
  Status Follow() {
    kube::WatchOptions options;
    options.label_selector = request_.label_selector;
    options.field_selector = request_.field_selector;
    options.resource_version = version_;
    if (request_.IsTable()) options.accept = kAcceptTable;
    ASSIGN_OR_RETURN(const std::unique_ptr<kube::Watch> watch,
                     session_.client().StartWatch(resource_.type, session_.NamespaceOf(target_), options));
    complained_ = false;
    for (;;) {
      ASSIGN_OR_RETURN(const std::optional<kube::WatchEvent> event, watch->Next({}));
      if (!event) return Status();
      TRY(Take(*event));
    }
  }

  Status Take(const kube::WatchEvent& event) {
    using Type = kube::WatchEvent::Type;
    const kube::Object& object = *event.object;
    if (!object.resource_version().empty()) version_ = object.resource_version();
    if (event.type == Type::kBookmark) return Status();
    if (!request_.IsTable()) {
      Remember(kube::KeyOf(object), std::string(object.resource_version()), event.type == Type::kDeleted);
      return PrintObject(object);
    }
    ASSIGN_OR_RETURN(const Table change, ReadTable(object.json(), session_.Now()));
    std::string text;
    for (const Row& row : change.rows) {
      if (!row.resource_version.empty()) version_ = row.resource_version;
      Remember(KeyOf(row), row.resource_version, event.type == Type::kDeleted);
      text += RowLine(table_, row, options_);
    }
    return PrintRows(text);
  }

  void Remember(const std::string& key, std::string version, bool deleted) {
    if (deleted) {
      seen_.erase(key);
    } else {
      seen_[key] = std::move(version);
    }
  }

  Status PrintRows(std::string text) {
    if (text.empty()) return Status();
    if (request_.headers) text = HeaderLine(table_, options_) + text;
    request_.headers = false;
    return Written(Print(SetTabs(text, kTableTabs, &widths_)));
  }

  Status PrintObject(const kube::Object& object) {
    if (request_.output == "name") return Written(Print(StrCat(KindName(resource_.type), "/", object.name(), "\n")));
    const kube::ObjectPtr shown = ForPrinting(object, resource_.type);
    if (request_.path) return Written(Print(request_.path->Text(shown->json())));
    if (!request_.columns.empty()) return PrintColumns(shown->json());
    if (request_.output == "json") return Written(Print(json::WriteSortedJson(shown->json())));
    const std::string_view mark = std::exchange(printed_, true) ? "---\n" : "";
    return Written(Print(StrCat(mark, json::WriteYaml(shown->json()))));
  }

  Status PrintColumns(const json::Value& object) {
    std::string text = std::exchange(request_.headers, false) ? ColumnsHeader(request_.columns) : "";
    text += ColumnsRow(request_.columns, object);
    return Written(Print(SetTabs(text, kTableTabs, &widths_)));
  }

  Status Written(Status printed) {
    if (printed.ok()) printed = Flush();
    output_failed_ = !printed.ok();
    return printed;
  }

  static std::string KeyOf(const Row& row) { return StrCat(row.namespace_name, "/", row.name); }

  Session& session_;
  const Target target_;
  const kube::ApiResource& resource_;
  GetRequest request_;
  std::string name_;
  TableOptions options_;
  Table table_;  // the columns
  std::vector<size_t> widths_;
  std::string version_;
  std::map<std::string, std::string> seen_;  // the resourceVersion of each printed row
  bool printed_ = false, complained_ = false, output_failed_ = false;
};

}  // namespace

Status WatchObjects(Session& session, const Target& target, const GetRequest& request) { return Watcher(session, target, request).Run(); }

}  // namespace allot::cli
