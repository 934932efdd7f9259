#include "node/publish/publisher.h"

#include <map>

#include "base/test_util.h"
#include "http/test_client.h"
#include "json/json.h"
#include "node/nvidia/offer.h"

namespace allot::node {
namespace {

using http::test::Eventually;
using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// The part of the API that slices need: one Node, slices with list and watch, feature gates that drop fields.
class FakeApi {
 public:
  FakeApi() {
    server_ = http::test::StartServer([this](const http::RequestContext& context, std::shared_ptr<http::ResponseWriter> writer) {
      const std::lock_guard lock(mutex_);
      Handle(context.request, std::move(writer));
    });
  }

  std::unique_ptr<kube::Client> NewClient() const {
    kube::Config config;
    config.server = StrCat("http://127.0.0.1:", server_->port());
    return *kube::Client::Make(std::move(config));
  }

  // Sets the fields that the server drops of slices that it stores, and of slices in a dry run.
  void Drop(std::set<std::string> stored, std::set<std::string> tried) {
    const std::lock_guard lock(mutex_);
    drops_ = std::move(stored);
    dry_drops_ = std::move(tried);
  }
  void FailWrites(int count) { Set(failures_, count); }
  void DeleteNextAtOnce() { Set(delete_at_once_, true); }
  void ReplaceNode(std::string uid) { Set(node_uid_, std::move(uid)); }

  void DeleteAll() {
    const std::lock_guard lock(mutex_);
    while (!slices_.empty()) {
      const std::string name = slices_.begin()->first;
      Remove(name);
    }
  }
  // Another client overwrites our slice with one without devices.
  void Spoil() {
    const std::lock_guard lock(mutex_);
    const auto [name, text] = *slices_.begin();
    Store(name, *json::Parse(text), {"devices"}, "MODIFIED");
  }

