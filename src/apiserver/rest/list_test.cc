#include <gmock/gmock.h>

#include "apiserver/controllers/fake_api.h"
#include "apiserver/rest/handler.h"
#include "apiserver/rest/test_handler.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

// An Api with another concurrent writer.
class BusyApi final : public ForwardingApi {
 public:
  using ForwardingApi::ForwardingApi;

  Result<Answer> Delete(const Caller& caller, const Target& target, const DeleteOptions& options) override {
    if (const auto meanwhile = std::exchange(before_delete, nullptr)) meanwhile();
    return ForwardingApi::Delete(caller, target, options);
  }

  std::function<void()> before_delete;  // the first
};

class Everybody final : public Access {
 public:
  std::optional<Identity> Identify(const http::RequestContext&) const override { return Identity{"admin", "", {}}; }
  Status Allow(const Identity&, const Ask&) const override { return Status(); }
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
