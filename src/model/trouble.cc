#include "model/trouble.h"

#include <utility>

#include "base/strings.h"

namespace allot::model {
namespace {

constexpr std::pair<Trouble, std::string_view> kNames[] = {
    {Trouble::kNoDriver, "NoDriver"},         {Trouble::kOtherDriver, "OtherDriver"}, {Trouble::kDevicePlugin, "DevicePlugin"},
    {Trouble::kNoDeviceNode, "NoDeviceNode"}, {Trouble::kNotFree, "NotFree"},         {Trouble::kNodeConfig, "NodeConfig"},
    {Trouble::kNoSharing, "NoSharing"},       {Trouble::kNoTaints, "NoTaints"},
};

}  // namespace

std::string CodeOf(Trouble trouble) {
  for (const auto& [one, name] : kNames) {
    if (one == trouble) return StrCat("[", name, "]");
  }
  return "";
}

Trouble CodedTrouble(std::string_view text) {
  for (const auto& [trouble, name] : kNames) {
    if (text.find(StrCat("[", name, "]")) != text.npos) return trouble;
  }
  return Trouble::kOther;
}

}  // namespace allot::model
