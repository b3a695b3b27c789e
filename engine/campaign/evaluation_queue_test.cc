#include "engine/campaign/evaluation_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engine/process/clock.h"
#include "eval/judge/evaluator.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

namespace coppice::engine {
namespace {

// Notes how many are inside at once.
class Counter final : public eval::Evaluator {
 public:
  Result<Evaluation> Evaluate(const Task&, const Candidate& candidate,
                              Tier) override {
    const int now = ++inside_;
    if (now > most) most = now;
    std::this_thread::yield();
    --inside_;
    ++evaluations;
    if (candidate.source == "broken") return Fail(Errc::kIo, "disk full");
    Evaluation evaluation;
    evaluation.log = candidate.source;
    return evaluation;
  }
  int most = 0;         // Unguarded: the queue has to do that.
  int evaluations = 0;  // Likewise.

 private:
  std::atomic<int> inside_{0};
};

Result<Evaluation> InTurn(EvaluationQueue& queue, const std::string& source) {
  const Candidate candidate{Language::kCpp, source, "run"};
  EvaluationTurn turn = queue.Wait(Task{}, candidate);
  return turn.Evaluate(Task{}, candidate, Tier::kFast);
}

TEST(EvaluationQueueTest, OneIsEvaluatedAtATimeAndEachGetsItsOwnAnswer) {
  constexpr int kThreads = 8;
  constexpr int kEach = 200;
  Counter counter;
  const SystemClock clock;
  EvaluationQueue queue({{&counter, ""}}, clock, {});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string name = std::to_string(t) + "." + std::to_string(i);
        const auto evaluation = InTurn(queue, name);
        if (!evaluation || evaluation->log != name) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter.most, 1);
  EXPECT_EQ(counter.evaluations, kThreads * kEach);
  EXPECT_EQ(wrong, 0);
}

TEST(EvaluationQueueTest, AnErrorDoesNotHoldUpTheNext) {
  Counter counter;
  const SystemClock clock;
  EvaluationQueue queue({{&counter, ""}}, clock, {});
  EXPECT_FALSE(InTurn(queue, "broken"));
  EXPECT_TRUE(InTurn(queue, "fine"));
}

TEST(EvaluationQueueTest, AProofIsNotPutOffByWhoCameMeanwhile) {
  Counter counter;
  const SystemClock clock;
  EvaluationQueue queue({{&counter, ""}}, clock, {});
  std::thread other;
  {
    EvaluationTurn turn = queue.Wait(Task{}, {});
    other = std::thread([&] { EXPECT_TRUE(InTurn(queue, "other")); });
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    EXPECT_EQ(counter.evaluations, 0);
    EXPECT_TRUE(turn.Evaluate(Task{}, {}, Tier::kFast));
    EXPECT_TRUE(turn.Evaluate(Task{}, {}, Tier::kFull));
  }
  other.join();
  EXPECT_EQ(counter.evaluations, 3);
}

// The first evaluation ends only when the second candidate is prepared.
class Overlapping final : public eval::Evaluator {
 public:
  Result<Evaluation> Evaluate(const Task&, const Candidate& candidate,
                              Tier) override {
    if (candidate.source == "first") {
      begun.set_value();
      overlapped = prepared_.get_future().wait_for(std::chrono::seconds(30)) ==
                   std::future_status::ready;
    }
    return Evaluation{};
  }
  void Prepare(const Task&, const Candidate& candidate) override {
    const std::scoped_lock lock(mutex_);
    sources.push_back(candidate.source);
    if (candidate.source == "second") prepared_.set_value();
  }

  std::promise<void> begun;
  bool overlapped = false;
  std::vector<std::string> sources;  // That were prepared.

 private:
  std::mutex mutex_;
  std::promise<void> prepared_;
};

TEST(EvaluationQueueTest, WhoWaitsIsPreparedMeanwhileAndWhoDoesNotIsNot) {
  Overlapping evaluator;
  const SystemClock clock;
  EvaluationQueue queue({{&evaluator, ""}}, clock, {});
  std::thread first([&] { EXPECT_TRUE(InTurn(queue, "first")); });
  evaluator.begun.get_future().wait();
  EXPECT_TRUE(InTurn(queue, "second"));
  first.join();
  EXPECT_TRUE(evaluator.overlapped);
  EXPECT_TRUE(InTurn(queue, "third"));
  EXPECT_EQ(evaluator.sources, (std::vector<std::string>{"second"}));
}

// Stays inside until it is told to go, and fails if it is told so before.
class Gate final : public eval::Evaluator {
 public:
  Result<Evaluation> Evaluate(const Task&, const Candidate& candidate,
                              Tier) override {
    std::unique_lock lock(mutex_);
    inside = candidate.source;
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_open; });
    inside.clear();
    ++evaluations;
    if (!fault.empty()) return Fail(code, fault);
    Evaluation evaluation;
    evaluation.log = candidate.source;
    return evaluation;
  }

  void Prepare(const Task&, const Candidate& candidate) override {
    const std::scoped_lock lock(mutex_);
    prepared_ = candidate.source;
    changed_.notify_all();
  }

  void Open() {
    const std::scoped_lock lock(mutex_);
    is_open = true;
    changed_.notify_all();
  }

  void AwaitInside(const std::string& source) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside == source; });
  }

  void AwaitPrepared(const std::string& source) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return prepared_ == source; });
  }

  bool is_open = false;
  std::string inside;  // The candidate's source.
  int evaluations = 0;
  std::string fault;  // Told by each; empty: it does well.
  Errc code = Errc::kUnavailable;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string prepared_;  // The source of whoever waits since last.
};

