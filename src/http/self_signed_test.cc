#include "http/self_signed.h"

#include <algorithm>

#include "base/test_util.h"
#include "http/client.h"
#include "http/server.h"
#include "http/sha256.h"

namespace allot::http {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

WallTime Now() { return std::chrono::floor<std::chrono::seconds>(SystemClock().Now()); }

Result<KeyPair> TestAuthority() { return MakeAuthority("test-ca", Now() - hours(1), hours(48)); }

// What a client that trusts `ca` and wants `name` gets from a server with this certificate.
Result<int> Ask(const KeyPair& pair, const std::string& ca, const std::string& name) {
  ServerOptions options;
  ASSIGN_OR_RETURN(options.tls, TlsServer::Make({.certificate_pem = pair.certificate_pem, .key_pem = pair.key_pem, .client_ca_pem = ""}));
  ASSIGN_OR_RETURN(Listener listener, Listener::Tcp("127.0.0.1", 0));
  const int port = listener.port();
  const auto handler = [](const RequestContext&, const std::shared_ptr<ResponseWriter>& writer) { writer->Send({}); };
  ASSIGN_OR_RETURN(const auto server, Server::Start(std::move(listener), options, handler));
  ClientOptions client;
  client.address = {"127.0.0.1", port, ""};
  client.host = "127.0.0.1";
  client.tls = [&] { return TlsClient::Make({.ca_pem = ca, .server_name = name, .certificate_pem = "", .key_pem = ""}); };
  ASSIGN_OR_RETURN(const Response response, Client(client).Send({}, {SystemClock().MonotonicNow() + std::chrono::seconds(20), nullptr}));
  return response.status;
}

TEST(SelfSigned, AClientThatTrustsTheAuthorityTrustsTheServerUnderEachOfItsNames) {
  ASSERT_OK_AND_ASSIGN(const KeyPair ca, TestAuthority());
  ASSERT_OK_AND_ASSIGN(const KeyPair server,
                       MakeServerCertificate(ca, {"127.0.0.1", "::1", "localhost", "node-1.lab"}, Now() - hours(1), hours(2)));
  for (const char* name : {"127.0.0.1", "::1", "localhost", "node-1.lab"})
    EXPECT_THAT(Ask(server, ca.certificate_pem, name), IsOkAndHolds(200));
  EXPECT_THAT(Ask(server, ca.certificate_pem, "other.lab"), IsStatus(Code::kUnavailable, HasSubstr("not trusted")));
  ASSERT_OK_AND_ASSIGN(const KeyPair other, TestAuthority());
  EXPECT_THAT(Ask(server, other.certificate_pem, "127.0.0.1"), IsStatus(Code::kUnavailable, HasSubstr("not trusted")));
}

TEST(SelfSigned, AnExpiredCertificateIsNotTrusted) {
  ASSERT_OK_AND_ASSIGN(const KeyPair ca, TestAuthority());
  ASSERT_OK_AND_ASSIGN(const KeyPair server, MakeServerCertificate(ca, {"127.0.0.1"}, Now() - hours(3), hours(2)));
  EXPECT_THAT(Ask(server, ca.certificate_pem, "127.0.0.1"), IsStatus(Code::kUnavailable, HasSubstr("expired")));
}

TEST(SelfSigned, TheFactsOfACertificateAreThoseItWasMadeWith) {
  const WallTime now = Now();
  ASSERT_OK_AND_ASSIGN(const KeyPair ca, TestAuthority());
  ASSERT_OK_AND_ASSIGN(const KeyPair server, MakeServerCertificate(ca, {"10.0.0.7", "fd00::7", "a.b"}, now, hours(24 * 365 * 30)));
  ASSERT_OK_AND_ASSIGN(const CertificateFacts facts, ReadCertificate(server.certificate_pem));
  EXPECT_THAT(facts.names, ElementsAre("10.0.0.7", "fd00::7", "a.b"));
  EXPECT_EQ(facts.begins, now);
  EXPECT_EQ(facts.ends, now + hours(24 * 365 * 30));  // beyond 2050, where the form of times changes
  EXPECT_TRUE(IsSignedBy(server.certificate_pem, ca.certificate_pem));
  ASSERT_OK_AND_ASSIGN(const KeyPair other, TestAuthority());
  EXPECT_FALSE(IsSignedBy(server.certificate_pem, other.certificate_pem));
}

TEST(SelfSigned, InvalidNamesAndAuthoritiesAreRefused) {
  ASSERT_OK_AND_ASSIGN(const KeyPair ca, TestAuthority());
  ASSERT_OK_AND_ASSIGN(const KeyPair other, TestAuthority());
  EXPECT_THAT(MakeServerCertificate(ca, {}, Now(), hours(1)), IsStatus(Code::kInvalid));
  for (const char* name : {"", "a,DNS:evil", "-a", ".a", "a b", "*.a"}) {
    EXPECT_THAT(MakeServerCertificate(ca, {name}, Now(), hours(1)),
                IsStatus(Code::kInvalid, HasSubstr("neither a DNS name nor an IP address")))
        << name;
  }
  EXPECT_THAT(MakeServerCertificate({ca.certificate_pem, other.key_pem}, {"a"}, Now(), hours(1)),
              IsStatus(Code::kInvalid, HasSubstr("does not match")));
  EXPECT_THAT(MakeServerCertificate({"", ""}, {"a"}, Now(), hours(1)), IsStatus(Code::kInvalid));
  EXPECT_THAT(ReadCertificate("nothing"), IsStatus(Code::kInvalid));
}

TEST(Sha256Hex, GivesTheDigestsOfFips180) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace allot::http
