#pragma once
// For tests of handlers: a response that is kept, and an Api that forwards to another. Included by *_test.cc only.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/api.h"
#include "http/server.h"

namespace allot::apiserver {

// Keeps the response that was sent. Does not support streams.
class Sent final : public http::ResponseWriter {
 public:
  http::WriteState Send(http::Response sent) override {
    response = std::move(sent);
    return http::WriteState::kAccepted;
  }
  http::WriteState Start(int, http::Headers) override { return http::WriteState::kGone; }
  http::WriteState Write(std::string_view) override { return http::WriteState::kGone; }
  http::WriteState Write(std::span<const std::shared_ptr<const std::string>>) override { return http::WriteState::kGone; }
  void End() override {}
  size_t queued_bytes() const override { return 0; }
  void OnGone(std::function<void()>) override {}
  void OnDrain(std::function<void()>) override {}

  http::Response response;
};

// Tests override a call to let another writer act first.
class ForwardingApi : public Api {
 public:
  explicit ForwardingApi(Api& api) : api_(api) {}

  std::shared_ptr<const Kinds> kinds() const override { return api_.kinds(); }
  void SetCustomKinds(std::vector<std::shared_ptr<const Kind>> kinds) override { api_.SetCustomKinds(std::move(kinds)); }
  std::shared_ptr<const Kind> BuiltIn(std::string_view resource) const override { return api_.BuiltIn(resource); }
  Store& store() override { return api_.store(); }
  Result<Answer> Get(const Target& target) override { return api_.Get(target); }
  Result<Answer> Create(const Caller& caller, const Target& target, const json::Value& body, const WriteOptions& options) override {
    return api_.Create(caller, target, body, options);
  }
  Result<Answer> Update(const Caller& caller, const Target& target, const json::Value& body, const WriteOptions& options) override {
    return api_.Update(caller, target, body, options);
  }
  Result<Answer> Patch(const Caller& caller, const Target& target, PatchType type, const json::Value& patch,
                       const WriteOptions& options) override {
    return api_.Patch(caller, target, type, patch, options);
  }
  Result<Answer> Delete(const Caller& caller, const Target& target, const DeleteOptions& options) override {
    return api_.Delete(caller, target, options);
  }
  Result<Answer> Change(const Caller& caller, const Target& target, const ChangeFunction& change) override {
    return api_.Change(caller, target, change);
  }

 private:
  Api& api_;
};

}  // namespace allot::apiserver
