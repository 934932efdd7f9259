#include "json/jsonpath.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"
#include "json/json.h"

namespace allot::json {

// Parses a template from left to right.
class JsonPathReader {
 public:
  using Node = JsonPath::Node;
  using Step = JsonPath::Step;

  explicit JsonPathReader(std::string_view text) : text_(text) {}

  // Reads to the {end} of a range, or to the end of the text.
  Result<std::vector<Node>> ReadNodes(bool in_range) {
    std::vector<Node> nodes;
    while (at_ < text_.size()) {
      if (text_[at_] != '{') {
        Node text;
        text.text = text_.substr(at_, text_.find('{', at_) - at_);
        at_ += text.text.size();
        nodes.push_back(std::move(text));
        continue;
      }
      ++at_;
      Skip();
      if (Take("end")) {
        if (!in_range) return Fail("{end} without {range}");
        TRY(Close());
        return nodes;
      }
      ASSIGN_OR_RETURN(Node node, ReadNode());
      nodes.push_back(std::move(node));
    }
    if (in_range) return Fail("{range} without {end}");
    return nodes;
  }

  // Reads the steps of a path up to the first character that cannot belong to it.
  Result<std::vector<Step>> ReadSteps() {
    std::vector<Step> steps;
    while (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == '[')) {
      if (Take("..")) return Unsupported("JSONPath: \"..\" is not supported; write the whole path");
      if (Take(".")) {
        if (at_ == text_.size() || text_[at_] == '}' || text_[at_] == '[' || text_[at_] == ' ') continue;  // "{.}", "{.[0]}"
        Step step;
        step.kind = Take("*") ? Step::Kind::kAll : Step::Kind::kField;
        if (step.kind == Step::Kind::kField) step.field = ReadField();
        if (step.kind == Step::Kind::kField && step.field.empty()) return Fail("expected the name of a field");
        steps.push_back(std::move(step));
        continue;
      }
      ++at_;
      ASSIGN_OR_RETURN(Step step, ReadBracket());
      if (!Take("]")) return Fail("expected ]");
      steps.push_back(std::move(step));
    }
    return steps;
  }

  bool AtEnd() const { return at_ == text_.size(); }
  Status Fail(std::string_view why) const { return Invalid("JSONPath ", Quoted(text_), ": character ", at_ + 1, ": ", why); }

 private:
  bool Take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  Status Close() {
    Skip();
    return Take("}") ? Status() : Fail("expected }");
  }

  // Reads the inside of a pair of braces and the closing brace.
  Result<Node> ReadNode() {
    Node node;
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      ASSIGN_OR_RETURN(node.text, ReadQuoted());
      TRY(Close());
      return node;
    }
    node.kind = Take("range ") ? Node::Kind::kRange : Node::Kind::kPath;
    Skip();
    node.from_root = Take("$");
    if (!node.from_root && !Take("@") && (at_ == text_.size() || (text_[at_] != '.' && text_[at_] != '['))) {
      return Fail("expected a path like .metadata.name, a quoted text, range or end");
    }
    ASSIGN_OR_RETURN(node.steps, ReadSteps());
    TRY(Close());
    if (node.kind == Node::Kind::kRange) {
      ASSIGN_OR_RETURN(node.body, ReadNodes(true));
    }
    return node;
  }

  std::string ReadField() {
    std::string field;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        field += text_[++at_];
        continue;
      }
      if (std::string_view(".[]{}() =!<>,").find(text_[at_]) != std::string_view::npos) break;
      field += text_[at_];
    }
    return field;
  }

  Result<std::string> ReadQuoted() {
    const char quote = text_[at_++];
    std::string value;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] != '\\' || at_ + 1 == text_.size()) {
        value += text_[at_];
        continue;
      }
      const char c = text_[++at_];
      value += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
    if (at_ == text_.size()) return Fail(StrCat("expected a closing ", quote));
    ++at_;
    return value;
  }

  Result<Step> ReadBracket() {
    Step step;
    if (Take("*")) return step.kind = Step::Kind::kAll, step;
    if (Take("?(")) return ReadFilter();
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      ASSIGN_OR_RETURN(step.field, ReadQuoted());
      return step;
    }
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), step.index);
    if (error != std::errc()) return Fail("expected a number, *, ?( or a quoted name in []");
    at_ = static_cast<size_t>(end - text_.data());
    if (at_ < text_.size() && (text_[at_] == ':' || text_[at_] == ',')) {
      return Unsupported("JSONPath ", Quoted(text_), ": slices and lists in [] are not supported; write [*] or one number");
    }
    step.kind = Step::Kind::kIndex;
    return step;
  }

  // Reads the part @.a.b=="x") of [?(@.a.b=="x")].
  Result<Step> ReadFilter() {
    Step step;
    step.kind = Step::Kind::kFilter;
    Skip();
    if (!Take("@")) return Fail("expected @ in a filter");
    while (Take(".")) step.path.push_back(ReadField());
    Skip();
    step.equal = Take("==");
    if (!step.equal && !Take("!=")) return Fail("expected == or != in a filter");
    Skip();
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      ASSIGN_OR_RETURN(step.field, ReadQuoted());
    } else {
      step.field = ReadField();
    }
    Skip();
    if (!Take(")")) return Fail("expected ) after a filter");
    return step;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  JsonPath path;
  JsonPathReader reader(text);
  ASSIGN_OR_RETURN(path.nodes_, reader.ReadNodes(false));
  return path;
}

