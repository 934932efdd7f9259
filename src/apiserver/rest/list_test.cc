#include <gmock/gmock.h>

#include "apiserver/controllers/fake_api.h"
#include "apiserver/rest/handler.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

// An Api in which somebody else is at work, too.
class BusyApi final : public Api {
 public:
  explicit BusyApi(Api& api) : api_(api) {}
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
    if (const auto meanwhile = std::exchange(before_delete, nullptr)) meanwhile();
    return api_.Delete(caller, target, options);
  }
  Result<Answer> Change(const Caller& caller, const Target& target, const ChangeFunction& change) override {
    return api_.Change(caller, target, change);
  }

  std::function<void()> before_delete;  // the first

 private:
  Api& api_;
};

class Everybody final : public Access {
 public:
  std::optional<Identity> Identify(const http::RequestContext&) const override { return Identity{"admin", "", {}}; }
  Status Allow(const Identity&, const Ask&) const override { return Status(); }
};

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

TEST(DeleteCollection, LeavesWhatWasMadeUnderTheSameNameMeanwhile) {
  FakeClock clock;
  FakeApi fake(clock);
  BusyApi api(fake);
  WatchHub hub(api.store());
  const Everybody access;
  RestHandler handler({api, hub, access, clock});
  const std::shared_ptr<const Kind> maps = api.BuiltIn("configmaps");
  const auto make = [&](const char* name) {
    const auto body = json::Parse(StrCat(R"({"metadata":{"name":")", name, "\"}}"));
    ASSERT_OK(fake.Create({}, {maps, "lab"}, body->root(), {}));
  };
  make("a");
  make("b");
  const std::string uid = fake.store().Get({"configmaps", "lab", "a"})->uid;
  api.before_delete = [&] {
    ASSERT_OK(fake.Delete({}, {maps, "lab", "a"}, {}));
    make("a");
  };
  const auto sent = std::make_shared<Sent>();
  handler.Handle({.request = {.method = "DELETE", .target = "/api/v1/namespaces/lab/configmaps", .headers = {}, .body = ""}}, sent);
  EXPECT_EQ(sent->response.status, 200) << sent->response.body;
  ASSERT_NE(fake.store().Get({"configmaps", "lab", "a"}), nullptr);
  EXPECT_NE(fake.store().Get({"configmaps", "lab", "a"})->uid, uid);
  EXPECT_EQ(fake.store().Get({"configmaps", "lab", "b"}), nullptr);
}

}  // namespace
}  // namespace allot::apiserver
