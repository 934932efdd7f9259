#pragma once
// matchAttribute and distinctAttribute of a claim, kept while devices are picked and given back.
//
// Kubernetes 1.36 does not always return to the earlier state when a device is given back (compat.h, Quirks); these classes reproduce
// that, so what a constraint accepts may depend on what was tried before. Fingerprint() tells whether two states will behave alike.

#include <cstdint>
#include <string_view>
#include <vector>

#include "alloc/compat.h"
#include "alloc/hash.h"
#include "model/claim.h"
#include "model/device.h"

namespace allot::alloc {

// The attribute `name` (fully qualified) of a device, or nullptr: as published, or without its domain where that is the driver's.
const model::AttributeValue* FindAttribute(const model::Device& device, std::string_view driver, std::string_view name);

// Equal for values that no constraint can tell apart.
uint64_t HashValue(const model::AttributeValue& value);

class Constraint {
 public:
  // REQUIRES that one of the two attributes is set.
  Constraint(const model::Constraint& spec, const Features& features, const Quirks& quirks);

  std::string_view attribute() const { return attribute_; }
  bool distinct() const { return distinct_; }
  // Whether it concerns this request (`sub` is empty when it has no alternatives).
  bool Concerns(std::string_view request, std::string_view sub) const;

  // Takes a device for request number `request`, or refuses it and changes nothing that a later Add could see, except by the quirks.
  bool Add(uint32_t request, const model::Device& device, std::string_view driver);
  // Gives back the last device that Add took for this request.
  void Remove(uint32_t request);

  Hash128 Fingerprint() const;

 private:
  // The values of a list attribute, or the one of a scalar: all of one kind, sorted, unique.
  struct Values {
    model::AttributeValue::Kind kind = model::AttributeValue::Kind::kNone;
    std::vector<int64_t> numbers;  // ints, and bools as 0 and 1
    std::vector<std::string_view> texts;

    bool known() const { return kind != model::AttributeValue::Kind::kNone; }
  };
  struct Kept {
    uint32_t request;
    const model::AttributeValue* value;
  };

  static Values ValuesOf(const model::AttributeValue& value);
  static Values Common(const Values& a, const Values& b);

  bool AddMatch(const model::AttributeValue& value);
  bool AddDistinct(uint32_t request, const model::AttributeValue& value);
  bool Differs(const model::AttributeValue& value) const;

  std::string_view attribute_;
  bool distinct_;
  bool lists_;
  const Quirks& quirks_;
  const std::vector<std::string_view>& requests_;

  uint32_t devices_ = 0;
  const model::AttributeValue* first_ = nullptr;  // match of scalars: what all must equal
  Values common_;                                 // match of lists: what all have had in common
  std::vector<Values> earlier_;                   // common_ before each device, without the quirk
  std::vector<Kept> kept_;                        // distinct: what was taken
};

}  // namespace allot::alloc
