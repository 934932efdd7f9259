#pragma once
// Evaluates contract cases (tests/contract) in tests without a server: the part of tests/contract/lib/values.py and matcher.py that the
// cases of resource.k8s.io need. Included by tests only.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "json/editor.h"
#include "json/json.h"

namespace allot::apiserver::contract {

using Variables = std::map<std::string, json::Value, std::less<>>;

struct PathStep {
  std::string key;
  std::optional<size_t> index;
};

// Parses `a.b[0]["x.y/z"]`.
inline std::vector<PathStep> ParsePath(std::string_view path) {
  std::vector<PathStep> steps;
  while (!path.empty()) {
    if (path.front() == '.') {
      path.remove_prefix(1);
    } else if (path.starts_with("[\"")) {
      const size_t end = path.find("\"]");
      steps.push_back({std::string(path.substr(2, end - 2)), {}});
      path.remove_prefix(end + 2);
    } else if (path.front() == '[') {
      const size_t end = path.find(']');
      steps.push_back({"", std::stoul(std::string(path.substr(1, end - 1)))});
      path.remove_prefix(end + 1);
    } else {
      const size_t end = std::min(path.find_first_of(".["), path.size());
      steps.push_back({std::string(path.substr(0, end)), {}});
      path.remove_prefix(end);
    }
  }
  return steps;
}

// Sets the value at a path (nullptr removes it) and creates missing parents.
inline json::Value SetPath(json::Editor& edit, const json::Value& at, std::span<const PathStep> path, const json::Value* value) {
  if (path.empty()) return *value;
  const PathStep& step = path.front();
  const bool last = path.size() == 1;
  if (!step.index) {
    const std::string_view key = edit.CopyText(step.key);
    if (last && value == nullptr) return edit.Without(at, key);
    return edit.Set(at, key, SetPath(edit, at[key], path.subspan(1), value));
  }
  const auto items = json::ItemsOf(at);
  std::vector<json::Value> changed(items.begin(), items.end());
  if (*step.index >= changed.size()) changed.resize(*step.index + 1);
  if (last && value == nullptr) {
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(*step.index));
  } else {
    changed[*step.index] = SetPath(edit, changed[*step.index], path.subspan(1), value);
  }
  return edit.Array(changed);
}

// Replaces every text of a tree, including keys, by change(text).
template <typename Change>
json::Value ChangeTexts(json::Editor& edit, const json::Value& value, const Change& change) {
  if (value.IsString()) return change(value.AsString());
  if (value.IsArray()) return edit.Map(value, [&](const json::Value& item) { return ChangeTexts(edit, item, change); });
  if (!value.IsObject()) return value;
  std::vector<json::Member> members;
  for (const json::Member& member : value.Members()) {
    members.push_back({json::TextOf(change(member.key)), ChangeTexts(edit, member.value, change)});
  }
  return edit.Object(members);
}

// Replaces ${name}. A text that is only ${name} becomes the variable's value.
inline json::Value Substitute(json::Editor& edit, const json::Value& value, const Variables& variables) {
  return ChangeTexts(edit, value, [&](std::string_view text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
      const size_t begin = text.find("${", at);
      const size_t end = begin == std::string_view::npos ? begin : text.find('}', begin);
      if (end == std::string_view::npos) {
        result += text.substr(at);
        break;
      }
      const auto variable = variables.find(text.substr(begin + 2, end - begin - 2));
      CHECK(variable != variables.end());
      if (begin == 0 && end + 1 == text.size()) return variable->second;
      result += StrCat(text.substr(at, begin - at), json::TextOf(variable->second));
      at = end + 1;
    }
    return edit.String(result);
  });
}

// Expands {$times: N, item: ..., key: ...}, {$repeat: [text, N]}, {$merge: [map, map]}.
inline json::Value Expand(json::Editor& edit, const json::Value& value) {
  if (value.IsArray()) return edit.Map(value, [&](const json::Value& item) { return Expand(edit, item); });
  if (!value.IsObject()) return value;
  if (const json::Value& repeat = value["$repeat"]; repeat.IsArray()) {
    std::string text;
    for (int64_t i = 0; i < repeat.Items()[1].AsInt64().value(); ++i) text += repeat.Items()[0].AsString();
    return edit.String(text);
  }
  if (const json::Value& parts = value["$merge"]; parts.IsArray()) {
    json::Value merged = edit.Object({});
    for (const json::Value& part : parts.Items()) {
      for (const json::Member& member : Expand(edit, part).Members()) merged = edit.Set(merged, member.key, member.value);
    }
    return merged;
  }
  if (const json::Value& times = value["$times"]; times.IsNumber()) {
    std::vector<json::Value> items;
    std::vector<json::Member> members;
    for (int64_t n = 0; n < times.AsInt64().value(); ++n) {
      const auto number = [&](std::string_view text) {
        const size_t at = text.find("#n");
        return edit.String(at == std::string_view::npos ? std::string(text) : StrCat(text.substr(0, at), n, text.substr(at + 2)));
      };
      items.push_back(Expand(edit, ChangeTexts(edit, value["item"], number)));
      if (value["key"].IsString()) members.push_back({json::TextOf(number(value["key"].AsString())), items.back()});
    }
    return value["key"].IsString() ? edit.Object(members) : edit.Array(items);
  }
  json::Value expanded = value;
  for (const json::Member& member : value.Members()) expanded = edit.Set(expanded, member.key, Expand(edit, member.value));
  return expanded;
}

// Applies a merge patch (RFC 7396).
inline json::Value MergePatch(json::Editor& edit, const json::Value& target, const json::Value& patch) {
  if (!patch.IsObject()) return patch;
  json::Value merged = target.IsObject() ? target : edit.Object({});
  for (const json::Member& member : patch.Members()) {
    merged = member.value.IsNull() ? edit.Without(merged, member.key)
                                   : edit.Set(merged, member.key, MergePatch(edit, merged[member.key], member.value));
  }
  return merged;
}

// Returns empty if the value matches, else the first difference.
inline std::string Mismatch(const json::Value& expected, const json::Value& actual, const std::string& path) {
  const auto no = [&] { return StrCat(path, ": expected ", json::Write(expected), ", got ", json::Write(actual)); };
  if (expected.IsString() && expected.AsString() == "$absent") return actual.IsNull() ? "" : no();
  if (expected.IsString() && expected.AsString() == "$present") return actual.IsNull() ? no() : "";
  if (expected.IsString() && expected.AsString() == "$time") return json::TextOf(actual).ends_with("Z") ? "" : no();
  if (const json::Value& exact = expected["$exact"]; !exact.IsNull()) return json::Equal(exact, actual) ? "" : no();
  if (const json::Value& length = expected["$len"]; length.IsNumber()) {
    return json::ItemsOf(actual).size() == static_cast<size_t>(length.AsInt64().value()) ? "" : no();
  }
  if (expected.IsObject()) {
    for (const json::Member& member : expected.Members()) {
      if (std::string wrong = Mismatch(member.value, actual[member.key], StrCat(path, ".", member.key)); !wrong.empty()) return wrong;
    }
    return "";
  }
  if (expected.IsArray()) {
    if (json::ItemsOf(actual).size() != expected.Items().size()) return no();
    for (size_t i = 0; i < expected.Items().size(); ++i) {
      if (std::string wrong = Mismatch(expected.Items()[i], actual.Items()[i], StrCat(path, "[", i, "]")); !wrong.empty()) return wrong;
    }
    return "";
  }
  return json::Equal(expected, actual) ? "" : no();
}

}  // namespace allot::apiserver::contract
