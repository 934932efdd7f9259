#include "model/quantity.h"

#include <limits>
#include <vector>

#include "base/test_util.h"

namespace allot::model {
namespace {

using testing::HasSubstr;
using Format = Quantity::Format;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

Quantity Q(std::string_view text) {
  auto quantity = Quantity::Parse(text);
  EXPECT_OK(quantity) << text;
  return quantity.ok() ? *quantity : Quantity();
}

TEST(Quantity, PrintsWhatKubernetesPrints) {
  struct {
    std::string_view text, kept, canonical;
    Format format;
  } const cases[] = {
      {"0", "0", "0", Format::kDecimalSI},
      {"00", "0", "0", Format::kDecimalSI},
      {"-", "0", "0", Format::kDecimalSI},
      {"m", "0", "0", Format::kDecimalSI},
      {"5.", "5.", "5", Format::kDecimalSI},
      {".5", "500m", "500m", Format::kDecimalSI},
      {"+3G", "+3G", "3G", Format::kDecimalSI},
      {"00012m", "00012m", "12m", Format::kDecimalSI},
      {"000000000000000000012m", "000000000000000000012m", "12m", Format::kDecimalSI},
      {"1000", "1k", "1k", Format::kDecimalSI},
      {"1.005T", "1.005T", "1005G", Format::kDecimalSI},
      {"0.5Ki", "512", "512", Format::kBinarySI},
      {"6Gi", "6Gi", "6Gi", Format::kBinarySI},
      {"1.5Gi", "1536Mi", "1536Mi", Format::kBinarySI},
      {"1024Mi", "1Gi", "1Gi", Format::kBinarySI},
      {"3Pi", "3Pi", "3Pi", Format::kBinarySI},
      {"1.1Ki", "1126400m", "1126400m", Format::kBinarySI},
      {"0.0001Ki", "102400u", "102400u", Format::kDecimalSI},
      {"1e3", "1e3", "1e3", Format::kDecimalExponent},
      {"1000e+6", "1e9", "1e9", Format::kDecimalExponent},
      {"65536E-2", "655360e-3", "655360e-3", Format::kDecimalExponent},
      {"3E", "3E", "3E", Format::kDecimalSI},
      {"0.1n", "1n", "1n", Format::kDecimalSI},
      {"-0.5n", "-1n", "-1n", Format::kDecimalSI},
      {"1e-1000", "1e-9", "1e-9", Format::kDecimalExponent},
      {"2147483648Pi", "9223372036854775807", "9223372036854775807", Format::kBinarySI},
      {"9223372036854775808G", "9223372036854775808G", "9223372036854775808G", Format::kDecimalSI},
      // Any number of zeros to strip: more or less than the steps in which that is done.
      {"1234567890123456789e1000", "12345678901234567890e999", "12345678901234567890e999", Format::kDecimalExponent},
      {"-1234567890123456789e1000", "-12345678901234567890e999", "-12345678901234567890e999", Format::kDecimalExponent},
      {"1000000000000000000000e1000", "10e1020", "10e1020", Format::kDecimalExponent},
      {"1234567890123000000000000000000000000", "1234567890123", "1234567890123", Format::kDecimalSI},
      {"12345678901234500000", "12345678901234500k", "12345678901234500k", Format::kDecimalSI},
      {"1234567890123456789", "1234567890123456789", "1234567890123456789", Format::kDecimalSI},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Q(c.text).ToString(), c.kept) << c.text;
    EXPECT_EQ(Q(c.text).Canonical(), c.canonical) << c.text;
    EXPECT_EQ(Q(c.text).format(), c.format) << c.text;
  }
}

TEST(Quantity, LosesTheSuffixThatKubernetesHasNoNameFor) { EXPECT_EQ(Q("1000E").ToString(), "1"); }

TEST(Quantity, RefusesWhatKubernetesRefuses) {
  for (const std::string_view text :
       {"", " 1", "1 ", "+-1", "1Kii", "1..5", "1e", "1ee5", "e+", "Pi", "-Ei", ".Pi", "1K", "1i", "0x10", "1_000", "1e5x"}) {
    EXPECT_THAT(Quantity::Parse(text), IsStatus(Code::kInvalid, HasSubstr("quantity"))) << text;
  }
}

TEST(Quantity, ErrorNamesTheTextAndTheSuffixesThatWouldDo) {
  EXPECT_THAT(Quantity::Parse("6GiB"), IsStatus(Code::kInvalid, HasSubstr("\"6GiB\"")));
  EXPECT_THAT(Quantity::Parse("6Ke"), IsStatus(Code::kInvalid, HasSubstr("Ki Mi Gi")));
}

TEST(Quantity, RefusesTextsThatWouldCostWithoutBound) {
  EXPECT_THAT(Quantity::Parse("1e999999999"), IsStatus(Code::kInvalid, HasSubstr("beyond 1024")));
  EXPECT_THAT(Quantity::Parse("1e-99999999999999999999999"), IsStatus(Code::kInvalid));
  EXPECT_THAT(Quantity::Parse(std::string(10'000'000, '9')), IsStatus(Code::kInvalid, HasSubstr("longer than 1024")));
  EXPECT_OK(Quantity::Parse(std::string(1000, '9') + "e1024"));
}

TEST(Quantity, RoundsAwayFromZeroToWholeAndThousandths) {
  EXPECT_EQ(Q("1.5").Value(), 2);
  EXPECT_EQ(Q("-.5").Value(), -1);
  EXPECT_EQ(Q("1n").MilliValue(), 1);
  EXPECT_EQ(Q("24576Mi").Value(), int64_t{24576} << 20);
  EXPECT_EQ(Q("-0.5n").Value(), -1);
  EXPECT_EQ(Q("-0.5Pi").Value(), -(int64_t{1} << 49));
  EXPECT_EQ(Q("9223372036854775807").Value(), kMax);
}

TEST(Quantity, HasNoValueBeyond64Bits) {
  EXPECT_EQ(Q("10E").Value(), std::nullopt);
  EXPECT_EQ(Q("3E").MilliValue(), std::nullopt);
  EXPECT_EQ(Q("9223372036854775808").Value(), std::nullopt);
  EXPECT_EQ(Q("1e1000").Value(), std::nullopt);
}

TEST(Quantity, WrappedValueRepeatsWhatKubernetesAnswersBeyond64Bits) {
  EXPECT_EQ(Q("26721485191e+6").WrappedMilliValue(), 8274741117290448384);
  EXPECT_EQ(Q("3E").WrappedMilliValue(), 0);
  EXPECT_EQ(Q("9629730484215774.51235979T").WrappedValue(), -7898313548867447376);
  EXPECT_EQ(Q("-0.5Pi").WrappedValue(), 7782220157);
  EXPECT_EQ(Q("-43.387n").WrappedValue(), 1);
  EXPECT_EQ(Q("6Gi").WrappedValue(), int64_t{6} << 30);
}

TEST(Quantity, AsInt64IsOnlyWhatTheSmallFormHoldsExactly) {
  EXPECT_EQ(Q("3k").AsInt64(), 3000);
  EXPECT_EQ(Q("1.0").AsInt64(), std::nullopt);
  EXPECT_EQ(Q("3Pi").AsInt64(), std::nullopt);
  EXPECT_EQ(Q("1e19").AsInt64(), std::nullopt);
}

TEST(Quantity, ApproximatesAsGoDoes) {
  EXPECT_EQ(Q("1.1").AsApproximateFloat64(), 11 * 1e-1);
  EXPECT_EQ(Q("6Gi").AsApproximateFloat64(), 6442450944.0);
  EXPECT_EQ(Q("1e400").AsApproximateFloat64(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Q("18446744073709551617").AsApproximateFloat64(), 1.8446744073709552e28 * 1e-9);
}

TEST(Quantity, ComparesByValueAcrossFormsAndExponents) {
  const std::vector<std::string_view> ascending = {"-1e1000",
                                                   "-9223372036854775809",
                                                   "-1Gi",
                                                   "-1n",
                                                   "0",
                                                   "1n",
                                                   "1u",
                                                   "999999999n",
                                                   "1.0000000001",
                                                   "1Ki",
                                                   "1025",
                                                   "1M",
                                                   "1Mi",
                                                   "1G",
                                                   "1E",
                                                   "9223372036854775807",
                                                   "9223372036854775808",
                                                   "1e19",
                                                   "1e20",
                                                   "1e1000"};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t k = 0; k < ascending.size(); ++k) {
      EXPECT_EQ(Q(ascending[i]) <=> Q(ascending[k]), i <=> k) << ascending[i] << " and " << ascending[k];
    }
  }
  EXPECT_EQ(Q("1Gi"), Q("1073741824.0"));
  EXPECT_EQ(Q("0e5"), Q("-0e-20"));
}

