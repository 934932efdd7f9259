#pragma once
// The embedded API: store, controllers and listeners.
//
// A user to whom `access` assigns a namespace gets it on the first request (own_namespaces.h). Users' Pods run as their users
// (user_admission.h).

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access/access.h"
#include "apiserver/access/tokens.h"
#include "apiserver/admission.h"
#include "apiserver/api.h"
#include "apiserver/pod_actions.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "http/server.h"

namespace allot::apiserver {

struct ServerOptions {
  std::string store;                           // path of the store's file
  std::string address = "127.0.0.1";           // for TCP; empty: no TCP
  int port = 0;                                // 0: any free port
  std::shared_ptr<const http::TlsServer> tls;  // for TCP; nullptr: plain HTTP, over which kubectl sends no token
  std::string authority_pem;                   // authority of the server's certificate, for kubeconfigs; empty: one that the system trusts
  std::string socket;                          // path of the unix socket; empty: none. Every user may connect: the kernel identifies them
  Tokens* tokens = nullptr;                    // for kubeconfigs (kubeconfig_handler.h); nullptr: none are made
  std::vector<std::shared_ptr<const Admission>> admission;  // runs after Kubernetes' own steps
  PodLogs* logs = nullptr;
  Log* log = nullptr;  // receives controllers' failures; nullptr: not logged
};

class Server {
 public:
  // Starts serving. Errors name the file or the address. The arguments, and what the options point to, must outlive it.
  static Result<std::unique_ptr<Server>> Start(const ServerOptions& options, const Access& access, const Clock& clock, Random& random);
  // Ends watches, gives running requests a moment to finish, closes the store.
  virtual ~Server() = default;

  virtual Api& api() = 0;
  virtual int port() const = 0;  // of TCP; 0: none
  // The server's TCP URL for clients on this machine: "https://127.0.0.1:6480"; empty: none.
  virtual std::string url() const = 0;
  // Sets the TLS of new TCP connections, after the certificate was renewed.
  virtual void SetTls(std::shared_ptr<const http::TlsServer> tls, std::string authority_pem) = 0;
};

}  // namespace allot::apiserver
