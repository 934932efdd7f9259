#include "base/edit_distance.h"

#include <algorithm>
#include <vector>

namespace allot {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string Nearest(std::string_view text, std::span<const std::string> words) {
  std::string best;
  size_t best_distance = std::max<size_t>(1, text.size() / 3);  // at most a third of the letters may differ
  for (const std::string& word : words) {
    const size_t distance = EditDistance(text, word);
    if (distance < best_distance || (distance == best_distance && best.empty() && distance > 0)) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace allot