TEST(Quantity, AddAndSubAreExact) {
  struct {
    std::string_view a, b, sum, difference;
  } const cases[] = {
      {"1Gi", "512Mi", "1536Mi", "512Mi"},
      {"1", "1n", "1000000001n", "999999999n"},
      {"+", "+3T", "3T", "-3T"},
      {"-43730676.179386P", "21733992011630504.7Gi", "-43721452807349145224193", "-43739899551422854775807"},
      {".5E-2", "-43730676.179386P", "-43730676179385999999999995e-3", "43730676179386000000000005e-3"},
      {"9E", "9E", "18E", "0"},
  };
  for (const auto& c : cases) {
    Quantity sum = Q(c.a), difference = Q(c.a);
    sum.Add(Q(c.b));
    difference.Sub(Q(c.b));
    EXPECT_EQ(sum.ToString(), c.sum) << c.a << " + " << c.b;
    EXPECT_EQ(difference.ToString(), c.difference) << c.a << " - " << c.b;
  }
}

TEST(Quantity, ZeroTakesOverTheFormatOfWhatIsAdded) {
  Quantity sum;
  sum.Add(Q("6Gi"));
  EXPECT_EQ(sum.format(), Format::kBinarySI);
  sum.Add(Q("1e3"));
  EXPECT_EQ(sum.format(), Format::kBinarySI);
}

