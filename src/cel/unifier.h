#pragma once
// Which types fit together, and what the type variables stand for.
//
// Kubernetes' rules to the letter: whether an expression compiles, and at which cost, depends on the types found here.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cel/types.h"

namespace allot::cel {

class Unifier {
 public:
  explicit Unifier(TypePool& pool) : pool_(pool) {}

  const Type* NewVariable();

  // Whether a value of `from` may stand where `to` is wanted (or the other way round: the relation is nearly symmetric). Binds
  // variables; binds nothing when the answer is no.
  bool Assign(const Type* from, const Type* to);
  bool AssignAll(std::span<const Type* const> from, std::span<const Type* const> to);

  // `type` with the variables replaced; those that are still free become dyn on request.
  const Type* Substitute(const Type* type, bool free_to_dyn);

  // A copy of `type` in which variable number i is variables[i].
  const Type* Instantiate(const Type* type, std::span<const Type* const> variables);

  static const Type* MoreGeneral(const Type* a, const Type* b);

 private:
  bool Fits(const Type* a, const Type* b);
  bool FitsAll(std::span<const Type* const> a, std::span<const Type* const> b);
  bool BindVariable(const Type* type, const Type* variable, bool* was_bound);
  bool IsFreeOf(const Type* variable, const Type* type) const;
  void Bind(const Type* variable, const Type* type);
  const Type* BindingOf(const Type* type) const;

  TypePool& pool_;
  std::vector<const Type*> bindings_;                    // by variable number; nullptr: free
  std::vector<std::pair<uint32_t, const Type*>> trail_;  // what to restore
};

}  // namespace allot::cel
