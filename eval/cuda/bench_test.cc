#include "eval/cuda/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "eval/cuda/runner_fixture.h"

namespace coppice::eval::cuda {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

using CudaBenchTest = CudaBenchFixture;

std::string Times(int count, const std::string& line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line;
  return text;
}

// It makes the data, checks the root on the first, asks what a new one costs,
// and times the root by 12 calls.
TEST_F(CudaBenchTest, OpensWithDataAndARootThatWasCheckedAndTimed) {
  const auto bench = Opened();
  EXPECT_EQ(bench->sets(), 4u);
  EXPECT_EQ(bench->data_sets(), 4u);
  // x, y and what is committed of y, in each set.
  EXPECT_EQ(bench->tensors().size(), 12u);
  EXPECT_EQ(trusted_.trusted_runner->Output(),
            "open 0 0 0\n"
            "generate 0 0 0\ngenerate 0 0 1\ngenerate 0 0 2\ngenerate 0 0 3\n"
            "stage 0 0 0\nreveal 0 0 0\njudge 0 0 0\n"
            "generate 0 0 0\nreveal 0 0 0\njudge 0 0 0\n" +
                Times(12, "stage 0 0 0\n"));
  EXPECT_EQ(trusted_.root->Output(),
            "open 0 0 0\n" + Times(13, "go 0 0 0 held\n"));
  EXPECT_GT(bench->data_set_cost_s(), 0.0);
}

// With n elements x has 4 n bytes, and what is expected of y 16 n: with 2^24 of
// them 4 GiB hold 12.8 data sets, with 2^28 less than one.
TEST_F(CudaBenchTest, KeepsSoManyDataSetsAsMemoryHolds) {
  constexpr std::pair<std::int64_t, std::uint32_t> kCounts[] = {
      {1000, 32}, {1 << 24, 12}, {1 << 28, 4}};
  for (const auto& [n, count] : kCounts) {
    task_.workloads[0].axes = {{"N", n}};
    CudaBenchOptions options = OptionsOf("", "");
    options.batch = 0;
    const auto bench = Open(std::move(options));
    ASSERT_TRUE(bench) << bench.error().what;
    EXPECT_EQ((*bench)->data_sets(), count) << n;
    EXPECT_EQ((*bench)->sets(), 2u);
  }
}

TEST_F(CudaBenchTest, WhatIsWrongWithATaskNamesItsPart) {
  const struct {
    const char* oracle;
    const char* root;
    const char* why;
  } cases[] = {
      {"open refuse=no_oracle", "", "oracle: no oracle"},
      {"", "open refuse=no_root", "root: no root"},
      {"", "go#4 fail=700 stage=3",
       "root: a kernel accessed memory out of bounds (CUDA error 700, while it "
       "ran)"},
      {"reveal die=1", "",
       "oracle: it ended the process with exit status 1 before its call "
       "returned"},
      {"judge slack=4", "", "root: it wrote out of bounds of output y"},
      // 8 (2^-24 3 + 2^-150) + 2^-120.
      {"judge wrong=1 first=88 got=2.5 expected=3 magnitude=3", "",
       "root: output y[88] (element 88): got 2.5, expected 3, allowed error "
       "1.43e-06; 1 of 1000 elements wrong"},
  };
  for (const auto& [oracle, root, why] : cases) {
    const auto bench = Open(OptionsOf(oracle, root));
    ASSERT_FALSE(bench) << why;
    EXPECT_EQ(bench.error().code, Errc::kUsage);
    EXPECT_EQ(bench.error().what,
              "cuda_scale: workload short: " + std::string(why));
  }
}

TEST_F(CudaBenchTest, OutputsThatStartAsInputsAreOfTasksInCpp) {
  task_.definition.tags = {"starts:y=x"};
  const auto bench = Open(OptionsOf("", ""));
  ASSERT_FALSE(bench);
  EXPECT_EQ(bench.error().code, Errc::kUsage);
  EXPECT_THAT(bench.error().what, HasSubstr("tag starts:y"));
}

// One slow call of twelve moves no median.
TEST_F(CudaBenchTest, IsSlowHalfAsLongAgainAsTheRootAlone) {
  const auto bench = Opened("", "go event=10000000\ngo#5 event=900000000");
  EXPECT_DOUBLE_EQ(bench->root_alone_s(), 10e-6);
  EXPECT_FALSE(bench->IsSlow(14.9e-6));
  EXPECT_TRUE(bench->IsSlow(15.1e-6));
}

// Who asked for new data asks for its answer, too; else it is known.
TEST_F(CudaBenchTest, AnAnswerIsRevealedOnceForEachDataSet) {
  const auto bench = Opened("judge#3 wrong=5 unwritten=2");
  const std::string before = trusted_.trusted_runner->Output();
  const auto judged = bench->Judge(1, 2);
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->output[0].wrong, 5u);
  EXPECT_EQ(judged->output[0].unwritten, 2u);
  ASSERT_TRUE(bench->Judge(0, 2));
  ASSERT_TRUE(bench->Renew(2));
  ASSERT_TRUE(bench->Judge(0, 2));
  EXPECT_EQ(trusted_.trusted_runner->Output().substr(before.size()),
            "reveal 0 1 2\njudge 0 1 2\njudge 0 0 2\n"
            "generate 0 0 2\nreveal 0 0 2\njudge 0 0 2\n");
}

