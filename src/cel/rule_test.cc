#include "cel/rule.h"

#include "base/test_util.h"
#include "json/json.h"

namespace allot::cel {
namespace {

using ::testing::HasSubstr;

// {size: int, name: string, when: date-time, tags: set of strings, ports: map by (port, protocol), limits: map of ints, "a.b": bool,
//  amount: int or string, note: nullable string}
class RuleTest : public ::testing::Test {
 protected:
  RuleTest() {
    const Type* const integer = types_.Scalar(Type::Kind::kInt, {});
    const Type* const text = types_.Scalar(Type::Kind::kString, {.max_size = 20});
    const Type* const port = types_.Object({.fields = {{"port", "port", integer}, {"protocol", "protocol", text}, {"name", "name", text}}});
    self_ = types_.Object({.fields = {
                               {"size", "size", integer},
                               {"name", "name", text},
                               {"when", "when", types_.Scalar(Type::Kind::kTimestamp, {.max_size = 32})},
                               {"wait", "wait", types_.Scalar(Type::Kind::kDuration, {.max_size = 32})},
                               {"data", "data", types_.Scalar(Type::Kind::kBytes, {.max_size = 32})},
                               {"tags", "tags", types_.List(text, {.max_size = 5, .rule = ListRule::kSet})},
                               {"ports", "ports", types_.List(port, {.max_size = 5, .rule = ListRule::kMap, .keys = {"port", "protocol"}})},
                               {"limits", "limits", types_.Map(integer, {.max_size = 10})},
                               {"a__dot__b", "a.b", types_.Scalar(Type::Kind::kBool, {})},
                               {"amount", "amount", types_.Scalar(Type::Kind::kDyn, {.max_size = 100})},
                               {"note", "note", types_.Scalar(Type::Kind::kString, {.max_size = 100, .nullable = true})},
                           }});
  }

  Result<bool> Holds(std::string_view expression, std::string_view self, std::string_view old_self = "", bool optional = false) {
    const auto rule = Rule::Compile(expression, *self_, {.optional_old_self = optional});
    if (!rule.ok()) return rule.status();
    const auto now = json::Parse(self);
    const auto before = json::Parse(old_self.empty() ? "{}" : old_self);
    CHECK(now.ok() && before.ok());
    return (*rule)->Holds(now->root(), old_self.empty() ? nullptr : &before->root(), &cost_);
  }

