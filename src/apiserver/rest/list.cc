// RestHandler: lists, watches and deletecollection.
#include <algorithm>

#include "apiserver/refusal.h"
#include "apiserver/rest/call.h"
#include "apiserver/rest/table.h"
#include "apiserver/rest/token.h"
#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

namespace {

constexpr std::chrono::minutes kLongestWatch{60}, kShortestWatch{30};
constexpr std::chrono::hours kLongestAsked{24};

// The objects of a page, and where the next page begins.
struct Page {
  uint64_t version = 0;
  std::vector<EntryPtr> entries;
  ListInfo info;
};

Status Gone(uint64_t version) {
  return Expired(StrCat("The provided continue parameter is too old to display a consistent list result: version ", version,
                        " is no longer in the history. Start a new list without it."));
}

Result<Snapshot> Found(const Store& store, const Target& target, const ListOptions& options, std::string* after) {
  const std::string resource = target.kind->type.FullName();
  if (!options.next.empty()) {
    if (!options.version.empty() && options.version != "0")
      return BadRequest("specifying resource version is not allowed when using continue");
    ASSIGN_OR_RETURN(const ContinueToken token, ReadToken(options.next));
    *after = token.after;
    Result<Snapshot> snapshot = store.ListAt(resource, target.space, token.version);
    if (!snapshot.ok()) return Gone(token.version);
    return snapshot;
  }
  ASSIGN_OR_RETURN(const uint64_t version, ReadVersion(options.version));
  const bool exact = options.version_match == "Exact" || (options.version_match.empty() && options.limit > 0 && version > 0);
  if (const uint64_t latest = store.version(); version > latest) return VersionTooLarge(version, latest);
  if (!exact) return store.List(resource, target.space);
  Result<Snapshot> snapshot = store.ListAt(resource, target.space, version);
  if (!snapshot.ok()) return Expired(StrCat("the resource version ", version, " is too old"));
  return snapshot;
}

std::string PlaceOf(const Entry& entry) { return StrCat(entry.key.space, "/", entry.key.name); }

bool Behind(const Entry& entry, std::string_view after) {
  const size_t slash = after.find('/');
  return std::pair<std::string_view, std::string_view>(entry.key.space, entry.key.name) >
         std::pair(after.substr(0, slash), after.substr(slash + 1));
}

Result<Page> MakePage(const Store& store, const Target& target, const ListOptions& options, const Selector& selector) {
  std::string after;
  ASSIGN_OR_RETURN(Snapshot snapshot, Found(store, target, options, &after));
  Page page;
  page.version = snapshot.version;
  page.info.resource_version = std::to_string(snapshot.version);
  auto at = snapshot.entries.begin();
  if (!after.empty()) at = std::find_if(at, snapshot.entries.end(), [&](const EntryPtr& entry) { return Behind(*entry, after); });
  if (at == snapshot.entries.begin() && selector.empty() && target.name.empty() && options.limit == 0) {
    page.entries = std::move(snapshot.entries);
    return page;
  }
  for (; at != snapshot.entries.end(); ++at) {
    const Entry& entry = **at;
    if (!selector.Matches(entry) || (!target.name.empty() && entry.key.name != target.name)) continue;
    if (options.limit > 0 && page.entries.size() == options.limit) {
      page.info.continue_token = WriteToken({snapshot.version, PlaceOf(*page.entries.back())});
      if (selector.empty()) page.info.remaining = snapshot.entries.end() - at;
      break;
    }
    page.entries.push_back(*at);
  }
  return page;
}

std::string WriteList(const Kind& kind, const Page& page) {
  const std::string list_kind = kind.list_kind.empty() ? StrCat(kind.type.kind, "List") : kind.list_kind;
  std::string text = StrCat(R"({"kind":")", list_kind, R"(","apiVersion":")", kind.ApiVersion(), R"(","metadata":{"resourceVersion":")",
                            page.info.resource_version, "\"");
  if (!page.info.continue_token.empty()) text += StrCat(R"(,"continue":")", page.info.continue_token, "\"");
  if (page.info.remaining) text += StrCat(R"(,"remainingItemCount":)", *page.info.remaining);
  text += R"(},"items":[)";
  // Items of built-in kinds omit their kind, which is the same for all.
  const std::string prefix = StrCat(R"({"kind":")", kind.type.kind, R"(","apiVersion":")", kind.StorageApiVersion(), R"(",)");
  size_t size = text.size() + 2;
  for (const EntryPtr& entry : page.entries) size += entry->json.size() + 1;
  text.reserve(size);
  bool first = true;
  for (const EntryPtr& entry : page.entries) {
    if (!std::exchange(first, false)) text += ',';
    if (kind.custom) {
      text += InVersion(kind, entry->json);
    } else if (entry->json.starts_with(prefix)) {
      text += '{';
      text.append(entry->json, prefix.size());
    } else {
      text += entry->json;
    }
  }
  text += "]}";
  return text;
}

