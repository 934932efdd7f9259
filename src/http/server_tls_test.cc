// The server over TLS.

#include <string>

#include "base/test_util.h"
#include "http/server.h"
#include "http/test_certificates.h"
#include "http/test_client.h"
#include "http/tls.h"

namespace allot::http {
namespace {

using test::Get;
using test::RawClient;
using test::StartServer;

// Responds with the identity that the client proved.
void Name(const RequestContext& context, const std::shared_ptr<ResponseWriter>& writer) {
  writer->Send({.status = 200, .headers = {}, .body = StrCat("[", context.peer_name, "]")});
}

std::shared_ptr<const TlsServer> ServerTls(std::string certificate, std::string key, bool require = false) {
  auto tls = TlsServer::Make(
      {.certificate_pem = std::move(certificate), .key_pem = std::move(key), .client_ca_pem = test::kCaPem, .require_client = require});
  CHECK(tls.ok());
  return *std::move(tls);
}

std::shared_ptr<const TlsClient> ClientTls(std::string server_name, std::string certificate = "", std::string key = "") {
  auto tls = TlsClient::Make({.ca_pem = test::kCaPem,
                              .insecure = false,
                              .server_name = std::move(server_name),
                              .certificate_pem = std::move(certificate),
                              .key_pem = std::move(key)});
  CHECK(tls.ok());
  return *std::move(tls);
}

TEST(ServerTls, KnowsClientsByTheirCertificates) {
  const auto server = StartServer(Name, {.tls = ServerTls(test::kServerPem, test::kServerKey)});
  RawClient anonymous(server->port(), *ClientTls("127.0.0.1"));
  RawClient alice(server->port(), *ClientTls("127.0.0.1", test::kAlicePem, test::kAliceKey));
  for (int i = 0; i < 2; ++i) {
    const auto nobody = anonymous.Ask(Get("/")), somebody = alice.Ask(Get("/"));
    ASSERT_TRUE(nobody && somebody);
    EXPECT_EQ(nobody->body, "[]");
    EXPECT_EQ(somebody->body, "[alice]");
  }
}

TEST(ServerTls, RefusesClientsThatItCannotTrust) {
  const auto server = StartServer(Name, {.tls = ServerTls(test::kServerPem, test::kServerKey, true)});
  RawClient anonymous(server->port(), *ClientTls("127.0.0.1"));
  RawClient mallory(server->port(), *ClientTls("127.0.0.1", test::kMalloryPem, test::kMalloryKey));
  EXPECT_FALSE(anonymous.Ask(Get("/")));
  EXPECT_FALSE(mallory.Ask(Get("/")));
  EXPECT_TRUE(test::Eventually([&] { return server->stats().total == 2 && server->stats().open == 0; }));
  EXPECT_EQ(server->stats().served, 0U);
}

TEST(ServerTls, SurvivesPlainClients) {
  const auto server = StartServer(Name, {.tls = ServerTls(test::kServerPem, test::kServerKey)});
  RawClient plain(server->port());
  ASSERT_TRUE(plain.Send(Get("/")));
  plain.ReadAll();
  RawClient good(server->port(), *ClientTls("127.0.0.1"));
  EXPECT_TRUE(good.Ask(Get("/")));
}

TEST(ServerTls, ClosesAHandshakeThatDoesNotArrive) {
  const auto server =
      StartServer(Name, {.header_timeout = std::chrono::milliseconds(50), .tls = ServerTls(test::kServerPem, test::kServerKey)});
  RawClient silent(server->port());
  ASSERT_TRUE(silent.Send(std::string_view("\x16\x03\x01", 3)));
  EXPECT_TRUE(silent.AtEnd());
}

TEST(ServerTls, NewConnectionsGetTheNewCertificateAndOldOnesGoOn) {
  const auto server = StartServer(Name, {.tls = ServerTls(test::kServerPem, test::kServerKey)});
  RawClient old(server->port(), *ClientTls("localhost"));
  ASSERT_TRUE(old.Ask(Get("/")));
  server->SetTls(ServerTls(test::kSecondPem, test::kSecondKey));
  RawClient renewed(server->port(), *ClientTls("second.test"));
  EXPECT_TRUE(renewed.Ask(Get("/")));
  RawClient outdated(server->port(), *ClientTls("localhost"));
  EXPECT_FALSE(outdated.Ask(Get("/")));
  EXPECT_TRUE(old.Ask(Get("/")));
}

TEST(ServerTls, StreamsAndTakesLongBodies) {
  const auto big = std::make_shared<const std::string>(std::string(3 << 20, 'y'));
  const auto server = StartServer(
      [&](const RequestContext& context, const std::shared_ptr<ResponseWriter>& writer) {
        writer->Start(200, {});
        writer->Write(StrCat(context.request.body.size(), " "));
        writer->Write({&big, 1});
        writer->Write(" end");
        writer->End();
      },
      {.tls = ServerTls(test::kServerPem, test::kServerKey)});
  RawClient client(server->port(), *ClientTls("127.0.0.1"));
  const auto answer = client.Ask(StrCat("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", std::string(1'000'000, 'x')));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->body == StrCat("1000000 ", *big, " end"));
}

TEST(ServerTls, SaysGoodbyeWhenItCloses) {
  const auto server = StartServer(Name, {.tls = ServerTls(test::kServerPem, test::kServerKey)});
  RawClient client(server->port(), *ClientTls("127.0.0.1"));
  ASSERT_TRUE(client.Ask(Get("/", "Connection: close\r\n")));
  EXPECT_TRUE(client.EndedWithGoodbye());
}

}  // namespace
}  // namespace allot::http
