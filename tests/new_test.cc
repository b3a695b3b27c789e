// `coppice new` as somebody uses it who has a function in a file: a task of it,
// judged and searched, and one line for each file that makes none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/chosen_python.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class NewTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              (std::string("coppice_new_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Text(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void File(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  // Its exit status; what it said is in the files `out` and `err`.
  int Run(const std::string& words) const {
    const std::string command =
        "cd " + folder_.string() +
        " && COPPICE_QUIET_WAIT_S=0 XDG_CACHE_HOME=" COPPICE_TEST_CACHE
        " " COPPICE_PROGRAM " " +
        words + " >out 2>err";
    // NOLINTNEXTLINE(cert-env33-c): words of this test.
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void ExpectUsage(const std::string& words, const std::string& line) {
    EXPECT_EQ(Run(words), 2) << words;
    EXPECT_THAT(Text("err"), HasSubstr(line)) << words;
    EXPECT_EQ(Text("out"), "") << words;
  }

  fs::path folder_;
};

// An update in place, in float64, by a function that another file has no need
// to know: the three things that a task could not be before.
TEST_F(NewTest, AFunctionIsATaskThatIsJudgedAndSearched) {
  File("decay.c",
       "#include <math.h>\n"
       "static double rate(double t) { return exp(-0.5 * t); }\n"
       "void decay(int n, double *x, const double *t) {\n"
       "  for (int i = 0; i < n; i++) x[i] = x[i] * rate(t[i]) + 1.0;\n}\n");
  ASSERT_EQ(Run("new decay.c --input t=positive"), 0) << Text("err");
  EXPECT_THAT(Text("out"), HasSubstr("it is read before it is written"));
  EXPECT_THAT(Text("out"), HasSubstr("coppice run ./decay"));
  EXPECT_THAT(Text("out"), Not(HasSubstr("comes with coppice")));
  EXPECT_THAT(Text("decay/definition.json"), HasSubstr("starts:x=x_before"));
  EXPECT_EQ(Run("eval ./decay decay/root.cc"), 0) << Text("out");
  File("single.cc",
       "#include <cmath>\n#include <cstdint>\n"
       "extern \"C\" void run(const double* x_before, const double* t,\n"
       "                    double* x, int64_t n) {\n"
       "  for (int64_t i = 0; i < n; i++) {\n"
       "    x[i] = x_before[i] * expf(-0.5f * static_cast<float>(t[i])) + 1;\n"
       "  }\n}\n");
  EXPECT_EQ(Run("eval ./decay single.cc"), 3) << Text("out");
  EXPECT_THAT(Text("out"), HasSubstr("wrong_output"));
  EXPECT_EQ(Run("new decay.c"), 2);
  EXPECT_THAT(Text("err"), HasSubstr("decay: is there already; remove it"));
}

TEST_F(NewTest, AFileThatMakesNoTaskIsToldInALine) {
  ExpectUsage("new none.c", "none.c: No such file");
  File("empty.c", "");
  ExpectUsage("new empty.c", "empty.c: no function is defined in it");
  File("two.c", "void f(float *x) {}\nvoid g(float *x) {}\n");
  ExpectUsage("new two.c",
              "two.c: has several functions; say which one with "
              "--function: f, g");
  ExpectUsage("new two.c --function h", "two.c: no function is called h");
  File("one.c", "void f(int n, float *y) { y[0] = n; }\n");
  ExpectUsage("new one.c a/b", "a/b: is no name of a task");
  ExpectUsage("new one.c --input y", "--input y: expected NAME=VALUE");
  ExpectUsage("new one.c --size n=0", "--size n=0: expected a size");
  ExpectUsage("new one.c --size n=8,x", "--size n=8,x: expected a size");
  ExpectUsage("new one.c --flags -ffast-math",
              "only -DNAME=VALUE and -IFOLDER are its own");
  ExpectUsage("new one.c --link openblas", "give --expert FILE, too");
  File("outside.cc", "#include \"/etc/passwd\"\nvoid f(float* x, int n);\n");
  ExpectUsage("new outside.cc", "#include \"/etc/passwd\" is not below ");
  File("above.cc", "#include \"../x.h\"\nvoid f(float* x, int n);\n");
  ExpectUsage("new above.cc", "#include \"../x.h\" is not below ");
}