// `a` is the second input, and lies in the second cell.
TEST_F(CudaBenchTest, EachDataSetHasScalarsOfItsOwnUntilTheyAreShared) {
  const auto bench = Opened();
  const CallSurroundings first = bench->SurroundingsOf(0);
  const CallSurroundings second = bench->SurroundingsOf(1);
  EXPECT_EQ(first.cells[0], 0u);
  EXPECT_NE(first.cells[1], 0u);
  EXPECT_NE(first.cells[1], second.cells[1]);
  EXPECT_NE(first.scratch_pattern, second.scratch_pattern);
  bench->ShareScalars();
  EXPECT_EQ(bench->SurroundingsOf(1).cells, first.cells);
}

TEST_F(CudaBenchTest, AnswersAreOfTheScalarsThatCallsMeet) {
  const auto bench = Opened("reveal tell");
  const std::string cell = std::to_string(bench->SurroundingsOf(3).cells[1]);
  ASSERT_TRUE(bench->Judge(0, 3));
  EXPECT_THAT(trusted_.trusted_runner->Output(),
              HasSubstr("reveal 0 0 3 cells=0," + cell + " "));
}

// Behind the four plain ones; x is uploaded, and `a` is kept here.
TEST_F(CudaBenchTest, AnAdversarialDataSetIsMadeOnceForItsKind) {
  CudaBenchOptions options = OptionsOf("", "");
  options.adversarial =
      AdversarialInputs::Make(task_, task_.workloads[0], 3).value();
  const auto bench = Open(std::move(options));
  ASSERT_TRUE(bench) << bench.error().what;
  EXPECT_EQ((*bench)->data_sets(), 4u);
  const std::string before = trusted_.trusted_runner->Output();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ((*bench)->AdversarialData(2).value(), 6u);
  }
  EXPECT_EQ(trusted_.trusted_runner->Output().substr(before.size()),
            "upload 0 0 6\n");
}

TEST_F(CudaBenchTest, WhatAWorkloadGivesIsUploadedForEachDataSet) {
  const auto values = Write("given.safetensors", [] {
    std::string header =
        R"({"x":{"dtype":"F32","shape":[1000],"data_offsets":[0,4000]}})";
    header.resize(72, ' ');
    std::string size(8, '\0');
    size[0] = 72;
    return size + header + std::string(4000, '\0');
  }());
  task_.workloads[0].inputs = {
      {"x", SafetensorsInput{.path = values.string(), .tensor_key = "x"}}};
  const auto bench = Opened();
  EXPECT_THAT(trusted_.trusted_runner->Output(),
              HasSubstr("generate 0 0 1\nupload 0 0 1\ngenerate 0 0 2\n"));
}

TEST_F(CudaBenchTest, ABatchIsTimedFromItsDataUntilItsOutputsAreCommitted) {
  const auto bench = Opened();
  const std::string before = trusted_.trusted_runner->Output();
  const auto batch = bench->GoAll(bench->root(), 3, 10.0);
  ASSERT_TRUE(batch) << batch.error().what;
  EXPECT_EQ(batch->verdict, Verdict::kPassed);
  EXPECT_GT(batch->wall_s, 0.0);
  EXPECT_EQ(trusted_.trusted_runner->Output().substr(before.size()),
            "stage_all 0 0 0\ncommit_all 0 0 0\n");
  EXPECT_THAT(trusted_.root->Output(), EndsWith("go_all 0 3 0\n"));
}

