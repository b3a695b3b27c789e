#include "engine/tools/tool_runs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eval/judge/evaluators.h"
#include "store/records/tier.h"

namespace coppice::engine {
namespace {

using enum Language;
using eval::Onlookers;

Task TaskIn(Language language, TaskFormat format = TaskFormat::kNative) {
  Task task;
  task.format = format;
  task.definition.name = "gemv";
  task.root.language = language;
  return task;
}

// "", or the refusal.
std::string Refusal(const Task& task) {
  const auto checked = MustHaveKernels(task);
  if (checked) return "";
  EXPECT_EQ(checked.error().code, Errc::kUsage);
  return checked.error().what;
}

// What the log makes of it; an Error is led by its "!".
std::string Clean(Language language, const std::string& log) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::kPassed;
  evaluation.log = log;
  const auto text = CleanText(TaskIn(language), evaluation);
  if (text) return *text;
  EXPECT_EQ(text.error().code, Errc::kUnavailable);
  return "!" + text.error().what;
}

TEST(ToolRunsTest, OnlyALandscapeHasNoKernelsThatToolsSee) {
  EXPECT_EQ(Refusal(TaskIn(kCpp)), "");
  EXPECT_EQ(Refusal(TaskIn(kCuda)), "");
  EXPECT_EQ(Refusal(TaskIn(kPython)), "");
  EXPECT_EQ(Refusal(TaskIn(kPython, TaskFormat::kKernelBench)), "");
  EXPECT_EQ(Refusal(TaskIn(kPython, TaskFormat::kGpuMode)), "");
  EXPECT_EQ(Refusal(TaskIn(kSim)),
            "gemv: a landscape has no kernels that tools could look at");
}

// Times are what a profile is about; sanitizers in Python need none.
TEST(ToolRunsTest, OnlySanitizersOfPythonLookInTheFastTier) {
  struct Case {
    Language language;
    Onlookers onlookers;
    bool is_full;
    Tier tier;
  };
  for (const Case& each : std::vector<Case>{
           {kPython, Onlookers::kSanitizers, false, Tier::kFast},
           {kPython, Onlookers::kSanitizers, true, Tier::kFull},
           {kPython, Onlookers::kProfilers, false, Tier::kFull},
           {kCuda, Onlookers::kSanitizers, false, Tier::kFull},
           {kCpp, Onlookers::kSanitizers, false, Tier::kFull},
           {kCpp, Onlookers::kProfilers, true, Tier::kFull},
       }) {
    EXPECT_EQ(
        TierOfScrutiny(TaskIn(each.language), each.onlookers, each.is_full),
        each.tier);
  }
}

TEST(ToolRunsTest, EachLanguageNamesWhoFoundNothing) {
  EXPECT_EQ(Clean(kCpp, ""),
            "clean: the address and undefined-behaviour sanitizers found "
            "nothing");
  EXPECT_EQ(
      Clean(kCuda, "warm\n"),
      "clean: memcheck, racecheck, initcheck and synccheck found nothing");
  // Which of them looked at Python is known to the log alone.
  EXPECT_EQ(Clean(kPython, "built\nclean: memcheck found nothing\ntimed\n"),
            "clean: memcheck found nothing");
}

// One line of the log is told, with or without a line's end behind it.
TEST(ToolRunsTest, WhoCouldNotLookSaysWhyInOneLine) {
  for (const Language language : {kCpp, kCuda, kPython}) {
    EXPECT_EQ(Clean(language, "a\nnot sanitized: no compiler has them\nb"),
              "!not sanitized: no compiler has them");
    EXPECT_EQ(Clean(language, "not sanitized: no tool"),
              "!not sanitized: no tool");
  }
}

}  // namespace
}  // namespace coppice::engine
