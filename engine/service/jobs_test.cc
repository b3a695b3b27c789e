#include "engine/service/jobs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace coppice::service {
namespace {

const engine::SystemClock kClock;

Call CallerNamed(const std::string& name) { return {name, {}, {}}; }

Work Answering(const std::string& answer) {
  return {
      .run = [answer](const Call&) -> Result<std::string> { return answer; }};
}

// Ends when it is cancelled.
Work Endless(std::atomic<int>& begun, const std::string& key = "") {
  return {.key = key, .run = [&begun](const Call& call) -> Result<std::string> {
            ++begun;
            while (!call.cancelled.stop_requested()) std::this_thread::yield();
            return Fail(Errc::kCancelled, "cancelled");
          }};
}

void WaitFor(const std::atomic<int>& count, int wanted) {
  while (count < wanted) std::this_thread::yield();
}

TEST(JobsTest, WhoWaitsGetsTheAnswerAndWhoAsksLaterGetsItAgain) {
  Jobs jobs({1, 1, 1, 1}, kClock);
  const auto done = jobs.Do(CallerNamed("a"), Answering("{\"x\":1}"), 10);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->state, JobState::kDone);
  EXPECT_EQ(*done->answer, "{\"x\":1}");
  EXPECT_EQ(*jobs.Wait(CallerNamed("b"), done->id, 0)->answer, "{\"x\":1}");
  EXPECT_EQ(jobs.Wait(CallerNamed("b"), "j77", 0).error().code,
            Errc::kNotFound);
}

TEST(JobsTest, AFailureIsTheAnswerOfAJobThatIsDone) {
  Jobs jobs({1, 1, 1, 1}, kClock);
  const auto done =
      jobs.Do(CallerNamed("a"), {.run = [](const Call&) -> Result<std::string> {
                return Fail(Errc::kIo, "disk full");
              }},
              10);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->state, JobState::kDone);
  EXPECT_EQ(done->answer.error().what, "disk full");
}

TEST(JobsTest, WhatAJobThrowsIsItsFailureAndTheNextIsDone) {
  Jobs jobs({1, 1, 1, 1}, kClock);
  const auto thrown =
      jobs.Do(CallerNamed("a"), {.run = [](const Call&) -> Result<std::string> {
                throw std::out_of_range("a row");
              }},
              10);
  ASSERT_TRUE(thrown);
  EXPECT_EQ(thrown->state, JobState::kDone);
  EXPECT_EQ(thrown->answer.error().code, Errc::kIo);
  EXPECT_EQ(thrown->answer.error().what, "coppice failed: a row");
  EXPECT_TRUE(jobs.Do(CallerNamed("b"), Answering("{}"), 10)->answer);
}

// Those of one lane wait for each other, and for no other lane.
TEST(JobsTest, AJobThatWaitsIsCancelledAtOnce) {
  std::atomic<int> begun = 0;
  Jobs jobs({1, 1, 1, 1}, kClock);
  const auto first = jobs.Do(CallerNamed("a"), Endless(begun), 0);
  WaitFor(begun, 1);
  const auto second = jobs.Do(CallerNamed("a"), Answering("{}"), 0);
  EXPECT_EQ(second->state, JobState::kQueued);
  const auto cancelled = jobs.Cancel(CallerNamed("b"), second->id);
  EXPECT_EQ(cancelled->state, JobState::kCancelled);
  EXPECT_EQ(cancelled->answer.error().code, Errc::kCancelled);
  Work tool = Answering("{}");
  tool.lane = Lane::kTools;
  EXPECT_EQ(jobs.Do(CallerNamed("a"), std::move(tool), 10)->state,
            JobState::kDone);
  jobs.Cancel(CallerNamed("a"), first->id);
}

TEST(JobsTest, AJobThatHasEndedStaysAsItIs) {
  Jobs jobs({1, 1, 1, 1}, kClock);
  const auto done = jobs.Do(CallerNamed("a"), Answering("{\"x\":1}"), 10);
  const auto after = jobs.Cancel(CallerNamed("a"), done->id);
  EXPECT_EQ(after->state, JobState::kDone);
  EXPECT_EQ(*after->answer, "{\"x\":1}");
}

TEST(JobsTest, AThousandThatHaveEndedAreKept) {
  Jobs jobs({1, 1, 1, 1}, kClock);
  const auto first = jobs.Do(CallerNamed("a"), Answering("{}"), 10);
  const auto second = jobs.Do(CallerNamed("a"), Answering("{}"), 10);
  for (int i = 0; i < 999; ++i) jobs.Do(CallerNamed("a"), Answering("{}"), 10);
  EXPECT_EQ(jobs.Wait(CallerNamed("a"), first->id, 0).error().code,
            Errc::kNotFound);
  EXPECT_TRUE(jobs.Wait(CallerNamed("a"), second->id, 0));
}

