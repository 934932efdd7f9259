#pragma once
// Checks that many kinds share: syntax of names and labels, lists with limits, node selectors, conditions.
//
// `...Problems` return what is wrong with a text in kube-apiserver's words, or nothing. `Check...` add the errors of a field. An absent
// value counts as empty: as a list, as a map, and as the text "".

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
Problems LabelKeyProblems(std::string_view text);      // [subdomain/]name, which Kubernetes also calls a qualified name
Problems LabelValueProblems(std::string_view text);
Problems CIdentifierProblems(std::string_view text);  // without a length limit

std::string ToLower(std::string_view text);  // ASCII

// Adds Invalid for each problem.
void AddInvalid(const FieldPath& field, std::string_view value, const Problems& problems, FieldErrors& errors);

void CheckDnsLabel(const FieldPath& field, std::string_view text, FieldErrors& errors);
void CheckDnsSubdomain(const FieldPath& field, std::string_view text, FieldErrors& errors);
void CheckLabelKey(const FieldPath& field, std::string_view text, FieldErrors& errors);
void CheckLabelValue(const FieldPath& field, std::string_view text, FieldErrors& errors);
// Checks a CSI or DRA driver's name: required, 63 bytes, a subdomain in any case.
void CheckDriverName(const FieldPath& field, std::string_view text, FieldErrors& errors);

// Reports errors for the map, not for its keys: `metadata.labels`.
void CheckLabels(const FieldPath& field, const json::Value& labels, FieldErrors& errors);
void CheckAnnotations(const FieldPath& field, const json::Value& annotations, FieldErrors& errors);  // 256 KiB in total

// "nvidia.com/gpu": has a domain other than kubernetes.io and can be part of a quota.
bool IsExtendedResourceName(std::string_view name);
// "cpu", "kubernetes.io/x": resources of Kubernetes itself.
bool IsNativeResource(std::string_view name);

void CheckImmutable(const FieldPath& field, const json::Value& value, const json::Value& old, FieldErrors& errors);
// Requires one of `supported`; Required if empty.
void CheckEnum(const FieldPath& field, std::string_view value, std::initializer_list<std::string_view> supported, FieldErrors& errors);

// Check a core/v1 NodeSelector, or a NodeSelectorTerm (also of preferred terms).
void CheckNodeSelector(const FieldPath& field, const json::Value& selector, FieldErrors& errors);
void CheckNodeSelectorTerm(const FieldPath& field, const json::Value& term, FieldErrors& errors);

// Checks a list of meta/v1 Conditions with unique types.
void CheckConditions(const FieldPath& field, const json::Value& conditions, FieldErrors& errors);

// Returns the amount in a normalized object; zero if it is absent, or invalid (normalizing has rejected that).
model::Quantity QuantityOf(const json::Value& value);
// Returns the number; zero if absent.
int64_t IntOf(const json::Value& value);

// Beyond `max` items, adds TooMany only; else calls check(path, item) for each.
template <typename Check>
void CheckList(const FieldPath& field, const json::Value& list, size_t max, FieldErrors& errors, Check check) {
  const auto items = json::ItemsOf(list);
  if (items.size() > max) return errors.TooMany(field, items.size(), max);
  for (size_t i = 0; i < items.size(); ++i) check(field.Index(i), items[i]);
}

// Adds Duplicate for each item whose key(item), a text, equals that of an earlier item.
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

// Both: a list of at most `max` distinct items.
template <typename Key, typename Check>
void CheckSet(const FieldPath& field, const json::Value& list, size_t max, FieldErrors& errors, Key key, Check check) {
  CheckList(field, list, max, errors, check);
  if (json::ItemsOf(list).size() <= max) CheckUnique(field, list, errors, key);
}

inline constexpr size_t kNoLimit = SIZE_MAX;

}  // namespace allot::apiserver
