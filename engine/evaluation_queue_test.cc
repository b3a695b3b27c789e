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
        const auto evaluation =
            queue.Evaluate(Task{}, {Language::kCpp, name, "run"}, Tier::kFast);
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
  EXPECT_FALSE(
      queue.Evaluate(Task{}, {Language::kCpp, "broken", "run"}, Tier::kFast));
  EXPECT_TRUE(
      queue.Evaluate(Task{}, {Language::kCpp, "fine", "run"}, Tier::kFast));
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
  const auto evaluate = [&](const char* source) {
    return queue.Evaluate(Task{}, {Language::kCpp, source, "run"}, Tier::kFast)
        .has_value();
  };
  std::thread first([&] { EXPECT_TRUE(evaluate("first")); });
  evaluator.begun.get_future().wait();
  EXPECT_TRUE(evaluate("second"));
  first.join();
  EXPECT_TRUE(evaluator.overlapped);
  EXPECT_TRUE(evaluate("third"));
  EXPECT_EQ(evaluator.sources, (std::vector<std::string>{"second"}));
}

}  // namespace
}  // namespace coppice::engine
