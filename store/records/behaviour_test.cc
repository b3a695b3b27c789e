#include "store/records/behaviour.h"

#include <gtest/gtest.h>

#include "store/records/evaluation.h"
#include "store/records/profile.h"

namespace coppice {
namespace {

// On a machine of 10 GB/s and 10 Gflop/s: so many MB and Mflop in a second of
// 1,000 parts each.
WorkloadResult Of(double runtime_s, double mbytes, double mflop) {
  WorkloadResult result;
  Profile& profile = result.profile.emplace();
  profile.runtime_s = runtime_s;
  profile.bytes = mbytes * 1e6;
  profile.flops = mflop * 1e6;
  profile.roof_bytes_per_s = 1e10;
  profile.roof_flops_per_s = 1e10;
  return result;
}

Limit LimitOfAll(std::vector<WorkloadResult> workloads,
                 Verdict verdict = Verdict::kPassed) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.workloads = std::move(workloads);
  return LimitOf(evaluation);
}

// 10 MB take 1 ms at least: of 2 ms that is half, and of 20 ms 5 %, which is
// less than a tenth.
TEST(BehaviourTest, TheHigherRoofLimitsUnlessItIsFarAbove) {
  EXPECT_EQ(LimitOfAll({Of(2e-3, 10, 1)}), Limit::kMemory);
  EXPECT_EQ(LimitOfAll({Of(2e-3, 1, 10)}), Limit::kCompute);
  EXPECT_EQ(LimitOfAll({Of(20e-3, 10, 1)}), Limit::kLatency);
}

TEST(BehaviourTest, TheWorkloadThatTakesLongestTells) {
  EXPECT_EQ(LimitOfAll({Of(2e-3, 10, 1), Of(3e-3, 1, 10)}), Limit::kCompute);
  EXPECT_EQ(LimitOfAll({Of(4e-3, 10, 1), Of(3e-3, 1, 10)}), Limit::kMemory);
}

TEST(BehaviourTest, WhereNothingIsMeasuredNoLimitIsKnown) {
  EXPECT_EQ(LimitOfAll({}), Limit::kUnknown);
  EXPECT_EQ(LimitOfAll({WorkloadResult{}}), Limit::kUnknown);
  EXPECT_EQ(LimitOfAll({Of(2e-3, 10, 1)}, Verdict::kWrongOutput),
            Limit::kUnknown);
  WorkloadResult roofless = Of(2e-3, 10, 1);
  roofless.profile->roof_bytes_per_s = 0.0;
  roofless.profile->roof_flops_per_s = 0.0;
  EXPECT_EQ(LimitOfAll({roofless}), Limit::kUnknown);
}

TEST(BehaviourTest, TheFirstTechniqueOfAFamilyTells) {
  EXPECT_EQ(FamilyOf("interchange(i, k)"), TechniqueFamily::kLoops);
  EXPECT_EQ(FamilyOf("parallel(i) + jam(j, 32)"), TechniqueFamily::kParallel);
  EXPECT_EQ(FamilyOf("sorcery + jam(j, 32)"), TechniqueFamily::kLoops);
  EXPECT_EQ(FamilyOf("Split the reduction"), TechniqueFamily::kParallel);
  EXPECT_EQ(FamilyOf("FP16 Tensor Cores"), TechniqueFamily::kPrecision);
  EXPECT_EQ(FamilyOf("sorcery"), TechniqueFamily::kOther);
  EXPECT_EQ(FamilyOf(""), TechniqueFamily::kOther);
}

// Seven families have names; the eighth part is the first again.
TEST(BehaviourTest, PartsStandForFamiliesInTurn) {
  EXPECT_EQ(FamilyOfPart(0), TechniqueFamily::kOther);
  EXPECT_EQ(FamilyOfPart(1), TechniqueFamily::kAlgorithm);
  EXPECT_EQ(FamilyOfPart(7), TechniqueFamily::kPrecision);
  EXPECT_EQ(FamilyOfPart(8), TechniqueFamily::kAlgorithm);
}

// The family that is looked for first wins within one name: "parallel tiles"
// are parallel, and "fused online softmax" is fusion.
TEST(BehaviourTest, OfTwoWordsInANameTheEarlierFamilyTells) {
  EXPECT_EQ(FamilyOf("parallel tiles"), TechniqueFamily::kParallel);
  EXPECT_EQ(FamilyOf("tile the PARALLEL loop"), TechniqueFamily::kParallel);
  EXPECT_EQ(FamilyOf("vectorised loads in bf16"), TechniqueFamily::kPrecision);
  EXPECT_EQ(FamilyOf("fused online softmax"), TechniqueFamily::kFusion);
  EXPECT_EQ(FamilyOf("Winograd transforms"), TechniqueFamily::kAlgorithm);
  EXPECT_EQ(FamilyOf("pad rows in shared memory"), TechniqueFamily::kMemory);
}

// Arguments are names of loops, and say nothing: this one is called "fuse".
TEST(BehaviourTest, ArgumentsTellNothing) {
  EXPECT_EQ(FamilyOf("tile(fuse, 8)"), TechniqueFamily::kLoops);
  EXPECT_EQ(FamilyOf("sorcery(parallel)"), TechniqueFamily::kOther);
}

TEST(BehaviourTest, APartBelowTheFirstIsNone) {
  EXPECT_EQ(FamilyOfPart(-1), TechniqueFamily::kOther);
  EXPECT_EQ(FamilyOfPart(14), TechniqueFamily::kPrecision);
  EXPECT_EQ(FamilyOfPart(15), TechniqueFamily::kAlgorithm);
}

// 1 ms of 10 ms is a tenth of it, and not below that.
TEST(BehaviourTest, ATenthOfTheRoofIsNotFarBelowIt) {
  EXPECT_EQ(LimitOfAll({Of(10e-3, 10, 1)}), Limit::kMemory);
  EXPECT_EQ(LimitOfAll({Of(10.1e-3, 10, 1)}), Limit::kLatency);
  // Where roofs are equal the memory's counts.
  EXPECT_EQ(LimitOfAll({Of(2e-3, 10, 10)}), Limit::kMemory);
}

}  // namespace
}  // namespace coppice
