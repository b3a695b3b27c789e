#include "eval/judge/other_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "eval/formats/test_tasks.h"
#include "eval/host/secret_seed.h"
#include "eval/judge/evaluation_session.h"
#include "store/records/random.h"

namespace coppice::eval {
namespace {

constexpr int kSeeds = 200;

// y[M, N] = x[M, N] at the sizes 48 x 10 and 8 x 64.
Task CopyTask() {
  Task task;
  task.definition.name = "copy";
  task.definition.axes = {{"M", std::nullopt, std::nullopt},
                          {"N", std::nullopt, std::nullopt}};
  task.definition.inputs = {Tensor("x", {"M", "N"})};
  task.definition.outputs = {Tensor("y", {"M", "N"})};
  task.workloads = {MakeWorkload("tall", {{"M", 48}, {"N", 10}}),
                    MakeWorkload("wide", {{"M", 8}, {"N", 64}})};
  return task;
}

struct Sizes {
  std::int64_t m;
  std::int64_t n;
};

// All draws of a kind that there are.
std::vector<Sizes> Draws(int number) {
  std::vector<Sizes> draws;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const auto drawn =
        DrawOtherShape(CopyTask(), static_cast<std::uint64_t>(seed), number, 0);
    if (drawn) draws.push_back({drawn->axes[0].second, drawn->axes[1].second});
  }
  return draws;
}

// The larger of the workloads has 8 x 64 = 512 elements.
TEST(DrawOtherShapeTest, IsNoWorkloadAndNoLargerThanOne) {
  for (int number = 0; number < kOtherShapes; ++number) {
    const std::vector<Sizes> draws = Draws(number);
    EXPECT_GT(draws.size(), kSeeds * 9 / 10) << number;
    for (const auto& [m, n] : draws) {
      EXPECT_TRUE(m >= 1 && m <= 48 && n >= 1 && n <= 64) << m << " " << n;
      EXPECT_LE(m * n, 512);
      EXPECT_FALSE((m == 48 && n == 10) || (m == 8 && n == 64));
    }
  }
}

TEST(DrawOtherShapeTest, KeepsToWhatFollowsFromOtherAxes) {
  Task task = CopyTask();
  task.definition.tags = {"size:N=2*M-1"};
  int drawn_ones = 0;
  for (int number = 0; number < kOtherShapes; ++number) {
    const auto drawn = DrawOtherShape(task, 1, number, 0);
    if (!drawn) continue;
    ++drawn_ones;
    EXPECT_EQ(drawn->axes[1].second, 2 * drawn->axes[0].second - 1);
  }
  EXPECT_GT(drawn_ones, 2);
}

TEST(DrawOtherShapeTest, HasAKindForEachNumber) {
  for (const auto& [m, n] : Draws(1)) EXPECT_TRUE(m <= 7 && n <= 7);
  for (const auto& [m, n] : Draws(2)) {
    EXPECT_TRUE((m <= 3) != (n <= 3)) << m << " " << n;
    EXPECT_EQ(std::max(m, n) % 2, 1);
  }
  std::set<std::int64_t> any;
  for (const auto& [m, n] : Draws(3)) any.insert(n);
  EXPECT_GT(any.size(), 20U);
  // A small task's draws may be as large as its workloads, which have 480 and
  // 512 elements.
  EXPECT_TRUE(std::ranges::any_of(
      Draws(3), [](const Sizes& sizes) { return sizes.m * sizes.n > 256; }));
  // 1, 2, 4, ... and their neighbours: 0 is none, and 64 the largest.
  for (const auto& [m, n] : Draws(4)) {
    EXPECT_TRUE(std::set<std::int64_t>(
                    {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64})
                    .contains(n))
        << n;
  }
}

// Half of a workload's 48 is 24, and 23 the odd one below.
TEST(DrawOtherShapeTest, HasAxesThatAreAllOddAndLarge) {
  for (const auto& [m, n] : Draws(0)) {
    EXPECT_TRUE(m % 2 == 1 && n % 2 == 1) << m << " " << n;
    EXPECT_TRUE((m >= 23 && n >= 5) || (m >= 3 && n >= 31)) << m << " " << n;
  }
}

// 2^26 floats are 512 MB with their copies, of which an eighth is 2^23 floats.
TEST(DrawOtherShapeTest, IsLargeOnceOnly) {
  Task task = CopyTask();
  task.workloads = {MakeWorkload("huge", {{"M", 1}, {"N", 1 << 26}})};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (int number = 0; number < kOtherShapes; ++number) {
      const auto drawn = DrawOtherShape(task, seed, number, 0);
      ASSERT_TRUE(drawn) << number;
      const std::int64_t n = drawn->axes[1].second;
      EXPECT_TRUE(number == 0 ? n >= (1 << 25) - 1 : n <= 1 << 23)
          << number << ": " << n;
    }
  }
}

