#pragma once
// The embedded API as a program runs it (`allot apiserver`, `allot up`): from a folder, with its certificates, tokens, kubeconfig and
// doors.

#include <memory>
#include <string>
#include <vector>

#include "apiserver/data_folder.h"
#include "apiserver/server.h"
#include "apiserver/table_access.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "kube/config.h"

namespace allot::local {

struct ApiHomeOptions {
  std::string address = "127.0.0.1";
  int port = 0;  // 0: any that is free
  // Files in PEM: a certificate with its key, and who signed it. All empty: one is made. An authority that is empty: the clients' own.
  std::string certificate_file, key_file, authority_file;
  std::string token_file;  // tokens of the admin's own; empty: none
  apiserver::PodLogs* logs = nullptr;
  std::vector<std::shared_ptr<const apiserver::Admission>> admission;  // more of it
};

class ApiHome {
 public:
  // Serves from now on, and has written the admin's kubeconfig. Errors name the file or the address. All must outlive it.
  static Result<std::unique_ptr<ApiHome>> Start(ApiHomeOptions options, apiserver::DataFolder folder, FileSystem& files, const Clock& clock,
                                                Random& random, Log& log);
  ApiHome(const ApiHome&) = delete;
  ApiHome& operator=(const ApiHome&) = delete;

  // Until `stop`: keeps the certificate from running out.
  void Tend(const Cancel& stop);

  apiserver::Server& server() { return *server_; }
  const apiserver::DataFolder& folder() const { return folder_; }
  // For a client in this process, or another one of our user: by the socket, as an admin.
  kube::Config ClientConfig() const;
  // How many files this process might open before the server raised that (open_files.h): what its programs should have.
  uint64_t first_open_files() const { return first_open_files_; }
  // Two lines for the user's shell: where it is, and KUBECONFIG.
  std::string Greeting() const;

 private:
  struct Tls {
    std::shared_ptr<const http::TlsServer> server;
    std::string authority_pem;  // empty: one that the system trusts
  };

  ApiHome(ApiHomeOptions options, apiserver::DataFolder folder, FileSystem& files, const Clock& clock, Log& log)
      : options_(std::move(options)), folder_(std::move(folder)), files_(files), clock_(clock), log_(log) {}

  Status Open(Random& random);
  Result<Tls> OpenTls() const;
  Result<Tls> GivenTls() const;
  Status WriteConfig(const std::string& authority_pem);

  const ApiHomeOptions options_;
  const apiserver::DataFolder folder_;
  FileSystem& files_;
  const Clock& clock_;
  Log& log_;
  uint64_t first_open_files_ = 0;
  std::string admin_token_;
  std::string authority_pem_;  // that the admin's kubeconfig trusts
  std::unique_ptr<apiserver::Tokens> tokens_;
  std::unique_ptr<apiserver::TableAccess> access_;
  std::unique_ptr<apiserver::Server> server_;
};

// The names for the certificate of a server that listens on `address`: itself, or, where that is all of them, those of the `interfaces`;
// the machine's; and what this machine is to itself. Sorted. A `hostname` that can be no DNS name is left out.
std::vector<std::string> ServingNames(const std::string& address, const std::string& hostname, const std::vector<std::string>& interfaces);

// Of this machine; empty where the kernel does not tell.
std::string Hostname();

}  // namespace allot::local
