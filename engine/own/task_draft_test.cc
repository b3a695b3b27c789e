#include "engine/own/task_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "engine/own/complex_text.h"

namespace coppice::engine::own {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kScale =
    "#include <math.h>\n"
    "float unused(float x) { return x; }\n"
    "void scale(int n, float a, float* x) {\n"
    "  for (int i = 0; i < n; ++i) x[i] = sqrtf(x[i]) * a;\n}\n";

Drafting Named(const std::string& name) {
  Drafting drafting;
  drafting.name = name;
  drafting.file = name + ".c";
  return drafting;
}

Task Drafted(const std::string& text, const std::string& form = "") {
  Wishes wishes;
  wishes.function = "scale";
  if (!form.empty()) wishes.forms["x"] = form;
  const auto pieces = CutSource(text);
  const auto reading = Read(pieces, wishes);
  EXPECT_TRUE(reading) << reading.error().what;
  auto task = DraftTask(pieces, *reading, Named("mine"));
  EXPECT_TRUE(task) << task.error().what;
  return task ? *std::move(task) : Task{};
}

TEST(TaskDraftTest, WhatIsUpdatedIsAnInputAndAnOutput) {
  const Task task = Drafted(kScale);
  ASSERT_EQ(task.definition.inputs.size(), 2u);
  EXPECT_EQ(task.definition.inputs[0].name, "a");
  EXPECT_EQ(task.definition.inputs[1].name, "x_before");
  EXPECT_EQ(task.definition.outputs.front().name, "x");
  const std::string root = task.root.sources.front().content;
  EXPECT_THAT(root, HasSubstr("void run(float a, const float* x_before, "
                              "float* x, int64_t n)"));
  EXPECT_THAT(root, HasSubstr(") {\n  for"));  // Nobody copies.
  EXPECT_THAT(task.definition.tags, Contains("starts:x=x_before"));
  EXPECT_THAT(root, testing::EndsWith(";\n}\n"));  // On a line of its own.
  EXPECT_THAT(root, Not(HasSubstr("unused")));
}

TEST(TaskDraftTest, TheOracleComputesWithNumbersThatKeepTheirError) {
  const std::string oracle = Drafted(kScale).oracle.sources.front().content;
  EXPECT_THAT(oracle, HasSubstr("static void kernel_(int n, Real_<24> a, "
                                "Real_<24>* x)"));
  EXPECT_THAT(oracle,
              HasSubstr("void oracle(double a, const double* "
                        "x_before, double* x, double* x_m, int64_t n)"));
}

// Each complex number has two elements, which the root sees as one.
TEST(TaskDraftTest, ComplexNumbersArePairs) {
  const auto pieces = CutSource(WithNamedComplex(
      "#include <complex.h>\n"
      "void scale(int n, const float complex* x, float complex* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = 2 * I * x[i];\n}\n"));
  const auto reading = Read(pieces, {});
  ASSERT_TRUE(reading) << reading.error().what;
  const auto task = DraftTask(pieces, *reading, Named("m"));
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_THAT(task->definition.inputs[0].shape,
              testing::Optional(testing::ElementsAre("n", "K2")));
  EXPECT_EQ(task->definition.inputs[0].dtype, DType::kFloat32);
  const std::string root = task->root.sources.front().content;
  EXPECT_THAT(root, HasSubstr("void run(const float* x_raw, float* y_raw"));
  EXPECT_THAT(root, HasSubstr("auto* y = reinterpret_cast<ComplexFloat*>"
                              "(y_raw);"));
  const std::string oracle = task->oracle.sources.front().content;
  EXPECT_THAT(oracle, HasSubstr("x_own = Pairs_<ComplexFloat>(x, n)"));
  EXPECT_THAT(oracle, HasSubstr("Give_(y_own[i_], &y[2 * i_], &y_m[2 * i_]"));
}

// What is computed has 64 bits; an index has as many as its array.
TEST(TaskDraftTest, SixtyFourBitsWithoutSignAreTwoHalvesUnlessTheyAreSmall) {
  const auto pieces = CutSource(
      "void pick(size_t n, const size_t* at, const uint64_t* x, uint64_t* y) {"
      "\n  for (size_t i = 0; i < n; ++i) y[i] = x[at[i]] * 3;\n}\n");
  Wishes wishes;
  wishes.shapes["x"] = {"n"};
  const auto reading = Read(pieces, wishes);
  ASSERT_TRUE(reading) << reading.error().what;
  const auto task = DraftTask(pieces, *reading, Named("m"));
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_EQ(task->definition.inputs[0].dtype, DType::kInt64);
  EXPECT_EQ(task->definition.inputs[1].dtype, DType::kUInt32);
  EXPECT_THAT(task->root.sources.front().content,
              HasSubstr("void run(const int64_t* at_raw, const uint32_t* x_raw,"
                        " uint32_t* y_raw, int64_t n)"));
  EXPECT_THAT(task->oracle.sources.front().content,
              HasSubstr("GivePair_(y_own[i_], &y[2 * i_]"));
}

// int8_t is signed char, and int64_t long: what the function hands its arrays
// to may take char* or long long*, which are other types of the same values.
TEST(TaskDraftTest, ArraysHaveTheTypeThatTheFunctionHandsOn) {
  struct Case {
    const char* type;
    const char* of_task;
    bool is_cast;
  };
  for (const auto& [type, of_task, is_cast] :
       {Case{"char", "int8_t", true}, Case{"long long", "int64_t", true},
        Case{"signed char", "int8_t", false},
        Case{"unsigned char", "uint8_t", false}, Case{"long", "int64_t", false},
        Case{"bool", "bool", false}}) {
    const std::string own = type;
    const Task task =
        Drafted("void scale(int n, const " + own + "* x, " + own +
                "* y) {\n  for (int i = 0; i < n; ++i) y[i] = x[i];\n}\n");
    const std::string root = task.root.sources.front().content;
    const std::string end = is_cast ? "_raw" : "";
    EXPECT_THAT(root, HasSubstr("run(const " + std::string(of_task) + "* x" +
                                end + ", " + of_task + "* y" + end + ","))
        << type;
    for (const std::string& cast :
         {"auto* x = reinterpret_cast<const " + own + "*>(x_raw);",
          "auto* y = reinterpret_cast<" + own + "*>(y_raw);"}) {
      EXPECT_EQ(root.find(cast) != std::string::npos, is_cast) << root;
    }
  }
}

TEST(TaskDraftTest, AFormBecomesTags) {
  EXPECT_THAT(Drafted(kScale, "positive").definition.tags,
              Contains("positive:x_before"));
}

// A definition of one argument that is only read, by its form.
Result<Definition> WithForm(DType dtype, const std::string& form) {
  Reading reading;
  reading.axes = {{"n", std::nullopt, ""}};
  Argument x;
  x.name = "x";
  x.dtype = dtype;
  x.shape = {"n"};
  x.form = form;
  reading.arguments = {x};
  return DraftDefinition(reading, Named("mine"));
}

std::vector<std::string> TagsOf(DType dtype, const std::string& form) {
  auto definition = WithForm(dtype, form);
  EXPECT_TRUE(definition) << definition.error().what;
  if (!definition) return {};
  EXPECT_EQ(definition->tags.back(), "tolerance:8");
  definition->tags.pop_back();
  return definition->tags;
}

TEST(TaskDraftTest, FormsOfNumbersWithAFractionAreDrawnAsTheySay) {
  EXPECT_THAT(TagsOf(DType::kFloat32, ""), testing::IsEmpty());
  for (const char* form :
       {"positive", "sorted", "permutation", "probabilities"}) {
    EXPECT_THAT(TagsOf(DType::kFloat32, form),
                testing::ElementsAre(std::string(form) + ":x"));
  }
}

// Whole numbers are drawn from a range, and sorted ones put in order.
TEST(TaskDraftTest, FormsOfWholeNumbersAreRanges) {
  using testing::ElementsAre;
  constexpr DType kInt = DType::kInt32;
  EXPECT_THAT(TagsOf(kInt, "positive"), ElementsAre("range:x:1..127"));
  EXPECT_THAT(TagsOf(kInt, "sorted"),
              ElementsAre("range:x:0..127", "ascending:x"));
  EXPECT_THAT(TagsOf(kInt, "index:n*m"), ElementsAre("range:x:0..n*m-1"));
  EXPECT_THAT(TagsOf(kInt, "integers:-3..9"), ElementsAre("range:x:-3..9"));
  EXPECT_THAT(TagsOf(kInt, "csr:nnz"),
              ElementsAre("range:x:0..nnz", "ascending:x", "pinned:x"));
  EXPECT_THAT(TagsOf(kInt, "permutation"), ElementsAre("permutation:x"));
}

TEST(TaskDraftTest, AFormThatThereIsNotIsRefusedWithThoseThatThereAre) {
  for (const char* form : {"normal", "index", "index:", "integers:5", "csr"}) {
    const auto definition = WithForm(DType::kInt32, form);
    ASSERT_FALSE(definition) << form;
    EXPECT_EQ(definition.error().code, Errc::kUsage);
    EXPECT_EQ(definition.error().what,
              "mine: --input x=" + std::string(form) +
                  ": there are positive, sorted, permutation, probabilities, "
                  "index:N, csr:N and integers:LOW..HIGH");
  }
}

// n and a constant of 3, as pairs of which the count has no two: 3 n.
TEST(TaskDraftTest, ElementsAreCountedByTheirAxes) {
  Reading reading;
  reading.axes = {{"n", std::nullopt, ""}, {"K3", 3, ""}, {"K2", 2, ""}};
  Argument x;
  EXPECT_EQ(CountOf(reading, x), "1");
  x.shape = {"n", "K3"};
  EXPECT_EQ(CountOf(reading, x), "n * 3");
  x.shape = {"n", "K3", "K2"};
  x.is_pair = true;
  EXPECT_EQ(CountOf(reading, x), "n * 3");
}

// 10 floats of 4 bytes that are read, 30 that are updated and count twice, and
// a number by itself: 40 + 2 * 120.
TEST(TaskDraftTest, BytesAreThoseOfInputsAndResults) {
  Reading reading;
  reading.axes = {{"n", std::nullopt, ""}, {"K3", 3, ""}};
  Argument x;
  x.shape = {"n"};
  Argument y;
  y.shape = {"n", "K3"};
  y.part = ArgumentRole::kInPlace;
  Argument a;
  a.part = ArgumentRole::kNumber;
  reading.arguments = {x, y, a};
  Workload workload;
  workload.axes = {{"n", 10}};
  EXPECT_EQ(BytesOf(reading, workload), 280.0);
}

TEST(TaskDraftTest, NumbersAreInputsOfTheirType) {
  Reading reading;
  reading.axes = {{"n", std::nullopt, ""}};
  Argument a;
  a.name = "a";
  a.part = ArgumentRole::kNumber;
  a.value = "1.25";
  Argument k = a;
  k.name = "k";
  k.dtype = DType::kInt32;
  k.value = "8";
  Argument x;
  x.name = "x";
  x.part = ArgumentRole::kInPlace;
  x.shape = {"n"};
  reading.arguments = {a, k, x};
  const auto workload = WorkloadOf(reading, "w", {{"n", 5}});
  ASSERT_TRUE(workload) << workload.error().what;
  EXPECT_EQ(workload->uuid, "w_n5");
  ASSERT_EQ(workload->inputs.size(), 3u);
  EXPECT_EQ(
      std::get<double>(std::get<ScalarInput>(workload->inputs[0].second).value),
      1.25);
  EXPECT_EQ(std::get<std::int64_t>(
                std::get<ScalarInput>(workload->inputs[1].second).value),
            8);
  EXPECT_EQ(workload->inputs[2].first, "x_before");
}

// So that a first try takes about a millisecond: 2^14 once, 2^7 where one size
// is two loops', 2^8 a side of two, 2^6 of three.
TEST(TaskDraftTest, SizesBeginByTheLoops) {
  const auto first = [](int axes, int depth) {
    Reading reading;
    for (int i = 0; i < axes; ++i) {
      reading.axes.push_back({"n" + std::to_string(i), std::nullopt, ""});
    }
    reading.depth = depth;
    return FirstSizes(reading, {}, 1.0).at("n0");
  };
  EXPECT_EQ(first(1, 1), 16384);
  EXPECT_EQ(first(1, 2), 128);
  EXPECT_EQ(first(2, 2), 256);
  EXPECT_EQ(first(3, 3), 64);
}

// In whole sixteens, at least one; ends of rows have 16 elements a row.
TEST(TaskDraftTest, SizesGrowWithTheScaleButThoseThatAreGiven) {
  Reading reading;
  reading.axes = {{"n", std::nullopt, ""},
                  {"ends", std::nullopt, ""},
                  {"k", std::nullopt, ""},
                  {"K3", 3, ""}};
  reading.depth = 3;
  Argument rows;
  rows.form = "csr:ends";
  reading.arguments = {rows};
  Wishes wishes;
  wishes.sizes["k"] = 7;
  const AxisSizes sizes = FirstSizes(reading, wishes, 1.6);
  EXPECT_EQ(sizes.at("n"), 96);  // 64 * 1.6 = 102.4
  EXPECT_EQ(sizes.at("ends"), 96 * 16);
  EXPECT_EQ(sizes.at("k"), 7);
  EXPECT_FALSE(sizes.contains("K3"));
  EXPECT_EQ(FirstSizes(reading, wishes, 0.01).at("n"), 16);
}

// One axis is halved, and odd: 64 * 13 / 16 = 52.  A small one that is given,
// such as the width of a filter, stays.
TEST(TaskDraftTest, ASmallSizeThatIsGivenIsTheSameInAllShapes) {
  Reading reading;
  reading.axes = {{"n", std::nullopt, ""}, {"k", std::nullopt, ""}};
  Wishes wishes;
  wishes.sizes["k"] = 5;
  EXPECT_THAT(ThreeSizes(reading, wishes, {{"n", 64}, {"k", 5}}),
              testing::ElementsAre(AxisSizes{{"n", 64}, {"k", 5}},
                                   AxisSizes{{"n", 32}, {"k", 5}},
                                   AxisSizes{{"n", 53}, {"k", 5}}));
}

// Its one return at the end stores; any other makes it a function of its own.
TEST(TaskDraftTest, WhatIsReturnedIsStored) {
  const auto root = [](const std::string& body) {
    return Drafted("float scale(int n, const float* x) {\n" + body + "\n}\n")
        .root.sources.front()
        .content;
  };
  const std::string plain = root(
      "  float s = 0;\n  for (int i = 0; i < n; ++i) s += x[i];\n"
      "  return s;");
  EXPECT_THAT(plain, HasSubstr("  result[0] = s;\n}\n"));
  EXPECT_THAT(plain, Not(HasSubstr("kernel_")));
  const std::string early = root(
      "  for (int i = 0; i < n; ++i) if (x[i] > 0) return x[i];\n"
      "  return 0;");
  EXPECT_THAT(early, HasSubstr("static float kernel_(int n, const float* x)"));
  EXPECT_THAT(early, HasSubstr("  result[0] = kernel_(n, x);\n}\n"));
}

TEST(TaskDraftTest, AnOracleWithDoublesIsWiderThanThat) {
  const auto oracle = [](const std::string& type) {
    return Drafted("void scale(int n, " + type +
                   "* x) {\n  for (int i = 0; i < n; ++i) x[i] *= 2;\n}\n")
        .oracle.sources.front()
        .content;
  };
  EXPECT_THAT(oracle("float"), HasSubstr("using Wide_ = double;"));
  EXPECT_THAT(oracle("double"), HasSubstr("using Wide_ = long double;"));
  EXPECT_THAT(oracle("double"), HasSubstr("kernel_(int n, Real_<53>* x)"));
}

TEST(TaskDraftTest, AFunctionIsTakenWithWhatItNeeds) {
  const auto pieces = CutSource(
      "#include <math.h>\n#define N 4\nint unused;\n"
      "static float half(float v) { return v / N; }\n"
      "void f(int n, float x[n]) { x[0] = half(x[0]); }\n");
  EXPECT_EQ(TextWith(pieces, pieces.back()),
            "#include <math.h>\n#define N 4\n"
            "static float half(float v) { return v / N; }\n"
            "void f(int n, float x[]) { x[0] = half(x[0]); }\n");
}

// Each line is needed by its name alone, and `other` by nobody.
TEST(TaskDraftTest, EachKindOfDeclarationIsTakenWhereItsNameIsNeeded) {
  const struct {
    const char* line;
    const char* use;
    bool is_taken = true;
  } cases[] = {
      {"static const float kTable[3] = {1, 2, 3};", "x[0] = kTable[1];"},
      {"enum { kLow, kHigh = 4 };", "x[0] = kHigh;"},
      {"struct point { float a, b; };", "struct point p; x[0] = p.a;"},
      {"typedef struct { float a; } point;", "point p; x[0] = p.a;"},
      {"struct point { float a; } origin;", "x[0] = origin.a;"},
      {"typedef float (*map)(float);", "map m = 0; x[0] = m(1);"},
      {"using real = float;", "real r = 1; x[0] = r;"},
      {"static float half(float v) { return v / 2; }", "x[0] = half(x[0]);"},
      {"float half(float v);", "x[0] = half(x[0]);"},
      {"#define HALF 0.5f", "x[0] = HALF;"},
      {"#include <math.h>", ""},
      {"using namespace std;", ""},
      {"static int other;", "x[0] = 1;", false},
      {"static float other(float v) { return v; }", "x[0] = 1;", false},
      // A member is not what is declared, nor is a parameter.
      {"struct box { float half; };", "float half = 1; x[0] = half;", false},
      {"float other(float half);", "float half = 1; x[0] = half;", false},
  };
  for (const auto& one : cases) {
    const auto pieces = CutSource(std::string(one.line) +
                                  "\nvoid f(float* x) { " + one.use + " }\n");
    const std::string text = TextWith(pieces, pieces.back());
    EXPECT_EQ(text.find(one.line) != text.npos, one.is_taken) << one.line;
  }
}

// Its parameters are named as the task has them, sizes last, whatever their
// order in the function.
TEST(TaskDraftTest, TheRootHasInputsThenResultsThenSizes) {
  const auto head = [](const std::string& parameters, const std::string& body) {
    const std::string root =
        Drafted("void scale(" + parameters + ") {\n" + body + "\n}\n")
            .root.sources.front()
            .content;
    const std::size_t from = root.find("void run(");
    return root.substr(from, root.find(") {", from) + 1 - from);
  };
  const std::string each = "for (int i = 0; i < n; ++i) ";
  EXPECT_EQ(head("int n, float* y, const float* x", each + "y[i] = x[i];"),
            "void run(const float* x, float* y, int64_t n)");
  EXPECT_EQ(head("double* y, long n, double a, const int* k",
                 each + "y[i] = a * k[i];"),
            "void run(double a, const int32_t* k, double* y, int64_t n)");
  EXPECT_EQ(head("int n, int m, float* y, float* z",
                 each + "for (int j = 0; j < m; ++j) {\n"
                        "  y[i * m + j] = 1; z[j] += 1;\n}"),
            "void run(const float* z_before, float* y, float* z, int64_t n, "
            "int64_t m)");
  EXPECT_EQ(head("int n, const char* s, bool* y", each + "y[i] = s[i] > 0;"),
            "void run(const int8_t* s_raw, bool* y, int64_t n)");
}

// A workload says of each axis what it is, constants included where they are
// asked for by others.
TEST(TaskDraftTest, AWorkloadSaysTheSizesThatVary) {
  Reading reading;
  reading.axes = {{"K3", 3, ""},
                  {"n", std::nullopt, ""},
                  {"n_by_K3", std::nullopt, "n*K3"},
                  {"half", std::nullopt, "n//2"}};
  const auto workload = WorkloadOf(reading, "w", {{"n", 7}});
  ASSERT_TRUE(workload) << workload.error().what;
  EXPECT_EQ(workload->uuid, "w_n7");
  using Axis = std::pair<std::string, std::int64_t>;
  EXPECT_THAT(
      workload->axes,
      testing::ElementsAre(Axis{"n", 7}, Axis{"n_by_K3", 21}, Axis{"half", 3}));
  reading.axes.back().derived = "n-7";
  EXPECT_EQ(WorkloadOf(reading, "w", {{"n", 7}}).error().what,
            "w: n-7 is 0, which is no size");
}

TEST(TaskDraftTest, SizesFollowFromOthers) {
  Reading reading;
  reading.axes = {{"n", std::nullopt, ""}, {"m", std::nullopt, "2*n+1"}};
  const auto workload = WorkloadOf(reading, "w", {{"n", 5}});
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->axes[1].second, 11);  // 2 * 5 + 1
  reading.axes[1].derived = "n-5";
  EXPECT_FALSE(WorkloadOf(reading, "w", {{"n", 5}}));
}