Result<JsonPath> JsonPath::ParseRelaxed(std::string_view text) {
  if (text.starts_with('{') && text.ends_with('}')) text = text.substr(1, text.size() - 2);
  const std::string dotted = text.starts_with('.') || text.starts_with('[') ? std::string(text) : StrCat(".", text);
  JsonPathReader reader(dotted);
  Node node;
  node.kind = Node::Kind::kPath;
  ASSIGN_OR_RETURN(node.steps, reader.ReadSteps());
  if (!reader.AtEnd()) return reader.Fail("expected the end");
  JsonPath path;
  path.nodes_.push_back(std::move(node));
  return path;
}

void JsonPath::Walk(const Step& step, const Value& value, std::vector<Value>& found) {
  switch (step.kind) {
    case Step::Kind::kField:
      if (value.IsObject() && value.Find(step.field) != nullptr) found.push_back(value[step.field]);
      return;
    case Step::Kind::kIndex: {
      if (!value.IsArray()) return;
      const auto size = static_cast<int64_t>(value.Items().size());
      const int64_t index = step.index < 0 ? size + step.index : step.index;
      if (index >= 0 && index < size) found.push_back(value.Items()[static_cast<size_t>(index)]);
      return;
    }
    case Step::Kind::kAll:
      if (value.IsArray()) found.insert(found.end(), value.Items().begin(), value.Items().end());
      if (value.IsObject()) {
        for (const Member& member : value.Members()) found.push_back(member.value);
      }
      return;
    case Step::Kind::kFilter:
      if (!value.IsArray()) return;
      for (const Value& item : value.Items()) {
        Value below = item;
        for (const std::string& field : step.path) below = Value(below[field]);
        if (!below.IsNull() && (OneValue(below) == step.field) == step.equal) found.push_back(item);
      }
      return;
  }
}

std::vector<Value> JsonPath::Evaluate(const Node& node, const Value& root, const Value& current) {
  std::vector<Value> values = {node.from_root ? root : current};
  for (const Step& step : node.steps) {
    std::vector<Value> next;
    for (const Value& value : values) Walk(step, value, next);
    values = std::move(next);
  }
  return values;
}

void JsonPath::Write(const std::vector<Node>& nodes, const Value& root, const Value& current, std::string& text) {
  for (const Node& node : nodes) {
    if (node.kind == Node::Kind::kText) {
      text += node.text;
      continue;
    }
    bool first = true;
    for (const Value& value : Evaluate(node, root, current)) {
      if (node.kind == Node::Kind::kRange) {
        Write(node.body, root, value, text);
      } else {
        text += StrCat(std::exchange(first, false) ? "" : " ", OneValue(value));
      }
    }
  }
}

std::string JsonPath::Text(const Value& root) const {
  std::string text;
  Write(nodes_, root, root, text);
  return text;
}

std::vector<Value> JsonPath::Find(const Value& root) const {
  const auto path = std::find_if(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.kind == Node::Kind::kPath; });
  return path == nodes_.end() ? std::vector<Value>() : Evaluate(*path, root, root);
}

std::string OneValue(const Value& value) {
  std::string text;
  const auto inner = [](const Value& one) { return one.IsString() ? Write(one) : OneValue(one); };
  switch (value.kind()) {
    case Kind::kString: return std::string(value.AsString());
    case Kind::kArray:
      for (const Value& item : value.Items()) text += StrCat(text.empty() ? "" : ",", inner(item));
      return StrCat("[", text, "]");
    case Kind::kObject: {
      std::vector<Member> members(value.Members().begin(), value.Members().end());
      std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.key < b.key; });
      for (const Member& member : members) text += StrCat(text.empty() ? "" : ",", Quoted(member.key, 4096), ":", inner(member.value));
      return StrCat("{", text, "}");
    }
    default: return Write(value);
  }
}

}  // namespace allot::json
