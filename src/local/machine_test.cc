#include "local/machine.h"

#include "base/test_util.h"

namespace allot::local {
namespace {

TEST(Machine, HasTheFactsOfANode) {
  PosixFileSystem files;
  const Machine machine = ReadMachine(files, "/");
  EXPECT_FALSE(machine.hostname.empty());
  EXPECT_FALSE(machine.address.empty());
  EXPECT_FALSE(machine.architecture.empty());
  EXPECT_FALSE(machine.kernel.empty());
  EXPECT_GE(machine.cpus, 1);
  EXPECT_GT(machine.memory_kib, 0);
  EXPECT_GT(machine.disk_kib, 0);
}

TEST(Machine, AHostnameBecomesANameThatKubernetesTakes) {
  EXPECT_EQ(NodeNameOf("gpu-box.lan"), "gpu-box.lan");
  EXPECT_EQ(NodeNameOf("GPU_Box.Lan"), "gpu-box.lan");
  EXPECT_EQ(NodeNameOf("-a-.-b-."), "a.b");
  EXPECT_EQ(NodeNameOf("a..b"), "a.b");
  EXPECT_EQ(NodeNameOf("\xc3\xa9"), "local");
  EXPECT_EQ(NodeNameOf(""), "local");
  EXPECT_EQ(NodeNameOf(std::string(100, 'x')), std::string(63, 'x'));
}

}  // namespace
}  // namespace allot::local
