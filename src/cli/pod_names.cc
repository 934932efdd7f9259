#include "cli/pod_names.h"

#include <algorithm>

#include "base/strings.h"
#include "kube/url.h"

namespace allot::cli {
namespace {

bool IsPods(std::string_view kind) { return kind == "pod" || kind == "pods" || kind == "po" || kind == "Pod"; }

}  // namespace

Result<std::vector<std::string>> PodNames(std::span<const std::string> operands) {
  if (operands.size() > 1 && IsPods(operands[0])) operands = operands.subspan(1);
  std::vector<std::string> names;
  for (const std::string& operand : operands) {
    const size_t slash = operand.find('/');
    if (slash != operand.npos && !IsPods(std::string_view(operand).substr(0, slash))) {
      return Invalid(Quoted(operand), " is not a Pod; write NAME or pod/NAME");
    }
    std::string name = slash == operand.npos ? operand : operand.substr(slash + 1);
    TRY(kube::CheckNames("", name));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace allot::cli
