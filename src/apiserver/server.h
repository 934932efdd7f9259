#pragma once
// The embedded API as a whole: store, controllers and doors.
//
// Users whom `access` gives a namespace get it when they first come (own_namespaces.h), and their Pods run as them (user_admission.h).

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access.h"
#include "apiserver/admission.h"
#include "apiserver/api.h"
#include "apiserver/pod_actions.h"
#include "apiserver/tokens.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "http/server.h"

namespace allot::apiserver {

struct ServerOptions {
  std::string store;                           // the file
  std::string address = "127.0.0.1";           // of TCP; empty: none
  int port = 0;                                // 0: any
  std::shared_ptr<const http::TlsServer> tls;  // of TCP; nothing: plain HTTP, over which kubectl sends no token
  std::string authority_pem;                   // who signed its certificate, for kubeconfigs; empty: one that the system trusts
  std::string socket;                          // of unix; empty: none. Everybody may connect: the kernel says who they are
  Tokens* tokens = nullptr;                    // for kubeconfigs (kubeconfig_door.h); nothing: none are made
  std::vector<std::shared_ptr<const Admission>> admission;  // behind those that Kubernetes has
  PodLogs* logs = nullptr;
  Log* log = nullptr;  // hears of controllers that fail; nothing: nobody does
};

class Server {
 public:
  // Serves from now on. Errors name the file or the address. What the options point to, and the other arguments, must outlive it.
  static Result<std::unique_ptr<Server>> Start(const ServerOptions& options, const Access& access, const Clock& clock, Random& random);
  // Ends watches, lets requests end for a moment, closes the store.
  virtual ~Server() = default;

  virtual Api& api() = 0;
  virtual int port() const = 0;  // of TCP; 0: none
  // Where clients of this machine reach it by TCP: "https://127.0.0.1:6480"; empty: nowhere.
  virtual std::string url() const = 0;
  // For new connections by TCP, when the certificate was renewed.
  virtual void SetTls(std::shared_ptr<const http::TlsServer> tls, std::string authority_pem) = 0;
};

}  // namespace allot::apiserver
