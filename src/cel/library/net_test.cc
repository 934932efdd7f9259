#include "cel/library/net.h"

#include "base/test_util.h"

namespace allot::cel {
namespace {

TEST(Net, PrintsAddressesInTheirShortestForm) {
  const std::pair<std::string_view, std::string_view> cases[] = {{"1.2.3.4", "1.2.3.4"},
                                                                 {"::", "::"},
                                                                 {"0:0:0:0:0:0:0:1", "::1"},
                                                                 {"2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
                                                                 {"1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7:0"},
                                                                 {"1::", "1::"},
                                                                 {"::1.2.3.4", "::102:304"}};
  for (const auto& [text, shortest] : cases) {
    const auto ip = ParseIp(text);
    ASSERT_TRUE(ip.has_value()) << text;
    EXPECT_EQ(ip->ToString(), shortest);
  }
}

TEST(Net, RefusesInvalidAddresses) {
  for (const std::string_view text : {"", "1.2.3", "1.2.3.4.5", "01.2.3.4", "256.1.1.1", ":::", "1::2::3", "12345::", "1:2:3:4:5:6:7:8:9",
                                      "1:", ":1", "fe80::1%eth0", "::ffff:1.2.3.4"}) {
    EXPECT_FALSE(ParseIp(text).has_value()) << text;
  }
}

TEST(Net, NetworksContainWhatTheirPrefixSays) {
  const auto ten = ParseCidr("10.1.2.3/8");
  ASSERT_TRUE(ten.has_value());
  EXPECT_EQ(ten->Masked().ToString(), "10.0.0.0/8");
  EXPECT_TRUE(ten->Contains(*ParseIp("10.255.0.1")));
  EXPECT_FALSE(ten->Contains(*ParseIp("11.0.0.1")));
  EXPECT_FALSE(ten->Contains(*ParseIp("::1")));
  EXPECT_TRUE(ten->Contains(*ParseCidr("10.9.0.0/16")));
  EXPECT_FALSE(ParseCidr("10.9.0.0/16")->Contains(*ten));
  for (const std::string_view text : {"10.0.0.0", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/", "::/129"})
    EXPECT_FALSE(ParseCidr(text).has_value()) << text;
}

}  // namespace
}  // namespace allot::cel