TEST(JobsTest, EachStateHasItsWord) {
  EXPECT_EQ(Name(JobState::kQueued), "queued");
  EXPECT_EQ(Name(JobState::kRunning), "running");
  EXPECT_EQ(Name(JobState::kDone), "done");
  EXPECT_EQ(Name(JobState::kCancelled), "cancelled");
}

TEST(JobsTest, EqualWorkUnderWayIsDoneOnce) {
  std::atomic<int> begun = 0;
  Jobs jobs({2, 1, 1, 1}, kClock);
  const auto first = jobs.Do(CallerNamed("a"), Endless(begun, "k"), 0);
  const auto second = jobs.Do(CallerNamed("b"), Endless(begun, "k"), 0);
  WaitFor(begun, 1);
  EXPECT_EQ(jobs.Cancel(CallerNamed("a"), first->id)->state, JobState::kRunning)
      << "another wants it still";
  EXPECT_EQ(jobs.Cancel(CallerNamed("b"), second->id)->state,
            JobState::kCancelled);
  EXPECT_EQ(jobs.Wait(CallerNamed("a"), first->id, 0)->state,
            JobState::kCancelled);
  EXPECT_EQ(begun, 1);
}

// A client that heard no answer cancels again.  What it asked for twice it
// takes back twice, by both ids; and who has gone has taken back its own.
TEST(JobsTest, WhoTakesBackTheSameTwiceTakesNothingFromOthers) {
  std::atomic<int> begun = 0;
  const auto gone = std::make_shared<std::stop_source>();
  gone->request_stop();
  Jobs jobs({2, 1, 1, 1}, kClock);
  const Call ana = CallerNamed("ana");
  const auto first = jobs.Do(ana, Endless(begun, "k"), 0);
  const auto again = jobs.Do(ana, Endless(begun, "k"), 0);
  const auto of_ben = jobs.Do(CallerNamed("ben"), Endless(begun, "k"), 0);
  EXPECT_FALSE(
      jobs.Do({"ana", gone->get_token(), {}}, Endless(begun, "k"), 60));
  WaitFor(begun, 1);
  for (const auto& mine : {first, again}) {
    for (int time = 0; time < 3; ++time) {
      EXPECT_EQ(jobs.Cancel(ana, mine->id)->state, JobState::kRunning);
    }
  }
  EXPECT_EQ(jobs.Cancel(CallerNamed("ben"), of_ben->id)->state,
            JobState::kCancelled);
  EXPECT_EQ(jobs.Cancel(ana, first->id)->state, JobState::kCancelled);
  EXPECT_EQ(begun, 1);
}

// The second does not get the first one's cancellation.
TEST(JobsTest, WhoAsksForTheSameOnceItIsCancelledGetsAJobOfItsOwn) {
  std::atomic<int> begun = 0;
  std::atomic<bool> may_end = false;
  Jobs jobs({2, 1, 1, 1}, kClock);
  const auto first = jobs.Do(CallerNamed("a"),
                             {.key = "k",
                              .run = [&](const Call&) -> Result<std::string> {
                                ++begun;
                                while (!may_end) std::this_thread::yield();
                                return Fail(Errc::kCancelled, "cancelled");
                              }},
                             0);
  WaitFor(begun, 1);
  std::stop_source impatient;
  impatient.request_stop();  // Who cancels does not wait for its end.
  jobs.Cancel({"a", impatient.get_token(), {}}, first->id);
  Work same = Answering("{}");
  same.key = "k";
  const auto second = jobs.Do(CallerNamed("b"), std::move(same), 10);
  EXPECT_NE(first->id, second->id);
  EXPECT_EQ(second->state, JobState::kDone);
  may_end = true;
}

// Each waits for the other: they are done only side by side.
TEST(JobsTest, IdleThreadsDoNotMakeALaneSmaller) {
  std::atomic<int> begun = 0;  // Outlives the jobs, as what they run does.
  const auto meet = [&] {
    return Work{.run = [&](const Call& call) -> Result<std::string> {
      ++begun;
      while (begun < 2 && !call.cancelled.stop_requested()) {
        std::this_thread::yield();
      }
      return std::string("{}");
    }};
  };
  Jobs jobs({2, 1, 1, 1}, kClock);
  jobs.Do(CallerNamed("a"), Answering("{}"), 10);  // One thread is idle since.
  const auto first = jobs.Do(CallerNamed("a"), meet(), 0);
  const auto second = jobs.Do(CallerNamed("a"), meet(), 10);
  EXPECT_EQ(second->state, JobState::kDone);
}

