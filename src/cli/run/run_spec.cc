#include "cli/run/run_spec.h"

#include <charconv>

#include "base/strings.h"
#include "model/names.h"

namespace allot::cli {
namespace {

constexpr int64_t kMostGpus = 32;

// A valid Pod name that resembles the text: "train-1" for "Train_1".
std::string GoodName(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 63)) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool fits = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (fits || (!name.empty() && name.back() != '-')) name += fits ? lower : '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "train-1" : name;
}

Status CheckName(const std::string& name) {
  if (name.empty() || model::IsDnsSubdomain(name)) return Status();
  return Invalid("--name: ", Quoted(name), " is not a valid Pod name: use at most 253 lower case letters, digits and dashes, for example ",
                 GoodName(name));
}

Result<int64_t> ReadGpus(const std::string& text) {
  int64_t gpus = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), gpus);
  if (error == std::errc() && end == text.data() + text.size() && gpus >= 1 && gpus <= kMostGpus) return gpus;
  return Invalid("--gpus: ", Quoted(text), " is not a number from 1 to ", kMostGpus);
}

}  // namespace

Result<local::RunSpec> ReadRunSpec(const Arguments& arguments) {
  local::RunSpec spec;
  if (arguments.Has("memory") && arguments.Has("fraction")) return Invalid("--memory and --fraction exclude each other; give one of them");
  if (arguments.Has("memory")) {
    ASSIGN_OR_RETURN(spec.share.memory, dialect::ParseMemory(arguments.Get("memory")).Context("--memory"));
  }
  if (arguments.Has("fraction")) {
    ASSIGN_OR_RETURN(spec.share.fraction, model::Fraction::Parse(arguments.Get("fraction")).Context("--fraction"));
  }
  if (arguments.Has("gpus")) {
    ASSIGN_OR_RETURN(spec.share.gpus, ReadGpus(arguments.Get("gpus")));
  }
  spec.share.model = arguments.Get("model");
  if (arguments.Has("model")) TRY(dialect::CheckModel(spec.share.model).Context("--model"));
  spec.name = arguments.Get("name");
  TRY(CheckName(arguments.Get("name")));
  spec.wait = arguments.Bool("wait");
  spec.argv = arguments.operands();
  if (spec.argv.empty()) return Invalid("no command is given; write it after --, for example `allot run --memory 6Gi -- python train.py`");
  return spec;
}

}  // namespace allot::cli
