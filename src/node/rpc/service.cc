#include "node/rpc/service.h"

#include <utility>

#include "base/check.h"

namespace allot::node::rpc {

void Services::Add(std::string path, UnaryHandler handler) {
  Put(std::move(path), {.kind = Method::Kind::kUnary, .unary = std::move(handler), .stream = {}});
}

void Services::AddQuick(std::string path, UnaryHandler handler) {
  Put(std::move(path), {.kind = Method::Kind::kQuick, .unary = std::move(handler), .stream = {}});
}

void Services::AddStream(std::string path, StreamHandler handler) {
  Put(std::move(path), {.kind = Method::Kind::kStream, .unary = {}, .stream = std::move(handler)});
}

const Method* Services::Find(std::string_view path) const {
  const auto found = methods_.find(path);
  return found == methods_.end() ? nullptr : &found->second;
}

void Services::Put(std::string path, Method method) {
  CHECK(method.unary != nullptr || method.stream != nullptr);
  CHECK(methods_.emplace(std::move(path), std::move(method)).second);
}

}  // namespace allot::node::rpc
