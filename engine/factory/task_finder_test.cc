#include "engine/factory/task_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/campaign/outages.h"
#include "engine/campaign/patient_evaluator.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/factory/factory_fixture.h"
#include "engine/process/clock.h"
#include "eval/formats/trace_set.h"
#include "store/write/campaigns.h"

namespace coppice::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class TaskFinderTest : public testing::Test {
 protected:
  Result<Task> Find(const std::string& name,
                    const std::vector<config::Override>& options = {},
                    config::Environment environment = {}) {
    const config::Loaded loaded = lines_.Load(options, std::move(environment));
    const EvaluatorFactory evaluators(loaded, "", outages_);
    return TaskFinder(loaded, "", evaluators).FindTask(name);
  }

  // What its user is told; "found" of a task.
  std::string Refusal(const std::string& name,
                      const std::vector<config::Override>& options = {},
                      config::Environment environment = {}) {
    const auto task = Find(name, options, std::move(environment));
    if (task) return "found";
    EXPECT_EQ(task.error().code, Errc::kUsage);
    return task.error().what;
  }

  // gemv as a folder of the user's.
  fs::path CopyOfGemv(const std::string& name) {
    const fs::path folder = lines_.File(name);
    fs::create_directories(folder);
    fs::copy(COPPICE_SOURCE_DIR "/data/cpu/gemv", folder);
    return folder;
  }

  CommandLines lines_;
  SystemClock clock_;
  SystemTimer timer_{clock_};
  const std::atomic<bool> stop_{false};
  Outages outages_{timer_, stop_};
  const config::Loaded loaded_ = lines_.Load();
  const EvaluatorFactory evaluators_{loaded_, "", outages_};
  const TaskFinder finder_{loaded_, "", evaluators_};
};

TEST_F(TaskFinderTest, TasksOfTheProgramHaveBareNames) {
  EXPECT_EQ(Find("gemv")->root.language, Language::kCpp);
  EXPECT_EQ(Find("cuda_gemv")->root.language, Language::kCuda);
  EXPECT_EQ(Find("sim:hill/1")->root.language, Language::kSim);
}

TEST_F(TaskFinderTest, NamesAreOfAllTasksAndLevelsOfSome) {
  const auto names = finder_.TaskNames().value();
  EXPECT_THAT(names, Contains("gemv"));
  EXPECT_THAT(names, Contains("cuda_gemv"));
  EXPECT_EQ(finder_.BuiltInTasks()->size(), names.size());
  const auto first = finder_.TasksOfLevel("1", Language::kCpp).value();
  EXPECT_THAT(first, Contains("gemv"));
  EXPECT_THAT(first, Not(Contains("cuda_gemv")));
  EXPECT_LT(first.size(), names.size());
  EXPECT_TRUE(finder_.TasksOfLevel("7", Language::kCpp)->empty());
}

TEST_F(TaskFinderTest, AMistypedNameHasANearestOne) {
  EXPECT_EQ(Refusal("gemvv"), "gemvv: no such task; did you mean gemv?");
  EXPECT_EQ(Refusal("x.py"),
            "x.py: no such task; did you mean kernelbench:x.py?");
  EXPECT_EQ(Refusal("x.json"),
            "x.json: no such task; did you mean fib:x.json?");
  EXPECT_EQ(Refusal("kernelbnch:x.py"),
            "kernelbnch:x.py: no such task; did you mean kernelbench:x.py?");
  EXPECT_EQ(Refusal("simm:basic"),
            "simm:basic: no such task; did you mean sim:basic?");
}

TEST_F(TaskFinderTest, WhatIsLikeNoTaskIsToldWhatThereIs) {
  EXPECT_EQ(Refusal("a_word_that_is_like_none_of_them"),
            "a_word_that_is_like_none_of_them: no such task; `coppice task "
            "list` lists them; there are also kernelbench:FILE, fib:FILE, "
            "gpumode:FOLDER, ./FOLDER, DIRECTORY:NAME, sim:LANDSCAPE and "
            "recorded:SPACE");
}

TEST_F(TaskFinderTest, APrefixAloneNamesNothing) {
  EXPECT_THAT(Refusal("kernelbench:"), HasSubstr("names no file"));
  EXPECT_THAT(Refusal("fib:"), HasSubstr("names no file"));
  EXPECT_THAT(Refusal("gpumode:"), HasSubstr("names no folder"));
}