// Macros would not be written out, and nobody would know why no size is found.
TEST_F(NewTest, ACacheThatCannotBeWrittenIsNoFaultOfTheFunction) {
  File("row.c",
       "#define AT(p, i) ((p)[i])\n"
       "void f(int n, const float *x, float *y) {\n"
       "  for (int i = 0; i < n; i++) AT(y, i) = AT(x, i);\n}\n");
  ExpectUsage("new row.c --cache-directory row.c",
              "row.c: Not a directory; give another --cache-directory");
}

// What is wrong in it shows when it is compiled, by the compiler's words.
TEST_F(NewTest, AFileThatDoesNotCompileLeavesNothingBehind) {
  File("typo.c",
       "void f(int n, const float *x, float *y) {\n"
       "  for (int i = 0; i < n; i++) y[i] = x[i] * alhpa;\n}\n");
  ExpectUsage("new typo.c", "alhpa");
  File("blade.c",
       "void f(int n, const float *x, float *y) {\n"
       "  for (int i = 0; i < n; i++) y[i] = x[i] }\n");
  ExpectUsage("new blade.c", "blade.c: does not compile: 2:");
  EXPECT_FALSE(fs::exists(folder_ / "f"));
}

// A header beside it, conditions, types and macros, as libraries have them; and
// a checksum of 32 bits in a type of 64.
TEST_F(NewTest, AFileOfALibraryIsATask) {
  File("check.h",
       "#include <limits.h>\n#if UINT_MAX == 0xffffffffUL\n"
       "typedef unsigned word;\n#else\ntypedef unsigned long word;\n#endif\n"
       "typedef unsigned long uLong;\n#define LOCAL static\n"
       "#define STEP(i) { a += x[i]; b += a; }\n#define STOP 65521U\n"
       "uLong check(uLong seed, const unsigned char *x, int n);\n");
  File("check.c",
       "#include \"check.h\"\n#ifdef GONE\n#include \"gone.h\"\n#endif\n"
       "LOCAL word both(word a, word b) { return b << 16 | a; }\n"
       "uLong check(uLong seed, const unsigned char *x, int n) {\n"
       "  word a = seed, b = 0;\n"
       "  for (int i = 0; i < n; i++) {\n"
       "    STEP(i)\n    a %= STOP;\n    b %= STOP;\n  }\n"
       "  return both(a, b);\n}\n"
       "int broken(int n, float x[n][n]) { return x; }\n");
  ASSERT_EQ(Run("new check.c --function check --size n=4096,2048,1000"), 0)
      << Text("out") << Text("err");
  EXPECT_THAT(Text("out"), HasSubstr("taken to be below 2^53"));
  EXPECT_THAT(Text("out"), HasSubstr("shapes: n=4096, n=2048, n=1000;"));
  EXPECT_THAT(Text("check/definition.json"),
              HasSubstr("n in (4096, 2048, 1000)"));
}

// A double would not tell the last bits of such a product.
TEST_F(NewTest, EveryOfSixtyFourBitsCounts) {
  File("hash.cc",
       "#include <cstddef>\n#include <cstdint>\n"
       "void hash(size_t n, const uint64_t* x, uint64_t* y) {\n"
       "  for (size_t i = 0; i < n; ++i) y[i] = x[i] * 0xff51afd7ed558ccdULL;\n"
       "}\n");
  ASSERT_EQ(Run("new hash.cc --size n=4096"), 0) << Text("err");
  EXPECT_THAT(Text("out"), HasSubstr("[n, 2]"));
  File("last_bit.cc",
       "#include <cstdint>\nextern \"C\" void run(const uint32_t* x, "
       "uint32_t* y, int64_t n) {\n"
       "  auto* from = reinterpret_cast<const uint64_t*>(x);\n"
       "  auto* to = reinterpret_cast<uint64_t*>(y);\n"
       "  for (int64_t i = 0; i < n; ++i) {\n"
       "    to[i] = (from[i] * 0xff51afd7ed558ccdULL) ^ (i == n - 1);\n"
       "  }\n}\n");
  EXPECT_EQ(Run("eval ./hash last_bit.cc"), 3) << Text("out");
  EXPECT_THAT(Text("out"), HasSubstr("wrong_output"));
}

TEST_F(NewTest, ATaskOfANameThatIsTakenIsTypedAsAFolder) {
  File("twice.c",
       "void twice(int n, const float *x, float *y) {\n"
       "  for (int i = 0; i < n; i++) y[i] = 2 * x[i];\n}\n");
  ASSERT_EQ(Run("new twice.c row_sum --size n=4096"), 0) << Text("err");
  EXPECT_THAT(Text("out"), HasSubstr("a task row_sum comes with coppice: "
                                     "always type ./row_sum\n"));
}