// A type that is none of C++: 2^11 bytes at most, in x and y.
TEST(DrawOtherShapeTest, TakesAnyType) {
  Task task = CopyTask();
  task.definition.inputs[0].dtype = DType::kFloat8E4M3FN;
  task.definition.outputs[0].dtype = DType::kFloat8E4M3FN;
  for (int number = 0; number < kOtherShapes; ++number) {
    const auto drawn = DrawOtherShape(task, 3, number, 0);
    ASSERT_TRUE(drawn) << number;
    EXPECT_LE(drawn->axes[0].second * drawn->axes[1].second, 512);
  }
}

TEST(DrawOtherShapeTest, IsTheSameForTheSameSeed) {
  const auto first = DrawOtherShape(CopyTask(), 7, 3, 1);
  const auto again = DrawOtherShape(CopyTask(), 7, 3, 1);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->axes, again->axes);
}

TEST(DrawOtherShapeTest, DrawsNothingWhereSizesAreFixed) {
  Task fixed = CopyTask();
  fixed.definition.axes = {{"M", 48, std::nullopt}, {"N", 10, std::nullopt}};
  fixed.workloads = {MakeWorkload("one", {})};
  EXPECT_FALSE(DrawOtherShape(fixed, 1, 0, 0));

  Task from_file = CopyTask();
  from_file.workloads[0].inputs = {{"x", SafetensorsInput{"x.st", "x"}}};
  EXPECT_FALSE(DrawOtherShape(from_file, 1, 0, 0));

  Task constrained = CopyTask();
  constrained.definition.constraints = {"N % 2 == 0"};
  EXPECT_FALSE(DrawOtherShape(constrained, 1, 0, 0));

  Task made = CopyTask();
  made.workloads[1].inputs = {{"x", CustomInput{}}};
  EXPECT_FALSE(DrawOtherShape(made, 1, 0, 0));
  EXPECT_EQ(WhyShapesAreFixed(fixed), "no axis varies");
  EXPECT_EQ(WhyShapesAreFixed(from_file), "input x is stored");
  EXPECT_EQ(WhyShapesAreFixed(made),
            "input x is made by a function of the definition's");
  EXPECT_EQ(WhyShapesAreFixed(constrained),
            "the definition has a constraint, N % 2 == 0");
  EXPECT_EQ(WhyShapesAreFixed(CopyTask()), std::nullopt);

  Task only_one = CopyTask();  // No other size is left.
  only_one.workloads = {MakeWorkload("one", {{"M", 1}, {"N", 1}})};
  EXPECT_FALSE(DrawOtherShape(only_one, 1, 0, 0));
}

TEST(CheckOtherShapeTest, SaysOnWhatItFailedAndHowToDrawItAgain) {
  std::string seen;
  const auto check = [&](const Workload& workload,
                         std::uint64_t /*seed*/) -> Result<OnShape> {
    seen = ShapeText(workload);
    return OnShape{{}, {Verdict::kWrongOutput, "got 1"}};
  };
  const auto shape = CheckOtherShape(CopyTask(), 77, 1, check);
  ASSERT_TRUE(shape) << shape.error().what;
  EXPECT_EQ(shape->verdict, Verdict::kWrongOutput);
  EXPECT_EQ(shape->log, "on a shape that was not shown, " + seen +
                            " (--shapes-seed 77 draws it again): got 1");
}

TEST(CheckOtherShapeTest, TriesAFewOthersWhereTheRootIsNotRight) {
  std::vector<std::uint64_t> seeds;
  const auto root_fails = [&](const Workload& /*workload*/,
                              std::uint64_t seed) -> Result<OnShape> {
    seeds.push_back(seed);
    return OnShape{{Verdict::kWrongOutput, "got 0"}, {}};
  };
  const auto none = CheckOtherShape(CopyTask(), 5, 3, root_fails);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->verdict, Verdict::kPassed);
  EXPECT_EQ(none->shape, "");
  EXPECT_EQ(none->of_root,
            ShapeText(*DrawOtherShape(CopyTask(), 5, 3, 3)) + ": got 0");
  EXPECT_EQ(seeds.size(), 4U);

  int times = 0;
  const auto busy = [&](const Workload& /*workload*/,
                        std::uint64_t /*seed*/) -> Result<OnShape> {
    ++times;
    return OnShape{{Verdict::kInconclusive, "no processor"}, {}};
  };
  const auto unseen = CheckOtherShape(CopyTask(), 5, 3, busy);
  ASSERT_TRUE(unseen);
  EXPECT_EQ(times, 1);
  EXPECT_THAT(unseen->of_root, testing::HasSubstr("no processor"));

  int calls = 0;
  const auto once = [&](const Workload& /*workload*/,
                        std::uint64_t /*seed*/) -> Result<OnShape> {
    if (++calls == 1) return OnShape{{Verdict::kCrashed, ""}, {}};
    return OnShape{};
  };
  const auto second = CheckOtherShape(CopyTask(), 5, 3, once);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->shape, ShapeText(*DrawOtherShape(CopyTask(), 5, 3, 1)));
}

