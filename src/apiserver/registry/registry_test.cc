#include "apiserver/registry/registry.h"

#include <filesystem>

#include "base/fake_clock.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A dialect as one of ours will be: an annotation on a Pod becomes a claim template of its own, named by what it asks for, and the Pod
// refers to it.
class TestDialect final : public Admission {
 public:
  Result<json::Value> Mutate(const AdmissionRequest& request, json::Editor& edit, const json::Value& object) const override {
    const json::Value& share = object["metadata"]["annotations"]["test.example.com/share"];
    if (request.kind.type.FullName() != "pods" || request.operation != Operation::kCreate || !share.IsString()) return object;
    const std::string name = StrCat("share-", share.AsString());
    if (!request.dry_run) TRY(MakeTemplate(request, name));
    const json::Value claim = edit.Object({{"name", edit.Literal("gpu")}, {"resourceClaimTemplateName", edit.String(name)}});
    request.warnings.push_back("the annotation is read as a claim");
    return edit.SetAt(object, {"spec", "resourceClaims"}, edit.Array({claim}));
  }

  Status Validate(const AdmissionRequest& request, const json::Value& object) const override {
    if (request.kind.type.FullName() != "pods" || request.operation == Operation::kDelete) return Status();
    const json::Value& share = object["metadata"]["annotations"]["test.example.com/share"];
    if (json::TextOf(share) == "huge") return Invalid("metadata.annotations[test.example.com/share]: nothing is that large; ask for less");
    return Status();
  }

 private:
  static Status MakeTemplate(const AdmissionRequest& request, const std::string& name) {
    const auto kind = request.api.BuiltIn("resourceclaimtemplates.resource.k8s.io");
    ASSIGN_OR_RETURN(
        const json::Document body,
        json::Parse(StrCat(R"({"metadata":{"name":")", name,
                           R"("},"spec":{"spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"c"}}]}}}})")));
    const Result<Answer> made = request.api.Create(Caller(), {kind, std::string(request.space), "", ""}, body.root(), WriteOptions());
    return made.ok() || HasReason(made.status(), "AlreadyExists") ? Status() : made.status();
  }
};

class RegistryTest : public testing::Test {
 protected:
  RegistryTest() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              StrCat("allot-registry-", ::getpid(), "-", testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    auto store = Store::Open((folder_ / "store.db").string(), StoreOptions());
    EXPECT_OK(store);
    store_ = std::move(*store);
    registry_ = std::make_unique<Registry>(Registry::Parts{*store_, clock_, random_, {std::make_shared<TestDialect>()}});
  }
  ~RegistryTest() override { std::filesystem::remove_all(folder_); }

  Target To(std::string_view resource, std::string_view name = "", std::string_view subresource = "") {
    return {registry_->BuiltIn(resource), "lab", std::string(name), std::string(subresource)};
  }
  Result<Answer> Create(std::string_view resource, std::string_view body, const WriteOptions& options = {}) {
    const auto document = json::Parse(body);
    EXPECT_OK(document);
    return registry_->Create(Caller(), To(resource), document->root(), options);
  }
  Result<Answer> Patch(std::string_view resource, std::string_view name, PatchType type, std::string_view patch,
                       std::string_view manager = "allot") {
    const auto document = json::Parse(patch);
    EXPECT_OK(document);
    Caller caller;
    caller.manager = manager;
    return registry_->Patch(caller, To(resource, name), type, document->root(), WriteOptions());
  }
  json::Value Read(const Answer& answer) {
    documents_.push_back(*json::Parse(answer.text()));
    return documents_.back().root();
  }

  std::filesystem::path folder_;
  FakeClock clock_;
  SystemRandom random_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Registry> registry_;
  std::deque<json::Document> documents_;
};

constexpr std::string_view kPod =
    R"({"metadata":{"name":"p","annotations":{"test.example.com/share":"half"}},"spec":{"containers":[{"name":"c","image":"i"}]}})";

TEST_F(RegistryTest, ADialectTurnsItsAnnotationIntoAClaim) {
  std::vector<std::string> warnings;
  WriteOptions options;
  options.warnings = &warnings;
  ASSERT_OK_AND_ASSIGN(const Answer answer, Create("pods", kPod, options));
  EXPECT_EQ(json::TextOf(Read(answer)["spec"]["resourceClaims"].Items()[0]["resourceClaimTemplateName"]), "share-half");
  EXPECT_OK(registry_->Get(To("resourceclaimtemplates.resource.k8s.io", "share-half")));
  EXPECT_THAT(warnings, ElementsAre("the annotation is read as a claim"));
}

TEST_F(RegistryTest, ADryRunThroughADialectLeavesNothingBehind) {
  WriteOptions options;
  options.dry_run = true;
  ASSERT_OK_AND_ASSIGN(const Answer answer, Create("pods", kPod, options));
  EXPECT_THAT(answer.text(), HasSubstr("share-half"));
  EXPECT_EQ(store_->version(), 0u);
}

