#include "eval/cuda/launch_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "store/records/random.h"

namespace coppice::eval::cuda {
namespace {

// x[M, N] and scale into y[M], with M = 1000 and N = 7.
struct Example {
  Definition definition;
  Workload workload;

  Example() {
    definition.axes = {{"M", std::nullopt, std::nullopt},
                       {"N", 7, std::nullopt}};
    definition.inputs = {
        {"x", std::vector<std::string>{"M", "N"}, DType::kFloat32, {}},
        {"scale", std::nullopt, DType::kFloat32, {}}};
    definition.outputs = {
        {"y", std::vector<std::string>{"M"}, DType::kFloat32, {}}};
    workload.axes = {{"M", 1000}};
  }

  EvaluatedPlan Evaluate(const std::string& source,
                         PlanSide role = PlanSide::kKernel) {
    return EvaluateLaunchPlan(source, definition, workload, role);
  }
};

// The bytes of shared memory, where any expression may stand.
std::uint32_t Value(const std::string& expression) {
  const EvaluatedPlan plan =
      Example().Evaluate("//@ launch k<<<1, 1, " + expression + ">>>()\n");
  EXPECT_EQ(plan.error, "") << expression;
  return plan.error.empty() ? plan.runner_program.launches[0].shared_bytes : 0;
}

std::string Fault(const std::string& source) {
  return Example().Evaluate(source).error;
}

TEST(LaunchPlanTest, ReadsGridBlockSharedMemoryAndCluster) {
  const EvaluatedPlan plan = Example().Evaluate(
      "int x;\n"
      "//@ launch k<<<(M, N), (32, 2, 4), 4096, 2>>>()\n");
  ASSERT_EQ(plan.error, "");
  ASSERT_EQ(plan.runner_program.launches.size(), 1u);
  const Launch& launch = plan.runner_program.launches[0];
  EXPECT_STREQ(launch.kernel.data(), "k");
  EXPECT_EQ(launch.grid, (std::array<std::uint32_t, 3>{1000, 7, 1}));
  EXPECT_EQ(launch.block, (std::array<std::uint32_t, 3>{32, 2, 4}));
  EXPECT_EQ(launch.shared_bytes, 4096u);
  EXPECT_EQ(launch.cluster, (std::array<std::uint32_t, 3>{2, 1, 1}));
}

TEST(LaunchPlanTest, ANumberToBeTunedIsANameOfThePlan) {
  const EvaluatedPlan plan = Example().Evaluate(
      "constexpr int TILE = 32;  //@ tune 16 32 64\n"
      "//@ launch k<<<ceil_div(M, TILE), TILE>>>()\n");
  ASSERT_EQ(plan.error, "");
  // ceil(1000 / 32).
  EXPECT_EQ(plan.runner_program.launches[0].grid[0], 32u);
  EXPECT_EQ(plan.runner_program.launches[0].block[0], 32u);
}

TEST(LaunchPlanTest, WhatIsWrongWithANumberToBeTunedIsSaid) {
  EXPECT_EQ(Fault("constexpr int TILE = 8;  //@ tune 16 32\n"
                  "//@ launch k<<<1, TILE>>>()\n"),
            "kernel.cu: tune: line 1: 8, which TILE is, is not among its "
            "choices\n");
  EXPECT_EQ(Fault("constexpr int N = 8;  //@ tune 8\n"
                  "//@ launch k<<<1, N>>>()\n"),
            "kernel.cu: tune: N is to be tuned, and is an axis of the task\n");
}

TEST(LaunchPlanTest, NamesBuffersInOrderOfTheDefinition) {
  const EvaluatedPlan plan = Example().Evaluate(
      "//@ scratch float partial[M * 2]\n"
      "//@ scratch double more[3]\n"
      "//@ launch a<<<1, 1>>>(x, partial, scale, M)\n"
      "//@ launch b<<<1, 1>>>(more, y, int32(-N))\n");
  ASSERT_EQ(plan.error, "");
  EXPECT_EQ(plan.runner_program.scratch_bytes,
            (std::vector<std::uint64_t>{8000, 24}));
  const std::vector<std::pair<ArgumentKind, std::int64_t>> expected = {
      {ArgumentKind::kInput, 0},   {ArgumentKind::kScratch, 0},
      {ArgumentKind::kInput, 1},   {ArgumentKind::kInt64, 1000},
      {ArgumentKind::kScratch, 1}, {ArgumentKind::kOutput, 0},
      {ArgumentKind::kInt32, -7}};
  ASSERT_EQ(plan.runner_program.arguments.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(plan.runner_program.arguments[i].kind, expected[i].first);
    EXPECT_EQ(plan.runner_program.arguments[i].value, expected[i].second);
  }
  EXPECT_EQ(plan.runner_program.launches[1].first_argument, 4u);
  EXPECT_EQ(plan.runner_program.launches[1].arguments, 3u);
}

TEST(LaunchPlanTest, OnlyOraclesHaveMagnitudes) {
  const std::string source = "//@ launch k<<<1, 1>>>(y_m)\n";
  const EvaluatedPlan plan = Example().Evaluate(source, PlanSide::kOracle);
  ASSERT_EQ(plan.error, "");
  EXPECT_EQ(plan.runner_program.arguments[0].kind, ArgumentKind::kMagnitude);
  EXPECT_EQ(Fault(source), "kernel.cu:1:24: launch plan: unknown axis y_m\n");
}

TEST(LaunchPlanTest, ComputesAsCDoes) {
  EXPECT_EQ(Value("2 + 3 * 4"), 14u);
  EXPECT_EQ(Value("(2 + 3) * 4"), 20u);
  EXPECT_EQ(Value("100 - 10 - 1"), 89u);
  EXPECT_EQ(Value("M / 300 * 2 % 4"), 2u);  // (3 * 2) % 4
  EXPECT_EQ(Value("-(-5)"), 5u);
  EXPECT_EQ(Value("ceil_div(M, 256)"), 4u);
  EXPECT_EQ(Value("min(M, N) + max(M, N)"), 1007u);
}

// An expression may begin with a parenthesis, as a list of sizes does.
TEST(LaunchPlanTest, TellsAnExpressionFromAList) {
  const EvaluatedPlan plan =
      Example().Evaluate("//@ launch k<<<(M + 24) / 1024, (N)>>>()\n");
  ASSERT_EQ(plan.error, "");
  EXPECT_EQ(plan.runner_program.launches[0].grid[0], 1u);
  EXPECT_EQ(plan.runner_program.launches[0].block[0], 7u);
}

TEST(LaunchPlanTest, SaysWhereAndWhat) {
  EXPECT_EQ(Fault("\n\n//@ launch k<<<K, 1>>>(x)\n"),
            "kernel.cu:3:16: launch plan: unknown axis K\n");
  EXPECT_EQ(Fault("//@ run k<<<1, 1>>>(x)\n"),
            "kernel.cu:1:8: launch plan: unknown word run; there are scratch "
            "and launch\n");
  EXPECT_NE(Fault("//@ launch k<<<1, 1>>>(x) y\n").find("more than"),
            std::string::npos);
  EXPECT_NE(Fault("int main() {}\n").find("no launch plan"), std::string::npos);
}

TEST(LaunchPlanTest, HoldsTheDevicesLimits) {
  EXPECT_NE(Fault("//@ launch k<<<1, 1025>>>()\n"), "");
  EXPECT_NE(Fault("//@ launch k<<<1, (1024, 2)>>>()\n"), "");
  EXPECT_NE(Fault("//@ launch k<<<(1, 65536), 1>>>()\n"), "");
  EXPECT_NE(Fault("//@ launch k<<<0, 1>>>()\n"), "");
  EXPECT_NE(Fault("//@ launch k<<<1, 1, 232449>>>()\n"), "");
  EXPECT_EQ(Fault("//@ launch k<<<1, 1, 232448>>>()\n"), "");
  EXPECT_NE(Fault("//@ scratch float s[1073741825]\n"), "");
  // 2 GiB each: two are 4 GiB, three too much.
  const std::string half = "float s[536870912]\n//@ launch k<<<1, 1>>>()\n";
  EXPECT_EQ(Fault("//@ scratch float t[536870912]\n//@ scratch " + half), "");
  EXPECT_NE(Fault("//@ scratch float t[536870912]\n"
                  "//@ scratch float u[536870912]\n//@ scratch " +
                  half),
            "");
  std::string many;
  for (int i = 0; i < 65; ++i) many += "//@ launch k<<<1, 1>>>()\n";
  EXPECT_NE(Fault(many), "");
}

TEST(LaunchPlanTest, AClusterDividesTheGrid) {
  EXPECT_EQ(Fault("//@ launch k<<<(8, 6), 1, 0, (4, 2)>>>()\n"), "");
  EXPECT_NE(Fault("//@ launch k<<<(8, 6), 1, 0, (3, 2)>>>()\n"), "");
  EXPECT_NE(Fault("//@ launch k<<<(8, 8), 1, 0, (8, 4)>>>()\n"), "");
  EXPECT_NE(Fault("//@ launch k<<<1, 1, 0, 0>>>()\n"), "");
}

// Else an indented launch would be passed over in silence.
TEST(LaunchPlanTest, ALineMayBeIndented) {
  EXPECT_TRUE(HasLaunchPlan("  //@ launch k<<<1, 1>>>()\n"));
  EXPECT_EQ(Fault("\t //@ launch k<<<1, 1>>>()\r\n"), "");
  EXPECT_EQ(Fault("  //@ launch k<<<K, 1>>>()\n"),
            "kernel.cu:1:18: launch plan: unknown axis K\n");
}

TEST(LaunchPlanTest, NeverOverflows) {
  EXPECT_NE(Fault("//@ launch k<<<1, 1>>>(9223372036854775807 + 1)\n"), "");
  EXPECT_NE(Fault("//@ launch k<<<1, 1>>>(9223372036854775808)\n"), "");
  EXPECT_NE(Fault("//@ launch k<<<1, 1>>>(4611686018427387904 * 2)\n"), "");
  EXPECT_NE(Fault("//@ launch k<<<1, 1>>>((-9223372036854775807 - 1) / -1)\n"),
            "");
  EXPECT_EQ(Fault("//@ launch k<<<1, 1>>>((-9223372036854775807 - 1) % -1)\n"),
            "");
  EXPECT_NE(Fault("//@ launch k<<<1, 1>>>(1 / 0)\n"), "");
  EXPECT_NE(Fault("//@ launch k<<<1, 1>>>(int32(2147483648))\n"), "");
}

TEST(LaunchPlanTest, RefusesToNestDeeply) {
  const std::string open(100'000, '(');
  EXPECT_NE(Fault("//@ launch k<<<1, 1>>>(" + open + ")\n"), "");
  const std::string minus(100'000, '-');
  EXPECT_NE(Fault("//@ launch k<<<1, 1>>>(" + minus + "1)\n"), "");
}

TEST(LaunchPlanTest, AnyOtherMarkIsNoLaunch) {
  EXPECT_TRUE(HasLaunchPlan("int a;\n//@ launch k<<<1, 1>>>()"));
  EXPECT_FALSE(HasLaunchPlan("//@ library cublas\n"));
  EXPECT_FALSE(HasLaunchPlan("// @ launch k\nint b; //@ launch k"));
  EXPECT_FALSE(HasLaunchPlan(""));
}

// An expression with what it is worth by the rules of C, or nothing where it
// divides by zero or leaves int64.
struct RandomExpression {
  std::string text;
  std::optional<__int128> value;
  int binds = 3;  // 1: a sum, 2: a product, 3: anything in parentheses.
};

RandomExpression Leaf(RandomStream& stream) {
  constexpr std::int64_t kNumbers[] = {
      0, 1, 2, 7, 1000, 65536, std::numeric_limits<std::int64_t>::max()};
  if (stream.Below(3) == 0) return {"M", 1000};
  const std::int64_t number = kNumbers[stream.Below(std::size(kNumbers))];
  return {std::to_string(number), number};
}

RandomExpression Within(RandomExpression inner, int binds) {
  if (inner.binds < binds) inner.text = "(" + inner.text + ")";
  return inner;
}

RandomExpression Expression(RandomStream& stream, int depth) {
  if (depth == 0 || stream.Below(4) == 0) return Leaf(stream);
  const std::uint64_t kind = stream.Below(8);
  const RandomExpression left = Expression(stream, depth - 1);
  if (kind == 7) {
    RandomExpression negated{"-" + Within(left, 3).text, {}};
    if (left.value) negated.value = -*left.value;
    return negated;
  }
  const RandomExpression right = Expression(stream, depth - 1);
  RandomExpression whole;
  const bool is_known = left.value && right.value;
  const __int128 a = left.value.value_or(0);
  const __int128 b = right.value.value_or(0);
  if (kind == 6) {
    whole.text = "min(" + left.text + ", " + right.text + ")";
    if (is_known) whole.value = std::min(a, b);
    return whole;
  }
  constexpr std::string_view kSigns = "+-*/%";
  const char sign = kSigns[kind % 5];
  whole.binds = sign == '+' || sign == '-' ? 1 : 2;
  const char* space = stream.Below(2) == 0 ? " " : "";
  whole.text = Within(left, whole.binds).text + space + sign + space +
               Within(right, whole.binds + 1).text;
  if (!is_known || ((sign == '/' || sign == '%') && b == 0)) return whole;
  switch (sign) {
    case '+':
      whole.value = a + b;
      break;
    case '-':
      whole.value = a - b;
      break;
    case '*':
      whole.value = a * b;
      break;
    case '/':
      whole.value = a / b;
      break;
    default:
      whole.value = a % b;
  }
  if (*whole.value > std::numeric_limits<std::int64_t>::max() ||
      *whole.value < std::numeric_limits<std::int64_t>::min()) {
    whole.value.reset();
  }
  return whole;
}

TEST(LaunchPlanTest, AnyExpressionIsWorthWhatItIsInC) {
  RandomStream stream(9, Purpose::kSimulation, 0);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const RandomExpression expression = Expression(stream, 4);
    const EvaluatedPlan plan =
        Example().Evaluate("//@ launch k<<<1, 1>>>(" + expression.text + ")\n");
    ASSERT_EQ(plan.error.empty(), expression.value.has_value())
        << expression.text << " " << plan.error;
    if (!expression.value) {
      ++refused;
      continue;
    }
    const LaunchArgument& argument = plan.runner_program.arguments.at(0);
    ASSERT_EQ(argument.kind, ArgumentKind::kInt64);
    ASSERT_EQ(argument.value, static_cast<std::int64_t>(*expression.value))
        << expression.text;
  }
  EXPECT_GT(refused, 50);
  EXPECT_LT(refused, 2500);
}

// Each limit by itself, and one more.
TEST(LaunchPlanTest, EverySizeHasItsOwnLimit) {
  const auto holds = [](const std::string& launch) {
    return Fault("//@ launch k<<<" + launch + ">>>()\n").empty();
  };
  EXPECT_TRUE(holds("2147483647, 1"));
  EXPECT_FALSE(holds("2147483648, 1"));
  EXPECT_TRUE(holds("(1, 65535, 65535), 1"));
  EXPECT_FALSE(holds("(1, 1, 65536), 1"));
  EXPECT_TRUE(holds("1, (1, 1024)"));
  EXPECT_TRUE(holds("1, (16, 1, 64)"));
  EXPECT_FALSE(holds("1, (1, 1, 65)"));
  EXPECT_FALSE(holds("1, (32, 32, 2)"));
  EXPECT_FALSE(holds("1, -1"));
  EXPECT_FALSE(holds("1, 1, -1"));
  EXPECT_FALSE(holds("(1, 1, 1, 1), 1"));
  EXPECT_TRUE(holds("16, 1, 0, 16"));
  EXPECT_FALSE(holds("17, 1, 0, 17"));
  EXPECT_FALSE(holds("1"));
  EXPECT_FALSE(holds("1, 1,"));
  EXPECT_FALSE(holds("1, 1, 1, 1, 1"));
}

TEST(LaunchPlanTest, ANameStandsForOneThing) {
  const std::string launch = "//@ launch k<<<1, 1>>>()\n";
  EXPECT_EQ(Fault("//@ scratch float s[1]\n" + launch), "");
  for (const char* taken : {"x", "y", "scale", "M", "N"}) {
    EXPECT_NE(
        Fault("//@ scratch float " + std::string(taken) + "[1]\n" + launch)
            .find(" is taken"),
        std::string::npos)
        << taken;
  }
  EXPECT_NE(Fault("//@ scratch float s[1]\n//@ scratch float s[1]\n" + launch),
            "");
  EXPECT_NE(Fault("//@ scratch quad s[1]\n" + launch), "");
  EXPECT_NE(Fault("//@ scratch float s[0]\n" + launch), "");
  EXPECT_NE(Fault("//@ scratch float s[-1]\n" + launch), "");
  EXPECT_NE(Fault("//@ scratch float s[4611686018427387904]\n" + launch), "");
}

// So many bytes for each element: 3 of them.
TEST(LaunchPlanTest, ScratchHasTheBytesOfItsType) {
  const auto bytes = [](const std::string& type) {
    const EvaluatedPlan plan = Example().Evaluate(
        "//@ scratch " + type + " s[3]\n//@ launch k<<<1, 1>>>(s)\n");
    EXPECT_EQ(plan.error, "") << type;
    return plan.error.empty() ? plan.runner_program.scratch_bytes.at(0) : 0;
  };
  for (const char* one : {"char", "bool", "int8_t", "__nv_fp8_e4m3"}) {
    EXPECT_EQ(bytes(one), 3u) << one;
  }
  for (const char* two : {"half", "short", "__nv_bfloat16", "uint16_t"}) {
    EXPECT_EQ(bytes(two), 6u) << two;
  }
  for (const char* four : {"float", "int", "unsigned", "half2"}) {
    EXPECT_EQ(bytes(four), 12u) << four;
  }
  for (const char* eight : {"double", "float2", "int64_t", "size_t"}) {
    EXPECT_EQ(bytes(eight), 24u) << eight;
  }
  for (const char* sixteen : {"float4", "double2", "int4", "uint4"}) {
    EXPECT_EQ(bytes(sixteen), 48u) << sixteen;
  }
}

}  // namespace
}  // namespace coppice::eval::cuda