// The first is still inside when the second has gone, and the third is next.
TEST(EvaluationQueueTest, WhoIsCancelledWhileItWaitsLeavesTheQueue) {
  Gate gate;
  const SystemClock clock;
  EvaluationQueue queue({{&gate, ""}}, clock, {});
  std::thread first([&] { EXPECT_TRUE(InTurn(queue, "first")); });
  gate.AwaitInside("first");
  std::stop_source stop;
  std::thread second([&] {
    const Candidate candidate{Language::kCpp, "second", "run"};
    EvaluationTurn turn = queue.Wait(Task{}, candidate, stop.get_token());
    const auto evaluation = turn.Evaluate(Task{}, candidate, Tier::kFast);
    ASSERT_FALSE(evaluation);
    EXPECT_EQ(evaluation.error().code, Errc::kCancelled);
  });
  stop.request_stop();
  second.join();
  EXPECT_EQ(gate.evaluations, 0);
  gate.Open();
  first.join();
  EXPECT_TRUE(InTurn(queue, "third"));
  EXPECT_EQ(gate.evaluations, 2);
}

// Two devices, "a" and "b".
class QueueOfDevicesTest : public ::testing::Test {
 protected:
  QueueOfDevicesTest() {
    EvaluationQueue::Options options;
    options.use_of = [this](const std::string& device) {
      return device == "a" ? use_of_a_.load() : use_of_b_.load();
    };
    options.leave = [this](const std::string& device) {
      left_.push_back(device);
    };
    options.tell = [this](const std::string& line) {
      told_.push_back(line);
      ++asides_;
    };
    queue_.emplace(std::vector<Station>{{&a_, "a"}, {&b_, "b"}}, time_,
                   options);
  }

  void Open() {
    a_.Open();
    b_.Open();
  }

  // Set by hand.
  class Time final : public Clock {
   public:
    double UnixSeconds() const override { return 0.0; }
    double Monotonic() const override { return now_s; }
    std::atomic<double> now_s{1000.0};
  };

  Gate a_;
  Gate b_;
  Time time_;
  std::atomic<eval::Use> use_of_a_{eval::Use::kNone};
  std::atomic<eval::Use> use_of_b_{eval::Use::kNone};
  std::vector<std::string> told_;  // Guarded by the queue,
  std::vector<std::string> left_;  // as these are.
  std::atomic<int> asides_{0};
  std::optional<EvaluationQueue> queue_;
};

TEST_F(QueueOfDevicesTest,
       EachDeviceHasOneAndTheNextWaitsForTheFirstThatIsFree) {
  std::thread first([&] { EXPECT_EQ(InTurn(*queue_, "1")->log, "1"); });
  a_.AwaitInside("1");
  std::thread second([&] { EXPECT_EQ(InTurn(*queue_, "2")->log, "2"); });
  b_.AwaitInside("2");
  std::thread third([&] { EXPECT_EQ(InTurn(*queue_, "3")->log, "3"); });
  b_.Open();
  second.join();
  third.join();  // While the first is still on the other one.
  EXPECT_EQ(b_.evaluations, 2);
  a_.Open();
  first.join();
  EXPECT_EQ(a_.evaluations, 1);
}

TEST_F(QueueOfDevicesTest, AProofIsOfTheSameDevice) {
  Open();
  EvaluationTurn turn = queue_->Wait(Task{}, {});
  EXPECT_TRUE(turn.Evaluate(Task{}, {}, Tier::kFast));
  EXPECT_TRUE(turn.Evaluate(Task{}, {}, Tier::kFull));
  EXPECT_EQ(a_.evaluations, 2);
}

// It would be judged twice otherwise: the first is not committed yet.
TEST_F(QueueOfDevicesTest, AnEqualKernelWaitsThoughADeviceIsFree) {
  std::thread first([&] { EXPECT_TRUE(InTurn(*queue_, "int x = 1;")); });
  a_.AwaitInside("int x = 1;");
  std::thread equal([&] { EXPECT_TRUE(InTurn(*queue_, "int x  =  1;")); });
  std::thread other([&] { EXPECT_TRUE(InTurn(*queue_, "int x = 2;")); });
  b_.AwaitInside("int x = 2;");
  b_.Open();
  other.join();
  EXPECT_EQ(b_.evaluations, 1);
  a_.Open();
  first.join();
  equal.join();
  EXPECT_EQ(a_.evaluations + b_.evaluations, 3);
}

