#include "apiserver/kinds/pod/toleration_merge.h"

#include <algorithm>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

namespace {

// Beyond this many, redundant tolerations are kept: they are harmless, and finding them takes quadratic time.
constexpr size_t kMaxCompared = 256;

// Whether `wide` tolerates everything that `narrow` does.
bool Covers(const Value& wide, const Value& narrow) {
  if (json::Equal(wide, narrow)) return true;
  const std::string_view op = TextOf(wide["operator"]);
  const bool any_key = TextOf(wide["key"]).empty() && op == "Exists";
  if (TextOf(wide["key"]) != TextOf(narrow["key"]) && !any_key) return false;
  const std::string_view effect = TextOf(wide["effect"]);
  if (!effect.empty() && effect != TextOf(narrow["effect"])) return false;
  const Value& seconds = narrow["tolerationSeconds"];
  if (effect == "NoExecute" && IsSet(wide["tolerationSeconds"]) && (!IsSet(seconds) || IntOf(seconds) > IntOf(wide["tolerationSeconds"]))) {
    return false;
  }
  if (op == "Exists") return true;
  return (op.empty() || op == "Equal") && TextOf(narrow["operator"]) == "Equal" && TextOf(narrow["value"]) == TextOf(wide["value"]);
}

}  // namespace

Value MergeTolerations(json::Editor& edit, const Value& first, const Value& second) {
  std::vector<Value> all(ItemsOf(first).begin(), ItemsOf(first).end());
  all.insert(all.end(), ItemsOf(second).begin(), ItemsOf(second).end());
  if (all.size() > kMaxCompared) return edit.Array(all);
  std::vector<Value> merged;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto covers = [&](const Value& other) { return Covers(other, all[i]); };
    const auto replaces = [&](const Value& later) { return !json::Equal(later, all[i]) && Covers(later, all[i]); };
    if (std::any_of(merged.begin(), merged.end(), covers)) continue;
    if (std::any_of(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), replaces)) continue;
    merged.push_back(all[i]);
  }
  return edit.Array(merged);
}

}  // namespace allot::apiserver
