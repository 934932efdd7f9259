#pragma once
// Random numbers, and the names made of them.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace allot {

class Random {
 public:
  virtual ~Random() = default;

  // Every value is as likely as any other.
  virtual uint64_t Next64() = 0;

  // From 0 to `bound` - 1, without favourites. REQUIRES bound > 0.
  uint64_t Below(uint64_t bound);
};

// The kernel's generator: good enough for names that nobody may guess. Safe to use from several threads.
class SystemRandom final : public Random {
 public:
  uint64_t Next64() override;
};

// The same numbers for the same seed, on every machine. Not for secrets, not thread-safe.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}
  uint64_t Next64() override;

 private:
  uint64_t state_;
};

// A version 4 UUID in lower case: "f47ac10b-58cc-4372-a567-0e02b2c3d479".
std::string Uuid4(Random& random);
// Version 7: begins with the time, to a quarter of a microsecond, so that in the order of their texts they are in the order of time.
std::string Uuid7(WallTime now, Random& random);
// What orders UUIDs of version 7 by their time; empty where it is of another version.
std::string_view TimeOfUuid(std::string_view uuid);

}  // namespace allot
