#include "apiserver/serving_certificate.h"

#include <algorithm>

#include "http/tls.h"

namespace allot::apiserver {
namespace {

using std::chrono::hours;

constexpr size_t kLongestFile = 1 << 20;
constexpr hours kDay{24}, kYear = 365 * kDay, kRenewBefore = 30 * kDay;
constexpr hours kBackdated{1};  // for clients whose clock is behind

struct Files {
  std::string certificate, key;
};

Result<http::KeyPair> Read(const FileSystem& files, const Files& paths) {
  http::KeyPair pair;
  ASSIGN_OR_RETURN(pair.certificate_pem, files.ReadFile(paths.certificate, kLongestFile));
  ASSIGN_OR_RETURN(pair.key_pem, files.ReadFile(paths.key, kLongestFile));
  return pair;
}

// Writes the key first, so that a certificate never exists without its key.
Status Write(FileSystem& files, const Files& paths, const http::KeyPair& pair) {
  TRY(files.WriteFileAtomic(paths.key, pair.key_pem));
  return files.WriteFileAtomic(paths.certificate, pair.certificate_pem);
}

Status WithWayOut(const Status& status, const Files& authority) {
  return Status(status.code(), StrCat(status.message(), "; restore ", authority.certificate, " and ", authority.key,
                                      " from a copy, or remove both to make new ones: clients then need a new kubeconfig"));
}

Result<http::KeyPair> OpenAuthority(FileSystem& files, WallTime now, const Files& paths) {
  if (files.Exists(paths.certificate)) {
    Result<http::KeyPair> pair = Read(files, paths);
    if (!pair.ok()) return WithWayOut(pair.status(), paths);
    const Result<http::CertificateFacts> facts = http::ReadCertificate(pair->certificate_pem).Context(paths.certificate);
    if (!facts.ok()) return WithWayOut(facts.status(), paths);
    if (now + kRenewBefore < facts->ends) return pair;
  }
  ASSIGN_OR_RETURN(http::KeyPair made, http::MakeAuthority("allot-ca", now - kBackdated, 10 * kYear));
  TRY(Write(files, paths, made));
  return made;
}

bool IsGood(const http::KeyPair& server, const http::KeyPair& authority, const std::vector<std::string>& names, WallTime now) {
  const Result<http::CertificateFacts> facts = http::ReadCertificate(server.certificate_pem);
  if (!facts.ok() || now < facts->begins || now + kRenewBefore >= facts->ends) return false;
  const auto has = [&](const std::string& name) { return std::find(facts->names.begin(), facts->names.end(), name) != facts->names.end(); };
  if (!std::all_of(names.begin(), names.end(), has) || !http::IsSignedBy(server.certificate_pem, authority.certificate_pem)) return false;
  http::TlsServerOptions options;
  options.certificate_pem = server.certificate_pem;
  options.key_pem = server.key_pem;
  return http::TlsServer::Make(options).ok();
}

}  // namespace

Result<ServingCertificate> OpenServingCertificate(FileSystem& files, const Clock& clock, const std::string& folder,
                                                  const std::vector<std::string>& names) {
  const WallTime now = clock.Now();
  TRY(files.MakeDirs(folder));
  ASSIGN_OR_RETURN(const http::KeyPair authority, OpenAuthority(files, now, {folder + "/ca.crt", folder + "/ca.key"}));
  ServingCertificate serving;
  serving.authority_pem = authority.certificate_pem;
  const Files paths{folder + "/server.crt", folder + "/server.key"};
  if (Result<http::KeyPair> stored = Read(files, paths); stored.ok() && IsGood(*stored, authority, names, now)) {
    serving.server = *std::move(stored);
    return serving;
  }
  ASSIGN_OR_RETURN(const http::CertificateFacts of_authority, http::ReadCertificate(authority.certificate_pem));
  const WallTime begin = now - kBackdated, end = std::min<WallTime>(now + kYear, of_authority.ends);
  Result<http::KeyPair> made =
      http::MakeServerCertificate(authority, names, begin, std::chrono::duration_cast<std::chrono::seconds>(end - begin));
  if (!made.ok()) return WithWayOut(made.status(), {folder + "/ca.crt", folder + "/ca.key"});
  serving.server = *std::move(made);
  serving.is_new = true;
  TRY(Write(files, paths, serving.server));
  return serving;
}

}  // namespace allot::apiserver
