#include "engine/campaign/notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agents/provider/test_timer.h"
#include "engine/campaign/outages.h"
#include "store/records/node.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Deaf final : public Observer {
 public:
  void OnCommit(const Progress&, const NodeRecord&) override { ++commits; }
  void OnConfirm(const Progress&, NodeId) override {}
  int commits = 0;
};

class NoticesTest : public testing::Test {
 protected:
  NoticesTest() { settings_.db = "my.db"; }

  // A command that adds a line of these words to the file.
  std::string Write(const std::string& words) const {
    return "echo \"" + words + "\" >> '" + file_.string() + "'";
  }

  void Begin() {
    notices_ = std::make_unique<Notices>(
        settings_, deaf_, timer_, stop_,
        [this](const std::string& line) { said_.push_back(line); });
    notices_->Begin("c", "gemm", 30, [] { return 0.25; });
  }

  // Node `id` is committed; `best` is it, or another.
  void Commit(std::int64_t id, std::int64_t best) {
    progress_.attempts = id;
    progress_.budget_attempts = 30;
    progress_.best = NodeId{best};
    progress_.best_speedup = {1.5, interval_};
    NodeRecord node;
    node.id = NodeId{id};
    notices_->OnCommit(progress_, node);
  }

  // Once all commands are done.
  std::vector<std::string> Lines() {
    notices_.reset();
    std::ifstream in(file_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  store::ScratchDirectory directory_;
  const std::filesystem::path file_ = directory_.File("lines");
  config::Settings settings_;
  Deaf deaf_;
  agents::RealTimer timer_;
  std::atomic<bool> stop_{false};
  Interval interval_{1.25, 1.8};
  std::vector<std::string> said_;  // By one thread, which has ended.
  Progress progress_;
  std::unique_ptr<Notices> notices_;
};

TEST_F(NoticesTest, ACommandIsToldWhatHappened) {
  settings_.on_best = Write(
      "$COPPICE_EVENT $COPPICE_CAMPAIGN $COPPICE_TASK $COPPICE_DB "
      "$COPPICE_NODE $COPPICE_SPEEDUP_LOW $COPPICE_SPEEDUP "
      "$COPPICE_SPEEDUP_HIGH $COPPICE_ATTEMPTS/$COPPICE_BUDGET "
      "$COPPICE_COST_USD");
  Begin();
  Commit(0, 0);  // The root.
  Commit(7, 7);
  Commit(8, 7);  // Not the best.
  EXPECT_THAT(Lines(),
              ElementsAre("best c gemm my.db 7 1.25 1.5 1.8 7/30 0.250000"));
  EXPECT_EQ(deaf_.commits, 3);
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(NoticesTest, EachEventHasItsCommand) {
  settings_.on_done = Write("$COPPICE_MESSAGE");
  settings_.on_trouble = Write("$COPPICE_REASON");
  Begin();
  notices_->OnOutage({"x.db: locked", 70, true});
  notices_->OnOutage({"x.db: locked", 130, false});
  Commit(1, 1);
  notices_->OnUnanswered(progress_, 1, {Errc::kUnanswered, "away"});
  notices_->OnUnanswered(progress_, 2, {Errc::kUnanswered, "away"});
  notices_->Trouble("no money");
  notices_->Done(progress_);
  EXPECT_THAT(Lines(),
              ElementsAre("x.db: locked", "away", "no money",
                          "c is done: 1 attempts, and the best kernel is 1.50x "
                          "(95 % interval 1.25-1.80) as fast as the root."));
}

TEST_F(NoticesTest, WhatCannotBeToldIsNotClaimed) {
  settings_.on_done = settings_.on_best = Write("$COPPICE_MESSAGE");
  Begin();
  interval_ = Interval{0.9, 2.5};
  Commit(1, 1);
  notices_->Done(progress_);
  Commit(2, 0);
  notices_->Done(progress_);
  EXPECT_THAT(
      Lines(),
      ElementsAre("c: node 1 is 1.5x (95 % interval 0.9-2.5) as fast as the "
                  "root (cannot tell).",
                  "c is done: 1 attempts, and the best kernel is 1.5x (95 % "
                  "interval 0.9-2.5) as fast as the root (cannot tell).",
                  "c is done: 2 attempts, and nothing beats the root."));
}

// It may be the header of a mail.
TEST_F(NoticesTest, WhatAServerSaidIsOneLine) {
  settings_.on_trouble = Write("$COPPICE_MESSAGE");
  Begin();
  notices_->Trouble("bad\nBcc: evil \033]0;x\007");
  const std::vector<std::string> lines = Lines();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines.front().find('\033'), std::string::npos);
  EXPECT_EQ(lines.front().find('\007'), std::string::npos);
}

// The shell does not take what a provider said for its own words.
TEST_F(NoticesTest, WhatIsToldIsNoCommand) {
  settings_.on_trouble = Write("$COPPICE_REASON");
  Begin();
  notices_->Trouble("\"; touch '" + directory_.File("made").string() + "' #");
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("\"; touch")));
  EXPECT_FALSE(std::filesystem::exists(directory_.File("made")));
}

TEST_F(NoticesTest, ItsFailureIsALine) {
  settings_.on_done = "cat; echo so; echo far >&2; exit 3";
  Begin();
  notices_->Done(progress_);
  notices_.reset();
  EXPECT_THAT(said_, ElementsAre("--on done: so", "--on done: far",
                                 "--on done: exit code 3"));
}

// It would take an hour; whoever stops does not wait for it, and begins no
// other.
TEST_F(NoticesTest, AHangingCommandHoldsNobodyUp) {
  settings_.on_best = "echo > '" + file_.string() + "'; sleep 3600";
  Begin();
  Commit(1, 1);
  while (!std::filesystem::exists(file_)) std::this_thread::yield();
  Commit(2, 2);
  Commit(3, 3);  // Nobody need be told of 2 any more.
  EXPECT_EQ(deaf_.commits, 3);
  stop_ = true;
  notices_.reset();
  EXPECT_THAT(said_, ElementsAre(HasSubstr("cancelled")));
}

TEST_F(NoticesTest, WithoutCommandsNothingIsDone) {
  Begin();
  Commit(1, 1);
  notices_->Trouble("no money");
  EXPECT_THAT(Lines(), IsEmpty());
}

}  // namespace
}  // namespace coppice::engine
