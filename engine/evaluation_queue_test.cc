#include "engine/evaluation_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

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
  const EvaluationQueue::Turn turn = queue.Wait(Task{}, candidate);
  return turn.evaluator().Evaluate(Task{}, candidate, Tier::kFast);
}

TEST(EvaluationQueueTest, OneIsEvaluatedAtATimeAndEachGetsItsOwnAnswer) {
  constexpr int kThreads = 8;
  constexpr int kEach = 200;
  Counter counter;
  EvaluationQueue queue(counter);
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
  EvaluationQueue queue(counter);
  EXPECT_FALSE(InTurn(queue, "broken"));
  EXPECT_TRUE(InTurn(queue, "fine"));
}

TEST(EvaluationQueueTest, AProofIsNotPutOffByWhoCameMeanwhile) {
  Counter counter;
  EvaluationQueue queue(counter);
  std::thread other;
  {
    const EvaluationQueue::Turn turn = queue.Wait(Task{}, {});
    other = std::thread([&] { EXPECT_TRUE(InTurn(queue, "other")); });
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    EXPECT_EQ(counter.evaluations, 0);
    EXPECT_TRUE(turn.evaluator().Evaluate(Task{}, {}, Tier::kFast));
    EXPECT_TRUE(turn.evaluator().Evaluate(Task{}, {}, Tier::kFull));
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
  EvaluationQueue queue(evaluator);
  std::thread first([&] { EXPECT_TRUE(InTurn(queue, "first")); });
  evaluator.begun.get_future().wait();
  EXPECT_TRUE(InTurn(queue, "second"));
  first.join();
  EXPECT_TRUE(evaluator.overlapped);
  EXPECT_TRUE(InTurn(queue, "third"));
  EXPECT_EQ(evaluator.sources, (std::vector<std::string>{"second"}));
}

}  // namespace
}  // namespace coppice::engine