// The workload has size 3, so that of the sizes up to 3 there are 1 and 2 left.
TEST(CheckOtherShapesTest, NoShapeIsDrawnTwice) {
  Task task = CopyTask();
  task.definition.axes[0].constant = 4;
  task.workloads = {MakeWorkload("small", {{"N", 3}})};
  std::multiset<std::string> seen;
  const auto check = [&](const Workload& workload,
                         std::uint64_t /*seed*/) -> Result<OnShape> {
    seen.insert(ShapeText(workload));
    return OnShape{};
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    seen.clear();
    Evaluation evaluation;
    evaluation.verdict = Verdict::kPassed;
    ASSERT_TRUE(CheckOtherShapes(task, seed, check, evaluation));
    EXPECT_EQ(seen, (std::multiset<std::string>{"N=1", "N=2"}));
    EXPECT_THAT(evaluation.log, testing::EndsWith(" (no others were found)\n"));
  }
}

TEST(CheckOtherShapesTest, EndsWithTheFirstThatFails) {
  int calls = 0;
  std::vector<std::pair<std::string, std::int64_t>> last;
  const auto second_fails = [&](const Workload& workload,
                                std::uint64_t /*seed*/) -> Result<OnShape> {
    last = workload.axes;
    if (++calls == 2) return OnShape{{}, {Verdict::kWrongOutput, "got 1"}};
    return OnShape{};
  };
  Evaluation evaluation;
  evaluation.verdict = Verdict::kPassed;
  ASSERT_TRUE(CheckOtherShapes(CopyTask(), 9, second_fails, evaluation));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(evaluation.verdict, Verdict::kWrongOutput);
  ASSERT_TRUE(evaluation.failed_shape);
  EXPECT_EQ(evaluation.failed_shape->axes, last);
  EXPECT_EQ(evaluation.failed_shape->seed, 9U);
}

TEST(EnterOtherShapesTest, TakesTheFirstFailureOrTellsWhatIsRight) {
  Evaluation right;
  right.verdict = Verdict::kPassed;
  Enter({{Outcome{}, "M=1, N=7"}, {}, {Outcome{}, "M=31, N=3"}}, right);
  EXPECT_EQ(right.verdict, Verdict::kPassed);
  EXPECT_EQ(right.log,
            "also right on shapes that were not shown: M=1, N=7; M=31, N=3 (no "
            "others were found)\n");

  Evaluation wrong;
  wrong.verdict = Verdict::kPassed;
  Enter({{Outcome{}, "M=1, N=7"},
         {{Verdict::kCrashed, "first\n"}, "M=3, N=3"},
         {{Verdict::kWrongOutput, "second\n"}, "M=5, N=3"}},
        wrong);
  EXPECT_EQ(wrong.verdict, Verdict::kCrashed);
  EXPECT_EQ(wrong.log, "first\n");

  Evaluation unsure;
  unsure.verdict = Verdict::kPassed;
  Enter({{{Verdict::kInconclusive, "busy\n"}, "M=1, N=7"},
         {{Verdict::kWrongOutput, "wrong\n"}, "M=3, N=3"}},
        unsure);
  EXPECT_EQ(unsure.verdict, Verdict::kWrongOutput);
  EXPECT_EQ(unsure.log, "wrong\n");

  Evaluation without;
  Enter({{}, {}}, without);
  EXPECT_EQ(without.log, "");

  Evaluation root_fails;
  Enter({{{}, "", "M=1, N=2: got 0"}, {Outcome{}, "M=31, N=3"}}, root_fails);
  EXPECT_EQ(root_fails.log,
            "also right on shapes that were not shown: M=31, N=3\n"
            "some shapes were not looked at, for the root fails there, as on "
            "M=1, N=2: got 0\n");
}

TEST(DrawSeedTest, ACommandLineTakesIt) {
  RandomStream stream(1, Purpose::kShapes, 0);
  std::uint64_t all = 0;
  for (int i = 0; i < 100; ++i) all |= DrawSeed(stream);
  EXPECT_EQ(all, ~std::uint64_t{0} >> 1);  // 63 bits, each of them drawn.
}

