#include "eval/cuda/runner_pool.h"

#include <gtest/gtest.h>

#include <atomic>

#include "eval/cuda/runner_fixture.h"

namespace coppice::eval::cuda {
namespace {

using RunnerPoolTest = RunnerFixture;

// The one ahead was told how to start before that changed.
TEST_F(RunnerPoolTest, TheOneAheadIsTakenOnce) {
  RunnerPool pool(Options());
  ASSERT_TRUE(pool.StartNext());
  Write("helpers", "hello silent");
  ASSERT_TRUE(pool.StartNext());  // There is one.
  const auto first = pool.Take({});
  Write("helpers", "");
  ASSERT_TRUE(first) << first.error().what;
  const auto second = pool.Take({});
  ASSERT_TRUE(second) << second.error().what;
  EXPECT_NE(*first, *second);
}

TEST_F(RunnerPoolTest, WhoMayUseLibrariesGetsAProcessOfItsOwn) {
  const auto libraries = folder_ / "lib64";
  std::filesystem::create_directory(libraries);
  RunnerPool pool(Options());
  ASSERT_TRUE(pool.StartNext());
  const auto expert = pool.Take(libraries);
  ASSERT_TRUE(expert) << expert.error().what;
  const auto next = pool.Take({});
  ASSERT_TRUE(next);
  EXPECT_NE(*expert, *next);
  EXPECT_EQ(pool.OptionsFor(libraries).libraries, libraries);
  EXPECT_EQ(pool.OptionsFor(libraries).runner, COPPICE_FAKE_CUDA_RUNNER);
  EXPECT_TRUE(pool.OptionsFor({}).libraries.empty());
}

TEST_F(RunnerPoolTest, OneThatWasDroppedIsStartedAnew) {
  RunnerPool pool(Options("hello die=1"));
  ASSERT_TRUE(pool.StartNext());
  pool.DropNext();
  Write("helpers", "");  // It has recovered.
  EXPECT_TRUE(pool.Take({}));
}

// The memory of the one before is given back meanwhile.
TEST_F(RunnerPoolTest, OneThatDoesNotStartIsTriedAgain) {
  RunnerPool pool(Options("hello fail=2"));
  ASSERT_TRUE(pool.StartNext());
  Write("helpers", "");
  EXPECT_TRUE(pool.Take({}));
}

TEST_F(RunnerPoolTest, WhoIsCancelledTriesNoMore) {
  std::atomic<bool> cancelled = true;
  RunnerOptions options = Options("hello silent");
  options.cancelled = &cancelled;
  RunnerPool pool(options);
  const auto taken = pool.Take({});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Errc::kCancelled);
}

}  // namespace
}  // namespace coppice::eval::cuda
