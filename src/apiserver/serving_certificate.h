#pragma once
// The certificate that the server shows, from a folder of its own: ca.crt, ca.key, server.crt, server.key.
//
// What is missing is made: an authority for ten years, a certificate for one. The certificate is made anew with the same authority when it
// has less than 30 days left, lacks a name or does not fit; clients that trust the authority notice nothing. The authority is made anew
// when it has less than 30 days left: then kubeconfigs must be made again.

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/status.h"
#include "http/self_signed.h"

namespace allot::apiserver {

struct ServingCertificate {
  http::KeyPair server;
  std::string authority_pem;  // whom clients must trust
  bool is_new = false;        // the server's was made now
};

// For a server that is reached by these names (DNS names, IP addresses). kInvalid names the file that is wrong, and what to do. The caller
// sees to it that nobody else can read the folder.
Result<ServingCertificate> OpenServingCertificate(FileSystem& files, const Clock& clock, const std::string& folder,
                                                  const std::vector<std::string>& names);

}  // namespace allot::apiserver
