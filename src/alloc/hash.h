#pragma once
// Hashes for tables of device names and of search states.

#include <cstdint>
#include <functional>
#include <string_view>

namespace allot::alloc {

// Spreads every bit of `x` over all bits (the finalizer of splitmix64).
inline uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

inline uint64_t Combine(uint64_t a, uint64_t b) { return Mix(a ^ Mix(b)); }

inline uint64_t HashText(std::string_view text) { return std::hash<std::string_view>()(text); }

inline uint64_t HashPool(std::string_view driver, std::string_view pool) { return Combine(HashText(driver), HashText(pool)); }

inline uint64_t HashDevice(uint64_t pool_hash, std::string_view device) { return Combine(pool_hash, HashText(device)); }

// 128 bits, so that two different states among millions practically never collide. (Classes and signatures of single devices have 64 bits:
// there are only thousands.) A sum does not depend on the order.
struct Hash128 {
  uint64_t low = 0, high = 0;

  static Hash128 Of(uint64_t a, uint64_t b) { return {Combine(a, b), Combine(b ^ 0xD6E8FEB86659FD93, a)}; }
  Hash128& operator+=(const Hash128& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  Hash128& operator-=(const Hash128& other) {
    low -= other.low;
    high -= other.high;
    return *this;
  }
  void Append(uint64_t part) { *this = {Combine(low, part), Combine(high, part + 0x2545F4914F6CDD1D)}; }
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

struct Hash128Hasher {
  size_t operator()(const Hash128& hash) const { return hash.low; }
};

}  // namespace allot::alloc
