#include "apiserver/kubeconfig_handler.h"

#include <algorithm>

#include "apiserver/access/local_users.h"
#include "apiserver/refusal.h"
#include "json/editor.h"
#include "json/yaml_write.h"
#include "kube/config/credentials.h"

namespace allot::apiserver {
namespace {

constexpr std::string_view kPath = "/allot/v1/kubeconfig";

bool HasRights(const Identity& who) {
  return std::any_of(who.groups.begin(), who.groups.end(),
                     [](const std::string& group) { return group == kUsersGroup || group == kAdminsGroup; });
}

}  // namespace

std::string WriteKubeconfig(const KubeconfigText& parts) {
  json::Arena arena;
  json::Editor edit(arena);
  const json::Value name = edit.Literal("allot");
  json::Value cluster = edit.Object({{"server", edit.String(parts.url)}});
  if (!parts.authority_pem.empty()) {
    cluster = edit.Set(cluster, "certificate-authority-data", edit.String(kube::EncodeBase64(parts.authority_pem)));
  }
  json::Value context = edit.Object({{"cluster", name}, {"user", edit.String(parts.user)}});
  if (!parts.space.empty()) context = edit.Set(context, "namespace", edit.String(parts.space));
  const json::Value user = edit.Object({{"token", edit.String(parts.token)}});
  const auto named = [&](const json::Value& of, std::string_view key, const json::Value& value) {
    return edit.Array({edit.Object({{"name", of}, {key, value}})});
  };
  return json::WriteYaml(edit.Object({{"apiVersion", edit.Literal("v1")},
                                      {"kind", edit.Literal("Config")},
                                      {"current-context", name},
                                      {"clusters", named(name, "cluster", cluster)},
                                      {"contexts", named(name, "context", context)},
                                      {"users", named(edit.String(parts.user), "user", user)}}));
}

Result<std::string> KubeconfigHandler::Make(const http::RequestContext& context, const std::string& url,
                                            const std::string& authority_pem) const {
  if (tokens_ == nullptr || url.empty()) return NoSuchPath();
  if (context.request.method != "POST") return MethodNotAllowed();
  if (!context.credentials || context.request.headers.Has("Authorization")) {
    return Refuse(403, "Forbidden", "the server makes kubeconfigs only for users of the unix socket, without a token");
  }
  const std::optional<Identity> who = access_.Identify(context);
  if (!who) return Refuse(401, "Unauthorized", "Unauthorized");
  if (!who->refused.empty()) return Refuse(403, "Forbidden", who->refused);
  if (!HasRights(*who)) return Refuse(403, "Forbidden", StrCat("User \"", who->user, "\" has no rights here, so a token would be useless"));
  ASSIGN_OR_RETURN(const std::string token, tokens_->Issue(*who));
  return WriteKubeconfig({url, authority_pem, who->user, token, who->space});
}

bool KubeconfigHandler::Serve(const http::RequestContext& context, http::ResponseWriter& writer, const std::string& url,
                              const std::string& authority_pem) const {
  const std::string& target = context.request.target;
  if (std::string_view(target).substr(0, target.find('?')) != kPath) return false;
  Result<std::string> text = Make(context, url, authority_pem);
  http::Response response;
  response.headers.Add("Cache-Control", "no-store");
  if (text.ok()) {
    response.status = 201;
    response.headers.Add("Content-Type", "application/yaml");
    response.body = *std::move(text);
  } else {
    response.status = CodeOf(text.status());
    response.headers.Add("Content-Type", "application/json");
    response.body = WriteStatus(text.status()) + "\n";
  }
  writer.Send(std::move(response));
  return true;
}

}  // namespace allot::apiserver
