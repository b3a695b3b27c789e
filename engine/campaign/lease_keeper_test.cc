#include "engine/campaign/lease_keeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "store/records/attempt.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using store::Must;

// Both clocks are what a test sets.
class SetClock final : public Clock {
 public:
  double UnixSeconds() const override { return 5000.0 + now_s; }
  double Monotonic() const override { return now_s; }
  std::atomic<double> now_s = 100.0;
};

// A campaign with an attempt of "worker" whose lease holds until 2000.
class LeaseKeeperTest : public testing::Test {
 protected:
  LeaseKeeperTest() {
    Must(store::Attempts(database_).Reserve(
        campaign_, store::ReservationOf(0, kRootNode)));
  }

  double Until() {
    return Must(store::Attempts(database_).Leases(campaign_)).at(0).until_s;
  }

  // Looks until somebody has renewed the lease.
  double NextUntil(double before) {
    double until = before;
    while (until == before) {
      until = Until();
      std::this_thread::yield();
    }
    return until;
  }

  store::ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  store::Database database_ = store::NewFile(path_);
  const CampaignId campaign_ = store::Plant(database_, "c");
  SetClock clock_;
};

// Its beats come each third of a thousandth second here.
TEST_F(LeaseKeeperTest, ALeaseHoldsFromEachBeatOn) {
  const LeaseKeeper keeper(path_, campaign_, "worker", 0.001, clock_);
  EXPECT_DOUBLE_EQ(NextUntil(2000.0), 5100.001);
  clock_.now_s = 200.0;
  EXPECT_DOUBLE_EQ(NextUntil(5100.001), 5200.001);
}

// A second campaign in the file, and another worker's attempt beside.
TEST_F(LeaseKeeperTest, NobodyElsesLeaseIsRenewed) {
  Reservation other = store::ReservationOf(1, kRootNode);
  other.lease_owner = "other";
  Must(store::Attempts(database_).Reserve(campaign_, other));
  const CampaignId beside = store::PlantBeside(database_);
  {
    const LeaseKeeper keeper(path_, campaign_, "worker", 0.001, clock_);
    EXPECT_DOUBLE_EQ(NextUntil(2000.0), 5100.001);
  }
  store::Attempts attempts(database_);
  EXPECT_EQ(Must(attempts.Leases(campaign_)).at(1).until_s, 2000.0);
  EXPECT_EQ(Must(attempts.Leases(beside)).at(0).until_s, 2000.0);
}

// No beat comes within this test: a third of 3000 s is not over.  It is steady
// from one and a half beats on, and no longer if none has come by then.
TEST_F(LeaseKeeperTest, ItIsSteadyOnceBeatsWentThroughForAWhile) {
  const LeaseKeeper keeper(path_, campaign_, "worker", 3000.0, clock_);
  EXPECT_FALSE(keeper.IsSteady());
  clock_.now_s = 100.0 + 1499.0;
  EXPECT_FALSE(keeper.IsSteady());
  clock_.now_s = 100.0 + 1500.0;
  EXPECT_TRUE(keeper.IsSteady());
  clock_.now_s = 100.0 + 1501.0;
  EXPECT_FALSE(keeper.IsSteady());
}

// All were suspended together: the clock has gone on, and no beat came.
TEST_F(LeaseKeeperTest, AfterABeatThatCameLateItIsNotSteadyAtOnce) {
  const LeaseKeeper keeper(path_, campaign_, "worker", 0.003, clock_);
  NextUntil(2000.0);
  clock_.now_s = 900.0;
  NextUntil(5100.003);
  EXPECT_FALSE(keeper.IsSteady());
}

// The file has gone: it ends when it is told to, whatever it waits for.
TEST_F(LeaseKeeperTest, WithoutItsFileItEndsAllTheSame) {
  for (const double lease_s : {0.000003, 1e6}) {
    const LeaseKeeper keeper(directory_.File("none/x.db"), campaign_, "worker",
                             lease_s, clock_);
    EXPECT_FALSE(keeper.IsSteady());
  }
  EXPECT_EQ(Until(), 2000.0);
}

}  // namespace
}  // namespace coppice::engine
