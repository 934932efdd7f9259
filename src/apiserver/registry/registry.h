#pragma once
// Implements Api on a Store.

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/api.h"

namespace allot::apiserver {

struct FieldWrite;

class Registry final : public Api {
 public:
  struct Parts {
    Store& store;
    const Clock& clock;
    Random& random;                                           // thread-safe
    std::vector<std::shared_ptr<const Admission>> admission;  // in order
  };

  explicit Registry(Parts parts);

  std::shared_ptr<const Kinds> kinds() const override;
  void SetCustomKinds(std::vector<std::shared_ptr<const Kind>> kinds) override;
  std::shared_ptr<const Kind> BuiltIn(std::string_view resource) const override;
  Store& store() override { return parts_.store; }

  Result<Answer> Get(const Target& target) override;
  Result<Answer> Create(const Caller& caller, const Target& target, const json::Value& body, const WriteOptions& options) override;
  Result<Answer> Update(const Caller& caller, const Target& target, const json::Value& body, const WriteOptions& options) override;
  Result<Answer> Patch(const Caller& caller, const Target& target, PatchType type, const json::Value& patch,
                       const WriteOptions& options) override;
  Result<Answer> Delete(const Caller& caller, const Target& target, const DeleteOptions& options) override;
  Result<Answer> Change(const Caller& caller, const Target& target, const ChangeFunction& change) override;

 private:
  struct Work;      // a write in progress
  struct Existing;  // a stored object and its tree
  struct Proposal;  // what is to be stored instead

  // Returns what the writer wants to store, given what exists (nullptr: create). Called again if another writer was faster.
  using Propose = std::function<Result<Proposal>(Work& work, const Existing* existing)>;
  Result<Answer> Write(Work& work, const Propose& propose);
  Result<Answer> Insert(Work& work, const Proposal& proposal);
  Result<Answer> Replace(Work& work, const Existing& existing, const Proposal& proposal);
  Result<Answer> Finish(Work& work, const Existing& existing, const json::Value& old, const json::Value& object);

  // Decoding a body into an object.
  Result<json::Value> Decode(Work& work, const json::Value& body) const;
  Result<json::Value> Understood(Work& work, const json::Value& body, std::vector<std::string>* unknown) const;
  Status CheckFields(Work& work, const std::vector<std::string>& unknown) const;
  Result<json::Value> Patched(Work& work, const Existing& existing, PatchType type, const json::Value& patch) const;
  Result<json::Value> Applied(Work& work, const Existing* existing, const json::Value& config) const;

  // Steps between decoding and storing.
  Status CheckPlace(const Work& work, const json::Value& object) const;
  Status CheckVersion(const Work& work, const Existing& existing, const Proposal& proposal) const;
  Result<json::Value> Mutate(Work& work, const json::Value* old, const json::Value& object, Operation operation);
  Status Admit(Work& work, const json::Value* old, const json::Value& object, Operation operation);
  static Status Refused(const Work& work, Status status);
  json::Value FillNew(Work& work, const json::Value& object);
  json::Value CarryOver(Work& work, const json::Value& old, const Proposal& proposal) const;
  json::Value OnlyStatus(Work& work, const json::Value& old, const json::Value& object) const;
  json::Value RaiseGeneration(Work& work, const json::Value& old, const json::Value& object) const;
  void ValidateChange(Work& work, const json::Value& object, const json::Value& old, FieldErrors& errors) const;
  FieldWrite FieldsOf(Work& work) const;
  json::Value RecordManager(Work& work, const json::Value& old, const Proposal& proposal) const;

  // Reading from and writing to the store.
  Key KeyOf(const Target& target) const;
  Result<Existing> Load(const Target& target) const;
  Result<json::Value> Canonical(Work& work, const json::Value& object) const;
  Result<Draft> MakeDraft(const Kind& kind, const json::Value& object) const;

  // For Delete (registry_delete.cc).
  Result<Answer> TryDelete(const Caller& caller, const Target& target, const DeleteOptions& options);
  Status CheckPreconditions(const Target& target, const Existing& existing, const DeleteOptions& options) const;
  json::Value Ended(Work& work, const json::Value& old, const DeleteOptions& options) const;
  static bool IsOver(const Kind& kind, const json::Value& object);

  Parts parts_;
  const std::vector<std::shared_ptr<const Kind>> built_in_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Kinds> kinds_;
};

}  // namespace allot::apiserver
