#include "dialect/share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_util.h"
#include "json/json.h"

namespace allot::dialect {
namespace {

using testing::HasSubstr;

TEST(ParseMemory, TakesWholeMiB) {
  EXPECT_EQ(*ParseMemory("6Gi"), model::MiB(6144));
  EXPECT_EQ(*ParseMemory("6144Mi"), model::MiB(6144));
  EXPECT_EQ(*ParseMemory("1.5Gi"), model::MiB(1536));
}

TEST(ParseMemory, SaysWhatIsWrongAndWhatWouldBeRight) {
  const struct {
    const char *text, *message;
  } cases[] = {{"6", R"("6" is less than a MiB; give a unit with it: 6Gi)"},
               {"1Ki", R"("1Ki" is less than a MiB; give an amount like 6Gi or 6144Mi)"},
               {"1048575500m", R"("1048575500m" is less than a MiB; give an amount like 6Gi or 6144Mi)"},
               {"6000000", R"("6000000" is not a whole number of MiB; give 5Mi or 6Mi)"},
               {"6G", R"("6G" is not a whole number of MiB; give 5722Mi or 5723Mi)"},
               {"1.0000001Gi", R"("1.0000001Gi" is not a whole number of MiB; give 1024Mi or 1025Mi)"},
               {"1073741823999m", R"("1073741823999m" is not a whole number of MiB; give 1023Mi or 1024Mi)"},
               {"0", R"("0" is not above 0; give an amount like 6Gi or 6144Mi, or none for a whole GPU)"},
               {"-1Gi", R"("-1Gi" is not above 0; give an amount like 6Gi or 6144Mi, or none for a whole GPU)"},
               {"x", R"("x" is not an amount; give an amount like 6Gi or 6144Mi)"},
               {"", R"("" is not an amount; give an amount like 6Gi or 6144Mi)"},
               {"8Ei", R"("8Ei" is more than any GPU has; give an amount like 6Gi or 6144Mi)"},
               {"99999999999999999999Gi", R"("99999999999999999999Gi" is more than any GPU has; give an amount like 6Gi or 6144Mi)"}};
  for (const auto& one : cases) EXPECT_THAT(ParseMemory(one.text), IsStatus(Code::kInvalid, one.message));
}

TEST(Model, IsAPartOfTheNameInAnyCaseAndSpacing) {
  EXPECT_TRUE(IsOfModel("NVIDIA GeForce RTX 3090", "rtx3090"));
  EXPECT_TRUE(IsOfModel("NVIDIA GeForce RTX 3090", "RTX 3090"));
  EXPECT_FALSE(IsOfModel("NVIDIA GeForce RTX 3060", "rtx3090"));
  EXPECT_OK(CheckModel("RTX 3090"));
  for (const char* bad : {"", " ", "a\"b", "a\\", "a\nb", "a\x7f"}) {
    EXPECT_THAT(CheckModel(bad), IsStatus(Code::kInvalid, HasSubstr("is not the name of a GPU; give a part of one, like rtx3090"))) << bad;
  }
}

std::string Spec(const Share& share, const std::vector<int64_t>& sizes = {}) {
  Facts facts;
  for (const int64_t size : sizes) facts.gpu_sizes.emplace_back(size);
  if (const std::vector<Refusal> refusals = RefusalsOf(share, facts); !refusals.empty()) {
    return StrCat("error: ", refusals[0].field, ": ", refusals[0].message);
  }
  json::Arena arena;
  json::Editor edit(arena);
  return json::Write(ClaimSpec(edit, share, facts));
}

TEST(ClaimSpec, AsksForMemory) {
  EXPECT_EQ(
      Spec({.memory = model::MiB(6144)}),
      R"({"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu.nvidia.com","allocationMode":"ExactCount","count":1,)"
      R"("capacity":{"requests":{"memory":"6144Mi"}}}}]}})");
}

TEST(ClaimSpec, SeveralGpusAreDifferentOnes) {
  const std::string spec = Spec({.memory = model::MiB(1024), .gpus = 2, .model = "RTX 3090"});
  EXPECT_THAT(spec, HasSubstr(R"("constraints":[{"distinctAttribute":"gpu.nvidia.com/uuid"}])"));
  EXPECT_THAT(spec, HasSubstr(R"("name":"gpu-1")"));
  EXPECT_THAT(spec, HasSubstr(R"(contains(\"rtx3090\"))"));
}

TEST(ClaimSpec, AFractionHasAnAlternativeForEachSize) {
  const std::string spec = Spec({.fraction = *model::Fraction::Parse("0.5")}, {24576, 12288, 24576});
  ASSERT_OK_AND_ASSIGN(const json::Document document, json::Parse(spec));
  const auto alternatives = document.root()["devices"]["requests"].Items()[0]["firstAvailable"].Items();
  ASSERT_EQ(alternatives.size(), 3u);
  EXPECT_EQ(alternatives[0]["capacity"]["requests"]["memory"].AsString(), "6144Mi");
  EXPECT_EQ(alternatives[1]["capacity"]["requests"]["memory"].AsString(), "12288Mi");
  EXPECT_EQ(alternatives[2]["capacity"]["requests"]["memory"].AsString(), "12288Mi");
  EXPECT_EQ(Spec({.fraction = *model::Fraction::Parse("0.5")}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
            Spec({.fraction = *model::Fraction::Parse("0.5")}, {9, 8, 7, 6, 5, 4, 3}));
}

TEST(ClaimSpec, AThirdOfAGpuIsExact) {
  EXPECT_THAT(Spec({.fraction = *model::Fraction::Parse("1/3")}, {24576}), HasSubstr(R"("memory":"8192Mi")"));
}

TEST(ClaimSpec, SaysWhatMakesNoSense) {
  EXPECT_THAT(Spec({.memory = model::MiB(1), .fraction = *model::Fraction::Parse("0.5")}, {1024}), HasSubstr("exclude each other"));
  EXPECT_THAT(Spec({.fraction = *model::Fraction::Parse("0.5")}), HasSubstr("no GPU has reported its memory yet"));
  EXPECT_THAT(Spec({.gpus = 0}), HasSubstr("gpus: 0 is not from 1 to 32"));
  EXPECT_THAT(Spec({.model = "a\"b"}), HasSubstr("is not the name of a GPU"));
  EXPECT_THAT(Spec({.fraction = *model::Fraction::Parse("0.001")}, {100}), HasSubstr("less than a MiB"));
}

}  // namespace
}  // namespace allot::dialect
