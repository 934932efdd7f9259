#include "apiserver/selector.h"

#include "apiserver/refusal.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Kind Pods() {
  Kind kind;
  kind.type = {"", "v1", "pods", "Pod", true};
  kind.selectable = {{"spec.nodeName", {"spec", "nodeName"}, ""}, {"spec.hostNetwork", {"spec", "hostNetwork"}, "false"}};
  return kind;
}

Entry PodWith(std::string_view json) {
  Entry entry;
  entry.key = {"pods", "lab", "p"};
  const auto document = json::Parse(json);
  EXPECT_OK(document);
  entry.index = IndexOf(Pods(), document->root());
  return entry;
}

bool Matches(std::string_view labels, std::string_view fields, const Entry& entry) {
  const auto selector = Selector::Parse(Pods(), labels, fields);
  EXPECT_OK(selector);
  return selector->Matches(entry);
}

TEST(Selector, LabelsAreComparedAsKubernetesDoes) {
  const Entry entry = PodWith(R"({"metadata":{"labels":{"app":"x","n":"7","empty":""}}})");
  for (const std::string_view yes : {"app=x", "app==x", "app!=y", "none!=x", "app in (x,y)", "app notin (y)", "none notin (y)", "app",
                                     "!none", "n>6", "n<8", "empty=", "app=x,n=7", " app = x , n = 7 ", "app in (,x)"}) {
    EXPECT_TRUE(Matches(yes, "", entry)) << yes;
  }
  for (const std::string_view no :
       {"app=y", "app!=x", "app in (y)", "app notin (x)", "!app", "none", "n>7", "n<7", "none=", "app>1", "app=x,n=8"}) {
    EXPECT_FALSE(Matches(no, "", entry)) << no;
  }
}

TEST(Selector, WhatMakesNoSenseIsBadRequest) {
  for (const std::string_view bad :
       {"app in x", "app in (x", "=x", "app=not ok", "a/b/c=x", "app=x,,", "app=x,", "n>many", "!", "app ~ x", "app=x y"}) {
    const auto selector = Selector::Parse(Pods(), bad, "");
    EXPECT_EQ(CodeOf(selector.status()), 400) << bad;
  }
  for (const std::string_view bad : {"metadata.name", "spec.nonsense=x", "metadata.name=a\\x"}) {
    EXPECT_EQ(CodeOf(Selector::Parse(Pods(), "", bad).status()), 400) << bad;
  }
}

TEST(Selector, FieldsAreThoseOfTheKind) {
  const Entry entry = PodWith(R"({"spec":{"nodeName":"n1"}})");
  EXPECT_TRUE(Matches("", "metadata.name=p,spec.nodeName=n1,spec.hostNetwork=false", entry));
  EXPECT_TRUE(Matches("", "metadata.namespace=lab,spec.nodeName!=n2", entry));
  EXPECT_FALSE(Matches("", "metadata.name!=p", entry));
  EXPECT_FALSE(Matches("", "spec.nodeName=", entry));
  const auto selector = Selector::Parse(Pods(), "", "metadata.name=p");
  ASSERT_OK(selector);
  EXPECT_EQ(selector->only_name(), "p");
}

TEST(Selector, EscapedCommasBelongToTheValue) {
  Entry entry = PodWith("{}");
  entry.key.name = "a,b=c";
  EXPECT_TRUE(Matches("", "metadata.name=a\\,b\\=c", entry));
}

}  // namespace
}  // namespace allot::apiserver
