#pragma once
// Serves the Api over HTTP: paths, verbs, content types and responses.

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/access.h"
#include "apiserver/api.h"
#include "apiserver/pod_actions.h"
#include "apiserver/rest/content.h"
#include "apiserver/rest/documents.h"
#include "apiserver/rest/request.h"
#include "apiserver/rest/watch.h"
#include "base/clock.h"
#include "http/server.h"

namespace allot::apiserver {

// Thread-safe.
class RestHandler {
 public:
  struct Parts {
    Api& api;
    WatchHub& hub;
    const Access& access;
    const Clock& clock;
    PodLogs* logs = nullptr;  // nullptr: no logs
  };

  explicit RestHandler(Parts parts) : parts_(parts) {}

  // Answers one request, now or, for a watch, as long as it lasts.
  void Handle(const http::RequestContext& context, const std::shared_ptr<http::ResponseWriter>& writer);

 private:
  struct Call;

  void Route(Call& call);
  void Serve(Call& call, std::shared_ptr<const Kind> kind);
  void ServeCollection(Call& call);
  void ServeObject(Call& call);
  void ServeSubresource(Call& call);
  static std::string VerbOf(const Call& call);

  void Get(Call& call);
  // Creates or updates the object in the request's body.
  void Write(Call& call, decltype(&Api::Create) verb);
  void Patch(Call& call);
  void Delete(Call& call);
  static Result<PatchType> PatchTypeOf(const Call& call);
  static Result<Body> ReadPatch(const Call& call, PatchType type);
  static Result<DeleteOptions> DeleteOptionsOf(Call& call);

  // list.cc
  void List(Call& call);
  void Watch(Call& call, const ListOptions& options, const Selector& selector);
  void DeleteCollection(Call& call);
  Shown ShownAs(const Call& call) const;

  // actions.cc
  void Act(Call& call);
  void Scale(Call& call);
  Result<Answer> ChangeScale(Call& call, const Target& whole);
  void Log(Call& call);

  // about.cc
  void ServeDocument(Call& call);
  bool ServeReview(Call& call);

  void SendObject(Call& call, const Answer& answer);
  void SendAsProtobuf(Call& call, int code, const Type& type, std::string_view kind, std::string_view json);
  void SendText(Call& call, int code, std::string json);
  void SendError(Call& call, const Status& status);
  static void AddWarnings(const Call& call, http::Headers& headers);
  void Send(Call& call, int code, std::string content_type, std::string body);

  const Parts parts_;
  Documents documents_;
};

}  // namespace allot::apiserver