TEST_F(NewTest, ComplexNumbersOfCAreATask) {
  File("twist.c",
       "#include <complex.h>\n"
       "void twist(int n, const float complex *x, float complex *y) {\n"
       "  for (int i = 0; i < n; i++) {\n"
       "    float complex sum = 0;\n"
       "    sum += conjf(x[i]) * I + 2 * cabsf(x[i]);\n"
       "    y[i] = sum;\n  }\n}\n");
  ASSERT_EQ(Run("new twist.c --size n=4096"), 0) << Text("err");
  EXPECT_EQ(Run("eval ./twist twist/root.cc"), 0) << Text("out");
}

// Without a device it is told what was not tried.
TEST_F(NewTest, ACudaFileIsATaskOnADevice) {
  File("scale.cu",
       "__global__ void scale(const float* x, float* y, int n) {\n"
       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
       "  if (i < n) y[i] = 2 * x[i];\n}\n"
       "void launch(const float* x, float* y, int n) {\n"
       "  scale<<<(n + 255) / 256, 256>>>(x, y, n);\n}\n");
  ASSERT_EQ(Run("new scale.cu"), 0) << Text("err");
  EXPECT_THAT(Text("out"), HasSubstr("by its subscripts and the loops"));
  EXPECT_TRUE(fs::exists(folder_ / "scale/oracle.cu"));
  const bool is_fit = Run("task check ./scale") == 0;
  EXPECT_TRUE(is_fit ||
              Text("out").find("skipped: no CUDA device") != std::string::npos)
      << Text("out") << Text("err");
  ExpectUsage("new scale.cu --flags -DN=3", "--flags: is of no function in");
  File("none.cu", "int x;\n");
  ExpectUsage("new none.cu", "none.cu: no kernel (__global__) is in it");
}

// Python functions are read as text, whose lines complaints name.
TEST_F(NewTest, AFunctionInPythonIsRefusedByItsLine) {
  File("mine.py",
       "import torch\n\ndef made(k):\n  def inner(x):\n    return x * k\n"
       "  return inner\n\ntwice = made(2)\nsquare = lambda x: x * x\n"
       "def half(x):\n  return x / 2\n");
  ExpectUsage("new mine.py:square", "mine.py:9: square is a lambda");
  ExpectUsage("new mine.py:twice", "mine.py:8: twice is a closure");
  ExpectUsage("new mine.py:inner", "mine.py:4: inner is a closure, defined");
  ExpectUsage("new mine.py:half", "mine.py:10: half(x) has no example inputs");
  ExpectUsage("new mine.py:third", "mine.py: no function is called third");
  ExpectUsage("new mine.py:half --size n=4", "--size: is of a function in C");
  ExpectUsage("new none.py:half", "none.py: No such file");
  File("one.c", "void f(int n, float *y) { y[0] = n; }\n");
  ExpectUsage("new one.c --inputs 3", "--inputs: is of a function in Python");
  EXPECT_FALSE(fs::exists(folder_ / "half"));
}

// Its root, the function itself, is judged in PyTorch like any candidate.
TEST_F(NewTest, AFunctionInPythonIsATask) {
  File("mine.py",
       "import numpy as np\n\ndef softmax(x):\n"
       "  e = np.exp(x - x.max(axis=1, keepdims=True))\n"
       "  return e / e.sum(axis=1, keepdims=True)\n");
  const std::string chosen = ChosenPython();
  // NOLINTNEXTLINE(cert-env33-c): words of this test.
  if (std::system((chosen + " -c 'import torch' 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << chosen << ": has no PyTorch";
  }
  const std::string python = " --python " + chosen;
  ASSERT_EQ(Run("new mine.py --inputs 'np.random.randn(64, 96)'" + python), 0)
      << Text("err");
  EXPECT_THAT(Text("out"), HasSubstr("[64, 96]"));
  EXPECT_THAT(Text("out"), HasSubstr("8 candidates that do not compute it"));
  EXPECT_THAT(Text("out"), HasSubstr("coppice run ./softmax"));
  File("wrong.py",
       "import torch\nclass ModelNew(torch.nn.Module):\n"
       "  def forward(self, x):\n    return torch.softmax(x, 0)\n");
  EXPECT_EQ(Run("eval ./softmax wrong.py" + python), 3) << Text("err");
  EXPECT_THAT(Text("out"), HasSubstr("wrong_output"));
}

}  // namespace
}  // namespace coppice
