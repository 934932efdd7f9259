#include "apiserver/rest/request.h"

#include <charconv>

#include "apiserver/go_text.h"
#include "apiserver/refusal.h"
#include "base/utf8.h"
#include "json/editor.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxManager = 128;  // bytes

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string Unescape(std::string_view text, bool plus_is_space) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0) {
      plain += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      plain += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return plain;
}

template <typename Number>
std::optional<Number> ToNumber(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "U+0007", or "U+00AD": as Go's %#U prints unprintable characters.
std::string CodePoint(uint32_t character) {
  char digits[8];
  const auto end = std::to_chars(digits, digits + sizeof digits, character, 16).ptr;
  std::string hex(digits, end);
  for (char& digit : hex) digit = digit >= 'a' ? static_cast<char>(digit - 'a' + 'A') : digit;
  return StrCat("U+", std::string(hex.size() < 4 ? 4 - hex.size() : 0, '0'), hex);
}

void CheckManager(std::string_view manager, FieldErrors& errors) {
  const FieldPath field("fieldManager");
  if (manager.size() > kMaxManager) return errors.TooLong(field, kMaxManager);
  for (size_t at = 0; at < manager.size();) {
    const size_t begin = at;
    const uint32_t character = DecodeCharacter(manager, &at);
    if (IsPrintable(character)) continue;
    errors.Invalid(field, manager, StrCat("invalid character ", CodePoint(character), " (at position ", begin, ")"));
  }
}

Status CheckVersionMatch(const ListOptions& options) {
  FieldErrors errors;
  const FieldPath match("resourceVersionMatch"), initial("sendInitialEvents");
  const std::string& value = options.version_match;
  if (options.watch) {
    if (options.initial_events && value.empty()) {
      errors.Forbidden(match, "resourceVersionMatch is required when sendInitialEvents is provided");
    } else if (!options.initial_events && !value.empty()) {
      errors.Forbidden(match, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    } else if (options.initial_events && value != "NotOlderThan") {
      errors.NotSupported(match, value, {"NotOlderThan"});
    }
    if (options.initial_events && *options.initial_events && !options.bookmarks) {
      errors.Forbidden(initial, "sendInitialEvents needs allowWatchBookmarks");
    }
  } else {
    if (options.initial_events) errors.Forbidden(initial, "sendInitialEvents is forbidden for list");
    if (!value.empty() && options.version.empty()) {
      errors.Forbidden(match, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    } else if (!value.empty() && value != "Exact" && value != "NotOlderThan") {
      errors.NotSupported(match, value, {"Exact", "NotOlderThan"});
    } else if (value == "Exact" && options.version == "0") {
      errors.Forbidden(match, "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\"");
    }
    if (!value.empty() && !options.next.empty()) errors.Forbidden(match, "resourceVersionMatch is forbidden when continue is provided");
  }
  return errors.empty() ? Status() : InvalidOptions("ListOptions", errors);
}

}  // namespace

Query Query::Parse(std::string_view target) {
  Query query;
  const size_t begin = target.find('?');
  if (begin == std::string_view::npos) return query;
  for (const std::string_view pair : Split(target.substr(begin + 1), '&')) {
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    query.values_.emplace(Unescape(pair.substr(0, equals), true), Unescape(value, true));
  }
  return query;
}

std::string_view Query::Get(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::string_view() : std::string_view(found->second);
}

bool Query::Flag(std::string_view key) const {
  const auto found = values_.find(key);
  return found != values_.end() && found->second != "false" && found->second != "0";
}

Result<std::optional<int64_t>> Query::Number(std::string_view key) const {
  const std::string_view text = Get(key);
  if (text.empty()) return std::optional<int64_t>();
  const auto number = ToNumber<int64_t>(text);
  if (!number) return BadRequest(StrCat(key, ": ", Quoted(text), " is not a whole number"));
  return number;
}

Path ParsePath(std::string_view target) {
  Path path;
  for (const std::string_view part : Split(target.substr(0, target.find('?')), '/')) {
    if (!part.empty()) path.parts.push_back(Unescape(part, false));
  }
  const std::vector<std::string>& parts = path.parts;
  size_t at = 0;
  const auto next = [&] { return at < parts.size() ? parts[at++] : std::string(); };
  const std::string root = next();
  if (root != "api" && root != "apis") return path;
  if (root == "apis") path.group = next();
  path.version = next();
  path.is_api = true;
  if (at < parts.size() && parts[at] == "watch") {
    path.is_legacy_watch = true;
    ++at;
  }
  path.resource = next();
  // The path is of a namespace itself, or of an object in it.
  if (path.resource == "namespaces" && path.group.empty() && at + 1 < parts.size()) {
    const std::string& behind = parts[at + 1];
    if (behind != "status" && behind != "finalize") {
      path.has_space = true;
      path.space = next();
      path.resource = next();
    }
  } else if (path.resource == "namespaces" && !path.group.empty()) {
    path.has_space = true;
    path.space = next();
    path.resource = next();
  }
  path.name = next();
  while (at < parts.size()) path.subresource += StrCat(path.subresource.empty() ? "" : "/", next());
  return path;
}

Status CheckText(const Path& path, const Query& query) {
  for (const std::string& part : path.parts) {
    if (!IsValidUtf8(part)) return BadRequest(StrCat("the path is not UTF-8: ", GoQuoted(part)));
  }
  for (const auto& [key, value] : query.all()) {
    if (!IsValidUtf8(key)) return BadRequest(StrCat("the query is not UTF-8: ", GoQuoted(key)));
    if (!IsValidUtf8(value)) return BadRequest(StrCat(key, ": Invalid value: ", GoQuoted(value), ": is not UTF-8"));
  }
  return Status();
}

std::string ManagerOf(const Query& query, std::string_view user_agent) {
  if (const std::string_view manager = query.Get("fieldManager"); !manager.empty()) return std::string(manager);
  // Take "kubectl" from "kubectl/v1.36.4 (linux/amd64) ...".
  const std::string_view name = user_agent.substr(0, user_agent.find('/'));
  std::string manager;
  for (size_t at = 0; at < name.size();) {
    std::string character;
    const uint32_t decoded = DecodeCharacter(name, &at);
    if (!IsPrintable(decoded)) continue;
    AppendCharacter(character, decoded);
    if (manager.size() + character.size() > kMaxManager) break;
    manager += character;
  }
  return manager.empty() ? "unknown" : manager;
}

Result<uint64_t> ReadVersion(std::string_view text) {
  if (text.empty()) return uint64_t{0};
  const auto number = ToNumber<uint64_t>(text);
  if (!number) return BadRequest(StrCat("Invalid resourceVersion: ", Quoted(text), " is not a number"));
  return *number;
}

Result<ListOptions> ReadListOptions(const Query& query) {
  ListOptions options;
  options.labels = query.Get("labelSelector");
  options.fields = query.Get("fieldSelector");
  options.version = query.Get("resourceVersion");
  options.version_match = query.Get("resourceVersionMatch");
  options.next = query.Get("continue");
  options.watch = query.Flag("watch");
  options.bookmarks = query.Flag("allowWatchBookmarks");
  if (query.Has("sendInitialEvents")) options.initial_events = query.Flag("sendInitialEvents");
  ASSIGN_OR_RETURN(const auto limit, query.Number("limit"));
  if (limit && *limit < 0) return BadRequest("limit: must not be negative");
  options.limit = limit ? static_cast<size_t>(*limit) : 0;
  ASSIGN_OR_RETURN(options.timeout_seconds, query.Number("timeoutSeconds"));
  TRY(CheckVersionMatch(options));
  return options;
}

Result<WriteOptions> ReadWriteOptions(const Query& query, bool is_patch, bool is_apply) {
  const std::string_view of = is_patch ? "PatchOptions" : "CreateOptions";
  WriteOptions options;
  FieldErrors errors;
  if (const std::string_view dry = query.Get("dryRun"); dry == "All") {
    options.dry_run = true;
  } else if (!dry.empty()) {
    errors.NotSupported(FieldPath("dryRun"), dry, {"All"});
  }
  const std::string_view validation = query.Get("fieldValidation");
  options.validation = FieldValidation::kWarn;
  if (validation == "Strict") {
    options.validation = FieldValidation::kStrict;
  } else if (validation == "Ignore") {
    options.validation = FieldValidation::kIgnore;
  } else if (!validation.empty() && validation != "Warn") {
    errors.NotSupported(FieldPath("fieldValidation"), validation, {"", "Ignore", "Strict", "Warn"});
  }
  const std::string_view manager = query.Get("fieldManager");
  CheckManager(manager, errors);
  if (is_apply && manager.empty()) errors.Required(FieldPath("fieldManager"), "is required for apply patch");
  if (query.Has("force")) {
    if (!is_apply) errors.Forbidden(FieldPath("force"), "may not be specified for non-apply patch");
    options.force = query.Flag("force");
  }
  if (!errors.empty()) return InvalidOptions(of, errors);
  return options;
}

Result<DeleteOptions> ReadDeleteOptions(const Query& query, const json::Value& body) {
  DeleteOptions options;
  FieldErrors errors;
  std::string_view dry = query.Get("dryRun");
  if (const auto items = json::ItemsOf(body["dryRun"]); !items.empty()) dry = json::TextOf(items.front());
  if (!dry.empty() && dry != "All") errors.NotSupported(FieldPath("dryRun"), dry, {"All"});
  options.dry_run = !dry.empty();
  ASSIGN_OR_RETURN(options.grace_seconds, query.Number("gracePeriodSeconds"));
  if (body["gracePeriodSeconds"].IsNumber()) options.grace_seconds = body["gracePeriodSeconds"].AsInt64();
  if (options.grace_seconds && *options.grace_seconds < 0) options.grace_seconds = 1;
  options.propagation = query.Get("propagationPolicy");
  if (body["propagationPolicy"].IsString()) options.propagation = body["propagationPolicy"].AsString();
  const std::string& policy = options.propagation;
  if (!policy.empty() && policy != "Orphan" && policy != "Background" && policy != "Foreground") {
    errors.NotSupported(FieldPath("propagationPolicy"), policy, {"Foreground", "Background", "Orphan"});
  }
  std::optional<bool> orphan;
  if (query.Has("orphanDependents")) orphan = query.Flag("orphanDependents");
  if (body["orphanDependents"].IsBool()) orphan = body["orphanDependents"].AsBool();
  if (orphan && !policy.empty()) {
    errors.Invalid(FieldPath("propagationPolicy"), policy, "orphanDependents and deletionPropagation cannot be both set");
  } else if (orphan) {
    options.propagation = *orphan ? "Orphan" : "Background";
  }
  const json::Value& preconditions = body["preconditions"];
  if (preconditions["uid"].IsString()) options.uid = preconditions["uid"].AsString();
  if (preconditions["resourceVersion"].IsString()) options.resource_version = preconditions["resourceVersion"].AsString();
  if (!errors.empty()) return InvalidOptions("DeleteOptions", errors);
  return options;
}

}  // namespace allot::apiserver
