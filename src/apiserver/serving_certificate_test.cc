#include "apiserver/serving_certificate.h"

#include "base/fake_clock.h"
#include "base/fake_file_system.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using std::chrono::hours;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr hours kDay{24};

class ServingCertificateTest : public ::testing::Test {
 protected:
  Result<ServingCertificate> Open(const std::vector<std::string>& names = {"127.0.0.1", "localhost"}) {
    return OpenServingCertificate(files_, clock_, "/pki", names);
  }
  WallTime EndOf(const std::string& pem) { return http::ReadCertificate(pem)->ends; }

  FakeFileSystem files_;
  FakeClock clock_;
};

TEST_F(ServingCertificateTest, IsMadeOnceAndThenKept) {
  ASSERT_OK_AND_ASSIGN(const ServingCertificate first, Open());
  EXPECT_TRUE(first.is_new);
  EXPECT_TRUE(http::IsSignedBy(first.server.certificate_pem, first.authority_pem));
  ASSERT_OK_AND_ASSIGN(const ServingCertificate second, Open({"localhost"}));
  EXPECT_FALSE(second.is_new);
  EXPECT_EQ(second.server.key_pem, first.server.key_pem);
  EXPECT_EQ(second.authority_pem, first.authority_pem);
}

TEST_F(ServingCertificateTest, LastsAYearAndTheAuthorityTen) {
  ASSERT_OK_AND_ASSIGN(const ServingCertificate serving, Open());
  EXPECT_LT(EndOf(serving.server.certificate_pem), clock_.Now() + 366 * kDay);
  EXPECT_GT(EndOf(serving.server.certificate_pem), clock_.Now() + 364 * kDay);
  EXPECT_GT(EndOf(serving.authority_pem), clock_.Now() + 3649 * kDay);
}

TEST_F(ServingCertificateTest, IsRenewedInItsLastThirtyDaysBySameAuthority) {
  ASSERT_OK_AND_ASSIGN(const ServingCertificate first, Open());
  clock_.Advance(334 * kDay);
  EXPECT_FALSE(Open()->is_new);
  clock_.Advance(2 * kDay);
  ASSERT_OK_AND_ASSIGN(const ServingCertificate second, Open());
  EXPECT_TRUE(second.is_new);
  EXPECT_EQ(second.authority_pem, first.authority_pem);
  EXPECT_FALSE(Open()->is_new);
}

TEST_F(ServingCertificateTest, ANewNameNeedsANewCertificate) {
  ASSERT_OK(Open());
  ASSERT_OK_AND_ASSIGN(const ServingCertificate serving, Open({"127.0.0.1", "10.0.0.7"}));
  EXPECT_TRUE(serving.is_new);
  EXPECT_THAT(http::ReadCertificate(serving.server.certificate_pem)->names, Contains("10.0.0.7"));
}

TEST_F(ServingCertificateTest, ACrashBetweenKeyAndCertificateIsMended) {
  ASSERT_OK(Open());
  ASSERT_OK_AND_ASSIGN(const std::string other, files_.ReadFile("/pki/ca.key", 1 << 20));
  ASSERT_OK(files_.WriteFileAtomic("/pki/server.key", other));
  EXPECT_TRUE(Open()->is_new);
  ASSERT_OK(files_.Remove("/pki/server.crt"));
  EXPECT_TRUE(Open()->is_new);
  ASSERT_OK(files_.Remove("/pki/ca.crt"));
  EXPECT_TRUE(Open()->is_new);
}

TEST_F(ServingCertificateTest, TheAuthorityEndsNoSoonerThanWhatItSigned) {
  ASSERT_OK_AND_ASSIGN(const ServingCertificate first, Open());
  clock_.Advance(3500 * kDay);
  ASSERT_OK_AND_ASSIGN(const ServingCertificate late, Open());
  EXPECT_EQ(late.authority_pem, first.authority_pem);
  EXPECT_LE(EndOf(late.server.certificate_pem), EndOf(late.authority_pem));
  clock_.Advance(140 * kDay);
  ASSERT_OK_AND_ASSIGN(const ServingCertificate anew, Open());
  EXPECT_NE(anew.authority_pem, first.authority_pem);
}

TEST_F(ServingCertificateTest, AnAuthorityThatIsWrongIsAnErrorAndNotReplaced) {
  ASSERT_OK(Open());
  ASSERT_OK(files_.WriteFileAtomic("/pki/ca.crt", "nonsense"));
  EXPECT_THAT(Open(), IsStatus(Code::kInvalid, HasSubstr("restore /pki/ca.crt and /pki/ca.key from a copy, or remove both")));
}

TEST_F(ServingCertificateTest, AnAuthorityWithAnotherKeyIsAnErrorWhenItMustSign) {
  ASSERT_OK(Open());
  ASSERT_OK_AND_ASSIGN(const std::string other, files_.ReadFile("/pki/server.key", 1 << 20));
  ASSERT_OK(files_.WriteFileAtomic("/pki/ca.key", other));
  EXPECT_FALSE(Open()->is_new);
  EXPECT_THAT(Open({"other"}), IsStatus(Code::kInvalid, HasSubstr("remove both")));
}

}  // namespace
}  // namespace allot::apiserver