std::string EscapedField(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '\\' || c == ',' || c == '=') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::vector<std::string_view> Texts(const Page& page) {
  std::vector<std::string_view> texts;
  texts.reserve(page.entries.size());
  for (const EntryPtr& entry : page.entries) texts.push_back(entry->json);
  return texts;
}

}  // namespace

std::string InVersion(const Kind& kind, std::string text) {
  if (!kind.custom) return text;
  const std::string prefix = StrCat(R"({"kind":")", kind.type.kind, R"(","apiVersion":")");  // as every stored object begins
  if (!text.starts_with(prefix)) return text;
  const size_t end = text.find('"', prefix.size());
  return text.replace(prefix.size(), end - prefix.size(), kind.ApiVersion());
}

void RestHandler::List(Call& call) {
  Result<ListOptions> options = ReadListOptions(call.query);
  if (!options.ok()) return SendError(call, options.status());
  if (call.path.is_legacy_watch) options->watch = true;
  if (!call.target.name.empty())
    options->fields += StrCat(options->fields.empty() ? "" : ",", "metadata.name=", EscapedField(call.target.name));
  const Kind& kind = *call.target.kind;
  Result<Selector> selector = Selector::Parse(kind, options->labels, options->fields);
  if (!selector.ok()) return SendError(call, selector.status());
  if (options->watch) return Watch(call, *options, *selector);
  const auto include = ParseIncludeObject(call.query.Get("includeObject"));
  if (call.format.view == View::kTable && !include) {
    return SendError(call,
                     BadRequest(StrCat("includeObject: ", Quoted(call.query.Get("includeObject")), " is not None, Metadata or Object")));
  }
  const Result<Page> page = MakePage(parts_.api.store(), call.target, *options, *selector);
  if (!page.ok()) return SendError(call, page.status());
  Result<std::string> text = std::string();
  if (call.format.view == View::kTable) {
    TableOptions shape;
    shape.include = *include;
    if (!call.format.version.empty()) shape.version = call.format.version;
    text = WriteTable(kind, Texts(*page), page->info, parts_.clock.Now(), shape);
  } else if (call.format.view == View::kPartial) {
    text = WritePartialList(Texts(*page), page->info);
  } else {
    text = WriteList(kind, *page);
  }
  if (!text.ok()) return SendError(call, text.status());
  if (call.format.media == Media::kProtobuf) {
    const Type* type = kind.schema == nullptr ? nullptr : Schema::BuiltIn().Find(StrCat(kind.schema->name, "List"));
    if (type == nullptr) return SendError(call, Refuse(406, "NotAcceptable", "lists of this kind are not served as protobuf"));
    return SendAsProtobuf(call, 200, *type, StrCat(kind.type.kind, "List"), *text);
  }
  SendText(call, 200, std::move(*text));
}