  ObjectTypes types_;
  const Type* self_ = nullptr;
  uint64_t cost_ = 0;
};

TEST_F(RuleTest, LooksAtFields) {
  EXPECT_THAT(Holds("!has(self.name) || self.size > 2", R"({"size": 1})"), IsOkAndHolds(true));
  EXPECT_THAT(Holds("!has(self.name) || self.size > 2", R"({"size": 1, "name": "x"})"), IsOkAndHolds(false));
  EXPECT_THAT(Holds("self.a__dot__b", R"({"a.b": true})"), IsOkAndHolds(true));
  EXPECT_THAT(Holds("self.limits.all(k, self.limits[k] < 5)", R"({"limits": {"a": 1, "b": 4}})"), IsOkAndHolds(true));
  EXPECT_THAT(Holds("'c' in self.limits", R"({"limits": {"a": 1, "b": 4}})"), IsOkAndHolds(false));
  EXPECT_THAT(Holds("self.?name.orValue('none') == 'none'", "{}"), IsOkAndHolds(true));
}

TEST_F(RuleTest, NullFieldsAreAbsent) { EXPECT_THAT(Holds("has(self.note)", R"({"note": null})"), IsOkAndHolds(false)); }

TEST_F(RuleTest, FormatsAreValues) {
  EXPECT_THAT(Holds("self.when.getFullYear() == 2024", R"({"when": "2024-05-01T12:00:00.5Z"})"), IsOkAndHolds(true));
  EXPECT_THAT(Holds("self.when < timestamp('2024-05-02T00:00:00Z')", R"({"when": "2024-05-01"})"), IsOkAndHolds(true));
  EXPECT_THAT(Holds("self.wait > duration('1h')", R"({"wait": "2 hours"})"), IsOkAndHolds(true));
  EXPECT_THAT(Holds("self.data == b'hi'", R"({"data": "aGk="})"), IsOkAndHolds(true));
  EXPECT_THAT(Holds("self.data == b'hi'", R"({"data": "aG"})"), IsStatus(Code::kInvalid, HasSubstr("expected bytes")));
}

TEST_F(RuleTest, IntOrStringIsDynamic) {
  EXPECT_THAT(Holds("type(self.amount) == int ? self.amount < 5 : self.amount.endsWith('%')", R"({"amount": 4})"), IsOkAndHolds(true));
  EXPECT_THAT(Holds("type(self.amount) == int ? self.amount < 5 : self.amount.endsWith('%')", R"({"amount": "9%"})"), IsOkAndHolds(true));
  EXPECT_THAT(Holds("self.amount < 5", R"({"amount": "9%"})"), IsStatus(Code::kInvalid, HasSubstr("no such overload")));
}

TEST_F(RuleTest, SetsAndMapsIgnoreTheOrder) {
  EXPECT_THAT(Holds("self.tags == oldSelf.tags", R"({"tags": ["a", "b"]})", R"({"tags": ["b", "a"]})"), IsOkAndHolds(true));
  EXPECT_THAT(Holds("self.tags == oldSelf.tags", R"({"tags": ["a", "b"]})", R"({"tags": ["b", "c"]})"), IsOkAndHolds(false));
  EXPECT_THAT(Holds("(self.tags + oldSelf.tags).size() == 3", R"({"tags": ["a", "b"]})", R"({"tags": ["b", "c"]})"), IsOkAndHolds(true));
  const char* const ports = R"({"ports": [{"port": 1, "protocol": "TCP", "name": "x"}, {"port": 1, "protocol": "UDP"}]})";
  const char* const turned = R"({"ports": [{"port": 1, "protocol": "UDP"}, {"port": 1, "protocol": "TCP", "name": "x"}]})";
  const char* const other = R"({"ports": [{"port": 1, "protocol": "UDP"}, {"port": 1, "protocol": "TCP", "name": "y"}]})";
  EXPECT_THAT(Holds("self.ports == oldSelf.ports", ports, turned), IsOkAndHolds(true));
  EXPECT_THAT(Holds("self.ports == oldSelf.ports", ports, other), IsOkAndHolds(false));
  EXPECT_THAT(Holds("(self.ports + oldSelf.ports)[0].name == 'y'", ports, other), IsOkAndHolds(true));
}

TEST_F(RuleTest, WholeObjectsAreComparedWithWhatIsNotDeclared) {
  EXPECT_THAT(Holds("self == oldSelf", R"({"size": 1, "free": {"x": [1]}})", R"({"free": {"x": [1]}, "size": 1})"), IsOkAndHolds(true));
  EXPECT_THAT(Holds("self == oldSelf", R"({"size": 1, "free": {"x": [1]}})", R"({"free": {"x": [2]}, "size": 1})"), IsOkAndHolds(false));
}

TEST_F(RuleTest, OldSelfCanBeOptional) {
  EXPECT_THAT(Holds("oldSelf.hasValue() || self.size == 1", R"({"size": 1})", "", true), IsOkAndHolds(true));
  EXPECT_THAT(Holds("oldSelf.orValue(self).size <= self.size", R"({"size": 1})", R"({"size": 2})", true), IsOkAndHolds(false));
  ASSERT_OK_AND_ASSIGN(const auto rule, Rule::Compile("self.size >= oldSelf.size", *self_));
  EXPECT_TRUE(rule->uses_old_self());
  ASSERT_OK_AND_ASSIGN(const auto shadowed, Rule::Compile("self.tags.all(oldSelf, oldSelf != '')", *self_));
  EXPECT_FALSE(shadowed->uses_old_self());
}

TEST_F(RuleTest, RefusesWhatTheTypesDoNotHave) {
  EXPECT_THAT(Holds("self.none", "{}"), IsStatus(Code::kInvalid, HasSubstr("has no field \"none\"")));
  EXPECT_THAT(Holds("self.size == 'a'", "{}"), IsStatus(Code::kInvalid));
  EXPECT_THAT(Holds("self.size", "{}"), IsStatus(Code::kInvalid, HasSubstr("must be a bool")));
  EXPECT_THAT(Holds("device.driver == 'a'", "{}"), IsStatus(Code::kInvalid, HasSubstr("undeclared name \"device\"")));
  EXPECT_THAT(Holds("self.all(x, true)", "{}"), IsStatus(Code::kInvalid));
  EXPECT_THAT(Holds("self.size >", "{}"), IsStatus(Code::kInvalid));
}

TEST_F(RuleTest, MessagesAreTexts) {
  ASSERT_OK_AND_ASSIGN(const auto message, Rule::Compile("'size is ' + string(self.size)", *self_, {.text = true}));
  ASSERT_OK_AND_ASSIGN(const auto self, json::Parse(R"({"size": 3})"));
  uint64_t cost = 0;
  EXPECT_THAT(message->Text(self.root(), nullptr, &cost), IsOkAndHolds("size is 3"));
  EXPECT_THAT(Rule::Compile("self.size", *self_, {.text = true}), IsStatus(Code::kInvalid, HasSubstr("must be a string")));
}

TEST_F(RuleTest, CostsAreBounded) {
  const auto max = [&](std::string_view expression) {
    const auto rule = Rule::Compile(expression, *self_);
    EXPECT_OK(rule);
    return rule.ok() ? (*rule)->max_cost() : 0;
  };
  EXPECT_EQ(max("self.size > 2"), 3u);
  EXPECT_EQ(max("self.tags.all(t, t == 'a')"), 28u);
  ASSERT_OK_AND_ASSIGN(const auto rule, Rule::Compile("self.limits.all(k, self.limits[k] < 5)", *self_, {.cost_limit = 5}));
  ASSERT_OK_AND_ASSIGN(const auto self, json::Parse(R"({"limits": {"a": 1, "b": 4}})"));
  EXPECT_THAT(rule->Holds(self.root(), nullptr, &cost_), IsStatus(Code::kExhausted));
}

}  // namespace
}  // namespace allot::cel
