#include "engine/own/plain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace coppice::engine::own {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class PlainTextTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(cache_); }

  Result<std::string> Plain(const std::string& text) const {
    const auto compiler = eval::Compiler::Find(cache_, 20.0, nullptr);
    EXPECT_TRUE(compiler) << compiler.error().what;
    return PlainText(*compiler, text);
  }

  const fs::path cache_ =
      fs::path(testing::TempDir()) /
      (std::string("coppice_plain_text_") +
       testing::UnitTest::GetInstance()->current_test_info()->name());
};

// UINT_MAX is of a header, and decides; M_PI is of one too, and stays.
TEST_F(PlainTextTest, ConditionsAreDecidedByHeadersWhichStayIncluded) {
  const auto plain = Plain(
      "#include <limits.h>\n#include <math.h>\n"
      "#if UINT_MAX == 0xffffffffUL\ntypedef unsigned word;\n"
      "#else\ntypedef unsigned long word;\n#endif\n"
      "/* Twice. */\ndouble turn(void) { return 2 * M_PI; }\n");
  ASSERT_TRUE(plain) << plain.error().what;
  EXPECT_THAT(*plain, HasSubstr("#include <limits.h>\n#include <math.h>\n"));
  EXPECT_THAT(*plain, HasSubstr("typedef unsigned word;"));
  EXPECT_THAT(*plain, Not(HasSubstr("unsigned long")));
  EXPECT_THAT(*plain, HasSubstr("/* Twice. */\n"
                                "double turn(void) { return 2 * M_PI; }\n"));
}

TEST_F(PlainTextTest, MacrosAreWrittenOutButNumbersKeepTheirNames) {
  const auto plain = Plain(
      "#define N 100\n#define real float\n#define A(i, j) a[(i) * N + (j)]\n"
      "real f(real *a) { return A(3, 4); }\n");
  ASSERT_TRUE(plain) << plain.error().what;
  EXPECT_THAT(*plain, HasSubstr("#define N 100\n"));
  EXPECT_THAT(*plain,
              HasSubstr("float f(float *a) { return a[(3) * N + (4)]; }\n"));
  EXPECT_THAT(*plain, Not(HasSubstr("define A")));
}

TEST_F(PlainTextTest, PragmasOfOpenMpStayWhereOpenMpIsAskedFor) {
  const auto plain = Plain(
      "#ifdef _OPENMP\nvoid f(int n, float *x) {\n"
      "#pragma omp parallel for collapse(2)\n"
      "  for (int i = 0; i < n; i++) x[i] = 0;\n}\n#endif\n");
  ASSERT_TRUE(plain) << plain.error().what;
  EXPECT_THAT(*plain, HasSubstr("{\n#pragma omp parallel for collapse(2)\n"));
}

TEST_F(PlainTextTest, ATextWithoutEitherIsAsItWas) {
  const std::string text = "#define real float\r\nvoid f(real* x);";
  EXPECT_EQ(*Plain(text), text);
}

TEST_F(PlainTextTest, AHeaderThatIsNotThereIsToldWithItsLine) {
  const auto plain = Plain("#ifdef OFF\n#include <gone.h>\n#endif\n");
  EXPECT_TRUE(plain) << plain.error().what;
  const auto missing = Plain("#if 1\n#include <gone.h>\n#endif\n");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::kUsage);
  EXPECT_THAT(missing.error().what, HasSubstr("gone.h: No such file"));
}

}  // namespace
}  // namespace coppice::engine::own
