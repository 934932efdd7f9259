#pragma once
// The server's certificate, in its own folder: ca.crt, ca.key, server.crt, server.key.
//
// Missing files are created: an authority valid for ten years, a certificate for one. The certificate is renewed with the same authority if
// it has less than 30 days left, lacks a name or does not match; clients that trust the authority need no change. The authority is renewed
// if it has less than 30 days left; kubeconfigs must then be made again.

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/status.h"
#include "http/self_signed.h"

namespace allot::apiserver {

struct ServingCertificate {
  http::KeyPair server;
  std::string authority_pem;  // the authority that clients must trust
  bool is_new = false;        // the server's certificate was created by this call
};

// `names` are the DNS names and IP addresses of the server. Returns kInvalid with the bad file and what to do. The caller must protect the
// folder from other users.
Result<ServingCertificate> OpenServingCertificate(FileSystem& files, const Clock& clock, const std::string& folder,
                                                  const std::vector<std::string>& names);

}  // namespace allot::apiserver
