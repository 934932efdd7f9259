#include "json/yaml.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <limits>
#include <memory>
#include <streambuf>
#include <unordered_map>

#include "base/utf8.h"
#include "json/json.h"
#include "json/place.h"
#include "json/yaml_scalar.h"

namespace allot::json {

namespace {

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

// Thrown to leave yaml-cpp's recursion; caught in ParseYaml.
struct Stop {
  Status status;
};

std::string At(const YAML::Mark& mark) { return StrCat("line ", mark.line + 1, ", column ", mark.column + 1); }

[[noreturn]] void Fail(const YAML::Mark& mark, Status status) { throw Stop{std::move(status).Context(At(mark))}; }

// yaml-cpp decodes the escapes \N and \_ to the bytes 0x85 and 0xA0 instead of the characters U+0085 and U+00A0. Everything else is UTF-8,
// because the input is.
std::string RepairEscapes(const std::string& scanned) {
  std::string text;
  for (size_t at = 0; at < scanned.size();) {
    const size_t length = Utf8Length(std::string_view(scanned).substr(at, 4));
    if (length == 0) AppendCharacter(text, static_cast<unsigned char>(scanned[at]));
    text.append(scanned, at, length);
    at += std::max<size_t>(length, 1);
  }
  return text;
}

// Turns one document's events into values. yaml-cpp implements YAML 1.2; this class applies kubectl's rules for words, keys and merges.
class Reader : public YAML::EventHandler {
 public:
  // `nodes` counts the nodes of all documents.
  Reader(Arena& arena, const Limits& limits, const std::vector<std::string_view>& lines, bool first, size_t& nodes,
         std::vector<Duplicate>* duplicates)
      : limits_(limits), lines_(lines), first_(first), nodes_(nodes), duplicates_(duplicates), builder_(arena, BuilderLimits(limits)) {}

  const Value& root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    // yaml-cpp would read "{} {}" as two documents.
    const bool marked = mark.column == 0 && TextAt(mark).starts_with("---");
    if (!first_ && !marked) Fail(mark, Invalid("expected the end of the document, or --- and the next one"));
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    // yaml-cpp would read "[a,,b]" as three items.
    if (!frames_.empty() && !frames_.back().map && TextAt(mark).starts_with(',')) Fail(mark, Invalid("expected an item and not ','"));
    OnResolved(mark, anchor, {Scalar::Kind::kNull, "null"}, false);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& scanned) override {
    const std::string text = RepairEscapes(scanned);
    const bool plain = tag == "?" || tag.empty();
    if (!plain) CheckClosed(mark);
    OnResolved(mark, anchor, plain ? ResolveScalar(text) : ResolveTagged(mark, tag, text), (plain && text == "<<") || IsCore(tag, "merge"));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) Fail(mark, Invalid("an anchor's value contains itself"));
    Count(mark, found->second.nodes);
    OnNode(mark, found->second);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    Open(mark, tag, "seq", anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    Open(mark, tag, "map", anchor);
    frames_.back().map = true;
  }

  void OnSequenceEnd() override {
    const Frame& frame = frames_.back();
    builder_.StartArray();
    for (const Node& item : frame.items) builder_.Add(item.value);
    builder_.EndArray();
    Close();
  }

  void OnMapEnd() override {
    const Frame& frame = frames_.back();
    builder_.StartObject();
    for (const Entry& entry : frame.entries) {
      builder_.Key(entry.key);
      builder_.Add(entry.value);
    }
    builder_.EndObject();
    Close();
  }

 private:
  // A finished value, and its cost each time an alias repeats it.
  struct Node {
    Value value;
    std::optional<std::string> key;  // set for a scalar that may be a key
    size_t nodes = 1;
    size_t height = 0;
  };
  struct Entry {
    std::string key;
    Value value;
    bool merged;  // came from <<, so the mapping may set it again
  };
  struct Frame {
    YAML::Mark mark;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool map = false;
    size_t nodes_before = 0;
    size_t height = 1;
    std::vector<Node> items;
    // For a mapping:
    enum class Next { kKey, kValue, kMerge } next = Next::kKey;
    std::string key;
    YAML::Mark key_mark;
    std::vector<Entry> entries;
    std::unordered_map<std::string, size_t> index;  // into entries, by key
  };