  int writes() const { return Get(writes_); }
  int questions() const { return Get(questions_); }
  size_t most_devices() const { return Get(most_devices_); }
  std::vector<std::string> Devices() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, text] : slices_) {
      const json::Document slice = *json::Parse(text);
      const json::Value& devices = slice.root()["spec"]["devices"];
      if (!devices.IsArray()) continue;
      for (const json::Value& device : devices.Items()) names.emplace_back(device["name"].AsString());
    }
    return names;
  }
  std::string Owner() const {
    const std::lock_guard lock(mutex_);
    if (slices_.empty()) return "";
    const json::Document slice = *json::Parse(slices_.begin()->second);
    return std::string(slice.root()["metadata"]["ownerReferences"].Items()[0]["uid"].AsString());
  }
  size_t size() const {
    const std::lock_guard lock(mutex_);
    return slices_.size();
  }

 private:
  using Writer = std::shared_ptr<http::ResponseWriter>;

  template <typename T, typename V>
  void Set(T& member, V value) {
    const std::lock_guard lock(mutex_);
    member = std::move(value);
  }
  template <typename T>
  T Get(const T& member) const {
    const std::lock_guard lock(mutex_);
    return member;
  }

  static void Answer(const Writer& writer, int status, std::string body) { writer->Send({status, {}, std::move(body)}); }

  void Handle(const http::Request& request, Writer writer) {
    const std::string_view target = request.target;
    const std::string name(target.substr(std::min(target.size(), target.find("/resourceslices/") + 16)));
    const auto asks = [&](std::string_view what) { return target.find(what) != std::string_view::npos; };
    if (asks("/nodes/")) return Answer(writer, 200, StrCat(R"({"metadata":{"name":"n1","uid":")", node_uid_, R"("}})"));
    if (request.method == "GET") return asks("watch=1") ? Watch(std::move(writer), target) : List(writer);
    if (asks("dryRun=All")) {
      ++questions_;
      return Answer(writer, 201, Stored("question", *json::Parse(request.body), dry_drops_));
    }
    if (failures_ > 0) {
      --failures_;
      return Answer(writer, 500, R"({"kind":"Status","code":500,"message":"out of order"})");
    }
    if (request.method == "POST") return Create(writer, *json::Parse(request.body));
    const std::string key = name.substr(0, name.find('?'));
    if (!slices_.contains(key)) return Answer(writer, 404, R"({"kind":"Status","code":404,"reason":"NotFound","message":"gone"})");
    if (request.method == "DELETE") {
      Remove(key);
      return Answer(writer, 200, "{}");
    }
    ++writes_;
    Answer(writer, 200, Store(key, *json::Parse(request.body), drops_, "MODIFIED"));
  }

  void List(const Writer& writer) {
    std::string body = StrCat(R"({"metadata":{"resourceVersion":")", version_, R"("},"items":[)");
    for (const auto& [name, text] : slices_) body += StrCat(body.back() == '[' ? "" : ",", text);
    Answer(writer, 200, body + "]}");
  }

  void Watch(Writer writer, std::string_view target) {
    const std::string_view since = target.substr(target.find("resourceVersion=") + 16);
    writer->Start(200, {});
    for (const auto& [version, event] : events_) {
      if (version > std::stoi(std::string(since))) writer->Write(event);
    }
    watches_.push_back(std::move(writer));
  }

  void Create(const Writer& writer, const json::Document& slice) {
    ++writes_;
    const std::string name = StrCat(slice.root()["metadata"]["generateName"].AsString(), ++version_);
    Answer(writer, 201, Store(name, slice, drops_, "ADDED"));
    if (std::exchange(delete_at_once_, false)) Remove(name);
  }

  std::string Store(const std::string& name, const json::Document& slice, const std::set<std::string>& drops, std::string_view event) {
    ++version_;
    slices_[name] = Stored(name, slice, drops);
    if (const json::Document stored = *json::Parse(slices_[name]); stored.root()["spec"]["devices"].IsArray()) {
      most_devices_ = std::max(most_devices_, stored.root()["spec"]["devices"].Items().size());
    }
    Tell(event, slices_[name]);
    return slices_[name];
  }

  void Remove(const std::string& name) {
    ++version_;
    const json::Document slice = *json::Parse(slices_[name]);
    slices_.erase(name);
    Tell("DELETED", Stored(name, slice, {}));
  }

  void Tell(std::string_view type, std::string_view object) {
    events_.emplace_back(version_, StrCat(R"({"type":")", type, R"(","object":)", object, "}\n"));
    for (const Writer& watch : watches_) watch->Write(events_.back().second);
  }

  // Returns the slice as the server stores it.
  std::string Stored(const std::string& name, const json::Document& slice, const std::set<std::string>& drops) const {
    json::Arena arena;
    json::Builder b(arena);
    b.StartObject();
    b.Key("metadata"), b.StartObject();
    b.Key("name"), b.String(name), b.Key("uid"), b.String(StrCat("uid-", name)), b.Key("resourceVersion"), b.String(StrCat(version_));
    b.Key("ownerReferences"), b.Add(slice.root()["metadata"]["ownerReferences"]);
    b.EndObject();
    b.Key("spec"), Copy(slice.root()["spec"], drops, b);
    b.EndObject();
    return json::Write(b.Finish());
  }

  static void Copy(const json::Value& value, const std::set<std::string>& drops, json::Builder& b) {
    if (value.IsObject()) {
      b.StartObject();
      for (const json::Member& member : value.Members()) {
        if (!drops.contains(std::string(member.key))) b.Key(member.key), Copy(member.value, drops, b);
      }
      b.EndObject();
    } else if (value.IsArray()) {
      b.StartArray();
      for (const json::Value& item : value.Items()) Copy(item, drops, b);
      b.EndArray();
    } else {
      b.Add(value);
    }
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::string> slices_;        // JSON by name
  std::vector<std::pair<int, std::string>> events_;  // by version
  std::vector<Writer> watches_;
  std::set<std::string> drops_, dry_drops_;
  std::string node_uid_ = "node-1";
  int version_ = 10, writes_ = 0, questions_ = 0, failures_ = 0;
  size_t most_devices_ = 0;  // the most that a slice ever had
  bool delete_at_once_ = false;
  std::unique_ptr<http::Server> server_;
};

const std::set<std::string> kSharing = {"allowMultipleAllocations", "requestPolicy"};

