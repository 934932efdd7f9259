#include "apiserver/patch/merge_patch.h"

#include "apiserver/refusal.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

std::string Merged(std::string_view object, std::string_view patch) {
  const auto a = json::Parse(object), b = json::Parse(patch);
  json::Arena arena;
  json::Editor edit(arena);
  const auto merged = ApplyMergePatch(edit, a->root(), b->root());
  return merged.ok() ? json::Write(*merged) : StrCat(CodeOf(merged.status()));
}

TEST(MergePatch, MergesObjectsReplacesTheRestAndRemovesByNull) {
  // The examples of RFC 7386, appendix A, whose target and patch are objects.
  struct {
    std::string_view object, patch, result;
  } const cases[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const auto& c : cases) EXPECT_EQ(Merged(c.object, c.patch), c.result) << c.object << " and " << c.patch;
}

TEST(MergePatch, ObjectsWithinNewListsLoseTheirNulls) {
  EXPECT_EQ(Merged(R"({})", R"({"a":[null,{"b":null,"c":1}]})"), R"({"a":[null,{"c":1}]})");
}

TEST(MergePatch, APatchThatIsNotAnObjectIsABadRequest) {
  for (const std::string_view patch : {"null", "[]", "1", R"("a")"}) EXPECT_EQ(Merged("{}", patch), "400") << patch;
}

}  // namespace
}  // namespace allot::apiserver