  // Reader counts the nodes itself, because it must count aliases as if written out.
  static Limits BuilderLimits(Limits limits) {
    limits.nodes = std::numeric_limits<size_t>::max();
    return limits;
  }

  static bool IsCore(std::string_view tag, std::string_view name) {
    return tag.starts_with(kCoreTag) && tag.substr(kCoreTag.size()) == name;
  }

  // Returns the text from `mark` on.
  std::string_view TextAt(const YAML::Mark& mark) const {
    const auto line = static_cast<size_t>(mark.line), column = static_cast<size_t>(mark.column);
    if (mark.line < 0 || mark.column < 0 || line >= lines_.size() || column > lines_[line].size()) return {};
    const char* const begin = lines_[line].data() + column;
    return {begin, static_cast<size_t>(lines_.back().data() + lines_.back().size() - begin)};
  }

  // yaml-cpp accepts an unterminated quoted text that ends in a line break at the end of the stream.
  void CheckClosed(const YAML::Mark& mark) const {
    std::string_view text = TextAt(mark);
    while (text.starts_with('&') || text.starts_with('!')) {  // the mark is at the anchor or tag
      text.remove_prefix(std::min(text.find_first_of(" \t\r\n"), text.size()));
      text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    }
    if (!text.starts_with('"') && !text.starts_with('\'')) return;
    const char quote = text[0];
    for (size_t i = 1; i < text.size(); ++i) {
      const bool doubled = quote == '\'' && text.substr(i, 2) == "''";
      if (doubled || (quote == '"' && text[i] == '\\')) {
        ++i;
      } else if (text[i] == quote) {
        return;
      }
    }
    Fail(mark, Invalid("expected a closing ", quote));
  }

  static Scalar ResolveTagged(const YAML::Mark& mark, const std::string& tag, const std::string& text) {
    // The tag "!" means a string.
    if (tag == "!" || IsCore(tag, "str") || IsCore(tag, "merge")) return {Scalar::Kind::kString, text};
    Scalar scalar = ResolveScalar(text);
    if (IsCore(tag, "null") && scalar.kind == Scalar::Kind::kNull) return scalar;
    if (IsCore(tag, "bool") && scalar.kind == Scalar::Kind::kBool) return scalar;
    if (IsCore(tag, "int") && scalar.kind == Scalar::Kind::kInt) return scalar;
    if (IsCore(tag, "float") && (scalar.kind == Scalar::Kind::kFloat || scalar.kind == Scalar::Kind::kNotFinite)) return scalar;
    if (IsCore(tag, "float") && scalar.kind == Scalar::Kind::kInt) return ResolveScalar(scalar.text + ".0");
    for (const std::string_view known : {"null", "bool", "int", "float"}) {
      if (IsCore(tag, known)) Fail(mark, Invalid("expected a ", known, " as its tag says, and not ", Quoted(text)));
    }
    Fail(mark, Invalid("unknown tag ", Quoted(tag)));
  }

  void OnResolved(const YAML::Mark& mark, YAML::anchor_t anchor, const Scalar& scalar, bool merge) {
    if (merge && !frames_.empty() && frames_.back().map && frames_.back().next == Frame::Next::kKey) {
      Count(mark, 1);
      frames_.back().next = Frame::Next::kMerge;
      return;
    }
    Node node;
    node.key = scalar.Key();
    switch (scalar.kind) {
      case Scalar::Kind::kNull: builder_.Null(); break;
      case Scalar::Kind::kBool: builder_.Bool(scalar.text == "true"); break;
      case Scalar::Kind::kInt:
      case Scalar::Kind::kFloat: builder_.Number(scalar.text); break;
      case Scalar::Kind::kString: builder_.String(scalar.text); break;
      case Scalar::Kind::kNotFinite:
        if (!IsKeyNext()) Fail(mark, Invalid(scalar.text, " is not a number in JSON; quote it if it is text"));
        builder_.String(scalar.text);
        break;
    }
    node.value = Finish(mark);
    Count(mark, 1);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    OnNode(mark, std::move(node));
  }

