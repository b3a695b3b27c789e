#include "engine/own/complex_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::engine::own {
namespace {

using testing::HasSubstr;

TEST(ComplexTextTest, AllSpellingsAreOneName) {
  EXPECT_EQ(WithNamedComplex("void f(const std::complex<float>* x, int n);"),
            "void f(const ComplexFloat* x, int n);");
  EXPECT_EQ(WithNamedComplex("double  complex z = y;"), "ComplexDouble z = y;");
  EXPECT_EQ(WithNamedComplex("float _Complex *x"), "ComplexFloat *x");
  EXPECT_EQ(WithNamedComplex("complex<double> z(1, 2);"),
            "ComplexDouble z(1, 2);");
}

// C++ calls them otherwise, and I is nothing there.
TEST(ComplexTextTest, WhatIsOfCIsSaidInCpp) {
  EXPECT_EQ(WithNamedComplex("#include <complex.h>\n"
                             "float complex f(float complex z) {\n"
                             "  return conjf(z) + cabsf(z) * I;\n}"),
            "#include <complex>\n"
            "ComplexFloat f(ComplexFloat z) {\n"
            "  return std::conj(z) + std::abs(z) * ComplexFloat(0, 1);\n}");
}

TEST(ComplexTextTest, FunctionsOfCAreThoseOfCpp) {
  const auto named = [](const std::string& call) {
    const std::string head = "#include <complex.h>\ndouble complex z;\n";
    const std::string text = WithNamedComplex(head + call);
    return text.substr(text.rfind('\n') + 1);
  };
  EXPECT_EQ(named("creal(z)"), "std::real(z)");
  EXPECT_EQ(named("cexpf(z)"), "std::exp(z)");
  EXPECT_EQ(named("csqrt (z)"), "std::sqrt (z)");
  EXPECT_EQ(named("creal"), "creal");          // It is no call.
  EXPECT_EQ(named("creall(z)"), "creall(z)");  // Nor known.
  EXPECT_EQ(named("z * _Complex_I"), "z * ComplexDouble(0, 1)");
}

TEST(ComplexTextTest, AWordThatOnlyHoldsItIsAnother) {
  const std::string text = "int complexity; std::complex_like<float> x;";
  EXPECT_EQ(WithNamedComplex(text), text);
}

TEST(ComplexTextTest, OtherTextsStayAsTheyAre) {
  const std::string text = "int I = 3; // a complex matter\nfloat conj(float);";
  EXPECT_EQ(WithNamedComplex(text), text);
  EXPECT_FALSE(NamesComplex(text));
}

TEST(ComplexTextTest, ForReadingLoopsAComplexNumberIsAFloat) {
  EXPECT_EQ(WithoutComplex("ComplexFloat s = ComplexFloat(0, 1) * x[i];"),
            "float s = complex_of(0, 1) * x[i];");
}

TEST(ComplexTextTest, TheNamesAreDefinedWithProducts) {
  EXPECT_THAT(ComplexNames(), HasSubstr("ComplexFloat = std::complex<float>;"));
  EXPECT_THAT(ComplexNames(),
              HasSubstr("operator*(A a, const std::complex<T>&"));
}

// In a file that is C++ already nothing but the type's name changes.
TEST(ComplexTextTest, InCppAnINumberAndAFunctionAreTheUsers) {
  const std::string text =
      "#include <complex>\nstd::complex<double> f(std::complex<double> I) "
      "{ return conj(I) * cabs(I); }";
  EXPECT_EQ(WithNamedComplex(text),
            "#include <complex>\nComplexDouble f(ComplexDouble I) "
            "{ return conj(I) * cabs(I); }");
}

TEST(ComplexTextTest, SpellingsMayBeSpreadOverLines) {
  EXPECT_EQ(WithNamedComplex("std ::\n complex\n<\n float >\n* x;"),
            "ComplexFloat\n* x;");
  EXPECT_EQ(WithNamedComplex("complex float z; _Complex double w;"),
            "ComplexFloat z; ComplexDouble w;");
}

TEST(ComplexTextTest, OnlyNumbersOfThoseTwoTypesAreNamed) {
  for (const char* text :
       {"std::complex<long double> z;", "std::complex<T> z;",
        "complex<float, 2> z;", "my::complexity<float> z;", "complex"}) {
    EXPECT_EQ(WithNamedComplex(text), text);
  }
}

}  // namespace
}  // namespace coppice::engine::own
