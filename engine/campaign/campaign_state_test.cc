#include "engine/campaign/campaign_state.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/campaign/process_lock.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using enum store::CampaignState;
using store::Must;

class CampaignStateTest : public testing::Test {
 protected:
  std::string State(std::int64_t campaign, store::CampaignState state,
                    std::int64_t nodes) {
    return Must(StateOf(CampaignId{campaign}, state, nodes, file_));
  }

  store::ScratchDirectory directory_;
  const std::filesystem::path file_ = directory_.File("x.db");
};

TEST_F(CampaignStateTest, WhatNobodyRunsWasLeftBehindOrHasNotBegun) {
  EXPECT_EQ(State(1, kRunning, 0), "waiting");
  EXPECT_EQ(State(1, kRunning, 1), "interrupted");
  EXPECT_EQ(State(1, kPaused, 0), "paused");
  EXPECT_EQ(State(1, kFinished, 0), "finished");
}

// Two campaigns of one file: only the first is worked on.
TEST_F(CampaignStateTest, WhoeverWorksOnItMakesItRun) {
  const auto lock = Must(ProcessLock::Join(file_, CampaignId{1}, "worker"));
  EXPECT_EQ(State(1, kRunning, 0), "running");
  EXPECT_EQ(State(1, kRunning, 5), "running");
  EXPECT_EQ(State(2, kRunning, 5), "interrupted");
  EXPECT_EQ(State(2, kRunning, 0), "waiting");
  // What its row says of its end holds, whoever looks after it still.
  EXPECT_EQ(State(1, kFinished, 5), "finished");
  EXPECT_EQ(State(1, kPaused, 5), "paused");
}

TEST_F(CampaignStateTest, ItRunsNoLongerOnceItsProcessHasGone) {
  { const auto lock = Must(ProcessLock::Alone(file_, CampaignId{3})); }
  EXPECT_EQ(State(3, kRunning, 5), "interrupted");
}

}  // namespace
}  // namespace coppice::engine