TEST(Quantity, SumThatLeaves64BitsBecomesBigAndStaysSo) {
  Quantity sum = Quantity::FromInt64(kMax, Format::kDecimalSI);
  sum.Add(Q("1"));
  EXPECT_TRUE(sum.IsBig());
  sum.Sub(Q("1"));
  EXPECT_TRUE(sum.IsBig());
  EXPECT_EQ(sum.Value(), kMax);
}

TEST(Quantity, SmallestInt64BehavesAsInGo) {
  const Quantity smallest = Quantity::FromInt64(kMin, Format::kBinarySI);
  EXPECT_EQ(smallest.ToString(), "-9223372036854775808");
  Quantity difference = Quantity::FromInt64(0, Format::kBinarySI);
  difference.Sub(smallest);
  EXPECT_EQ(difference.Value(), kMin);
}

TEST(Quantity, MayBeAddedToItself) {
  Quantity small = Q("6Gi"), big = Q("3Pi");
  small.Add(small);
  big.Add(big);
  EXPECT_EQ(small.ToString(), "12Gi");
  EXPECT_EQ(big.ToString(), "6Pi");
  big.Sub(big);
  EXPECT_TRUE(big.IsZero());
}

TEST(Quantity, IdenticalSeesTheRepresentationThatEqualityDoesNot) {
  EXPECT_TRUE(Q("6Gi").Identical(Q("6Gi")));
  EXPECT_FALSE(Q("6Gi").Identical(Q("6144Mi")));  // the second keeps no text
  EXPECT_TRUE(Q("8Gi").Identical(Q("8192Mi")));   // neither does
  EXPECT_FALSE(Q("1").Identical(Q("1.0")));       // exponent
  EXPECT_FALSE(Q("1k").Identical(Q("1e3")));      // format
  EXPECT_FALSE(Q("3Pi").Identical(Q("3Pi")));     // big decimals never are
  EXPECT_TRUE(Q("000000000000000000012").Identical(Q("000000000000000000012")));
  EXPECT_FALSE(Q("000000000000000000012").Identical(Q("0000000000000000000012")));
}

TEST(Quantity, MakeBigKeepsValueAndText) {
  Quantity quantity = Q("+3G");
  quantity.MakeBig();
  EXPECT_TRUE(quantity.IsBig());
  EXPECT_EQ(quantity.ToString(), "+3G");
  EXPECT_EQ(quantity, Q("3G"));
  EXPECT_EQ(quantity.AsInt64(), std::nullopt);
}

TEST(Quantity, IsSmallEnoughToCopyFreely) { EXPECT_LE(sizeof(Quantity), 48u); }

}  // namespace
}  // namespace allot::model
