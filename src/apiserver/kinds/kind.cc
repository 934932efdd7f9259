#include "apiserver/kinds/kind.h"

#include <algorithm>
#include <utility>

namespace allot::apiserver {

const Subresource* Kind::FindSubresource(std::string_view name) const {
  const auto found = std::find_if(subresources.begin(), subresources.end(), [name](const Subresource& sub) { return sub.name == name; });
  return found == subresources.end() ? nullptr : &*found;
}

Kinds::Kinds(std::vector<std::shared_ptr<const Kind>> kinds) : kinds_(std::move(kinds)) {}

const Kind* Kinds::Find(std::string_view group, std::string_view version, std::string_view plural) const {
  for (const auto& kind : kinds_) {
    if (kind->type.plural == plural && kind->type.group == group && kind->type.version == version) return kind.get();
  }
  return nullptr;
}

const Kind* Kinds::FindKind(std::string_view group, std::string_view version, std::string_view name) const {
  for (const auto& kind : kinds_) {
    if (kind->type.kind == name && kind->type.group == group && kind->type.version == version) return kind.get();
  }
  return nullptr;
}

}  // namespace allot::apiserver