TEST(JobsTest, AJobThatNobodyWaitsForOrKnowsOfEnds) {
  std::atomic<int> begun = 0;
  const auto stop = std::make_shared<std::stop_source>();
  Jobs jobs({1, 1, 1, 1}, kClock);
  auto waiting = std::async(std::launch::async, [&] {
    return jobs.Do({"a", stop->get_token(), {}}, Endless(begun), 60);
  });
  WaitFor(begun, 1);
  stop->request_stop();
  EXPECT_EQ(waiting.get().error().code, Errc::kCancelled);
  // The only place of the lane is free again.
  EXPECT_TRUE(jobs.Do(CallerNamed("a"), Answering("{}"), 10)->answer);
}

// Its id was told once; who only stops to wait for it has not taken it back.
TEST(JobsTest, AJobThatWasToldOfOutlivesAWaitThatIsCancelled) {
  std::atomic<int> begun = 0;
  const auto impatient = std::make_shared<std::stop_source>();
  impatient->request_stop();
  Jobs jobs({1, 1, 1, 1}, kClock);
  const auto told = jobs.Do(CallerNamed("a"), Endless(begun), 0);
  WaitFor(begun, 1);
  EXPECT_FALSE(jobs.Wait({"a", impatient->get_token(), {}}, told->id, 60));
  EXPECT_EQ(jobs.Wait(CallerNamed("a"), told->id, 0)->state,
            JobState::kRunning);
  EXPECT_EQ(jobs.Cancel(CallerNamed("a"), told->id)->state,
            JobState::kCancelled);
}

TEST(JobsTest, ClientsTakeTurns) {
  std::atomic<int> begun = 0;
  Jobs jobs({1, 1, 1, 1}, kClock);
  const auto first = jobs.Do(CallerNamed("a"), Endless(begun), 0);
  WaitFor(begun, 1);
  std::mutex mutex;
  std::string order;
  const auto noting = [&](char letter) {
    return Work{.run = [&, letter](const Call&) -> Result<std::string> {
      const std::lock_guard lock(mutex);
      order += letter;
      return std::string("{}");
    }};
  };
  for (int i = 0; i < 3; ++i) jobs.Do(CallerNamed("a"), noting('a'), 0);
  const auto last = jobs.Do(CallerNamed("b"), noting('b'), 0);
  const auto final = jobs.Do(CallerNamed("a"), noting('a'), 0);
  jobs.Cancel(CallerNamed("a"), first->id);
  EXPECT_EQ(jobs.Wait(CallerNamed("a"), final->id, 10)->state, JobState::kDone);
  EXPECT_EQ(order, "abaaa");
}

// Only a new one is refused: who joins, asks or cancels makes it no worse.
TEST(JobsTest, AHundredAndTwentyEightThatWaitAreEnough) {
  std::atomic<int> begun = 0;
  Jobs jobs({1, 1, 1, 1}, kClock);
  jobs.Do(CallerNamed("a"), Endless(begun, "k"), 0);
  WaitFor(begun, 1);
  std::string last;
  for (int i = 0; i < 128; ++i) {
    last = jobs.Do(CallerNamed("a"), Answering("{}"), 0)->id;
  }
  EXPECT_EQ(jobs.Do(CallerNamed("a"), Answering("{}"), 0).error().code,
            Errc::kBusy);
  const auto joined = jobs.Do(CallerNamed("b"), Endless(begun, "k"), 0);
  EXPECT_EQ(joined->state, JobState::kRunning);
  EXPECT_EQ(jobs.Wait(CallerNamed("b"), last, 0)->state, JobState::kQueued);
  EXPECT_EQ(jobs.Cancel(CallerNamed("a"), last)->state, JobState::kCancelled);
  EXPECT_TRUE(jobs.Do(CallerNamed("a"), Answering("{}"), 0));
}

TEST(JobsTest, WhoWaitsIsToldHowFarItIs) {
  Jobs jobs({1, 1, 1, 1}, kClock);
  std::atomic<int> told = 0;
  std::string stage;
  const Call call{"a", {}, [&](const OperationProgress& progress) {
                    stage = progress.stage;
                    ++told;
                  }};
  const auto done =
      jobs.Do(call, {.run = [&](const Call& own) -> Result<std::string> {
                own.progress({"timing", 3, 12});
                while (told == 0) std::this_thread::yield();
                return std::string("{}");
              }},
              30);
  EXPECT_EQ(done->state, JobState::kDone);
  EXPECT_EQ(stage, "timing");
}

TEST(JobsTest, WhatEndsTheServiceEndsItsJobs) {
  std::atomic<int> begun = 0;
  {
    Jobs jobs({1, 1, 1, 1}, kClock);
    for (int i = 0; i < 3; ++i) jobs.Do(CallerNamed("a"), Endless(begun), 0);
    WaitFor(begun, 1);
  }
  EXPECT_EQ(begun, 1);  // The others never began.
}

}  // namespace
}  // namespace coppice::service
