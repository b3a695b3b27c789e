#include "engine/steering/constraints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::engine {
namespace {

using testing::Optional;

Directive Rule(DirectiveKind kind, std::string_view aspect,
               const std::string& text) {
  Directive rule;
  rule.id = DirectiveId{7};
  rule.author = "ana";
  rule.kind = kind;
  rule.aspect = aspect;
  rule.text = text;
  return rule;
}

Directive Forbid(std::string_view aspect, const std::string& text) {
  return Rule(DirectiveKind::kForbid, aspect, text);
}

Directive Require(std::string_view aspect, const std::string& text) {
  return Rule(DirectiveKind::kRequire, aspect, text);
}

bool Keeps(const Directive& rule, const std::string& source,
           Language language = Language::kCuda) {
  return !WhySourceBreaks({&rule}, {language, source, "run"});
}

TEST(ConstraintsTest, ATechniqueIsFoundInALabelOfSeveral) {
  const Directive rule = Forbid(kTechniqueAspect, "tile");
  Plan plan;
  plan.technique = "jam(j, 32) + tile(i, 8)";
  EXPECT_THAT(WhyPlanBreaks({&rule}, plan),
              Optional(std::string(
                  "directive 7 of ana: must not use the technique tile")));
  plan.technique = "jam(j, 32)";
  EXPECT_EQ(WhyPlanBreaks({&rule}, plan), std::nullopt);
  const Directive wanted = Require(kTechniqueAspect, "tile");
  EXPECT_THAT(
      WhyPlanBreaks({&wanted}, plan),
      Optional(std::string("directive 7 of ana: must use the technique tile")));
}

// A rule on techniques says nothing of a source, nor one on sources of a plan.
TEST(ConstraintsTest, EachIsCheckedWhereItCanBe) {
  EXPECT_TRUE(Keeps(Require(kTechniqueAspect, "tile"), "int x;"));
  const Directive rule = Forbid(kPatternAspect, "tile");
  Plan plan;
  plan.technique = "tile";
  EXPECT_EQ(WhyPlanBreaks({&rule}, plan), std::nullopt);
}

TEST(ConstraintsTest, APatternIsLookedForLineByLine) {
  EXPECT_FALSE(Keeps(Forbid(kPatternAspect, "^#pragma +omp"),
                     "int x;\n#pragma omp parallel\n"));
  EXPECT_TRUE(Keeps(Forbid(kPatternAspect, "x.*omp"),
                    "int x;\n#pragma omp parallel\n"));
  EXPECT_FALSE(Keeps(Require(kPatternAspect, "float4"), "float x;"));
  EXPECT_TRUE(Keeps(Require(kPatternAspect, "float4"), "float4 x;"));
}

TEST(ConstraintsTest, AHeaderIsWhatALineIncludesOrImports) {
  const Directive rule = Forbid(kHeaderAspect, "mma.h");
  EXPECT_FALSE(Keeps(rule, "#include <mma.h>\n"));
  EXPECT_FALSE(Keeps(rule, "int x;\n  # include \"mma.h\"\n"));
  EXPECT_TRUE(Keeps(rule, "#include <wmma.h>\n#include <mma_h>\n"));
  const Directive import = Forbid(kHeaderAspect, "triton");
  EXPECT_FALSE(Keeps(import, "import triton\n", Language::kPython));
  EXPECT_FALSE(
      Keeps(import, "import triton.language as tl\n", Language::kPython));
  EXPECT_FALSE(Keeps(import, "from triton import jit\n", Language::kPython));
  EXPECT_TRUE(Keeps(import, "import tritonic\n", Language::kPython));
}

struct Example {
  const char* source;
  bool keeps;
  Language language = Language::kCuda;
};

TEST(ConstraintsTest, AtomicsAreFoundByWhatEachLanguageCallsThem) {
  const Directive rule = Require(kConstraintAspect, "no-atomics");
  for (const Example& each : std::vector<Example>{
           {"atomicAdd(&x, 1);", false},
           {"atomic_fetch_add(&x, 1);", false, Language::kCpp},
           {"std::atomic<int> x;", false, Language::kCpp},
           {"__atomic_load_n(&x, 0);", false, Language::kCpp},
           {"__sync_fetch_and_add(&x, 1);", false, Language::kCpp},
           {"#pragma omp atomic\nx += 1;", false, Language::kCpp},
           {"asm(\"red.global.add.f32 [%0], %1;\");", false},
           {"asm(\"atom.shared.cas.b32 %0, [%1];\");", false},
           {"tl.atomic_add(p, v)", false, Language::kPython},
           {"// atomicAdd is not used\nx += 1;", true},
           {"/* atomicAdd */ x += 1;", true},
           {"# tl.atomic_add\nx = 1", true, Language::kPython},
           {"__syncthreads();", true},
           {"float subatomicMass; color.red.x = 1;", true},
       }) {
    EXPECT_EQ(Keeps(rule, each.source, each.language), each.keeps)
        << each.source;
  }
}

TEST(ConstraintsTest, TensorCoresAreFoundByWhatEachLanguageCallsThem) {
  const Directive rule = Require(kConstraintAspect, "no-tensor-cores");
  for (const Example& each : std::vector<Example>{
           {"wmma::mma_sync(c, a, b, c);", false},
           {"using namespace nvcuda::wmma;", false},
           {"asm(\"mma.sync.aligned.m16n8k8 ...\");", false},
           {"asm(\"wgmma.mma_async.sync ...\");", false},
           {"asm(\"tcgen05.mma ...\");", false},
           {"acc = tl.dot(a, b)", false, Language::kPython},
           {"T.gemm(A, B, C)", false, Language::kPython},
           {"sum += a[i] * b[i];", true},
           {"acc += tl.sum(a * b)", true, Language::kPython},
       }) {
    EXPECT_EQ(Keeps(rule, each.source, each.language), each.keeps)
        << each.source;
  }
}

// Spaces aside, and not in a comment.
TEST(ConstraintsTest, ALoopThatIsToBeKeptStandsInTheSource) {
  const Directive rule =
      Require(kConstraintAspect, "keep-loop:for (int k = 0; k < K; ++k)");
  EXPECT_TRUE(Keeps(rule, "for(int k=0;k<K;++k) {\n}"));
  EXPECT_FALSE(Keeps(rule, "for (int k = 0; k < K; k += 4) {}"));
  EXPECT_FALSE(Keeps(rule, "// for (int k = 0; k < K; ++k)\n"));
  EXPECT_EQ(RuleText(rule),
            "must keep this as it is: for (int k = 0; k < K; ++k)");
}

TEST(ConstraintsTest, TheFirstThatIsBrokenIsTold) {
  const Directive kept = Forbid(kPatternAspect, "zzz");
  const Directive broken = Require(kConstraintAspect, "no-atomics");
  EXPECT_THAT(WhySourceBreaks({&kept, &broken},
                              {Language::kCuda, "atomicAdd(&x, 1);", "run"}),
              Optional(std::string(
                  "directive 7 of ana: must not use atomic operations")));
}

TEST(ConstraintsTest, ARuleThatNobodyCanReadIsRefused) {
  const auto what = [](const Directive& rule) {
    const auto checked = CheckRule(rule);
    return checked ? "" : checked.error().what;
  };
  EXPECT_THAT(what(Forbid(kPatternAspect, "a(")),
              testing::HasSubstr("pattern 'a(': Unmatched ("));
  EXPECT_THAT(what(Require(kConstraintAspect, "no-loops")),
              testing::HasSubstr("unknown constraint 'no-loops'"));
  EXPECT_THAT(what(Require(kConstraintAspect, "keep-loop: ")),
              testing::HasSubstr("unknown constraint"));
  EXPECT_EQ(what(Forbid(kPatternAspect, "a{2,3}")), "");
  EXPECT_EQ(what(Require(kConstraintAspect, "keep-loop:for")), "");
  EXPECT_EQ(what(Require(kConstraintAspect, "no-threads")), "");
}

// Each of these ended the program, took all memory, or went on for hours.
TEST(ConstraintsTest, APatternThatTakesAllTimeOrMemoryIsRefused) {
  const auto what = [](const std::string& pattern) {
    const auto checked = CheckRule(Forbid(kPatternAspect, pattern));
    return checked ? "" : checked.error().what;
  };
  const std::string open(101, '(');
  const std::string close(101, ')');
  EXPECT_EQ(what(open + "a" + close), "a pattern of more than 100 groups");
  EXPECT_EQ(what(open.substr(1) + "a" + close.substr(1)), "");
  EXPECT_EQ(what(std::string(1001, 'a')), "a pattern of more than 1000 bytes");
  EXPECT_EQ(what("(.*)(.*)\\1\\2c"),
            "a pattern that refers back by \\1 takes too long");
  EXPECT_EQ(what("\\\\1"), "");  // A backslash, and 1.
  // 24 bytes by 100 by 100 by 100.
  EXPECT_EQ(what("((a{1,100}){1,100}){100}"),
            "the counts of a pattern multiply to too much");
  EXPECT_EQ(what("[0-9]{1,3}[.][0-9]{2,}"), "");
  EXPECT_EQ(what("\\{100000"), "");  // No count.
  EXPECT_EQ(what("(a+)+$"), "");
  // Nor is one looked for that a row has nevertheless.
  EXPECT_TRUE(Keeps(Forbid(kPatternAspect, open + "a" + close), "a"));
}

TEST(ConstraintsTest, AConstraintThatNobodyKnowsIsBrokenByNothing) {
  const Directive rule = Require(kConstraintAspect, "loops");
  EXPECT_TRUE(Keeps(rule, "int x;"));
  EXPECT_EQ(RuleText(rule), "must keep to loops");
}

// Lines of 10,000 bytes; comments are none.
TEST(ConstraintsTest, ALineThatIsTooLongToBeSearchedBreaksThePattern) {
  const Directive rule = Forbid(kPatternAspect, "(a+)+$");
  const std::string most(9999, 'a');
  EXPECT_TRUE(Keeps(rule, most + ";\n" + most + ";\n"));
  EXPECT_THAT(
      WhySourceBreaks({&rule}, {Language::kCpp, "x;\n" + most + "a;", "run"}),
      Optional(std::string("directive 7 of ana: must not match the regular "
                           "expression (a+)+$: its lines may have 10000 bytes "
                           "at most to be searched")));
  EXPECT_TRUE(Keeps(rule, "x; // " + most + "\n"));
  EXPECT_TRUE(Keeps(Forbid(kHeaderAspect, "mma.h"), most + "aa;"));
}

// Compilers pass over a zero byte.
TEST(ConstraintsTest, NothingHidesBehindAZeroByte) {
  const std::string source("int x;\n\0#pragma omp atomic\nx += 1;", 34);
  EXPECT_FALSE(Keeps(Forbid(kPatternAspect, "omp +atomic"), source));
  EXPECT_FALSE(Keeps(Require(kConstraintAspect, "no-atomics"), source));
}

// What stands in a string is no comment, and a digit separator begins none.
TEST(ConstraintsTest, CommentsGoAndStringsStay) {
  EXPECT_EQ(WithoutComments("a \"// b\" c // d\ne", Language::kCpp),
            "a \"// b\" c \ne");
  EXPECT_EQ(WithoutComments("'\"' /* x */ y", Language::kCpp), "'\"'   y");
  EXPECT_EQ(WithoutComments("1'000 // x", Language::kCpp), "1'000 \n");
  EXPECT_EQ(WithoutComments("a /* never ends", Language::kCpp), "a  ");
  EXPECT_EQ(WithoutComments("a = '#' # b\n", Language::kPython), "a = '#' \n");
}

// Within such a string a mark of comments, or a quote, is one like others; else
// what stands behind it would be hidden.
TEST(ConstraintsTest, NothingHidesBehindAStringOfSeveralLines) {
  const Directive rule = Require(kConstraintAspect, "no-atomics");
  for (const Example& each : std::vector<Example>{
           {"x = \"\"\"\n# \"\"\"; tl.atomic_add(p, v)", false,
            Language::kPython},
           {"x = '''\n\" # '''; tl.atomic_add(p, v)", false, Language::kPython},
           {"x = \"\"\"a\\\"\"\"\n\"\"\"  # tl.atomic_add", true,
            Language::kPython},
           {"x = \"\"  # tl.atomic_add", true, Language::kPython},
           {"x = \"\"\" # never ends\n", true, Language::kPython},
           {"f(R\"(\" /*)\"); atomicAdd(&x, 1);", false},
           {"f(u8R\"x()\" //)x\"); atomicAdd(&x, 1);", false},
           {"f(R\"(a)\");  // atomicAdd(&x, 1);", true},
           {"f(FOR\"(/*\");  // atomicAdd(&x, 1);", true},
           {"f(R\"(never ends", true},
           {"f(R\"never opens", true},
       }) {
    EXPECT_EQ(Keeps(rule, each.source, each.language), each.keeps)
        << each.source;
  }
  EXPECT_EQ(WithoutComments("R\"(// a)\" // b\n", Language::kCpp),
            "R\"(// a)\" \n");
  EXPECT_EQ(WithoutComments("\"\"\"# a\n\"\"\" # b\n", Language::kPython),
            "\"\"\"# a\n\"\"\" \n");
}

// Nor does a word of a rule stand for another in what is longer.
TEST(ConstraintsTest, ThreadsAreFoundByWhatEachLanguageCallsThem) {
  const Directive rule = Require(kConstraintAspect, "no-threads");
  for (const Example& each : std::vector<Example>{
           {"#pragma omp parallel for\n", false, Language::kCpp},
           {"#pragma  omp  task\n", false, Language::kCpp},
           {"#pragma omp simd\n", true, Language::kCpp},
           {"std::thread t(f);", false, Language::kCpp},
           {"std::jthread t(f);", false, Language::kCpp},
           {"auto f = std::async(g);", false, Language::kCpp},
           {"std::sort(std::execution::par, a, b);", false, Language::kCpp},
           {"pthread_create(&t, 0, f, 0);", false, Language::kCpp},
           {"from concurrent import futures\n", false, Language::kPython},
           {"import threading\n", false, Language::kPython},
           {"import threads\n", true, Language::kPython},
           {"int thread = threadIdx.x;", true},
           {"__syncthreads();", true},
       }) {
    EXPECT_EQ(Keeps(rule, each.source, each.language), each.keeps)
        << each.source;
  }
  EXPECT_EQ(RuleText(rule), "must start no threads");
}

// A kernel of nothing breaks what is required of it, and nothing else.
TEST(ConstraintsTest, AnEmptySourceHasNothing) {
  EXPECT_TRUE(Keeps(Forbid(kPatternAspect, "x"), ""));
  EXPECT_TRUE(Keeps(Forbid(kHeaderAspect, "mma.h"), ""));
  EXPECT_TRUE(Keeps(Require(kConstraintAspect, "no-atomics"), ""));
  EXPECT_FALSE(Keeps(Require(kPatternAspect, "x"), ""));
  EXPECT_FALSE(Keeps(Require(kHeaderAspect, "mma.h"), ""));
  EXPECT_FALSE(Keeps(Require(kConstraintAspect, "keep-loop:for"), ""));
  EXPECT_FALSE(Keeps(Forbid(kPatternAspect, "^$"), ""));  // One empty line.
}

}  // namespace
}  // namespace coppice::engine
