#include "engine/evaluation_queue.h"

#include <gtest/gtest.h>

#include <atomic>
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

}  // namespace
}  // namespace coppice::engine
