#pragma once
// The embedded API of a program (`allot apiserver`, `allot up`): from a folder, with its certificates, tokens, kubeconfig and listeners.

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access/table_access.h"
#include "apiserver/data_folder.h"
#include "apiserver/server.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "kube/config/config.h"

namespace allot::local {

struct ApiHomeOptions {
  std::string address = "127.0.0.1";
  int port = 0;  // 0: any that is free
  // Files in PEM: a certificate, its key, and its authority. All empty: one is created. Only the authority empty: those that clients trust.
  std::string certificate_file, key_file, authority_file;
  std::string token_file;  // static tokens that the admin added; empty: none
  apiserver::PodLogs* logs = nullptr;
  std::vector<std::shared_ptr<const apiserver::Admission>> admission;  // in addition to the server's own
};

class ApiHome {
 public:
  // Starts to serve, and writes the admin's kubeconfig. Errors name the file or the address. The arguments must outlive this object.
  static Result<std::unique_ptr<ApiHome>> Start(ApiHomeOptions options, apiserver::DataFolder folder, FileSystem& files, const Clock& clock,
                                                Random& random, Log& log);
  ApiHome(const ApiHome&) = delete;
  ApiHome& operator=(const ApiHome&) = delete;

  // Renews the certificate before it expires, until `stop`.
  void Tend(const Cancel& stop);

  apiserver::Server& server() { return *server_; }
  const apiserver::DataFolder& folder() const { return folder_; }
  // The config of a client in this process, or in another one of our user: by the socket, as an admin.
  kube::Config ClientConfig() const;
  // The limit of open files before the server raised it (open_files.h), for programs that it starts.
  uint64_t first_open_files() const { return first_open_files_; }
  // Two lines for the user's shell: the server's addresses, and KUBECONFIG.
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
  std::string authority_pem_;  // the authority in the admin's kubeconfig
  std::unique_ptr<apiserver::Tokens> tokens_;
  std::unique_ptr<apiserver::TableAccess> access_;
  std::unique_ptr<apiserver::Server> server_;
};

// The names in the certificate of a server that listens on `address`: the address, or all `interfaces` if it is a wildcard; the machine's
// name, unless it is not a valid DNS name; localhost and the loopback addresses. Sorted.
std::vector<std::string> ServingNames(const std::string& address, const std::string& hostname, const std::vector<std::string>& interfaces);

// This machine's name; empty if the kernel does not tell.
std::string Hostname();

}  // namespace allot::local