TEST_F(RegistryTest, WhatADialectRefusesIsForbiddenWithItsReason) {
  const auto answer = Create(
      "pods",
      R"({"metadata":{"name":"p","annotations":{"test.example.com/share":"huge"}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  EXPECT_EQ(CodeOf(answer.status()), 403);
  EXPECT_THAT(answer.status().message(), HasSubstr("pods \"p\" is forbidden: metadata.annotations[test.example.com/share]"));
  EXPECT_EQ(registry_->Get(To("pods", "p")).ok(), false);
}

TEST_F(RegistryTest, TheTextOfAnObjectBeginsWithItsKindAndHasItsVersion) {
  ASSERT_OK_AND_ASSIGN(const Answer answer, Create("configmaps", R"({"data":{"k":"v"},"metadata":{"name":"a"}})"));
  EXPECT_TRUE(answer.text().starts_with(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"lab","uid":")"))
      << answer.text();
  EXPECT_EQ(json::TextOf(Read(answer)["metadata"]["resourceVersion"]), std::to_string(answer.entry->version));
}

TEST_F(RegistryTest, AVersionThatLooksLikeTheMarkIsNoTrouble) {
  ASSERT_OK_AND_ASSIGN(
      const Answer answer,
      Create("configmaps", R"({"metadata":{"name":"a","labels":{"x":"y"},"annotations":{"a":"@version@"}},"data":{"k":"@version@"}})"));
  EXPECT_EQ(json::TextOf(Read(answer)["data"]["k"]), "@version@");
  EXPECT_EQ(json::TextOf(Read(answer)["metadata"]["annotations"]["a"]), "@version@");
}

TEST_F(RegistryTest, AnEventMayBeNamedLikeTheMark) {
  ASSERT_OK_AND_ASSIGN(const Answer answer, Create("events", R"({"metadata":{"name":"@version@"},"involvedObject":{"namespace":"lab"}})"));
  EXPECT_EQ(json::TextOf(Read(answer)["metadata"]["name"]), "@version@");
  EXPECT_EQ(json::TextOf(Read(answer)["metadata"]["resourceVersion"]), std::to_string(answer.entry->version));
}

TEST_F(RegistryTest, WhatCouldNotBeReadAgainIsNotStored) {
  const auto document = json::Parse(R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
  ASSERT_OK(document);
  Caller caller;
  caller.manager = "\xff";
  EXPECT_EQ(CodeOf(registry_->Create(caller, To("configmaps"), document->root(), WriteOptions()).status()), 400);
  EXPECT_EQ(store_->version(), 0u);
}

TEST_F(RegistryTest, AWriteWithoutAChangeIsNotStored) {
  ASSERT_OK_AND_ASSIGN(const Answer made, Create("configmaps", R"({"metadata":{"name":"a"},"data":{"k":"v"}})"));
  clock_.Advance(std::chrono::minutes(5));
  ASSERT_OK_AND_ASSIGN(const Answer same, Patch("configmaps", "a", PatchType::kMerge, R"({"data":{"k":"v"}})", "another"));
  EXPECT_EQ(same.entry, made.entry);
}

TEST_F(RegistryTest, AChangeIsRetriedAfterAConflict) {
  ASSERT_OK(Create("configmaps", R"({"metadata":{"name":"a"},"data":{"n":"1"}})"));
  int tries = 0;
  const auto answer =
      registry_->Change(Caller(), To("configmaps", "a"), [&](json::Editor& edit, const json::Value& object) -> Result<json::Value> {
        if (++tries == 1) {
          EXPECT_OK(Patch("configmaps", "a", PatchType::kMerge, R"({"data":{"other":"x"}})"));
        }
        return edit.SetAt(object, {"data", "n"}, edit.Literal("2"));
      });
  ASSERT_OK(answer);
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(json::TextOf(Read(*answer)["data"]["n"]), "2");
  EXPECT_EQ(json::TextOf(Read(*answer)["data"]["other"]), "x");
}

TEST_F(RegistryTest, AFullDiskIsAnInternalErrorThatSaysSo) {
  ASSERT_OK(Create("configmaps", R"({"metadata":{"name":"a"}})"));
  ASSERT_OK(store_->LimitPages(8));
  const auto answer = Create("configmaps", StrCat(R"({"metadata":{"name":"b"},"data":{"k":")", std::string(500'000, 'x'), R"("}})"));
  EXPECT_EQ(CodeOf(answer.status()), 500);
  EXPECT_THAT(answer.status().message(), AllOf(HasSubstr("full; free space on the disk of "), HasSubstr("store.db")));
}

TEST_F(RegistryTest, TheLastFinalizerThatGoesEndsADeletion) {
  ASSERT_OK(Create("configmaps", R"({"metadata":{"name":"a","finalizers":["x.example.com/f"]}})"));
  ASSERT_OK_AND_ASSIGN(const Answer deleted, registry_->Delete(Caller(), To("configmaps", "a"), DeleteOptions()));
  EXPECT_FALSE(deleted.removed);
  ASSERT_OK_AND_ASSIGN(const Answer last, Patch("configmaps", "a", PatchType::kMerge, R"({"metadata":{"finalizers":null}})"));
  EXPECT_TRUE(last.removed);
  EXPECT_THAT(store_->List("configmaps", "").entries, IsEmpty());
}

}  // namespace
}  // namespace allot::apiserver