// 64 and 64: (32, 128) with the same product, and odd ones of 13/16.
TEST(TaskDraftTest, ProposesThreeShapes) {
  Reading reading;
  reading.axes = {{"m", std::nullopt, ""}, {"n", std::nullopt, ""}};
  const auto three = ThreeSizes(reading, {}, {{"m", 64}, {"n", 64}});
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(three[1].at("m"), 32);
  EXPECT_EQ(three[1].at("n"), 128);
  EXPECT_NE(three[2].at("m") % 2, 0);
  EXPECT_NE(three[2].at("n") % 16, 0);
}

// What a header has besides may be no C++ at all.
TEST(TaskDraftTest, OfAFileOnlyWhatIsNeededIsTaken) {
  const std::string root =
      Drafted(
          "struct other { int scale; };\n"
          "void broken(int n, float x[n][n]);\n"
          "typedef float real;\nstatic const real kHalf = 0.5f;\n"
          "static real half(int n, real x[n]) { return kHalf * x[0]; }\n"
          "void scale(int n, real *x) {\n"
          "  for (int i = 0; i < n; ++i) x[i] = half(1, x + i);\n}\n")
          .root.sources.front()
          .content;
  EXPECT_THAT(root, HasSubstr("typedef float real;\n"
                              "static const real kHalf = 0.5f;\n"
                              "static real half(int n, real x[])"));
  EXPECT_THAT(root, Not(HasSubstr("broken")));
  EXPECT_THAT(root, Not(HasSubstr("other")));
}

