// What was acknowledged survives kill -9 at any moment, and nothing that was
// not finished is ever seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "store/care/maintenance.h"
#include "store/fault.h"
#include "store/records/random.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::IsEmpty;

constexpr CampaignId kCampaign{1};

// Nodes that a child said were committed, as it said it: a byte each.
class Acknowledgements {
 public:
  Acknowledgements() {
    if (pipe(ends_) != 0) throw std::runtime_error("pipe");
  }
  ~Acknowledgements() { close(ends_[0]); }
  void Send() const {
    const char byte = 1;
    if (write(ends_[1], &byte, 1) != 1) _exit(2);
  }
  // After the child's end.
  std::int64_t Count() {
    close(ends_[1]);
    std::int64_t count = 0;
    for (char byte = 0; read(ends_[0], &byte, 1) == 1;) ++count;
    return count;
  }

 private:
  int ends_[2];
};

// Runs `body` in a child, which never returns into the test.
template <class Body>
pid_t Spawn(Body&& body) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    body();
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "child: %s\n", exception.what());
    _exit(3);
  }
  _exit(0);
}

class CrashTest : public ::testing::Test {
 protected:
  CrashTest() {
    Database database = NewFile(path_);
    Plant(database, "a");
  }
  // Takes attempts of a dead process to the end of their calls, as a resuming
  // engine does, so that each test goes on where the last child died.
  void Adopt(Database& database) {
    for (const AttemptRecord& attempt :
         Must(Attempts(database).Unfinished(kCampaign))) {
      Must(Attempts(database).Adopt(attempt.id, "next", 1e9, 2e9));
    }
  }
  std::int64_t Nodes() {
    Database database = Must(Database::Open(path_, Access::kReadWrite));
    EXPECT_THAT(Must(Diagnose(database)), IsEmpty());
    Adopt(database);
    EXPECT_THAT(Must(Diagnose(database)), IsEmpty());
    return Must(Campaigns(database).List())[0].nodes;
  }

  ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
};

TEST_F(CrashTest, NothingAcknowledgedIsLostByKillsAtRandomMoments) {
  RandomStream random(11, Purpose::kSimulation, 0);
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    const std::int64_t before = Nodes();
    Acknowledgements acknowledgements;
    const pid_t child = Spawn([&] {
      Database database = Must(Database::Open(path_, Access::kReadWrite));
      for (;;) {
        Grow(database, kCampaign, kRootNode);
        acknowledgements.Send();
      }
    });
    usleep(static_cast<useconds_t>(5000 + random.Below(30000)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const std::int64_t acknowledged = acknowledgements.Count();
    const std::int64_t after = Nodes();
    // At most the commit at work was done but not yet acknowledged.
    EXPECT_GE(after, before + acknowledged);
    EXPECT_LE(after, before + acknowledged + 1);
  }
}

// An attempt has six transactions: reserve, two calls begun and ended, commit;
// each has a point before and one after its COMMIT.
TEST_F(CrashTest, EveryCommitPointIsADeathThatLeavesTheFileWhole) {
  constexpr int kPoints = 12;
  for (int point = 1; point <= kPoints + 1; ++point) {
    const std::int64_t before = Nodes();
    const pid_t child = Spawn([&] {
      Database database = Must(Database::Open(path_, Access::kReadWrite));
      int reached = 0;
      SetCommitHook([&reached, point](CommitPoint) {
        if (++reached == point) raise(SIGKILL);
      });
      Grow(database, kCampaign, kRootNode);
    });
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WIFSIGNALED(status), point <= kPoints) << point;
    // The node is there only if its COMMIT was passed.
    EXPECT_EQ(Nodes(), before + (point >= kPoints ? 1 : 0)) << point;
  }
}

TEST(FaultTest, AHookSeesBothSidesOfEachCommitAndNoReads) {
  ScratchDirectory directory;
  Database database = NewFile(directory.File("x.db"));
  std::vector<CommitPoint> seen;
  SetCommitHook([&seen](CommitPoint point) { seen.push_back(point); });
  Must(Campaigns(database).Create(SpecNamed("a")));
  Must(Campaigns(database).List());
  EXPECT_FALSE(Campaigns(database).Create(SpecNamed("a")).has_value());
  SetCommitHook({});
  Must(Campaigns(database).Create(SpecNamed("b")));
  EXPECT_EQ(seen, (std::vector{CommitPoint::kBefore, CommitPoint::kAfter}));
}

}  // namespace
}  // namespace coppice::store
