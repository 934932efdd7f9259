#include "local/pods/pod_environment.h"

#include "base/test_util.h"

namespace allot::local {
namespace {

TEST(PodEnvironment, VariablesAreExpandedAsKubernetesDoes) {
  const Environment variables = {{"A", "1"}, {"B", "$(A)"}, {"EMPTY", ""}};
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{{"$(A)", "1"},
                                                                                       {"x$(A)y$(A)", "x1y1"},
                                                                                       {"$(B)", "$(A)"},
                                                                                       {"$(EMPTY)", ""},
                                                                                       {"$(NONE)", "$(NONE)"},
                                                                                       {"$$(A)", "$(A)"},
                                                                                       {"$$$(A)", "$1"},
                                                                                       {"$$$$(A)", "$$(A)"},
                                                                                       {"$A", "$A"},
                                                                                       {"$", "$"},
                                                                                       {"a$", "a$"},
                                                                                       {"$(A", "$(A"},
                                                                                       {"$()", "$()"},
                                                                                       {"", ""}}) {
    EXPECT_EQ(ExpandVariables(text, variables), expected) << text;
  }
}

TEST(PodEnvironment, DevicesGoInFrontOfPathsAndReplaceTheRest) {
  Environment environment = {{"PATH", "/usr/bin:/opt/gpu"}, {"NVIDIA_VISIBLE_DEVICES", "all"}, {"MINE", "1"}};
  AddDeviceEnvironment({{"PATH", "/opt/gpu"}, {"LD_PRELOAD", "/g.so"}, {"NVIDIA_VISIBLE_DEVICES", "GPU-1"}}, environment);
  EXPECT_EQ(environment,
            (Environment{{"PATH", "/opt/gpu:/usr/bin"}, {"LD_PRELOAD", "/g.so"}, {"NVIDIA_VISIBLE_DEVICES", "GPU-1"}, {"MINE", "1"}}));
}

TEST(PodEnvironment, TheDevicesOfSeveralClaimsAreOneList) {
  Environment devices = {{"NVIDIA_VISIBLE_DEVICES", "void"}, {"CUDA_VISIBLE_DEVICES", "GPU-1"}, {"PATH", "/a"}};
  MergeDeviceEnvironment({{"NVIDIA_VISIBLE_DEVICES", "GPU-2"}, {"CUDA_VISIBLE_DEVICES", "GPU-2,GPU-1"}, {"PATH", "/b:/a"}, {"X", "1"}},
                         devices);
  EXPECT_EQ(devices,
            (Environment{{"NVIDIA_VISIBLE_DEVICES", "GPU-2"}, {"CUDA_VISIBLE_DEVICES", "GPU-1,GPU-2"}, {"PATH", "/a:/b"}, {"X", "1"}}));
}

}  // namespace
}  // namespace allot::local