// An operation for each element: a task of few bytes may have many.
TEST(DrawOtherShapeTest, HasNoMoreOperationsThanAWorkload) {
  Task task = CopyTask();
  task.definition.tags = {"flops:M*M*M*M*M*N"};
  task.workloads = {MakeWorkload("wide", {{"M", 8}, {"N", 64}}),
                    MakeWorkload("tall", {{"M", 20}, {"N", 1}})};
  // 8^5 * 64 = 2,097,152 and 20^5 = 3,200,000.
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (int number = 0; number < kOtherShapes; ++number) {
      const auto drawn = DrawOtherShape(task, seed, number, 0);
      if (!drawn) continue;
      const auto m = static_cast<double>(drawn->axes[0].second);
      const auto n = static_cast<double>(drawn->axes[1].second);
      EXPECT_LE(m * m * m * m * m * n, 3.2e6) << m << " " << n;
    }
  }
}

TEST(DrawOtherShapeTest, AttemptsAndNumbersDiffer) {
  std::set<std::string> shapes;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const auto drawn = DrawOtherShape(CopyTask(), 7, 3, attempt);
    ASSERT_TRUE(drawn);
    EXPECT_EQ(drawn->uuid, "other_shape_3");
    shapes.insert(ShapeText(*drawn));
  }
  EXPECT_GT(shapes.size(), 2U);
}

TEST(CheckOtherShapeTest, AFaultOfOursIsAnError) {
  const auto shape = CheckOtherShape(
      CopyTask(), 5, 3, [](const Workload&, std::uint64_t) -> Result<OnShape> {
        return Fail(Errc::kIo, "ours");
      });
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error().what, "ours");
}

TEST(CheckOtherShapeTest, InputsAreOfTheSeedAndTheNumber) {
  const auto seed_of = [](std::uint64_t seed, int number) {
    std::uint64_t of_inputs = 0;
    EXPECT_TRUE(CheckOtherShape(
        CopyTask(), seed, number,
        [&](const Workload&, std::uint64_t given) -> Result<OnShape> {
          of_inputs = given;
          return OnShape{};
        }));
    return of_inputs;
  };
  EXPECT_EQ(seed_of(5, 1), seed_of(5, 1));
  EXPECT_NE(seed_of(5, 1), seed_of(5, 2));
  EXPECT_NE(seed_of(5, 1), seed_of(6, 1));
}

TEST(CheckOtherShapeTest, ARootThatIsLateIsAskedOnce) {
  int times = 0;
  const auto late = CheckOtherShape(
      CopyTask(), 5, 3, [&](const Workload&, std::uint64_t) -> Result<OnShape> {
        ++times;
        return OnShape{{Verdict::kTimedOut, "late"}, {}};
      });
  ASSERT_TRUE(late);
  EXPECT_EQ(times, 1);
  EXPECT_EQ(late->verdict, Verdict::kPassed);
}

TEST(EnterOtherShapesTest, ARejectionHasItsBreachAndLinesEndOnce) {
  Evaluation rejected;
  Enter({{Rejected(Breach::kWroteInput, "wrote\n"), "M=1, N=7"}}, rejected);
  EXPECT_EQ(rejected.breach, Breach::kWroteInput);
  Evaluation busy;
  Enter({{{Verdict::kInconclusive, "first\n"}, "M=1, N=7"},
         {{Verdict::kInconclusive, "second\n"}, "M=3, N=3"}},
        busy);
  EXPECT_EQ(busy.verdict, Verdict::kInconclusive);
  EXPECT_EQ(busy.log, "first\n");
  Evaluation root;
  Enter({{{}, "", "M=1, N=2: got 0\n"}}, root);
  EXPECT_EQ(root.log,
            "some shapes were not looked at, for the root fails there, as on "
            "M=1, N=2: got 0\n");
}

// M is 1 in all workloads, so it stays 1.
TEST(DrawOtherShapeTest, AnAxisThatIsOneStaysOne) {
  Task task = CopyTask();
  task.workloads = {MakeWorkload("one", {{"M", 1}, {"N", 64}}),
                    MakeWorkload("two", {{"M", 1}, {"N", 10}})};
  int draws = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (int number = 0; number < kOtherShapes; ++number) {
      const auto drawn = DrawOtherShape(task, seed, number, 0);
      if (!drawn) continue;
      ++draws;
      EXPECT_EQ(drawn->axes[0].second, 1) << ShapeText(*drawn);
    }
  }
  EXPECT_GT(draws, 20);
}

}  // namespace
}  // namespace coppice::eval
