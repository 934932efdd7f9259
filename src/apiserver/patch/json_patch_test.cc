#include "apiserver/patch/json_patch.h"

#include "apiserver/refusal.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using testing::HasSubstr;

std::string Patched(std::string_view object, std::string_view patch) {
  const auto a = json::Parse(object), b = json::Parse(patch);
  json::Arena arena;
  json::Editor edit(arena);
  const auto patched = ApplyJsonPatch(edit, a->root(), b->root());
  return patched.ok() ? json::Write(*patched) : StrCat(CodeOf(patched.status()), ": ", patched.status().message());
}

TEST(JsonPatch, DoesItsOperationsOneAfterTheOther) {
  struct {
    std::string_view object, patch, result;
  } const cases[] = {
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":[1]},{"op":"replace","path":"/a","value":2},{"op":"remove","path":"/b/0"}])",
       R"({"a":2,"b":[]})"},
      {R"({"a":{"x":1}})", R"([{"op":"move","from":"/a/x","path":"/b"},{"op":"copy","from":"/b","path":"/a/y"}])",
       R"({"a":{"y":1},"b":1})"},
      {R"({"l":[1,2]})",
       R"([{"op":"add","path":"/l/-","value":3},{"op":"add","path":"/l/0","value":0},{"op":"add","path":"/l/2","value":9}])",
       R"({"l":[0,1,9,2,3]})"},
      {R"({"l":[1,2,3]})", R"([{"op":"replace","path":"/l/-1","value":9},{"op":"remove","path":"/l/0"}])", R"({"l":[2,9]})"},
      {R"({"a/b":{"m~n":1,"~1":2}})", R"([{"op":"replace","path":"/a~1b/m~0n","value":5},{"op":"test","path":"/a~1b/~01","value":2}])",
       R"({"a/b":{"m~n":5,"~1":2}})"},
      {R"({"a":1})", R"([{"op":"replace","path":"/new","value":2}])", R"({"a":1,"new":2})"},
      {R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}},{"op":"add","path":"/c","value":null}])", R"({"b":2,"c":null})"},
      {R"({"a":1})", R"([])", R"({"a":1})"},
      {R"({"a":{"b":[{"c":1}]}})", R"([{"op":"copy","from":"/a","path":"/d"},{"op":"replace","path":"/a/b/0/c","value":2}])",
       R"({"a":{"b":[{"c":2}]},"d":{"b":[{"c":1}]}})"},
  };
  for (const auto& c : cases) EXPECT_EQ(Patched(c.object, c.patch), c.result) << c.patch;
}

TEST(JsonPatch, ATestPassesOnlyForAnEqualValue) {
  constexpr std::string_view kObject = R"({"a":{"x":1,"y":[1,"2"]},"n":null})";
  for (const std::string_view test :
       {R"({"op":"test","path":"/a","value":{"y":[1,"2"],"x":1}})", R"({"op":"test","path":"/none","value":null})",
        R"({"op":"test","path":"/n","value":null})", R"({"op":"test","path":"","value":{"n":null,"a":{"x":1,"y":[1,"2"]}}})"}) {
    EXPECT_THAT(Patched(kObject, StrCat("[", test, "]")), Not(HasSubstr("422"))) << test;
  }
  for (const std::string_view test :
       {R"({"op":"test","path":"/a","value":{"x":1}})", R"({"op":"test","path":"/none","value":1})", R"({"op":"test","path":"/a/x"})",
        R"({"op":"test","path":"/a/y/5","value":null})", R"({"op":"test","path":"/none/deep","value":null})"}) {
    EXPECT_THAT(Patched(kObject, StrCat("[", test, "]")), HasSubstr("422")) << test;
  }
}

TEST(JsonPatch, AnImpossibleOperationIsInvalidAndChangesNothing) {
  for (const std::string_view operation :
       {R"({"op":"remove","path":"/none"})", R"({"op":"add","path":"/none/k","value":1})", R"({"op":"add","path":"/l/9","value":1})",
        R"({"op":"add","path":"/l/x","value":1})", R"({"op":"replace","path":"/l/2","value":1})", R"({"op":"remove","path":"/l/-"})",
        R"({"op":"add","path":"/s/x","value":1})", R"({"op":"move","from":"/none","path":"/x"})", R"({"op":"move","path":"/x"})",
        R"({"op":"copy","from":"/none/deep","path":"/x"})", R"({"op":"copy","from":"/l/7","path":"/x"})",
        R"({"op":"nonsense","path":"/l"})", R"({"path":"/l"})", R"({"op":"remove"})", R"({"op":"add","path":"no slash","value":1})",
        R"({"op":"remove","path":""})", R"({"op":"replace","path":"","value":1})", R"({"op":"remove","path":"/l/99999999999999999999"})"}) {
    EXPECT_THAT(Patched(R"({"l":[1,2],"s":"text"})", StrCat("[", operation, "]")), HasSubstr("422: ")) << operation;
  }
}

TEST(JsonPatch, APatchThatIsNotAListOfOperationsIsABadRequest) {
  for (const std::string_view patch :
       {R"({"op":"add"})", "1", "null", "[1]", R"([{"op":"remove","path":"/a","from":1}])", R"([{"op":[]}])"})
    EXPECT_THAT(Patched("{}", patch), HasSubstr("400: ")) << patch;
}

TEST(JsonPatch, HasAtMostTenThousandOperations) {
  std::string patch = "[";
  for (int i = 0; i < 10001; ++i) patch += R"({"op":"test","path":"/none"},)";
  patch.back() = ']';
  EXPECT_THAT(Patched("{}", patch), HasSubstr("413: The allowed maximum operations in a JSON patch is 10000, got 10001"));
}

TEST(JsonPatch, CopiesOfCopiesDoNotGrowWithoutEnd) {
  std::string patch = R"([{"op":"add","path":"/a","value":[")" + std::string(1000, 'x') + R"("]})";
  for (int i = 0; i < 60; ++i) patch += R"(,{"op":"copy","from":"/a","path":"/a/-"})";
  EXPECT_THAT(Patched("{}", patch + "]"), HasSubstr("413: "));
}

TEST(JsonPatch, DoesNotNestDeeperThanWhatCanBeRead) {
  std::string patch = R"([{"op":"add","path":"/a","value":{}})";
  for (int i = 0; i < 200; ++i) {
    patch += R"(,{"op":"move","from":"/a","path":"/b"},{"op":"add","path":"/a","value":{}},{"op":"move","from":"/b","path":"/a/x"})";
  }
  EXPECT_THAT(Patched("{}", patch + "]"), HasSubstr("more than 128 levels"));
}

TEST(JsonPatch, ManyOperationsOnLargeObjectsAreQuick) {
  std::string object = R"({"data":{)", patch = "[";
  for (int i = 0; i < 10000; ++i) {
    object += StrCat("\"k", i, "\":1,");
    patch += StrCat(R"({"op":"replace","path":"/data/k)", i, R"(","value":2},)");
  }
  object.back() = '}';
  patch.back() = ']';
  EXPECT_THAT(Patched(object + "}", patch), HasSubstr(R"("k77":2)"));
}

}  // namespace
}  // namespace allot::apiserver
