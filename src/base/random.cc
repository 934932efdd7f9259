#include "base/random.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"

namespace allot {

uint64_t Random::Below(uint64_t bound) {
  CHECK(bound > 0);
  // Reject numbers below 2^64 mod bound: they would make small remainders more likely.
  const uint64_t unfair = (0 - bound) % bound;
  for (;;) {
    const uint64_t number = Next64();
    if (number >= unfair) return number % bound;
  }
}

uint64_t SystemRandom::Next64() {
  uint64_t number = 0;
  // getrandom(2) returns up to 256 bytes at once. A signal can interrupt it only while it waits for the first seed after boot.
  ssize_t read;
  do {
    read = getrandom(&number, sizeof number, 0);
  } while (read < 0 && errno == EINTR);
  CHECK(read == sizeof number);
  return number;
}

// SplitMix64 (Steele, Lea, Flood 2014).
uint64_t SeededRandom::Next64() {
  state_ += 0x9E3779B97F4A7C15;
  uint64_t mixed = state_;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
  return mixed ^ mixed >> 31;
}

namespace {

// Writes the 128 bits with the version and the variant filled in.
std::string WriteUuid(uint64_t high, uint64_t low, uint64_t version) {
  static constexpr char kHex[] = "0123456789abcdef";
  high = (high & 0xFFFFFFFFFFFF0FFF) | version << 12;
  low = (low & 0x3FFFFFFFFFFFFFFF) | 0x8000000000000000;  // variant 1
  std::string uuid;
  uuid.reserve(36);
  for (int nibble = 0; nibble < 32; ++nibble) {
    if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) uuid += '-';
    const uint64_t half = nibble < 16 ? high : low;
    uuid += kHex[half >> (60 - nibble % 16 * 4) & 0xF];
  }
  return uuid;
}

}  // namespace

std::string Uuid4(Random& random) {
  const uint64_t high = random.Next64();
  return WriteUuid(high, random.Next64(), 4);
}

std::string Uuid7(WallTime now, Random& random) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch());
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(since);
  const auto rest = static_cast<uint64_t>((since - millis).count());  // below a million
  return WriteUuid(static_cast<uint64_t>(millis.count()) << 16 | rest * 4096 / 1'000'000, random.Next64(), 7);
}

std::string_view TimeOfUuid(std::string_view uuid) {
  constexpr size_t kVersion = 14, kTime = 18;
  return uuid.size() == 36 && uuid[kVersion] == '7' ? uuid.substr(0, kTime) : std::string_view();
}

}  // namespace allot
