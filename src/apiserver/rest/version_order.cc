#include "apiserver/rest/version_order.h"

#include <charconv>
#include <compare>
#include <cstdint>
#include <optional>

namespace allot::apiserver {
namespace {

struct Rank {
  int stability = 0;  // alpha, beta, final
  int64_t major = 0, minor = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

// Removes a number from the front of `text`. Returns nullopt if there is none or it is too large.
std::optional<int64_t> TakeNumber(std::string_view& text) {
  int64_t number = 0;
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// The rank of "v1", "v2beta3", "v1alpha1"; nullopt for other names.
std::optional<Rank> RankOf(std::string_view version) {
  if (!version.starts_with('v')) return std::nullopt;
  version.remove_prefix(1);
  const std::optional<int64_t> major = TakeNumber(version);
  if (!major) return std::nullopt;
  if (version.empty()) return Rank{.stability = 2, .major = *major};
  const bool beta = version.starts_with("beta");
  if (!beta && !version.starts_with("alpha")) return std::nullopt;
  version.remove_prefix(beta ? 4 : 5);
  const std::optional<int64_t> minor = TakeNumber(version);
  if (!minor || !version.empty()) return std::nullopt;
  return Rank{.stability = beta ? 1 : 0, .major = *major, .minor = *minor};
}

}  // namespace

bool VersionBefore(std::string_view a, std::string_view b) {
  const std::optional<Rank> rank_a = RankOf(a);
  const std::optional<Rank> rank_b = RankOf(b);
  if (!rank_a && !rank_b) return a < b;
  return rank_a > rank_b;  // nullopt compares below every rank
}

}  // namespace allot::apiserver
