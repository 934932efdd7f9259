#pragma once
// What the rules of many kinds have in common: syntax of names and labels, lists with limits, node selectors, conditions.
//
// `...Problems` say what is wrong with a text in kube-apiserver's words, nothing when it is right. `Check...` add what is wrong with a
// field to the errors. Whatever is absent counts as empty: null is no list, no map, and the text "".

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/field_errors.h"
#include "json/editor.h"
#include "model/quantity.h"

namespace allot::apiserver {

using Problems = std::vector<std::string>;

Problems DnsLabelProblems(std::string_view text);      // 63 bytes: "my-name"
Problems DnsSubdomainProblems(std::string_view text);  // 253 bytes: "a.example.com"
Problems LabelKeyProblems(std::string_view text);      // [subdomain/]name, what Kubernetes also calls a qualified name
Problems LabelValueProblems(std::string_view text);
Problems CIdentifierProblems(std::string_view text);  // without a limit of its length

std::string ToLower(std::string_view text);  // ASCII

// Invalid with each of the problems.
void AddInvalid(const FieldPath& field, std::string_view value, const Problems& problems, FieldErrors& errors);

void CheckDnsLabel(const FieldPath& field, std::string_view text, FieldErrors& errors);
void CheckDnsSubdomain(const FieldPath& field, std::string_view text, FieldErrors& errors);
void CheckLabelKey(const FieldPath& field, std::string_view text, FieldErrors& errors);
void CheckLabelValue(const FieldPath& field, std::string_view text, FieldErrors& errors);
// Of a CSI or DRA driver: required, 63 bytes, a subdomain in any case.
void CheckDriverName(const FieldPath& field, std::string_view text, FieldErrors& errors);

// Errors are those of the map, not of its keys: `metadata.labels`.
void CheckLabels(const FieldPath& field, const json::Value& labels, FieldErrors& errors);
void CheckAnnotations(const FieldPath& field, const json::Value& annotations, FieldErrors& errors);  // 256 KiB together

// "nvidia.com/gpu": a domain, not one of kubernetes.io, and fit for a quota.
bool IsExtendedResourceName(std::string_view name);
// "cpu", "kubernetes.io/x": of Kubernetes itself.
bool IsNativeResource(std::string_view name);

void CheckImmutable(const FieldPath& field, const json::Value& value, const json::Value& old, FieldErrors& errors);
// One of `supported`; Required where it is empty.
void CheckEnum(const FieldPath& field, std::string_view value, std::initializer_list<std::string_view> supported, FieldErrors& errors);

// A core/v1 NodeSelector, NodeSelectorTerm (also of preferred terms), or a requirement of matchExpressions or matchFields.
void CheckNodeSelector(const FieldPath& field, const json::Value& selector, FieldErrors& errors);
void CheckNodeSelectorTerm(const FieldPath& field, const json::Value& term, FieldErrors& errors);

// meta/v1 Conditions: a list of them, with unique types.
void CheckConditions(const FieldPath& field, const json::Value& conditions, FieldErrors& errors);

// The amount in a normalized object; zero where there is none, and where it does not parse, which normalizing has refused.
model::Quantity QuantityOf(const json::Value& value);
// The number; zero where there is none.
int64_t IntOf(const json::Value& value);
// Whether the value is there and true.
inline bool IsTrue(const json::Value& value) { return value.IsBool() && value.AsBool(); }

// TooMany, and nothing else, beyond `max` items; else check(path, item) for each.
template <typename Check>
void CheckList(const FieldPath& field, const json::Value& list, size_t max, FieldErrors& errors, Check check) {
  const auto items = json::ItemsOf(list);
  if (items.size() > max) return errors.TooMany(field, items.size(), max);
  for (size_t i = 0; i < items.size(); ++i) check(field.Index(i), items[i]);
}

// Duplicate for each item whose key(item), a text, an earlier one has.
template <typename Key>
void CheckUnique(const FieldPath& field, const json::Value& list, FieldErrors& errors, Key key) {
  std::set<std::string, std::less<>> seen;
  const auto items = json::ItemsOf(list);
  for (size_t i = 0; i < items.size(); ++i) {
    std::string text(key(items[i]));
    if (seen.contains(text)) {
      errors.Duplicate(field.Index(i), text);
    } else {
      seen.insert(std::move(text));
    }
  }
}

// Both: a list of at most `max` different items.
template <typename Key, typename Check>
void CheckSet(const FieldPath& field, const json::Value& list, size_t max, FieldErrors& errors, Key key, Check check) {
  CheckList(field, list, max, errors, check);
  if (json::ItemsOf(list).size() <= max) CheckUnique(field, list, errors, key);
}

inline constexpr size_t kNoLimit = SIZE_MAX;

}  // namespace allot::apiserver
