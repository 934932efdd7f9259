#pragma once
// Random numbers and UUIDs.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace allot {

class Random {
 public:
  virtual ~Random() = default;

  // Returns a uniformly distributed number.
  virtual uint64_t Next64() = 0;

  // Returns a uniformly distributed number from 0 to `bound` - 1. REQUIRES: bound > 0.
  uint64_t Below(uint64_t bound);
};

// The kernel's generator, good enough for unguessable names. Thread-safe.
class SystemRandom final : public Random {
 public:
  uint64_t Next64() override;
};

// Gives the same numbers for the same seed on every machine. Not for secrets, not thread-safe.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}
  uint64_t Next64() override;

 private:
  uint64_t state_;
};

// A version 4 UUID in lower case: "f47ac10b-58cc-4372-a567-0e02b2c3d479".
std::string Uuid4(Random& random);
// Version 7: begins with the time to a quarter of a microsecond, so sorting the texts sorts by time.
std::string Uuid7(WallTime now, Random& random);
// Returns the part of a version 7 UUID that orders it by time, or empty for other versions.
std::string_view TimeOfUuid(std::string_view uuid);

}  // namespace allot
