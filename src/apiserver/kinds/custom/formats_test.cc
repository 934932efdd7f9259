#include "apiserver/kinds/custom/formats.h"

#include <gtest/gtest.h>

#include <vector>

namespace allot::apiserver {
namespace {

struct Case {
  std::string_view format;
  std::vector<std::string_view> good, bad;
};

// As kube-apiserver 1.36.4 decides.
TEST(CustomFormats, AreKubernetesFormats) {
  const std::vector<Case> cases = {
      {"uri", {"https://a.b/c", "/path"}, {"a b", ""}},
      {"email", {"a@b.c", "A B <a@b.c>"}, {"a", "a@", "@b"}},
      {"hostname", {"a", "a.example.com", "1a.com"}, {"-a", "a_b", "a..b"}},
      {"ipv4", {"1.2.3.4", "010.0.0.1"}, {"1.2.3", "1.2.3.256", "::1", "a"}},
      {"ipv6", {"::1", "2001:db8::1"}, {"1.2.3.4", ":::"}},
      {"cidr", {"10.0.0.0/8", "::1/128"}, {"10.0.0.0", "10.0.0.0/33"}},
      {"mac", {"00:11:22:33:44:55", "0011.2233.4455"}, {"00:11:22:33:44", "x"}},
      {"uuid", {"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}, {"6ba7b810"}},
      {"uuid4", {"6ba7b810-9dad-41d1-80b4-00c04fd430c8"}, {"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}},
      {"isbn", {"0321751043", "978-0321751041"}, {"0321751044", "978-0321751042", "", "X"}},
      {"creditcard", {"4111-1111-1111-1111"}, {"4111-1111-1111-1112", "1"}},
      {"ssn", {"111-11-1111"}, {"11-11-1111"}},
      {"hexcolor", {"#FFF", "ffffff"}, {"#FF"}},
      {"rgbcolor", {"rgb(255,255,255)"}, {"rgb(256,0,0)"}},
      {"byte", {"aGk="}, {"a", ""}},
      {"password", {"anything", ""}, {}},
      {"date", {"2024-02-29"}, {"2023-02-29", "2024-2-1"}},
      {"date-time", {"2024-05-01T12:00:00Z", "2024-05-01t12:00:00.5+02:00"}, {"2024-05-01", "2024-05-01T24:00:00Z"}},
      {"duration", {"1h30m", "2 days", "22 ns"}, {"soon", ""}},
      {"k8s-short-name", {"a-b"}, {"A", "a.b", "-a"}},
      {"k8s-long-name", {"a-b.c"}, {"A", "a..b"}},
      {"bsonobjectid", {"507f1f77bcf86cd799439011"}, {"507f"}},
  };
  for (const Case& one : cases) {
    ASSERT_TRUE(IsTextFormat(one.format)) << one.format;
    for (const std::string_view text : one.good) EXPECT_TRUE(HasFormat(one.format, text)) << one.format << " " << text;
    for (const std::string_view text : one.bad) EXPECT_FALSE(HasFormat(one.format, text)) << one.format << " " << text;
  }
}

TEST(CustomFormats, OthersAreNotChecked) {
  for (const std::string_view format : {"", "int32", "binary", "no-such-format"}) EXPECT_FALSE(IsTextFormat(format)) << format;
}

}  // namespace
}  // namespace allot::apiserver
