// A journal that the first release wrote. A node that is updated keeps what its claims hold.
#include <unistd.h>

#include <filesystem>

#include "base/test_util.h"
#include "node/nvidia/share_state.h"
#include "node/prepare/journal.h"
#include "tests/support/requirements.h"

namespace allot::node::nvidia {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kUid = "c1a10000-0000-4000-8000-000000000000";

std::string Uid(std::string_view name) { return StrCat(kUid.substr(0, kUid.size() - name.size()), name); }

Share ShareOf(std::string request, int gpu, std::string share_id, int64_t mib) {
  Share share;
  share.request = std::move(request);
  share.pool = "n1";
  share.device = StrCat("gpu-", gpu);
  share.share_id = std::move(share_id);
  share.uuid = share.parent = StrCat("GPU-0000000", gpu, "-aaaa-bbbb-cccc-dddddddddddd");
  share.memory_mib = mib;
  share.whole_mib = 24576;
  return share;
}

class OldJournalTest : public testing::Test {
 protected:
  OldJournalTest() {
    std::filesystem::create_directories(folder_);
    std::filesystem::copy_file(tests::SourceDir() / "src/node/nvidia/testdata/journal_of_first_release", folder_ + "/journal",
                               std::filesystem::copy_options::overwrite_existing);
  }
  ~OldJournalTest() override { std::filesystem::remove_all(folder_); }

  // The shares of the claim lab/NAME.
  std::vector<Share> SharesOf(const Holdings& held, const std::string& name) {
    const auto found = held.find(Uid(name));
    if (found == held.end()) return {};
    EXPECT_EQ(found->second->ClaimName(), "lab/" + name);
    return found->second->shares;
  }

  const std::string folder_ = StrCat(testing::TempDir(), "old-journal-", ::getpid());
  PosixFileSystem files_;
};

TEST_F(OldJournalTest, EveryShareIsReadWithItsSettings) {
  ASSERT_OK_AND_ASSIGN(const auto journal, Journal::Open(files_, folder_));
  ASSERT_OK_AND_ASSIGN(const Holdings held, journal->Read());
  EXPECT_THAT(journal->TakeDamage(), IsEmpty());
  EXPECT_EQ(held.size(), 6u);

  Share sliced = ShareOf("gpu", 0, "7f3a0000-0000-4000-8000-000000000002", 6144);
  sliced.state = ShareState{false, {"TimeSlicing", "Long", 0, 0}}.ToJson();
  EXPECT_THAT(SharesOf(held, "sliced"), ElementsAre(sliced));
  EXPECT_THAT(SharesOf(held, "pair"), ElementsAre(ShareOf("a", 0, "7f3a0000-0000-4000-8000-000000000003", 4096),
                                                  ShareOf("b", 0, "7f3a0000-0000-4000-8000-000000000004", 2048)));
  Share admin = ShareOf("look", 0, "", 24576);
  admin.admin = true;
  EXPECT_THAT(SharesOf(held, "admin"), ElementsAre(admin));
  Share mig = ShareOf("part", 1, "", 4864);
  mig.device = "gpu-1-mig-1g5gb-19-0";
  mig.uuid = "MIG-11111111-aaaa-bbbb-cccc-dddddddddddd";
  mig.whole_mib = 4864;
  EXPECT_THAT(SharesOf(held, "mig"), ElementsAre(mig));
  Share unknown = ShareOf("gpu", 2, "", 0);
  unknown.whole_mib = 0;
  EXPECT_THAT(SharesOf(held, "unknown"), ElementsAre(unknown));
  Share mps = ShareOf("gpu", 3, "7f3a0000-0000-4000-8000-000000000005", 8192);
  mps.state = ShareState{true, {"MPS", "", 50, 2048}}.ToJson();
  EXPECT_THAT(SharesOf(held, "mps"), ElementsAre(mps));
  EXPECT_THAT(SharesOf(held, "gone"), IsEmpty());
}

}  // namespace
}  // namespace allot::node::nvidia
