#pragma once
// Discovery and OpenAPI: made from the kinds when somebody asks, kept until the kinds change.

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

  // The document `name` of these kinds; `make` writes it where it is not there yet. Null: `make` returned nothing. Nobody waits for
  // `make`: two who ask at the same time both make it.
  DocumentPtr Get(const std::shared_ptr<const Kinds>& kinds, const std::string& name,
                  const std::function<std::optional<std::string>(const Kinds&)>& make);

 private:
  std::mutex mutex_;
  std::shared_ptr<const Kinds> kinds_;
  std::map<std::string, DocumentPtr> made_;  // of kinds_
};

}  // namespace allot::apiserver
