// Several processes on one file: SQLite's lock orders their transactions, and
// what two of them want, one of them gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "store/care/maintenance.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kEach = 20;

class ConcurrencyTest : public ::testing::Test {
 protected:
  ConcurrencyTest() {
    Database database = NewFile(path_);
    Plant(database, "a");
    Plant(database, "b");
  }
  // Runs `body` in two processes at once.
  template <class Body>
  void InTwoProcesses(Body&& body) {
    pid_t children[2];
    for (int i = 0; i < 2; ++i) {
      children[i] = fork();
      if (children[i] != 0) continue;
      try {
        body(i);
      } catch (const std::exception& exception) {
        std::fprintf(stderr, "child %d: %s\n", i, exception.what());
        _exit(1);
      }
      _exit(0);
    }
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
  }

  ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
};

TEST_F(ConcurrencyTest, TwoCampaignsGrowSideBySide) {
  InTwoProcesses([this](int i) {
    Database database = NewFile(path_);
    for (int n = 0; n < kEach; ++n) {
      Grow(database, CampaignId{i + 1}, kRootNode);
    }
  });
  Database database = Must(Database::Open(path_, Access::kReadWrite));
  EXPECT_THAT(Rows(database, "SELECT nodes, attempts FROM campaigns"),
              ElementsAre("21|20", "21|20"));
  EXPECT_THAT(Must(Diagnose(database)), IsEmpty());
}

// Each takes decision after decision; where the other was faster the answer is
// kBusy, and the next one is tried.
TEST_F(ConcurrencyTest, DecisionsOfOneCampaignAreSharedOut) {
  InTwoProcesses([this](int) {
    Database database = NewFile(path_);
    std::int64_t decision = 0;
    for (int taken = 0; taken < kEach; ++decision) {
      const auto reserved = Attempts(database).Reserve(
          CampaignId{1}, ReservationOf(decision, kRootNode));
      if (!reserved && reserved.error().code != Errc::kBusy) Must(reserved);
      if (reserved) ++taken;
    }
  });
  Database database = Must(Database::Open(path_, Access::kReadWrite));
  EXPECT_THAT(Rows(database,
                   "SELECT count(*), min(decision), max(decision)"
                   " FROM attempts WHERE campaign = 'a'"),
              ElementsAre("40|0|39"));
  EXPECT_THAT(Must(Diagnose(database)), IsEmpty());
}

TEST_F(ConcurrencyTest, TwoProcessesMayCreateOneFile) {
  for (int round = 0; round < 10; ++round) {
    const auto path = directory_.File(std::to_string(round) + ".db");
    InTwoProcesses([&path](int i) {
      Database database = NewFile(path);
      Plant(database, std::to_string(i));
    });
    Database database = Must(Database::Open(path, Access::kReadWrite));
    EXPECT_EQ(Must(Campaigns(database).List()).size(), 2u);
  }
}

}  // namespace
}  // namespace coppice::store
