#include "tests/conformance/case.h"

#include <algorithm>

#include "base/file_system.h"
#include "base/strings.h"
#include "json/json.h"

namespace allot::conformance {
namespace {

void AddCases(Kind kind, const json::Value& value, const std::string& where, std::vector<Case>& cases) {
  const auto add_list = [&](const json::Value& list, std::string_view name) {
    size_t index = 0;
    for (const json::Value& item : list.Items()) AddCases(kind, item, StrCat(where, name, "[", index++, "]"), cases);
  };
  if (value.IsArray()) return add_list(value, "");
  if (kind == Kind::kQuantity && value.IsObject() && (value["parse"].IsArray() || value["pairs"].IsArray())) {
    if (value["parse"].IsArray()) add_list(value["parse"], ".parse");
    if (value["pairs"].IsArray()) add_list(value["pairs"], ".pairs");
    return;
  }
  cases.push_back({where, value});
}

}  // namespace

Result<Kind> ParseKind(std::string_view name) {
  if (name == "allocator") return Kind::kAllocator;
  if (name == "cel") return Kind::kCel;
  if (name == "quantity") return Kind::kQuantity;
  return Invalid("kind ", Quoted(name), " is not one of allocator, cel, quantity");
}

Status Cases::AddText(Kind kind, std::string_view text, std::string_view where, bool jsonl) {
  size_t number = 0;
  const std::vector<std::string_view> parts = jsonl ? Split(text, '\n') : std::vector<std::string_view>{text};
  for (const std::string_view part : parts) {
    ++number;
    if (jsonl && Trim(part).empty()) continue;
    const std::string place = jsonl ? StrCat(where, ":", number) : std::string(where);
    ASSIGN_OR_RETURN(json::Document document, json::Parse(part).Context(place));
    documents.push_back(std::move(document));
    AddCases(kind, documents.back().root(), place, cases);
  }
  return Status();
}

std::vector<std::filesystem::path> CaseFiles(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error)) {
    const auto extension = entry.path().extension();
    if (entry.is_regular_file(error) && (extension == ".json" || extension == ".jsonl")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<Cases> LoadCases(Kind kind, const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error)) {
    return Invalid(file.string(), ": neither a file nor a folder");
  }
  ASSIGN_OR_RETURN(const std::string text, PosixFileSystem().ReadFile(file.string(), size_t{1} << 30));
  Cases cases;
  TRY(cases.AddText(kind, text, file.string(), file.extension() == ".jsonl"));
  return cases;
}

std::vector<std::string> CompareCase(Kind kind, const json::Value& value) {
  // A case that expects nothing would agree with anything.
  if (kind == Kind::kAllocator && (!value.IsObject() || !value["expect"].IsObject())) return {"not an allocator case: expected \"expect\""};
  if (kind == Kind::kCel && (!value.IsObject() || !value["compiles"].IsBool())) return {"not a CEL case: expected \"compiles\""};
  switch (kind) {
    case Kind::kAllocator: return CompareAllocator(value, value["expect"]);
    case Kind::kCel: return CompareCel(value, value);
    case Kind::kQuantity: return CompareQuantity(value, value);
  }
  return {};
}

}  // namespace allot::conformance