TEST_F(QueueOfDevicesTest, WhatOneDeviceFailsAtIsJudgedOnAnother) {
  Open();
  a_.fault = "the device does not compute";
  EXPECT_EQ(InTurn(*queue_, "1")->log, "1");
  EXPECT_EQ(told_,
            (std::vector<std::string>{
                "a is set aside for 30 s: the device does not compute"}));
  EXPECT_TRUE(InTurn(*queue_, "2"));
  EXPECT_EQ(a_.evaluations, 1);  // It is left alone,
  EXPECT_EQ(b_.evaluations, 2);
  time_.now_s = time_.now_s + 30.0;  // tried again,
  EXPECT_TRUE(InTurn(*queue_, "3"));
  EXPECT_EQ(a_.evaluations, 2);
  EXPECT_EQ(told_.back(),  // and left alone for longer.
            "a is set aside for 60 s: the device does not compute");
  a_.fault.clear();
  time_.now_s = time_.now_s + 60.0;
  EXPECT_TRUE(InTurn(*queue_, "4"));
  EXPECT_EQ(a_.evaluations, 3);
  EXPECT_EQ(told_.size(), 2U);
}

// The first is still on a, and nobody leaves a device, when b has been aside
// for as long as it was to be.
TEST_F(QueueOfDevicesTest, WhoWaitsIsGivenADeviceThatComesBack) {
  b_.Open();
  b_.fault = "the device does not compute";
  std::thread first([&] { EXPECT_EQ(InTurn(*queue_, "1")->log, "1"); });
  a_.AwaitInside("1");
  std::thread second([&] { EXPECT_EQ(InTurn(*queue_, "2")->log, "2"); });
  while (asides_ == 0) std::this_thread::yield();  // Then it waits for a.
  b_.fault.clear();
  auto third =
      std::async(std::launch::async, [&] { return InTurn(*queue_, "3")->log; });
  a_.AwaitPrepared("3");
  time_.now_s = time_.now_s + 30.0;
  EXPECT_EQ(third.wait_for(std::chrono::seconds(30)),
            std::future_status::ready);
  EXPECT_EQ(b_.evaluations, 2);
  EXPECT_EQ(a_.evaluations, 0);
  a_.Open();
  EXPECT_EQ(third.get(), "3");
  first.join();
  second.join();
  EXPECT_EQ(a_.evaluations, 2);
}

TEST_F(QueueOfDevicesTest,
       WhatAllFailAtIsAnErrorAndOthersFaultsAreNotTheDevices) {
  Open();
  a_.fault = b_.fault = "no g++";
  const auto failed = InTurn(*queue_, "1");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "no g++");
  a_.code = b_.code = Errc::kCancelled;
  EXPECT_FALSE(InTurn(*queue_, "2"));
  EXPECT_EQ(a_.evaluations + b_.evaluations, 3);  // One device is asked.
}

TEST_F(QueueOfDevicesTest, OneThatStrangersUseIsSetAsideAndTheLastIsNot) {
  Open();
  use_of_a_ = eval::Use::kForeign;
  EXPECT_TRUE(InTurn(*queue_, "1"));
  EXPECT_EQ(b_.evaluations, 1);
  EXPECT_EQ(told_, (std::vector<std::string>{
                       "a is set aside for 30 s: others keep it busy"}));
  time_.now_s = time_.now_s + 10.0;
  use_of_b_ = eval::Use::kForeign;
  EXPECT_TRUE(InTurn(*queue_, "2"));
  EXPECT_EQ(b_.evaluations, 2);
  EXPECT_EQ(told_.size(), 1U);
  time_.now_s = time_.now_s + 30.0;
  use_of_a_ = eval::Use::kNone;
  EXPECT_TRUE(InTurn(*queue_, "3"));
  EXPECT_EQ(a_.evaluations, 1);
}

TEST_F(QueueOfDevicesTest, WhoLeavesADeviceSaysSo) {
  Open();
  EXPECT_TRUE(InTurn(*queue_, "1"));
  EXPECT_EQ(left_, std::vector<std::string>{"a"});
}

TEST_F(QueueOfDevicesTest, OneOnWhichAnotherCampaignMeasuresComesLast) {
  Open();
  use_of_a_ = eval::Use::kMeasured;
  EXPECT_TRUE(InTurn(*queue_, "1"));
  EXPECT_EQ(b_.evaluations, 1);
  use_of_b_ = eval::Use::kMeasured;
  EXPECT_TRUE(InTurn(*queue_, "2"));
  EXPECT_EQ(a_.evaluations, 1);
  EXPECT_TRUE(told_.empty());
}

}  // namespace
}  // namespace coppice::engine
