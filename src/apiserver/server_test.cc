#include "apiserver/server.h"

#include <filesystem>
#include <thread>

#include "base/test_util.h"

namespace allot::apiserver {
namespace {

class Nobody final : public Access {
 public:
  std::optional<Identity> Identify(const http::RequestContext&) const override { return std::nullopt; }
  Status Allow(const Identity&, const Ask&) const override { return Invalid("no"); }
};

TEST(Server, ItsLogHearsOfItsControllers) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / StrCat("allot-server-", ::getpid());
  std::filesystem::create_directories(folder);
  ServerOptions options;
  options.store = (folder / "store.db").string();
  options.address = "";
  {
    ASSERT_OK_AND_ASSIGN(const auto store, Store::Open(options.store, {}));
    Draft broken;
    broken.before = "{\"metadata\":{\"name\":\"\xff\",\"resourceVersion\":\"";
    broken.after = "\"}}";
    ASSERT_OK(store->Put({"pods", "default", "bad"}, 0, broken));
  }
  const SystemClock clock;
  SystemRandom random;
  const Nobody access;
  std::mutex mutex;
  std::condition_variable heard;
  std::string lines;
  Log log(clock, Log::Format::kText, [&](std::string_view line) {
    const std::lock_guard lock(mutex);
    lines += line;
    heard.notify_all();
  });
  options.log = &log;
  {
    ASSERT_OK_AND_ASSIGN(const auto server, Server::Start(options, access, clock, random));
    std::unique_lock lock(mutex);
    EXPECT_TRUE(heard.wait_for(lock, std::chrono::seconds(60), [&] { return lines.find("pods/default/bad") != std::string::npos; }))
        << lines;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace allot::apiserver
