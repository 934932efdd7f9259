#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

Status Controller::Change(const Target& target, const std::string& uid, const Api::ChangeFunction& change) const {
  const Result<Answer> answer = api().Change(caller_, target, [&](json::Editor& edit, const json::Value& object) -> Result<json::Value> {
    if (json::TextOf(object["metadata"]["uid"]) != uid) return object;
    return change(edit, object);
  });
  return answer.ok() ? Status() : UnlessGone(answer.status());
}

Status Controller::Delete(const Target& target, const std::string& uid, std::optional<int64_t> grace_seconds) const {
  DeleteOptions options;
  options.uid = uid;
  options.grace_seconds = grace_seconds;
  options.propagation = "Background";
  const Result<Answer> answer = api().Delete(caller_, target, options);
  if (answer.ok() || IsGone(answer.status())) return Status();
  // Another object may have the name by now.
  const EntryPtr there = store().Get({target.kind->type.FullName(), target.space, target.name});
  if (there == nullptr || there->uid != uid) return Status();
  return answer.status();
}

Result<Stored> Controller::Create(std::string_view resource, std::string_view space, const json::Value& object) const {
  const Target target{api().BuiltIn(resource), std::string(space)};
  ASSIGN_OR_RETURN(const Answer answer, api().Create(caller_, target, object, {}));
  return Stored(answer.entry);
}

}  // namespace allot::apiserver
