#include "engine/factory/evaluator_factory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/patient_evaluator.h"
#include "engine/factory/factory_fixture.h"
#include "engine/process/clock.h"
#include "engine/process/system_timer.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"

namespace coppice::engine {
namespace {

class EvaluatorFactoryTest : public testing::Test {
 protected:
  EvaluatorFactory& Made(const std::vector<config::Override>& options = {},
                         config::Environment environment = {}) {
    loaded_ = lines_.Load(options, std::move(environment));
    factory_ =
        std::make_unique<EvaluatorFactory>(loaded_, "bin/runner", outages_);
    return *factory_;
  }

  // Why nobody judges such a task; empty: somebody does.
  std::string Refusal(const std::vector<config::Override>& options,
                      const Task& task, config::Environment environment = {}) {
    const auto stations =
        Made(options, std::move(environment)).StationsFor(task);
    if (stations) return "";
    EXPECT_EQ(stations.error().code, Errc::kUsage);
    return stations.error().what;
  }

  CommandLines lines_;
  config::Loaded loaded_;
  SystemClock clock_;
  SystemTimer timer_{clock_};
  const std::atomic<bool> stop_{false};
  Outages outages_{timer_, stop_};
  std::unique_ptr<EvaluatorFactory> factory_;
  const Task basic_ = TaskIn(Language::kSim, "sim:basic");
};

TEST_F(EvaluatorFactoryTest, EachLandscapeHasAnEvaluatorThatIsMadeOnce) {
  EvaluatorFactory& factory = Made();
  eval::Evaluator* basic = factory.EvaluatorFor(basic_).value();
  EXPECT_EQ(factory.EvaluatorFor(basic_).value(), basic);
  const Task unknown = TaskIn(Language::kSim, "sim:nothing/1");
  EXPECT_EQ(factory.EvaluatorFor(unknown).error().code, Errc::kUsage);
}

TEST_F(EvaluatorFactoryTest, OneThatIsPatientStandsBeforeIt) {
  EvaluatorFactory& factory = Made();
  eval::Evaluator* judge = factory.EvaluatorFor(basic_).value();
  eval::Evaluator* patient = factory.PatientEvaluatorFor(basic_).value();
  EXPECT_NE(patient, judge);
  EXPECT_EQ(factory.PatientEvaluatorFor(basic_).value(), patient);
}

TEST_F(EvaluatorFactoryTest, WithoutADeviceThereIsOneStation) {
  EvaluatorFactory& factory = Made();
  const std::vector<Station> stations = factory.StationsFor(basic_).value();
  ASSERT_EQ(stations.size(), 1u);
  EXPECT_EQ(stations[0].device, "");
  EXPECT_EQ(stations[0].evaluator, factory.PatientEvaluatorFor(basic_).value());
}

TEST_F(EvaluatorFactoryTest, AKernelForAGpuDoesNotRunOnTheCpu) {
  const std::string why = "--devices cpu: t is CUDA C++, which runs on a GPU";
  EXPECT_EQ(Refusal({{"devices", "cpu"}}, TaskIn(Language::kCuda)), why);
}

// It is the user's error only if he said it for this task.
TEST_F(EvaluatorFactoryTest, AGpuThatIsAskedForIsNotIgnored) {
  EXPECT_EQ(Refusal({{"devices", "0,2"}}, basic_),
            "--devices 0,2: sim:basic runs on no GPU");
  EXPECT_EQ(Refusal({}, basic_, {{"COPPICE_DEVICES", "0,2"}}), "");
  EXPECT_EQ(Refusal({{"devices", "auto"}}, basic_), "");
  EXPECT_EQ(Refusal({{"devices", "cpu"}}, basic_), "");
}

// Plain Python, which no format of tasks has.
TEST_F(EvaluatorFactoryTest, WhatNobodyJudgesIsSaid) {
  const auto none = Made().EvaluatorFor(TaskIn(Language::kPython));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::kUnavailable);
  EXPECT_EQ(none.error().what,
            "t: only C++, CUDA C++ and tasks in PyTorch can be judged");
}

TEST_F(EvaluatorFactoryTest, TorchIsUsedAsTheSettingsSay) {
  const auto options = Made({{"devices", "cpu"},
                             {"threads", "3"},
                             {"python", "/opt/python3"},
                             {"compile_timeout_s", "40"},
                             {"cache_limit_mb", "5"},
                             {"cache_directory", "/cache"}})
                           .TorchOptions();
  ASSERT_TRUE(options) << options.error().what;
  EXPECT_EQ(options->device, "cpu");
  EXPECT_EQ(options->gpu, std::nullopt);
  EXPECT_EQ(options->threads, 3);
  EXPECT_EQ(options->python, "/opt/python3");
  EXPECT_EQ(options->scripts, "bin/coppice-python");
  EXPECT_EQ(options->load_timeout_s, 40.0);
  EXPECT_EQ(options->cache_bytes, 5'000'000u);
  EXPECT_EQ(options->cache_directory, "/cache");
  EXPECT_NE(options->prewarmed_workers, nullptr);
}

// What the user said holds for any task; else a task that takes long has more.
TEST_F(EvaluatorFactoryTest, LimitsGrowUnlessTheyAreGiven) {
  const auto usual = Made({{"devices", "cpu"}}).TorchOptions();
  EXPECT_TRUE(usual->load_limit_grows);
  EXPECT_TRUE(usual->call_limit_grows);
  const auto given =
      Made({{"devices", "cpu"}, {"compile_timeout_s", "40"}}).TorchOptions();
  EXPECT_FALSE(given->load_limit_grows);
  EXPECT_TRUE(given->call_limit_grows);
  const auto called =
      Made({{"devices", "cpu"}, {"call_timeout_s", "9"}}).TorchOptions();
  EXPECT_TRUE(called->load_limit_grows);
  EXPECT_FALSE(called->call_limit_grows);
}

TEST_F(EvaluatorFactoryTest, AllEvaluatorsAreToldHowToLook) {
  EvaluatorFactory& factory = Made({{"devices", "cpu"}, {"quiet_wait_s", "7"}});
  const auto usual = factory.TorchOptions();
  EXPECT_EQ(usual->onlookers, eval::Onlookers::kNone);
  EXPECT_FALSE(usual->checks_only);
  EXPECT_EQ(usual->cancelled, nullptr);
  EXPECT_EQ(usual->shapes_seed, std::nullopt);
  EXPECT_EQ(usual->quiet.most_s, 7.0);
  const std::atomic<bool> cancelled{false};
  factory.Invite(eval::Onlookers::kProfilers);
  factory.OnlyCheck();
  factory.CancelBy(cancelled);
  factory.DrawShapesBy(11);
  const auto changed = factory.TorchOptions();
  EXPECT_EQ(changed->onlookers, eval::Onlookers::kProfilers);
  EXPECT_TRUE(changed->checks_only);
  EXPECT_EQ(changed->cancelled, &cancelled);
  EXPECT_EQ(changed->shapes_seed, 11u);
}

}  // namespace
}  // namespace coppice::engine
