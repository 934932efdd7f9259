#include "cel/compile/unifier.h"

namespace allot::cel {
namespace {

using K = Type::Kind;

// Types other than the dynamic ones that accept null.
bool IsNullable(const Type& type) {
  return type.kind == K::kOpaque || type.kind == K::kStruct || type.kind == K::kDuration || type.kind == K::kTimestamp ||
         type.kind == K::kNull;
}

bool IsEqualOrLessSpecific(const Type& a, const Type& b) {
  if (a.IsDyn() || a.kind == K::kParam) return true;
  if (b.IsDyn() || b.kind == K::kParam || a.kind != b.kind) return false;
  switch (a.kind) {
    case K::kOpaque:
    case K::kList:
    case K::kMap:
      if (a.name != b.name || a.params.size() != b.params.size()) return false;
      for (size_t i = 0; i < a.params.size(); ++i) {
        if (!IsEqualOrLessSpecific(*a.params[i], *b.params[i])) return false;
      }
      return true;
    case K::kType: return true;
    default: return a.Same(b);
  }
}

}  // namespace

const Type* Unifier::NewVariable() {
  bindings_.push_back(nullptr);
  return pool_.Variable(static_cast<uint32_t>(bindings_.size() - 1));
}

const Type* Unifier::BindingOf(const Type* type) const { return type->kind == K::kParam ? bindings_[type->variable] : nullptr; }

void Unifier::Bind(const Type* variable, const Type* type) {
  trail_.emplace_back(variable->variable, bindings_[variable->variable]);
  bindings_[variable->variable] = type;
}

bool Unifier::Assign(const Type* from, const Type* to) { return AssignAll({&from, 1}, {&to, 1}); }

bool Unifier::AssignAll(std::span<const Type* const> from, std::span<const Type* const> to) {
  trail_.clear();
  if (FitsAll(from, to)) return true;
  for (auto change = trail_.rbegin(); change != trail_.rend(); ++change) bindings_[change->first] = change->second;
  return false;
}

bool Unifier::FitsAll(std::span<const Type* const> a, std::span<const Type* const> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!Fits(a[i], b[i])) return false;
  }
  return true;
}

bool Unifier::Fits(const Type* a, const Type* b) {
  bool was_bound = false;
  if (b->kind == K::kParam) {
    if (BindVariable(a, b, &was_bound)) return true;
    if (was_bound) return false;
  }
  if (a->kind == K::kParam) return BindVariable(b, a, &was_bound);

  const auto wild = [](const Type& type) { return type.IsDyn() || type.kind == K::kError; };
  if (wild(*a) || wild(*b)) return true;
  if (a->kind == K::kNull) return IsNullable(*b);
  if (b->kind == K::kNull) return IsNullable(*a);
  switch (a->kind) {
    case K::kType: return b->kind == K::kType;
    case K::kOpaque:
    case K::kList:
    case K::kMap: return a->kind == b->kind && a->name == b->name && FitsAll(a->params, b->params);
    default: return a->kind == b->kind && a->name == b->name;
  }
}

bool Unifier::BindVariable(const Type* type, const Type* variable, bool* was_bound) {
  *was_bound = true;
  if (type->kind == K::kParam && type->variable == variable->variable) return true;
  if (const Type* const bound = BindingOf(variable); bound != nullptr) {
    if (type->kind == bound->kind && type->Same(*bound)) return true;
    if (!Fits(type, bound)) return false;
    const Type* const general = MoreGeneral(type, bound);
    if (IsFreeOf(variable, general)) Bind(variable, general);
    return true;
  }
  *was_bound = false;
  if (!IsFreeOf(variable, type)) return false;
  Bind(variable, type);
  return true;
}

bool Unifier::IsFreeOf(const Type* variable, const Type* type) const {
  if (type->kind == K::kParam) {
    if (type->variable == variable->variable) return false;
    const Type* const bound = BindingOf(type);
    return bound == nullptr || IsFreeOf(variable, bound);
  }
  for (const Type* const param : type->params) {
    if (!IsFreeOf(variable, param)) return false;
  }
  return true;
}

const Type* Unifier::MoreGeneral(const Type* a, const Type* b) { return IsEqualOrLessSpecific(*a, *b) ? a : b; }

const Type* Unifier::Substitute(const Type* type, bool free_to_dyn) {
  if (const Type* const bound = BindingOf(type); bound != nullptr) return Substitute(bound, free_to_dyn);
  if (type->kind == K::kParam) return free_to_dyn ? &types::kDyn : type;
  if (type->params.empty()) return type;
  std::vector<const Type*> params;
  bool changed = false;
  for (const Type* const param : type->params) {
    params.push_back(Substitute(param, free_to_dyn));
    changed |= params.back() != param;
  }
  return changed ? pool_.Make(type->kind, type->name, std::move(params)) : type;
}

const Type* Unifier::Instantiate(const Type* type, std::span<const Type* const> variables) {
  if (type->kind == K::kParam) return variables[type->variable];
  if (type->params.empty()) return type;
  std::vector<const Type*> params;
  bool changed = false;
  for (const Type* const param : type->params) {
    params.push_back(Instantiate(param, variables));
    changed |= params.back() != param;
  }
  return changed ? pool_.Make(type->kind, type->name, std::move(params)) : type;
}

}  // namespace allot::cel