// C lets `float *row = x + i` point into an input that is not const.
TEST(TaskDraftTest, AnInputIsAsTheFunctionHasItWhereItsTextNeedsThat) {
  const auto pieces = CutSource(
      "void scale(int n, float *x, float *y) {\n"
      "  for (int i = 0; i < n; ++i) { float *at = x + i; y[i] = *at; }\n}");
  const auto reading = Read(pieces, {});
  ASSERT_TRUE(reading) << reading.error().what;
  Drafting drafting = Named("mine");
  drafting.sizes = SizeTypes::kOfFunction;
  const auto task = DraftTask(pieces, *reading, drafting);
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_THAT(task->root.sources.front().content,
              HasSubstr("const float* x_raw, float* y, int64_t n_) {\n"
                        "  const int n = static_cast<int>(n_);\n"
                        "  auto* x = (float*)x_raw;\n"));
  EXPECT_THAT(task->oracle.sources.front().content,
              HasSubstr("kernel_(int n, Real_<24>* x, Real_<24>* y)"));
}

TEST(TaskDraftTest, AComplexNumberByItselfIsReadFromAnArray) {
  const Task task = Drafted(
      "void scale(int n, ComplexFloat a, ComplexFloat *x) {\n"
      "  for (int i = 0; i < n; i++) x[i] = a * x[i];\n}");
  EXPECT_THAT(task.root.sources.front().content,
              HasSubstr("ComplexFloat a = *reinterpret_cast<const "
                        "ComplexFloat*>(a_raw);"));
  EXPECT_THAT(task.oracle.sources.front().content,
              HasSubstr("kernel_(static_cast<int>(n), a_own[0], x_own.get())"));
}

TEST(TaskDraftTest, SizesOfEachShapeAreTakenAsTheyAre) {
  Wishes wishes;
  wishes.function = "scale";
  const auto reading = Read(CutSource(kScale), wishes);
  ASSERT_TRUE(reading) << reading.error().what;
  wishes.sizes["n"] = 64;
  wishes.all_sizes["n"] = {64, 32, 128};
  const auto three = ThreeSizes(*reading, wishes, {{"n", 64}});
  EXPECT_THAT(three,
              testing::ElementsAre(AxisSizes{{"n", 64}}, AxisSizes{{"n", 32}},
                                   AxisSizes{{"n", 128}}));
}

}  // namespace
}  // namespace coppice::engine::own