TEST_F(CudaBenchTest, ABatchThatFailsIsNotCommitted) {
  const auto bench = Opened();
  const auto process = Started();
  auto kernel = OpenKernel(process, "go_all fail=719 stage=3");
  ASSERT_TRUE(kernel);
  const auto batch = bench->GoAll(*kernel, 2, 10.0);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->verdict, Verdict::kCrashed);
  EXPECT_THAT(trusted_.trusted_runner->Output(), EndsWith("stage_all 0 0 0\n"));
}

// The root of a device that a candidate has damaged.
TEST_F(CudaBenchTest, ARootThatFailsLaterIsFoundByItsCheck) {
  const auto bench = Opened("judge#4 wrong=1 got=1", "");
  EXPECT_TRUE(bench->CheckRoot());  // The third judgement.
  const auto checked = bench->CheckRoot(1);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().what,
              HasSubstr("root: output y[0] (element 0): got 1, expected 0"));
}

// What is said of a finding on y[5, 8].
std::string Said(const OutputErrors& finding, DType dtype = DType::kFloat32) {
  const TensorShape shape{
      .name = "y", .dtype = dtype, .dims = {5, 8}, .elements = 40};
  return DescribeFinding(finding, shape, {});
}

OutputErrors Finding(std::uint64_t bits, double expected, double magnitude) {
  OutputErrors finding{};
  finding.wrong = 3;
  finding.first_wrong = 20;  // [2, 4].
  finding.got = bits;
  finding.expected = std::bit_cast<std::uint64_t>(expected);
  finding.magnitude = std::bit_cast<std::uint64_t>(magnitude);
  return finding;
}

TEST(DescribeFindingTest, NothingIsSaidOfWhatIsFaultless) {
  EXPECT_EQ(Said({}), "");
}

// Late, before beside, before wrong.
TEST(DescribeFindingTest, TheWorstIsSaid) {
  OutputErrors finding = Finding(0, 1.0, 1.0);
  finding.slack = 1;
  EXPECT_EQ(Said(finding), "it wrote out of bounds of output y");
  EXPECT_EQ(OutcomeOf(finding, "so").verdict, Verdict::kCrashed);
  finding.late = 1;
  EXPECT_EQ(Said(finding), "it changed output y after its call had returned");
  EXPECT_EQ(OutcomeOf(finding, "so").verdict, Verdict::kRejected);
  EXPECT_EQ(OutcomeOf(finding, "so").breach, Breach::kWorkedLate);
}

// 2.5 is 0x40200000, and of bfloat16 its upper half.  Allowed is 8 (u m + f /
// 2) with f the smallest subnormal; float32 and bfloat16 have 2^-120 beside,
// for additions that flush.  u of float16 is 2^-11.
TEST(DescribeFindingTest, AWrongElementIsShownInItsType) {
  const auto got = [](const std::string& allowed) {
    return "output y[2, 4] (element 20): got 2.5, expected 3, allowed error " +
           allowed + "; 3 of 40 elements wrong";
  };
  EXPECT_EQ(Said(Finding(0x40200000, 3.0, 1.0)), got("4.77e-07"));
  EXPECT_EQ(Said(Finding(0x4100, 3.0, 1.0), DType::kFloat16), got("0.00391"));
  EXPECT_THAT(Said(Finding(0x4020, 3.0, 1.0), DType::kBFloat16),
              HasSubstr("got 2.5, expected 3"));
  // 7.52e-37 is 2^-120 and what is left at almost no magnitude.
  EXPECT_THAT(Said(Finding(0x40200000, 3.0, 5e-324)),
              HasSubstr("allowed error 7.52e-37"));
  // Exactly nothing is allowed where it is 0, and of integers.
  EXPECT_THAT(Said(Finding(0x40200000, 3.0, 0.0)),
              HasSubstr("allowed error 0;"));
  EXPECT_EQ(Said(Finding(7, 3.0, 0.0), DType::kInt32),
            "output y[2, 4] (element 20): got 7, expected 3, allowed error 0; "
            "3 of 40 elements wrong");
  OutputErrors finding = Finding(0x40200000, 3.0, 0.0);
  finding.unwritten = 2;
  EXPECT_THAT(Said(finding), EndsWith("elements wrong, 2 never written"));
  EXPECT_EQ(OutcomeOf(finding, "so").verdict, Verdict::kWrongOutput);
  EXPECT_EQ(OutcomeOf(finding, "so").log, "so");
}

}  // namespace
}  // namespace coppice::eval::cuda
