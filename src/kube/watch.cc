// Reads the stream of a watch: one JSON object per line.

#include <algorithm>
#include <chrono>

#include "json/json.h"
#include "kube/client.h"

namespace allot::kube {

Result<std::optional<WatchEvent>> Watch::Next(const Patience& patience) {
  for (;;) {
    if (const size_t end = buffer_.find('\n', searched_); end != std::string::npos) {
      const std::string_view line = Trim(std::string_view(buffer_).substr(begin_, end - begin_));
      begin_ = searched_ = end + 1;
      if (line.empty()) continue;
      ASSIGN_OR_RETURN(WatchEvent event, Parse(line).Context(what_));
      return std::optional<WatchEvent>(std::move(event));
    }
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched_ = buffer_.size();
    if (buffer_.size() > options_.max_watch_line) {
      return Exhausted(what_, ": an event of more than ", options_.max_watch_line, " bytes in one line");
    }
    const MonotonicTime now = std::chrono::steady_clock::now();
    const MonotonicTime silent = now + options_.watch_silence;
    const bool sooner = patience.deadline && *patience.deadline < silent;
    Result<std::string> piece = stream_->Read({sooner ? *patience.deadline : silent, patience.cancel});
    if (!piece.ok()) {
      if (!sooner && std::chrono::steady_clock::now() >= silent) {
        return Unavailable(what_, ": no data for ", options_.watch_silence.count(), " seconds: the server is gone");
      }
      return std::move(piece).status().Context(what_);
    }
    if (piece->empty()) {
      if (!Trim(buffer_).empty()) return Unavailable(what_, ": the stream ended in the middle of an event");
      return std::optional<WatchEvent>();
    }
    buffer_ += *piece;
  }
}

Result<WatchEvent> Watch::Parse(std::string_view line) const {
  ASSIGN_OR_RETURN(json::Document document, json::Parse(line, {.bytes = options_.max_watch_line}).Context("an event"));
  const json::Value root = document.root();
  const std::string_view type = Object::Text(root["type"]);
  const json::Value object = root["object"];
  if (type == "ERROR") return ErrorOfStatus(json::Write(object), 500);
  WatchEvent event;
  if (type == "ADDED") {
    event.type = WatchEvent::Type::kAdded;
  } else if (type == "MODIFIED") {
    event.type = WatchEvent::Type::kModified;
  } else if (type == "DELETED") {
    event.type = WatchEvent::Type::kDeleted;
  } else if (type == "BOOKMARK") {
    event.type = WatchEvent::Type::kBookmark;
  } else {
    return Unavailable("an event of type ", Quoted(type), ": expected ADDED, MODIFIED, DELETED, BOOKMARK or ERROR");
  }
  if (!object.IsObject()) return Unavailable("an event without an object");
  event.object = std::make_shared<Object>(std::move(document), object);
  return event;
}

}  // namespace allot::kube