// A node and its publisher.
class Node {
 public:
  explicit Node(FakeApi& api) : client_(api.NewClient()) {
    PublisherOptions options{.driver = "gpu.nvidia.com", .node_name = "n1", .offer_whole = "offer whole devices"};
    options.first_pause = milliseconds(1);
    options.longest_pause = milliseconds(5);
    options.settle = milliseconds(5);
    options.ask_again = milliseconds(20);
    options.look_around = milliseconds(20);
    options.repairs_per_second = 0.0001;
    options.repair_burst = 3;
    publisher_ = std::make_unique<Publisher>(*client_, options, random_, clock_, [this](const Publication& publication) {
      const std::lock_guard lock(mutex_);
      heard_.push_back(publication);
    });
    publisher_->Start();
  }

  void Publish(int gpus, nvidia::Mode mode = nvidia::Mode::kShared, const nvidia::DeviceTaints& taints = {}) {
    nvidia::NodeConfig config;
    config.everywhere.fallback = nvidia::Policy{mode};
    std::vector<device::nvidia::Gpu> found(gpus);
    for (int i = 0; i < gpus; ++i) {
      found[i].minor = i;
      found[i].uuid = StrCat("GPU-", i);
      found[i].memory_mib = 24576;
    }
    publisher_->Publish(nvidia::MakeOffer({found, "n1", config, {}, {}, taints}).slices);
  }

  // Waits until `condition` is true of the publication.
  bool Await(const std::function<bool(const Publication&)>& condition) {
    return Eventually([&] { return condition(publisher_->status()); });
  }
  bool AwaitDevices(size_t count) {
    return Await([&](const Publication& now) { return now.status.ok() && now.generation > 0 && now.devices == count; });
  }
  bool AwaitMessage(std::string_view part) {
    return Await([&](const Publication& now) { return now.status.message().find(part) != std::string::npos; });
  }

  Publisher& publisher() { return *publisher_; }
  std::vector<Publication> heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  const SystemClock clock_;
  SystemRandom random_;
  std::mutex mutex_;
  std::vector<Publication> heard_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<Publisher> publisher_;
};

TEST(Publisher, PublishesTheLatestAndTells) {
  FakeApi api;
  Node node(api);
  node.Publish(1);
  node.Publish(2);
  ASSERT_TRUE(node.AwaitDevices(2));
  EXPECT_THAT(api.Devices(), ElementsAre("gpu-0", "gpu-1"));
  EXPECT_EQ(api.Owner(), "node-1");
  EXPECT_EQ(api.questions(), 1) << "the server is asked once";
  EXPECT_EQ(node.heard().back(), node.publisher().status());
  EXPECT_EQ(node.heard().back().slices, 1u);
}

TEST(Publisher, ARestartWritesNothingAndKnowsWhatWasOffered) {
  FakeApi api;
  {
    Node node(api);
    node.Publish(2);
    ASSERT_TRUE(node.AwaitDevices(2));
  }
  const int writes = api.writes();
  Node node(api);
  const auto slices = node.publisher().Slices({});
  ASSERT_OK(slices);
  nvidia::Policies offered;
  for (const kube::ObjectPtr& slice : *slices) nvidia::ReadPolicies(slice->json()["spec"]["devices"], offered);
  EXPECT_THAT(offered, ElementsAre(Pair("GPU-0", nvidia::Policy()), Pair("GPU-1", nvidia::Policy())));
  node.Publish(2);
  ASSERT_TRUE(node.AwaitDevices(2));
  EXPECT_EQ(api.writes(), writes);
}

TEST(Publisher, BringsDeletedSlicesBackAndMendsChangedOnes) {
  FakeApi api;
  Node node(api);
  node.Publish(2);
  ASSERT_TRUE(node.AwaitDevices(2));
  api.DeleteAll();
  EXPECT_TRUE(Eventually([&] { return api.Devices().size() == 2; }));
  api.Spoil();
  EXPECT_TRUE(Eventually([&] { return api.Devices().size() == 2; }));
}

TEST(Publisher, BringsBackASliceThatWasDeletedBeforeAnybodyHeardOfIt) {
  FakeApi api;
  Node node(api);
  api.DeleteNextAtOnce();
  node.Publish(1);
  EXPECT_TRUE(Eventually([&] { return api.writes() == 2 && api.size() == 1; }));
}

