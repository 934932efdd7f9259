#include "apiserver/rest/documents.h"

#include <functional>

#include "base/strings.h"

namespace allot::apiserver {

Documents::DocumentPtr Documents::Get(const std::shared_ptr<const Kinds>& kinds, const std::string& name,
                                      const std::function<std::optional<std::string>(const Kinds&)>& make) {
  {
    const std::lock_guard lock(mutex_);
    if (kinds_ != kinds) {
      made_.clear();
      kinds_ = kinds;
    }
    if (const auto found = made_.find(name); found != made_.end()) return found->second;
  }
  std::optional<std::string> text = make(*kinds);
  if (!text) return nullptr;
  auto document = std::make_shared<Document>();
  document->etag = StrCat("\"", std::hash<std::string>()(*text), "\"");
  document->text = std::move(*text);
  const std::lock_guard lock(mutex_);
  // Do not cache the document of kinds that are no longer served.
  return kinds_ == kinds ? made_.try_emplace(name, std::move(document)).first->second : document;
}

}  // namespace allot::apiserver
