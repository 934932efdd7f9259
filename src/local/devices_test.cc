#include "local/devices.h"

#include "base/test_util.h"

namespace allot::local {
namespace {

using ::testing::ElementsAre;

// podman refuses to mount something twice.
TEST(Merge, CommonEditsOfTwoClaimsAreAddedOnce) {
  DeviceAccess access{
      .environment = {{"CUDA_VISIBLE_DEVICES", "GPU-1"}},
      .edits = {.environment = {{"A", "1"}}, .device_nodes = {{"/dev/x0", "/dev/x0", "rw"}}, .mounts = {{"/lib", "/lib", "ro"}}}};
  const DeviceAccess more{.environment = {{"CUDA_VISIBLE_DEVICES", "GPU-2"}},
                          .edits = {.environment = {{"B", "2"}},
                                    .device_nodes = {{"/dev/x0", "/dev/x0", "rw"}, {"/dev/x1", "/dev/x1", "rw"}},
                                    .mounts = {{"/lib", "/lib", "ro"}},
                                    .hooks = {{"/hook"}}}};
  Merge(more, access);
  Merge(more, access);
  EXPECT_EQ(access.environment.at("CUDA_VISIBLE_DEVICES"), "GPU-1,GPU-2");
  EXPECT_EQ(access.edits.environment, (Environment{{"A", "1"}, {"B", "2"}}));
  EXPECT_THAT(access.edits.device_nodes,
              ElementsAre(ContainerEdits::File{"/dev/x0", "/dev/x0", "rw"}, ContainerEdits::File{"/dev/x1", "/dev/x1", "rw"}));
  EXPECT_THAT(access.edits.mounts, ElementsAre(ContainerEdits::File{"/lib", "/lib", "ro"}));
  EXPECT_THAT(access.edits.hooks, ElementsAre(ElementsAre("/hook")));
}

}  // namespace
}  // namespace allot::local