  bool IsKeyNext() const { return !frames_.empty() && frames_.back().map && frames_.back().next == Frame::Next::kKey; }

  void Open(const YAML::Mark& mark, const std::string& tag, std::string_view core, YAML::anchor_t anchor) {
    if (!tag.empty() && tag != "?" && tag != "!" && !IsCore(tag, core)) Fail(mark, Invalid("unknown tag ", Quoted(tag)));
    if (IsKeyNext()) Fail(mark, Invalid("a list or mapping cannot be a key; or its closing bracket is missing"));
    if (frames_.size() >= limits_.depth) Fail(mark, TooDeep());
    const size_t before = nodes_;
    Count(mark, 1);
    Frame& frame = frames_.emplace_back();
    frame.mark = mark;
    frame.anchor = anchor;
    frame.nodes_before = before;
  }

  void Close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    Node node;
    node.value = Finish(frame.mark);
    node.nodes = nodes_ - frame.nodes_before;
    node.height = frame.height;
    if (frame.anchor != YAML::NullAnchor) anchors_[frame.anchor] = node;
    OnNode(frame.mark, std::move(node));
  }

  // Adds a finished node to its container.
  void OnNode(const YAML::Mark& mark, Node node) {
    if (frames_.empty()) {
      root_ = node.value;
      return;
    }
    Frame& frame = frames_.back();
    if (frames_.size() + node.height > limits_.depth) Fail(mark, TooDeep());
    frame.height = std::max(frame.height, node.height + 1);
    if (!frame.map) {
      frame.items.push_back(std::move(node));
      return;
    }
    switch (frame.next) {
      case Frame::Next::kKey:
        if (!node.key)
          Fail(mark, Invalid("expected text, a number or a bool as the key of a mapping, and not ", KindName(node.value.kind())));
        frame.key = *std::move(node.key);
        frame.key_mark = mark;
        frame.next = Frame::Next::kValue;
        return;
      case Frame::Next::kValue: Set(frame, frame.key, node.value, false); break;
      case Frame::Next::kMerge: Merge(mark, frame, node.value); break;
    }
    frame.next = Frame::Next::kKey;
  }

  void Set(Frame& frame, const std::string& key, const Value& value, bool merged) {
    const auto [found, is_new] = frame.index.try_emplace(key, frame.entries.size());
    if (is_new) {
      frame.entries.push_back({key, value, merged});
      return;
    }
    Entry& entry = frame.entries[found->second];
    if (!merged && !entry.merged) ListDuplicate(frame.key_mark, key);
    entry.value = value;
    entry.merged = entry.merged && merged;
  }

  // Records a repeated key of the innermost mapping.
  void ListDuplicate(const YAML::Mark& mark, const std::string& key) {
    if (duplicates_ == nullptr) Fail(mark, Invalid("duplicate key ", Quoted(key)));
    if (duplicates_->size() >= Duplicate::kMax) return;
    std::string path;
    for (const Frame& frame : frames_) {
      path += frame.map ? StrCat(path.empty() ? "" : ".", frame.key) : StrCat("[", frame.items.size(), "]");
    }
    duplicates_->push_back({std::move(path), static_cast<size_t>(mark.line + 1)});
  }

  // go-yaml 2 sets members in the order of the text, so a merge also replaces members before it. In a list of mappings the first wins.
  void Merge(const YAML::Mark& mark, Frame& frame, const Value& value) {
    if (value.IsArray()) {
      const auto items = value.Items();
      for (size_t i = items.size(); i-- > 0;) {
        if (!items[i].IsObject()) Fail(mark, Invalid("expected mappings in the list after <<"));
        for (const Member& member : items[i].Members()) Set(frame, std::string(member.key), member.value, true);
      }
    } else if (value.IsObject()) {
      for (const Member& member : value.Members()) Set(frame, std::string(member.key), member.value, true);
    } else {
      Fail(mark, Invalid("expected a mapping, or a list of mappings, after <<"));
    }
  }