TEST_F(TaskFinderTest, AKernelIsNoTask) {
  for (const std::string file : {"mine.cc", "mine.c", "mine.cpp", "mine.cxx"}) {
    EXPECT_EQ(Refusal(file), file + ": is a kernel and no task; `coppice new " +
                                 file +
                                 "` makes a task of it, and `coppice eval "
                                 "TASK " +
                                 file + "` judges it");
  }
}

TEST_F(TaskFinderTest, AFolderIsATaskByItsPathAndAsOneOfSeveral) {
  const fs::path folder = CopyOfGemv("mine");
  EXPECT_EQ(Find(folder.string())->definition.name, "gemv");
  EXPECT_EQ(Find(folder.parent_path().string() + ":mine")->definition.name,
            "gemv");
}

TEST_F(TaskFinderTest, AFolderThatLacksItsKernelIsToldSo) {
  const fs::path folder = CopyOfGemv("mine");
  fs::remove(folder / "workloads.jsonl");
  fs::remove(folder / "root.cc");
  EXPECT_THAT(Refusal(folder.string()),
              HasSubstr("has a definition.json, but neither workloads.jsonl "
                        "nor root.cc"));
}

TEST_F(TaskFinderTest, AMistakeInAFolderIsTheUsers) {
  const fs::path folder = CopyOfGemv("mine");
  std::ofstream(folder / "definition.json") << "oops";
  EXPECT_THAT(Refusal(folder.string()), HasSubstr("definition.json"));
}

TEST_F(TaskFinderTest, RulesOfOtherKindsOfTasksAreRefused) {
  EXPECT_EQ(Refusal("gemv", {{"precision", "float16"}}),
            "--precision float16: gemv has types of its own; a precision is "
            "chosen for problems of KernelBench");
  EXPECT_EQ(Refusal("gemv", {{"delegation", "own_kernels"}}),
            "--delegation own_kernels: gemv is not in PyTorch; a rule is "
            "chosen for candidates that could call its operations");
  EXPECT_EQ(Refusal("gemv", {{"protocol", "kernelbench"}}),
            "--protocol kernelbench: gemv is judged by coppice");
  EXPECT_EQ(Refusal("gemv", {{"eval_config", "x.yaml"}}),
            "--eval-config: is of --protocol flashinfer-bench, by which gemv "
            "is not judged");
  EXPECT_EQ(Refusal("kernelbench:x.py", {{"protocol", "flashinfer-bench"}}),
            "--protocol flashinfer-bench: kernelbench:x.py is judged by "
            "coppice or kernelbench");
  EXPECT_EQ(Refusal("gpumode:x", {{"precision", "float16"}}),
            "--precision float16: gpumode:x has types of its own; a precision "
            "is chosen for problems of KernelBench");
}

// The environment and files speak of tasks of any kind.
TEST_F(TaskFinderTest, WhatWasNotSaidForThisTaskIsPassedOver) {
  EXPECT_EQ(Refusal("gemv", {},
                    {{"COPPICE_PRECISION", "float16"},
                     {"COPPICE_DELEGATION", "own_kernels"},
                     {"COPPICE_EVAL_CONFIG", "x.yaml"}}),
            "found");
}

TEST_F(TaskFinderTest, AStoredTaskIsAsItWas) {
  Task then = Find("gemv").value();
  then.definition.description = "of then";
  store::CampaignSpec spec;
  spec.name = "c";
  spec.task_name = "gemv";
  spec.task_json = eval::SerialiseTask(then);
  EXPECT_EQ(finder_.TaskOf(spec)->definition.description, "of then");
}

TEST_F(TaskFinderTest, ALandscapeThatWasChangedIsRefused) {
  store::CampaignSpec spec;
  spec.name = "c";
  spec.task_name = "sim:hill/1";
  spec.task_json = eval::SerialiseTask(Find("sim:hill/1").value());
  EXPECT_EQ(finder_.TaskOf(spec)->definition.name, "sim:hill/1");
  spec.task_json = eval::SerialiseTask(Find("sim:hill/2").value());
  const auto changed = finder_.TaskOf(spec);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().what,
            "sim:hill/1: is another table than when c started");
}

}  // namespace
}  // namespace coppice::engine
