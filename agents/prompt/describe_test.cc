#include "agents/prompt/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/prompt/prompt_context.h"

namespace coppice::agents {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TensorSpec Tensor(const std::string& name, std::vector<std::string> shape,
                  DType dtype = DType::kFloat32) {
  return {name, std::move(shape), dtype, std::nullopt};
}

TensorSpec Scalar(const std::string& name, DType dtype) {
  return {name, std::nullopt, dtype, std::nullopt};
}

// Inputs, outputs, then the varying axes; H is constant.
TEST(DescribeTest, SignatureFollowsTheAbi) {
  Definition definition;
  definition.axes = {
      {"M", std::nullopt, {}}, {"H", 64, {}}, {"K", std::nullopt, {}}};
  definition.inputs = {
      Tensor("A", {"M", "K"}), Tensor("index", {"M"}, DType::kInt32),
      Scalar("scale", DType::kFloat32), Scalar("causal", DType::kBool)};
  definition.outputs = {Tensor("C", {"M", "H"})};
  EXPECT_EQ(CppSignature(definition, "run"),
            "extern \"C\" void run(const float* A, const int32_t* index, "
            "float scale, bool causal, float* C, int64_t M, int64_t K)");
}

TEST(DescribeTest, SignatureOfTypesWithoutACppNameIsInWords) {
  Definition definition;
  definition.inputs = {Tensor("A", {"M"}, DType::kBFloat16)};
  EXPECT_EQ(CppSignature(definition, "go"),
            "`go` with the signature that it has in the source below");
}

TEST(DescribeTest, AnOutputMayHoldAnInputBeforeACall) {
  Definition definition;
  definition.inputs = {Tensor("x_before", {"M"}), Tensor("y_before", {"M"})};
  definition.outputs = {Tensor("x", {"M"}), Tensor("y", {"M"}),
                        Tensor("z", {"M"})};
  EXPECT_EQ(DescribeStarts(definition), "");
  definition.tags = {"starts:y=y_before", "starts:x=x_before"};
  EXPECT_EQ(DescribeStarts(definition),
            ", but `x` holds `x_before` and `y` holds `y_before`");
}

TEST(DescribeTest, TheUnitIsThatOfTheFirstFloatingPointOutput) {
  EXPECT_EQ(UnitRoundoff({}), "2^-24");
  EXPECT_EQ(UnitRoundoff({Tensor("n", {"M"}, DType::kInt32),
                          Tensor("y", {"M"}, DType::kBFloat16)}),
            "2^-8");
  EXPECT_EQ(UnitRoundoff({Tensor("y", {"M"}, DType::kFloat16)}), "2^-11");
}

TEST(DescribeTest, TensorsAxesAndWorkloadsAreLists) {
  TensorSpec described = Tensor("A", {"M", "K"});
  described.description = "left factor";
  EXPECT_EQ(DescribeTensors({described, Scalar("eps", DType::kFloat32)}),
            "- `A` float32[M, K]: left factor\n- `eps` float32 scalar\n");
  EXPECT_EQ(DescribeAxes({{"M", std::nullopt, "rows"}, {"K", 64, {}}}),
            "- `M` varies: rows\n- `K` = 64\n");
  EXPECT_EQ(DescribeWorkloads({{"u1",
                                {{"M", 3}, {"N", 4}},
                                {{"A", RandomInput{}},
                                 {"eps", ScalarInput{0.5}},
                                 {"n", ScalarInput{std::int64_t{7}}},
                                 {"on", ScalarInput{true}},
                                 {"W", SafetensorsInput{"w", "k"}}}},
                               {"u2", {}, {}}}),
            "- M = 3, N = 4, eps = 0.5, n = 7, on = true, W = given data\n"
            "- the constant axes\n");
}

TEST(DescribeTest, EmptyListsSayNone) {
  EXPECT_EQ(DescribeTensors({}), "- none\n");
  EXPECT_EQ(DescribeAxes({}), "- none\n");
  EXPECT_EQ(DescribeWorkloads({}), "- none\n");
}

Sighting Seen(Verdict verdict, const std::string& log = "") {
  Sighting sighting;
  sighting.verdict = verdict;
  sighting.log = log;
  return sighting;
}

// Its seconds are the root's over that speedup, and were measured nowhere.
TEST(DescribeTest, APassTellsItsSpeedup) {
  Sighting sighting = Seen(Verdict::kPassed);
  sighting.runtime_s = 0.00123456;
  sighting.speedup = Speedup{2.5, Interval{2.4, 2.625}};
  EXPECT_EQ(DescribeCompilation(sighting, 100), "it compiles.");
  EXPECT_EQ(DescribeExecution(sighting, 100),
            "correct, 2.50x (95 % interval 2.40-2.62) as fast as the source to "
            "speed up.");
}

TEST(DescribeTest, WhatMayBeNoiseIsNoSpeedup) {
  Sighting sighting = Seen(Verdict::kPassed);
  sighting.speedup = Speedup{1.3, Interval{0.9, 1.9}};
  EXPECT_EQ(DescribeExecution(sighting, 100),
            "correct, no difference told (0.9-1.9) from the source to speed "
            "up.");
}

// How often and on what inputs it was called helps no agent.
TEST(DescribeTest, TheLogOfAPassIsNotTold) {
  Sighting sighting = Seen(Verdict::kPassed, "8 rounds of up to 4 calls\n");
  EXPECT_EQ(DescribeExecution(sighting, 100), "correct.");
}

TEST(DescribeTest, TheSearchIsToldAsFarAsItIsKnown) {
  EXPECT_EQ(DescribeStanding({}), "");
  SearchStanding standing = {.budget = 40, .remaining = 33, .best = kRootNode};
  standing.best_speedup = Speedup{1.0, Interval{1.0, 1.0}};
  EXPECT_EQ(DescribeStanding(standing),
            "Nothing faster than the source to speed up was found so far. This "
            "is attempt 8 of 40, so 32 remain after it.");
  standing = {.best = NodeId{4},
              .best_speedup = Speedup{2.5, Interval{2.4, 2.625}},
              .yardsticks = {{"expert", {1.1, Interval{0.9, 1.3}}}},
              .ceiling = 12.04};
  EXPECT_EQ(DescribeStanding(standing),
            "The fastest so far is node 4: 2.50x (2.40-2.62). A trusted "
            "solution (expert): no difference told (0.90-1.30). The measured "
            "roofs of the machine allow at most 12x.");
  // A roof that was beaten was measured too low.
  standing = {.best = NodeId{4},
              .best_speedup = Speedup{2.5, Interval{2.4, 2.625}},
              .ceiling = 2.0};
  EXPECT_EQ(DescribeStanding(standing),
            "The fastest so far is node 4: 2.50x (2.40-2.62).");
}

TEST(DescribeTest, ARepetitionIsSaidToBeOne) {
  Sighting sighting = Seen(Verdict::kWrongOutput);
  sighting.same_as = NodeId{4};
  EXPECT_EQ(DescribeExecution(sighting, 100),
            "wrong results. It has the same tokens as attempt 4, so it was not "
            "judged again: propose something else.");
}

TEST(DescribeTest, AWrongOnesTimeIsAHint) {
  Sighting sighting = Seen(Verdict::kWrongOutput, "C[0] is off");
  sighting.hint = Hint{.factor = 1.8, .low = 1.6, .high = 2.0, .samples = 5};
  EXPECT_EQ(DescribeExecution(sighting, 100),
            "wrong results. A hint: it ran about 1.80x as fast as the root "
            "(1.60-2.00), though it was wrong.\n\n```text\nC[0] is off\n```");
}

TEST(DescribeTest, WhatIsInconclusiveIsNoFault) {
  EXPECT_EQ(DescribeExecution(Seen(Verdict::kInconclusive, "noise"), 100),
            "not decided yet: its measurements do not agree so far. It will be "
            "measured again.");
}

TEST(DescribeTest, WhatLimitsAPassFollowsItsSpeedup) {
  Sighting sighting = Seen(Verdict::kPassed);
  sighting.speedup = Speedup{2.0, Interval{1.9, 2.1}};
  sighting.profile = "Memory bound at 43 %.\n";
  EXPECT_EQ(DescribeExecution(sighting, 100),
            "correct, 2.00x (95 % interval 1.90-2.10) as fast as the source to "
            "speed up. Memory bound at 43 %.");
  // A long one keeps its beginning and its end.
  sighting.profile = "Memory bound. " + std::string(3000, 'x') + " Its end.";
  EXPECT_LT(DescribeProfile(sighting).size(), 1600u);
  EXPECT_TRUE(DescribeProfile(sighting).starts_with(" Memory bound. "));
  EXPECT_TRUE(DescribeProfile(sighting).ends_with(" Its end."));
  sighting.profile.clear();
  EXPECT_EQ(DescribeExecution(sighting, 100),
            "correct, 2.00x (95 % interval 1.90-2.10) as fast as the source to "
            "speed up.");
}

TEST(DescribeTest, ACompilerLogStandsWithTheCompiler) {
  const Sighting sighting = Seen(Verdict::kCompileFailed, "no such loop\n");
  EXPECT_EQ(DescribeCompilation(sighting, 100),
            "it does not compile.\n\n```text\nno such loop\n```");
  EXPECT_EQ(DescribeExecution(sighting, 100), "not run.");
}

TEST(DescribeTest, OtherLogsStandWithTheExecution) {
  const Sighting sighting = Seen(Verdict::kWrongOutput, "C[0] is off");
  EXPECT_EQ(DescribeCompilation(sighting, 100), "it compiles.");
  EXPECT_EQ(DescribeExecution(sighting, 100),
            "wrong results.\n\n```text\nC[0] is off\n```");
  EXPECT_EQ(DescribeExecution(Seen(Verdict::kCrashed, " \n"), 100),
            "it crashed.");
}

// A time-out may be the compiler's: nothing is claimed about it.
TEST(DescribeTest, NothingIsClaimedThatTheVerdictDoesNotSay) {
  for (const Verdict verdict :
       {Verdict::kTimedOut, Verdict::kRejected, Verdict::kInconclusive}) {
    EXPECT_EQ(DescribeCompilation(Seen(verdict), 100),
              "see the execution result.");
  }
  EXPECT_EQ(DescribeCompilation(Seen(Verdict::kNoCandidate), 100),
            "nothing to compile.");
}

TEST(DescribeTest, PlansAreTechniqueAndAdvice) {
  Plan plan;
  EXPECT_EQ(DescribePlan(std::nullopt), "none is on record.");
  EXPECT_EQ(DescribePlan(plan), "none is on record.");
  plan.advice = "Do it.";
  EXPECT_EQ(DescribePlan(plan), "Do it.");
  plan.technique = "tile";
  EXPECT_EQ(DescribePlan(plan), "tile. Do it.");
}

TEST(DescribeTest, AFenceIsLongerThanAnyInTheText) {
  EXPECT_EQ(CodeBlock("a", "cpp"), "```cpp\na\n```");
  EXPECT_EQ(CodeBlock("a\n", ""), "```\na\n```");
  EXPECT_EQ(CodeBlock("```\n", ""), "````\n```\n````");
  EXPECT_EQ(CodeBlock("x ````` y", ""), "``````\nx ````` y\n``````");
  EXPECT_EQ(CodeBlock("", ""), "```\n```");
}

TEST(DescribeTest, SourcesAreTaggedWithTheirLanguage) {
  EXPECT_EQ(SourceBlock("a\n", Language::kTriton), "```python\na\n```");
  EXPECT_EQ(SourceBlock("a\n", Language::kSim), "```\na\n```");
  EXPECT_EQ(SourceBlock("", Language::kCpp), "(It has no source.)");
}

TEST(CutMiddleTest, ShortTextsStayWhole) {
  EXPECT_EQ(CutMiddle("", 0), "");
  EXPECT_EQ(CutMiddle("abcd", 4), "abcd");
}

// 8 bytes: "aa\nb" of the head ends at a line after 3, "ee\n" of the tail
// begins one.  3 + 3 of the 15 bytes remain.
TEST(CutMiddleTest, KeepsWholeLinesOfBothEnds) {
  EXPECT_EQ(CutMiddle("aa\nbb\ncc\ndd\nee\n", 8),
            "aa\n[... 9 bytes left out ...]\nee\n");
}

TEST(CutMiddleTest, LongLinesAreCutWithin) {
  const std::string cut = CutMiddle(std::string(1000, 'x'), 10);
  EXPECT_EQ(cut, "xxxxx\n[... 990 bytes left out ...]\nxxxxx");
}

// The limit falls inside the two bytes of each character.
TEST(CutMiddleTest, CharactersStayWhole) {
  EXPECT_EQ(CutMiddle("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 6),
            "\xC3\xA9\n[... 4 bytes left out ...]\n\xC3\xA9");
}

TEST(FormatSecondsTest, ChoosesTheUnit) {
  EXPECT_EQ(FormatSeconds(12.0), "12 s");
  EXPECT_EQ(FormatSeconds(0.0123456), "12.35 ms");
  EXPECT_EQ(FormatSeconds(1.5e-6), "1.5 us");
  EXPECT_EQ(FormatSeconds(25e-9), "25 ns");
}

TEST(DescribeTest, TheMachineIsTold) {
  PromptContext context;
  context.hardware = "Example";
  EXPECT_EQ(DescribeMachine(context), "Example.");
  context.roof_flops_per_s = 0.5e6;
  EXPECT_EQ(DescribeMachine(context),
            "Example. Measured at most: 5e+05 flop/s in float32.");
  context.hardware_facts = "132 multiprocessors";
  context.roof_bytes_per_s = 3.94e12;
  context.roof_flops_per_s = 52.1e12;
  EXPECT_EQ(DescribeMachine(context),
            "Example: 132 multiprocessors. Measured at most: 3.94 TB/s of "
            "memory, 52.1 Tflop/s in float32.");
}

}  // namespace
}  // namespace coppice::agents