void RestHandler::Watch(Call& call, const ListOptions& options, const Selector& selector) {
  if (call.format.media != Media::kJson) return SendError(call, Refuse(406, "NotAcceptable", "watches are served as JSON"));
  const Result<uint64_t> version = ReadVersion(options.version);
  if (!version.ok()) return SendError(call, version.status());
  const Kind& kind = *call.target.kind;
  Store& store = parts_.api.store();
  WatchOptions watch;
  watch.resource = kind.type.FullName();
  watch.space = call.target.space;
  watch.selector = selector;
  watch.kind = kind.type.kind;
  watch.api_version = kind.ApiVersion();
  watch.bookmarks = options.bookmarks;
  watch.from = *version;
  const bool initial = options.initial_events.value_or(*version == 0);
  if (const uint64_t latest = store.version(); *version > latest) return SendError(call, VersionTooLarge(*version, latest));
  if (initial) {
    Snapshot snapshot = store.List(watch.resource, watch.space);
    std::erase_if(snapshot.entries, [&](const EntryPtr& entry) { return !selector.Matches(*entry); });
    watch.from = snapshot.version;
    watch.initial = std::move(snapshot.entries);
    watch.initial_bookmark = options.initial_events.value_or(false);
  } else if (*version == 0) {
    watch.from = store.version();
  }
  watch.shown = ShownAs(call);
  watch.timeout =
      options.timeout_seconds && *options.timeout_seconds > 0
          ? std::min(std::chrono::seconds(*options.timeout_seconds), std::chrono::seconds(kLongestAsked))
          : kShortestWatch + std::chrono::seconds(std::hash<std::string>()(call.request.target + std::to_string(watch.from)) %
                                                  static_cast<size_t>(std::chrono::seconds(kLongestWatch - kShortestWatch).count()));
  http::Headers headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}};
  AddWarnings(call, headers);
  call.writer->Start(200, std::move(headers));
  parts_.hub.Add(std::move(watch), call.writer);
}

// Returns how a watch shows an object; empty: as it is stored.
Shown RestHandler::ShownAs(const Call& call) const {
  const auto kind = call.target.kind;
  if (call.format.view == View::kTable) {
    TableOptions shape;
    shape.include = ParseIncludeObject(call.query.Get("includeObject")).value_or(IncludeObject::kMetadata);
    auto first = std::make_shared<bool>(true);
    return [kind, shape, first, &clock = parts_.clock](const EntryPtr& entry) {
      TableOptions now = shape;
      now.columns = std::exchange(*first, false);
      Result<std::string> text = WriteTableOfOne(*kind, entry->json, clock.Now(), now);
      return std::make_shared<const std::string>(text.ok() ? std::move(*text) : std::string("{}"));
    };
  }
  if (call.format.view == View::kPartial) {
    return [](const EntryPtr& entry) {
      Result<std::string> text = WritePartial(entry->json);
      return std::make_shared<const std::string>(text.ok() ? std::move(*text) : std::string("{}"));
    };
  }
  if (!kind->custom) return {};
  return [kind](const EntryPtr& entry) {
    std::string text = InVersion(*kind, entry->json);
    return text == entry->json ? std::shared_ptr<const std::string>(entry, &entry->json)
                               : std::make_shared<const std::string>(std::move(text));
  };
}

void RestHandler::DeleteCollection(Call& call) {
  Result<ListOptions> options = ReadListOptions(call.query);
  if (!options.ok()) return SendError(call, options.status());
  Result<DeleteOptions> how = DeleteOptionsOf(call);
  if (!how.ok()) return SendError(call, how.status());
  const Kind& kind = *call.target.kind;
  Result<Selector> selector = Selector::Parse(kind, options->labels, options->fields);
  if (!selector.ok()) return SendError(call, selector.status());
  Result<Page> page = MakePage(parts_.api.store(), call.target, *options, *selector);
  if (!page.ok()) return SendError(call, page.status());
  for (EntryPtr& entry : page->entries) {
    Target target = call.target;
    target.name = entry->key.name;
    target.space = entry->key.space;
    // An object created under the name after the list was read is not part of it.
    DeleteOptions of_this = *how;
    if (!of_this.uid) of_this.uid = entry->uid;
    Result<Answer> answer = parts_.api.Delete(call.caller, target, of_this);
    if (!answer.ok() && HasReason(answer.status(), "Conflict") && !how->uid) {
      const EntryPtr now = parts_.api.store().Get(entry->key);
      if (now == nullptr || now->uid != entry->uid) continue;
    }
    if (!answer.ok() && !HasReason(answer.status(), "NotFound")) return SendError(call, answer.status());
    if (answer.ok() && answer->entry != nullptr) entry = answer->entry;
  }
  SendText(call, 200, WriteList(kind, *page));
}

}  // namespace allot::apiserver
