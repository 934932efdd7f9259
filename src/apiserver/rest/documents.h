#pragma once
// Caches the discovery and OpenAPI documents. They are made on request and kept until the kinds change.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "apiserver/kinds/kind.h"

namespace allot::apiserver {

// Thread-safe.
class Documents {
 public:
  struct Document {
    std::string text, etag;
  };
  using DocumentPtr = std::shared_ptr<const Document>;

  // Returns the document `name` of these kinds; `make` writes it if it is not cached. Returns null if `make` returned nothing. Does not
  // hold a lock during `make`: two concurrent calls may both run it.
  DocumentPtr Get(const std::shared_ptr<const Kinds>& kinds, const std::string& name,
                  const std::function<std::optional<std::string>(const Kinds&)>& make);

 private:
  std::mutex mutex_;
  std::shared_ptr<const Kinds> kinds_;
  std::map<std::string, DocumentPtr> made_;  // documents of kinds_
};

}  // namespace allot::apiserver
