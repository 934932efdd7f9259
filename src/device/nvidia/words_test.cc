#include "device/nvidia/words.h"

#include <gtest/gtest.h>

namespace allot::device::nvidia {
namespace {

TEST(Words, NamesBrandsAndArchitectures) {
  EXPECT_EQ(BrandName(0), "Unknown");
  EXPECT_EQ(BrandName(5), "GeForce");
  EXPECT_EQ(BrandName(14), "Nvidia");
  EXPECT_EQ(BrandName(16), "TitanRTX");
  EXPECT_EQ(BrandName(17), "Unknown");
  EXPECT_EQ(BrandName(-1), "Unknown");
  EXPECT_EQ(ArchitectureName(2), "Kepler");
  EXPECT_EQ(ArchitectureName(8), "Ada Lovelace");
  EXPECT_EQ(ArchitectureName(10), "Blackwell");
  EXPECT_EQ(ArchitectureName(11), "Unknown");
  EXPECT_EQ(ArchitectureName(0xFFFFFFFF), "Unknown");
  EXPECT_EQ(AddressingModeName(2), "ATS");
  EXPECT_EQ(AddressingModeName(3), "");
}

TEST(Words, WritesVersionsWithThreeNumbersAndWithoutLeadingZeros) {
  EXPECT_EQ(SemanticVersion("580.105.08"), "580.105.8");
  EXPECT_EQ(SemanticVersion("13.0"), "13.0.0");
  EXPECT_EQ(SemanticVersion("470"), "470.0.0");
  EXPECT_EQ(SemanticVersion("550.54.15-beta"), "550.54.15");
  EXPECT_EQ(SemanticVersion("1.2.3.4"), "1.2.3");
  EXPECT_EQ(SemanticVersion(""), "0.0.0");
  EXPECT_EQ(SemanticVersion("beta"), "0.0.0");
}

TEST(Words, WritesPciAddressesAsSysfsDoes) {
  EXPECT_EQ(PciAddress("00000000:0A:00.0"), "0000:0a:00.0");
  EXPECT_EQ(PciAddress("0000:0A:00.0"), "0000:0a:00.0");
  EXPECT_EQ(PciAddress("00010000:01:00.0"), "00010000:01:00.0");  // beyond 16 bits
  EXPECT_EQ(PciAddress(""), "");
}

TEST(Words, FindsTheProfileInTheNameOfAMigDevice) {
  EXPECT_EQ(ProfileOfName("NVIDIA A100-SXM4-80GB MIG 1g.10gb+me"), "1g.10gb+me");
  EXPECT_EQ(ProfileOfName("NVIDIA A100-SXM4-80GB"), "");
}

TEST(Words, NamesProfilesByTheirSizes) {
  EXPECT_EQ(ProfileOfSizes(1, 1, 9728, 81920), "1g.10gb");
  EXPECT_EQ(ProfileOfSizes(3, 3, 40192, 81559), "3g.40gb");
  EXPECT_EQ(ProfileOfSizes(1, 2, 19968, 81920), "1c.2g.20gb");
  EXPECT_EQ(ProfileOfSizes(7, 7, 40192, 40536), "7g.40gb");
}

}  // namespace
}  // namespace allot::device::nvidia
