// `coppice new` as somebody uses it who has a function in a file: a task of it,
// judged and searched, and one line for each file that makes none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace coppice {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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
    const std::string command = "cd " + folder_.string() +
                                " && XDG_CACHE_HOME=" COPPICE_TEST_CACHE
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
  ExpectUsage("new one.c --flags -ffast-math", "only -DNAME=VALUE is its own");
  ExpectUsage("new one.c --link openblas", "give --expert FILE, too");
  File("outside.cc", "#include \"/etc/passwd\"\nvoid f(float* x, int n);\n");
  ExpectUsage("new outside.cc", "#include \"/etc/passwd\" is not below ");
  File("above.cc", "#include \"../x.h\"\nvoid f(float* x, int n);\n");
  ExpectUsage("new above.cc", "#include \"../x.h\" is not below ");
}

// What is wrong in it shows when it is compiled, by the compiler's words.
TEST_F(NewTest, AFileThatDoesNotCompileLeavesNothingBehind) {
  File("typo.c",
       "void f(int n, const float *x, float *y) {\n"
       "  for (int i = 0; i < n; i++) y[i] = x[i] * alhpa;\n}\n");
  ExpectUsage("new typo.c", "alhpa");
  EXPECT_FALSE(fs::exists(folder_ / "f"));
}

}  // namespace
}  // namespace coppice