TEST(Publisher, ANewNodeOfTheSameNameOwnsTheNewSlices) {
  FakeApi api;
  Node node(api);
  node.Publish(1);
  ASSERT_TRUE(node.AwaitDevices(1));
  api.ReplaceNode("node-2");
  api.DeleteAll();  // as garbage collection does
  EXPECT_TRUE(Eventually([&] { return api.Owner() == "node-2"; }));
}

TEST(Publisher, WhoFightsOverTheSlicesIsAnsweredMoreAndMoreSlowly) {
  FakeApi api;
  Node node(api);
  node.Publish(1);
  ASSERT_TRUE(node.AwaitDevices(1));
  for (int i = 0; i < 3; ++i) {
    api.DeleteAll();
    ASSERT_TRUE(Eventually([&] { return api.size() == 1; }));
  }
  api.DeleteAll();
  EXPECT_TRUE(node.AwaitMessage("changed or deleted by another client again and again; does another driver gpu.nvidia.com run on it?"));
  EXPECT_EQ(api.writes(), 4);
}

TEST(Publisher, ASharedGpuIsNotOfferedWhereItWouldBecomeExclusive) {
  FakeApi api;
  api.Drop(kSharing, kSharing);
  Node node(api);
  node.Publish(2);
  ASSERT_TRUE(node.AwaitMessage("DRAConsumableCapacity"));
  EXPECT_THAT(node.publisher().status().status,
              IsStatus(Code::kUnsupported, AllOf(HasSubstr("2 devices are not offered"), HasSubstr("kube-apiserver and kube-scheduler"),
                                                 EndsWith(", or offer whole devices [NoSharing]"))));
  EXPECT_EQ(api.size(), 1u) << "an empty slice: the driver is there";
  EXPECT_EQ(api.most_devices(), 0u) << "no device was visible at any time";
  api.Drop({}, {});
  EXPECT_TRUE(node.AwaitDevices(2)) << "the server is asked again";
}

TEST(Publisher, ExclusiveGpusNeedNoGate) {
  FakeApi api;
  api.Drop(kSharing, kSharing);
  Node node(api);
  node.Publish(2, nvidia::Mode::kExclusive);
  EXPECT_TRUE(node.AwaitDevices(2));
}

TEST(Publisher, WhatAServerDropsInSpiteOfItsAnswerIsTakenBackAtOnce) {
  FakeApi api;
  api.Drop(kSharing, {});
  Node node(api);
  node.Publish(2);
  ASSERT_TRUE(node.AwaitMessage("DRAConsumableCapacity"));
  EXPECT_THAT(api.Devices(), IsEmpty());
}

TEST(Publisher, WithoutTaintsATaintedDeviceIsLeftOut) {
  FakeApi api;
  api.Drop({"taints"}, {"taints"});
  Node node(api);
  node.Publish(2, nvidia::Mode::kShared, {{"GPU-0", {{"gpu.nvidia.com/xid", "79", "NoSchedule"}}}});
  ASSERT_TRUE(node.AwaitMessage("DRADeviceTaints"));
  EXPECT_THAT(api.Devices(), ElementsAre("gpu-1"));
}

TEST(Publisher, AWebhookThatChangesDevicesIsNamedAndNotFought) {
  FakeApi api;
  api.Drop({"attributes"}, {});
  Node node(api);
  node.Publish(1);
  ASSERT_TRUE(node.AwaitMessage("does a webhook change them?"));
  node.Publish(2);
  ASSERT_TRUE(node.Await([](const Publication& now) { return now.devices == 2; }));
  EXPECT_EQ(api.writes(), 2);
}

TEST(Publisher, TriesAgainWhatFailed) {
  FakeApi api;
  api.FailWrites(4);
  Node node(api);
  node.Publish(1);
  ASSERT_TRUE(node.AwaitDevices(1));
  EXPECT_THAT(node.heard().front().status, IsStatus(Code::kUnavailable, HasSubstr("out of order")));
}

TEST(Publisher, LeavesTheSlices) {
  FakeApi api;
  Node node(api);
  node.Publish(1);
  ASSERT_TRUE(node.AwaitDevices(1));
  node.publisher().Stop();
  EXPECT_EQ(api.size(), 1u);
}

}  // namespace
}  // namespace allot::node
