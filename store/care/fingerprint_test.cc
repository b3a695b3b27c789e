#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "store/care/maintenance.h"
#include "store/records/window.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

class FingerprintTest : public ::testing::Test {
 protected:
  // A campaign of its own file, grown by `grow`.
  std::string Of(const std::function<void(Database&, CampaignId)>& grow) {
    const auto path = directory_.File(std::to_string(++files_) + ".db");
    Database database = NewFile(path);
    const CampaignId campaign = Plant(database, "a");
    grow(database, campaign);
    return Must(Fingerprint(database, campaign));
  }
  std::string OfOne(const Outcome& outcome, NodeId parent = kRootNode) {
    return Of([&](Database& database, CampaignId campaign) {
      Grow(database, campaign, kRootNode, {.source = "base"});
      Grow(database, campaign, parent, outcome);
    });
  }
  // One attempt by hand, with what Grow leaves open.
  std::string OfCall(const std::function<void(Database&, AttemptId)>& work) {
    return Of([&](Database& database, CampaignId campaign) {
      Grow(database, campaign, kRootNode, {.source = "base"});
      work(database, Must(Attempts(database).Reserve(
                         campaign, ReservationOf(1, kRootNode))));
    });
  }
  static Window Shown(bool shown, Kinship kinship = Kinship::kChild) {
    Window window{{{NodeId{0}, Kinship::kSelected}}, {}};
    if (shown) {
      window.shown.push_back({NodeId{1}, kinship});
    } else {
      window.cut.push_back({kinship, NodeId{1}, NodeId{1}, 1});
    }
    return window;
  }

  ScratchDirectory directory_;
  int files_ = 0;
};

TEST_F(FingerprintTest, IsSixtyFourHexadecimalDigits) {
  const std::string print = OfOne({});
  EXPECT_EQ(print.size(), 64u);
  EXPECT_EQ(print.find_first_not_of("0123456789abcdef"), std::string::npos);
}

// Grow takes new uuids each time.
TEST_F(FingerprintTest, EqualTreesAreEqualWhateverTheirUuids) {
  EXPECT_EQ(OfOne({}), OfOne({}));
}

TEST_F(FingerprintTest, MeasurementsDoNotCount) {
  EXPECT_EQ(OfOne({.runtime_s = 1.0}), OfOne({.runtime_s = 1.5}));
}

TEST_F(FingerprintTest, WhatADeterministicCampaignRepeatsCounts) {
  const std::set<std::string> prints = {
      OfOne({}),
      OfOne({.source = "another"}),
      OfOne({.verdict = Verdict::kCrashed}),
      OfOne({.verdict = Verdict::kNoCandidate}),
      OfOne({.advice = "another"}),
      OfOne({.policy = "another"}),
      OfOne({}, NodeId{1}),
      Of([](Database&, CampaignId) {}),
  };
  EXPECT_EQ(prints.size(), 8u);
}

TEST_F(FingerprintTest, WindowsCount) {
  const auto with = [this](const Window& window) {
    return OfCall([&window](Database& database, AttemptId attempt) {
      Must(Calls(database).Begin(attempt, IntentOf(Role::kPlan), window));
    });
  };
  Window swapped = Shown(true);
  std::swap(swapped.shown[0], swapped.shown[1]);
  const std::set<std::string> prints = {
      with({}), with(Shown(true)), with(Shown(false)),
      with(Shown(true, Kinship::kLeader)), with(swapped)};
  EXPECT_EQ(prints.size(), 5u);
  EXPECT_EQ(with(Shown(true)), with(Shown(true)));
}

TEST_F(FingerprintTest, StagesAndProductsOfUnfinishedAttemptsCount) {
  const auto end = [this](const std::string& advice) {
    return OfCall([&advice](Database& database, AttemptId attempt) {
      Calls calls(database);
      const CallId call = Must(calls.Begin(attempt, IntentOf(Role::kPlan), {}));
      if (advice.empty()) return;
      Must(calls.EndWithPlan(call, AnswerOf("p"), {advice, "t", "s", 1, true}));
    });
  };
  EXPECT_EQ((std::set<std::string>{end(""), end("x"), end("y")}.size()), 3u);
}

// Killed after the call was sent, resumed by another process later: the call
// is made again, the tree is the same.
TEST_F(FingerprintTest, AKilledAndResumedCampaignIsTheSame) {
  const Plan plan{"x", "t", "s", 1, true};
  const auto uninterrupted =
      OfCall([&plan](Database& database, AttemptId attempt) {
        Calls calls(database);
        Must(calls.EndWithPlan(
            Must(calls.Begin(attempt, IntentOf(Role::kPlan), Shown(true))),
            AnswerOf("p"), plan));
      });
  const auto resumed = OfCall([&plan](Database& database, AttemptId attempt) {
    Calls calls(database);
    Must(calls.Begin(attempt, IntentOf(Role::kPlan), Shown(true)));
    const Holding later =
        Must(Attempts(database).Adopt(attempt, "later", 5000.0, 6000.0))
            .AsHeld();
    Must(calls.EndWithPlan(
        Must(calls.Begin(later, IntentOf(Role::kPlan), Shown(true))),
        AnswerOf("p"), plan));
  });
  EXPECT_EQ(uninterrupted, resumed);
}

TEST_F(FingerprintTest, OtherCampaignsOfTheFileDoNotCount) {
  const std::string alone = OfOne({});
  const std::string beside = Of([](Database& database, CampaignId campaign) {
    const CampaignId other = Plant(database, "b");
    Grow(database, other, kRootNode, {.source = "elsewhere"});
    Grow(database, campaign, kRootNode, {.source = "base"});
    Grow(database, other, kRootNode, {.source = "elsewhere 2"});
    Grow(database, campaign, kRootNode);
  });
  EXPECT_EQ(alone, beside);
}

TEST_F(FingerprintTest, AMissingCampaignIsNotFound) {
  Database database = NewFile(directory_.File("x.db"));
  EXPECT_EQ(Fingerprint(database, CampaignId{3}).error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace coppice::store
