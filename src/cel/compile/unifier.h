#pragma once
// Decides which types fit together, and binds type variables.
//
// Follows Kubernetes' rules exactly: whether an expression compiles, and its cost, depend on these types.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cel/compile/types.h"

namespace allot::cel {

class Unifier {
 public:
  explicit Unifier(TypePool& pool) : pool_(pool) {}

  const Type* NewVariable();

  // Returns whether a value of `from` may be used where `to` is expected (or the reverse: the relation is nearly symmetric). Binds
  // variables if so, and binds nothing otherwise.
  bool Assign(const Type* from, const Type* to);
  bool AssignAll(std::span<const Type* const> from, std::span<const Type* const> to);

  // Returns `type` with its variables replaced; with `free_to_dyn`, unbound variables become dyn.
  const Type* Substitute(const Type* type, bool free_to_dyn);

  // Returns a copy of `type` in which variable number i is variables[i].
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
  std::vector<const Type*> bindings_;                    // by variable number; nullptr: unbound
  std::vector<std::pair<uint32_t, const Type*>> trail_;  // bindings to restore
};

}  // namespace allot::cel