  Value Finish(const YAML::Mark& mark) {
    if (!builder_.status().ok()) Fail(mark, builder_.status());
    return builder_.Finish();
  }

  // Adds to the size of the document with all aliases written out.
  void Count(const YAML::Mark& mark, size_t nodes) {
    if (nodes > limits_.nodes || nodes_ > limits_.nodes - nodes) Fail(mark, Exhausted("more than ", limits_.nodes, " values and keys"));
    nodes_ += nodes;
  }

  Status TooDeep() const { return Exhausted("lists and mappings more than ", limits_.depth, " deep"); }

  const Limits limits_;
  const std::vector<std::string_view>& lines_;
  const bool first_;
  size_t& nodes_;
  std::vector<Duplicate>* const duplicates_;
  Builder builder_;
  Value root_;
  std::vector<Frame> frames_;
  std::unordered_map<YAML::anchor_t, Node> anchors_;
};

// yaml-cpp reads from a stream; this one reads from memory without a copy.
class MemoryBuffer : public std::streambuf {
 public:
  explicit MemoryBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // the get area is never written
    setg(begin, begin, begin + text.size());
  }
};

// Returns a hint if a line at the error is indented with a tab, because yaml-cpp's message does not mention it.
std::string TabHint(const std::vector<std::string_view>& lines, const YAML::Mark& mark) {
  for (int number = std::max(0, mark.line - 1); number <= mark.line; ++number) {
    if (static_cast<size_t>(number) >= lines.size()) break;
    const std::string_view line = lines[static_cast<size_t>(number)];
    if (line.substr(0, line.find_first_not_of(" \t")).find('\t') == line.npos) continue;
    return StrCat("; line ", number + 1, " is indented with a tab, where YAML takes only spaces");
  }
  return "";
}

// YAML allows no control characters except tab, line feed, carriage return and next line. yaml-cpp does not check: zero bytes would make it
// guess UTF-16, and it takes 0x04 for the end.
Status CheckCharacters(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) return Invalid(PlaceOf(text, at), ": a control character");
    const size_t length = c < 0x80 ? 1 : Utf8Length(text.substr(at, 4));
    if (length == 0) return Invalid(PlaceOf(text, at), ": expected UTF-8");
    if (c == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0 && static_cast<unsigned char>(text[at + 1]) != 0x85) {
      return Invalid(PlaceOf(text, at), ": a control character");
    }
    at += length;
  }
  return {};
}

}  // namespace

Result<std::vector<Document>> ParseYaml(std::string_view text, Limits limits, std::vector<Duplicate>* duplicates) {
  if (text.size() > limits.bytes) return Exhausted(text.size(), " bytes of YAML, more than ", limits.bytes);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<Document> documents;
  // Like kubectl: text that begins with a brace and is JSON is parsed as JSON.
  if (Trim(text.substr(0, 64)).starts_with('{')) {
    auto document = Parse(text, limits, duplicates);
    if (document.ok()) {
      documents.push_back(*std::move(document));
      return documents;
    }
    if (document.status().code() == Code::kExhausted) return std::move(document).status();
    if (duplicates != nullptr) duplicates->clear();
  }

  TRY(CheckCharacters(text));
  const std::vector<std::string_view> lines = Split(text, '\n');
  MemoryBuffer buffer(text);
  std::istream stream(&buffer);
  size_t nodes = 0;
  try {
    YAML::Parser parser(stream);
    for (bool first = true;; first = false) {
      auto arena = std::make_unique<Arena>();
      Reader reader(*arena, limits, lines, first, nodes, duplicates);
      if (!parser.HandleNextDocument(reader)) break;
      if (!reader.root().IsNull()) documents.emplace_back(std::move(arena), reader.root());
    }
  } catch (const Stop& stop) {
    return stop.status;
  } catch (const YAML::DeepRecursion& error) {
    return Exhausted(At(error.mark), ": ", error.msg);
  } catch (const YAML::Exception& error) {
    return Invalid(At(error.mark), ": ", error.msg, TabHint(lines, error.mark));
  }
  return documents;
}

}  // namespace allot::json
