#pragma once
// Random choices that are the same on every platform: the standard library's distributions are not.
// Nor is the order in which C++ evaluates arguments: a call or a sum that makes two choices must make them one after the other before.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/random.h"

namespace allot::conformance {

class Dice {
 public:
  // `kind` keeps the cases of two generators apart that are asked for the same seed.
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

  // The position of a weight, each as likely as its share of their sum.
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
  // Neighbouring seeds would give overlapping numbers.
  static uint64_t Scrambled(uint64_t seed) { return SeededRandom(seed).Next64(); }

  SeededRandom random_;
};

}  // namespace allot::conformance
