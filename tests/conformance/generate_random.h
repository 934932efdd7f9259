#pragma once
// Random choices that are the same on every platform, unlike the standard library's distributions.
// C++ does not define the order in which arguments are evaluated, so an expression must not make two choices: assign them first.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/random.h"

namespace allot::conformance {

class Dice {
 public:
  // `kind` makes generators with the same seed independent.
  Dice(uint64_t seed, uint64_t kind) : random_(Scrambled(Scrambled(kind) ^ seed)) {}

  // From 0 to bound - 1. REQUIRES bound > 0.
  int Below(int bound) { return static_cast<int>(random_.Below(static_cast<uint64_t>(bound))); }
  size_t Index(size_t size) { return random_.Below(size); }

  // Both ends included.
  int Between(int low, int high) { return low + Below(high - low + 1); }

  bool Percent(int chance) { return Below(100) < chance; }
  bool PerMille(int chance) { return Below(1000) < chance; }

  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[Index(from.size())];
  }
  template <typename T>
  T Pick(std::initializer_list<T> from) {
    return *(from.begin() + Index(from.size()));
  }

  // An index, with the probability of its weight's share of the sum.
  int Weighted(std::initializer_list<int> weights) {
    int sum = 0;
    for (const int weight : weights) sum += weight;
    int rest = Below(sum);
    int position = 0;
    for (const int weight : weights) {
      if (rest < weight) return position;
      rest -= weight;
      ++position;
    }
    return 0;
  }

  template <typename T>
  void Shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Index(i)]);
  }

  SeededRandom& random() { return random_; }

 private:
  // Without this, neighbouring seeds would give overlapping sequences.
  static uint64_t Scrambled(uint64_t seed) { return SeededRandom(seed).Next64(); }

  SeededRandom random_;
};

}  // namespace allot::conformance
