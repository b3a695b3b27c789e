#include "engine/cli/claim_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "store/scratch.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class ClaimFilesTest : public ::testing::Test {
 protected:
  ClaimFilesTest() {
    task_.root.language = Language::kCpp;
    task_.root.entry_symbol = "run";
  }
  fs::path File(const std::string& name, const std::string& text) const {
    fs::create_directories(directory_.File(name).parent_path());
    std::ofstream(directory_.File(name)) << text;
    return directory_.File(name);
  }
  // "list.json:1 a correct 2x 0.003 s", as far as it is said; or the error.
  static std::vector<std::string> Lines(const Result<ClaimFile>& file) {
    if (!file) return {file.error().what};
    std::vector<std::string> lines;
    for (const store::Claim& claim : file->claims) {
      std::string line = claim.origin + " " + claim.candidate.source;
      if (claim.is_correct) line += *claim.is_correct ? " correct" : " wrong";
      if (claim.speedup) line += " " + std::to_string(*claim.speedup) + "x";
      if (claim.runtime_s)
        line += " " + std::to_string(*claim.runtime_s) + " s";
      EXPECT_EQ(claim.candidate.entry_symbol, "run");
      lines.push_back(std::move(line));
    }
    return lines;
  }
  Result<ClaimFile> List(const std::string& text,
                         const ClaimFilter& selection = {},
                         const eval::ListFields& fields = {}) const {
    return ReadClaimList(File("list.json", text), fields, 1e-3, selection,
                         task_);
  }

  store::ScratchDirectory directory_;
  Task task_;
};

TEST_F(ClaimFilesTest, AListTellsSpeedupsAndTimes) {
  const auto file = List(R"([{"code": "a", "speedup": 2, "runtime": 3},
                             {"code": "b", "correct": false}, {"code": ""}])");
  EXPECT_THAT(Lines(file), ElementsAre("list.json:1 a 2.000000x 0.003000 s",
                                       "list.json:2 b wrong"));
  EXPECT_THAT(file->note,
              EndsWith("list.json: 2 kernels (source from code, speedup from "
                       "speedup, runtime from runtime, 1 without one)"));
}

TEST_F(ClaimFilesTest, AUnitInTheNameCounts) {
  EXPECT_THAT(Lines(List(R"([{"code": "a", "runtime_us": 3000}])")),
              ElementsAre("list.json:1 a 0.003000 s"));
  EXPECT_THAT(
      Lines(List(R"([{"code": "a", "took_s": 3}])", {}, {.runtime = "took_s"})),
      ElementsAre("list.json:1 a 3.000000 s"));
  EXPECT_THAT(Lines(List(R"([{"code": "a", "took_ns": 3000000}])", {},
                         {.runtime = "took_ns"})),
              ElementsAre("list.json:1 a 0.003000 s"));
  // Nothing said of the unit: what is meant by default.
  EXPECT_THAT(
      Lines(List(R"([{"code": "a", "tookms": 3}])", {}, {.runtime = "tookms"})),
      ElementsAre("list.json:1 a 0.003000 s"));
}

constexpr const char* kProblems =
    R"([{"code": "a", "level": 1, "task_id": 7},
        {"code": "b", "level": 2, "task_id": 7},
        {"code": "c", "level": 1, "task_id": 8}])";

TEST_F(ClaimFilesTest, OnlyOneProblemIsForATask) {
  EXPECT_THAT(Lines(List(kProblems))[0],
              EndsWith("has kernels of 2 problems: choose with --problem N"));
  EXPECT_THAT(Lines(List(kProblems, {std::nullopt, 7}))[0],
              EndsWith("has kernels of 2 levels: choose with --level N"));
  const auto file = List(kProblems, {1, 7});
  EXPECT_THAT(Lines(file), ElementsAre("list.json:1 a"));
  EXPECT_THAT(file->note, EndsWith(", 2 for other problems"));
  EXPECT_THAT(Lines(List(kProblems, {3, 7})), ElementsAre());
}

TEST_F(ClaimFilesTest, AMalformedListIsAMistakeOfTheUsers) {
  const auto file = List("{");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, Errc::kUsage);
  EXPECT_THAT(file.error().what, HasSubstr("list.json: not JSON"));
  EXPECT_EQ(
      ReadClaimList(directory_.File("none"), {}, 1.0, {}, task_).error().code,
      Errc::kUsage);
}

TEST_F(ClaimFilesTest, ARunHasKernelsAndResults) {
  File("run/level_1_problem_7_sample_1_kernel.py", "b");
  File("run/level_1_problem_7_sample_0_kernel.py", "a");
  File("run/level_1_problem_7_sample_2_kernel.py", "c");
  File("run/level_1_problem_8_sample_0_kernel.py", "other");
  File("run/notes.txt", "no");
  File("run/eval_results.json", R"({"7": [
      {"sample_id": 0, "compiled": true, "correctness": true, "runtime": 2.5},
      {"sample_id": 1, "compiled": true, "correctness": false, "runtime": -1}
      ], "8": null})");
  const fs::path run = directory_.File("run");
  const auto file = ReadKernelBenchRun(run / "", {1, 7}, task_);
  EXPECT_THAT(Lines(file),
              ElementsAre("run/level_1_problem_7_sample_0_kernel.py a correct "
                          "0.002500 s",
                          "run/level_1_problem_7_sample_1_kernel.py b wrong",
                          "run/level_1_problem_7_sample_2_kernel.py c"));
  EXPECT_THAT(file->note, EndsWith("run/: 3 kernels (2 with a result), 1 for "
                                   "other problems"));
  EXPECT_THAT(Lines(ReadKernelBenchRun(run, {}, task_))[0],
              EndsWith("has kernels of 2 problems: choose with --problem N"));
}

TEST_F(ClaimFilesTest, WhatIsNoRunIsRefused) {
  EXPECT_THAT(Lines(ReadKernelBenchRun(directory_.File("none"), {}, task_))[0],
              HasSubstr("No such file or directory"));
  fs::create_directories(directory_.File("empty"));
  EXPECT_THAT(Lines(ReadKernelBenchRun(directory_.File("empty"), {}, task_))[0],
              EndsWith("not a run of KernelBench"));
  File("torn/level_1_problem_7_sample_0_kernel.py", "a");
  File("torn/eval_results.json", "{\"7\": [");
  EXPECT_THAT(Lines(ReadKernelBenchRun(directory_.File("torn"), {}, task_))[0],
              HasSubstr("eval_results.json: not JSON"));
}

}  // namespace
}  // namespace coppice::cli
