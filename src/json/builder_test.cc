#include "json/builder.h"

#include "base/test_util.h"
#include "json/json.h"

namespace allot::json {
namespace {

using testing::HasSubstr;

TEST(Builder, BuildsWhatItIsTold) {
  Arena arena;
  Builder b(arena);
  b.StartObject();
  b.Key("memory");
  b.String("6Gi");
  b.Key("list");
  b.StartArray();
  b.Int(-5);
  b.Bool(true);
  b.Null();
  b.Number("1.50");
  b.StartObject();
  b.EndObject();
  b.StartArray();
  b.EndArray();
  b.EndArray();
  b.EndObject();
  ASSERT_OK(b.status());
  EXPECT_EQ(Write(b.Finish()), R"({"memory":"6Gi","list":[-5,true,null,1.50,{},[]]})");
}

TEST(Builder, AddsFinishedValuesAndStartsAgain) {
  Arena arena;
  Builder b(arena);
  b.String("shared");
  const Value shared = b.Finish();
  b.StartArray();
  b.Add(shared);
  b.Add(shared);
  b.EndArray();
  EXPECT_EQ(Write(b.Finish()), R"(["shared","shared"])");
}

TEST(Builder, CopiesTexts) {
  Arena arena;
  Builder b(arena);
  std::string text = "before";
  b.String(text);
  text = "after!";
  EXPECT_EQ(b.Finish().AsString(), "before");
}

TEST(Builder, RefusesADuplicateKeyInSmallAndLargeObjects) {
  for (const int size : {1, 15, 16, 17, 18, 1000}) {
    Arena arena;
    Builder b(arena);
    b.StartObject();
    for (int i = 0; i < size; ++i) {
      b.Key(StrCat("k", i));
      b.Int(i);
    }
    ASSERT_OK(b.status());
    b.Key(StrCat("k", size - 1));
    EXPECT_THAT(b.status(), IsStatus(Code::kInvalid, HasSubstr(StrCat("duplicate key \"k", size - 1, "\""))));
  }
}

TEST(Builder, SameKeyMayStandInNestedObjects) {
  Arena arena;
  Builder b(arena);
  b.StartObject();
  b.Key("a");
  b.StartObject();
  b.Key("a");
  b.Null();
  b.EndObject();
  b.EndObject();
  ASSERT_OK(b.status());
  EXPECT_EQ(Write(b.Finish()), R"({"a":{"a":null}})");
}

TEST(Builder, StopsAtTheLimits) {
  Arena arena;
  Builder deep(arena, {.depth = 2});
  for (int i = 0; i < 3; ++i) deep.StartArray();
  EXPECT_THAT(deep.status(), IsStatus(Code::kExhausted, HasSubstr("more than 2 deep")));
  Builder many(arena, {.nodes = 3});
  many.StartArray();
  for (int i = 0; i < 3; ++i) many.Null();
  EXPECT_THAT(many.status(), IsStatus(Code::kExhausted, HasSubstr("more than 3")));
}

TEST(Builder, DoesNothingAfterAnError) {
  Arena arena;
  Builder b(arena, {.depth = 0});
  b.StartObject();
  b.Key("a");
  b.EndObject();
  b.EndArray();
  EXPECT_THAT(b.status(), IsStatus(Code::kExhausted));
}

}  // namespace
}  // namespace allot::json
