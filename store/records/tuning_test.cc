#include "store/records/tuning.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice {
namespace {

constexpr std::string_view kSource =
    "#define UNROLL 4          //@ tune 1 2 4 8\n"
    "constexpr int TILE = 64;  //@ tune 16 32 64\n"
    "void run() { f(TILE); }  // tune by hand\n";

std::vector<TuningParameter> Of(std::string_view source) {
  auto parameters = TuningParametersOf(source);
  EXPECT_TRUE(parameters) << parameters.error().what;
  return parameters.value_or(std::vector<TuningParameter>{});
}

std::string Why(std::string_view source) {
  const auto parameters = TuningParametersOf(source);
  return parameters ? "fine" : parameters.error().what;
}

TEST(TuningTest, AMacroAndAConstantAreParametersWithTheirChoices) {
  const auto parameters = Of(kSource);
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[0].name, "UNROLL");
  EXPECT_EQ(parameters[0].choices, (std::vector<std::int64_t>{1, 2, 4, 8}));
  EXPECT_EQ(parameters[0].chosen, 2u);
  EXPECT_EQ(parameters[1].name, "TILE");
  EXPECT_EQ(parameters[1].chosen, 2u);
}

TEST(TuningTest, PythonDeclaresThemBehindItsOwnCommentSign) {
  const auto parameters = Of("BLOCK = 128  #@ tune 64 128\r\n");
  ASSERT_EQ(parameters.size(), 1u);
  EXPECT_EQ(parameters[0].name, "BLOCK");
  EXPECT_EQ(parameters[0].chosen, 1u);
}

TEST(TuningTest, AConfigurationDiffersFromTheSourceInItsNumbersOnly) {
  const auto parameters = Of(kSource);
  EXPECT_EQ(Configured(kSource, parameters, {3, 0}),
            "#define UNROLL 8          //@ tune 1 2 4 8\n"
            "constexpr int TILE = 16;  //@ tune 16 32 64\n"
            "void run() { f(TILE); }  // tune by hand\n");
  EXPECT_EQ(Configured(kSource, parameters, AuthorsChoice(parameters)),
            kSource);
  EXPECT_EQ(ConfigurationText(parameters, {3, 0}), "UNROLL=8 TILE=16");
}

// 4 * 3 configurations; the last parameter changes first, so number 5 is
// 5 / 3 = 1 of UNROLL and 5 % 3 = 2 of TILE.
TEST(TuningTest, EachNumberBelowTheCountIsAConfigurationOfItsOwn) {
  const auto parameters = Of(kSource);
  EXPECT_EQ(CountConfigurations(parameters), 12u);
  EXPECT_EQ(ConfigurationAt(parameters, 0), (Configuration{0, 0}));
  EXPECT_EQ(ConfigurationAt(parameters, 5), (Configuration{1, 2}));
  EXPECT_EQ(ConfigurationAt(parameters, 11), (Configuration{3, 2}));
}

TEST(TuningTest, ASourceWithoutMarksHasOneConfiguration) {
  EXPECT_TRUE(Of("int x = 3;  // tune 1 2\n").empty());
  EXPECT_TRUE(Of("int x = 3;  //@ tuned 1 2\n").empty());
  EXPECT_EQ(CountConfigurations({}), 1u);
}

TEST(TuningTest, WhatIsWrongWithALineIsSaidWithItsNumber) {
  EXPECT_EQ(Why("\nint x = 3;  //@ tune 1 2\n"),
            "line 2: 3, which x is, is not among its choices");
  EXPECT_EQ(Why("int x = 3;  //@ tune\n"), "line 1: there are no choices");
  EXPECT_EQ(Why("int x = 3;  //@ tune 3 many\n"),
            "line 1: many: a choice is a whole number");
  EXPECT_EQ(Why("int x = 3;  //@ tune 3 -4\n"),
            "line 1: -4: a choice is a whole number");
  EXPECT_EQ(Why("int x = 3;  //@ tune 3 3\n"), "line 1: 3 is listed twice");
  EXPECT_EQ(Why("int x = 3;  //@ tune 3\nint x = 3;  //@ tune 3\n"),
            "line 2: x is declared twice");
  const std::string no_number =
      "line 1: before the mark there is no NAME = NUMBER nor #define NAME "
      "NUMBER";
  EXPECT_EQ(Why("f(x);  //@ tune 1 2\n"), no_number);
  EXPECT_EQ(Why("//@ tune 1 2\n"), no_number);
  EXPECT_EQ(Why("#define 4 4  //@ tune 4\n"), no_number);
  // The 4 is the end of a name; so is it in a name that is not whole.
  EXPECT_EQ(Why("#define SSE4  //@ tune 4 8\n"), no_number);
  EXPECT_EQ(Why("#define X 0x4  //@ tune 4\n"), no_number);
  EXPECT_EQ(Why("#define X -4  //@ tune 4\n"), no_number);
  EXPECT_EQ(Why("#define X(y) 4  //@ tune 4\n"), no_number);
  EXPECT_EQ(Why("#define X 1.4  //@ tune 4\n"), no_number);
  EXPECT_EQ(Why("#define X 4U  //@ tune 4\n"), no_number);
  EXPECT_EQ(Why("x += 4;  //@ tune 4\n"), no_number);
  EXPECT_EQ(Why("if (x == 4)  //@ tune 4\n"), no_number);
  EXPECT_EQ(Why("int x = y4;  //@ tune 4\n"), no_number);
  EXPECT_EQ(Why("int x = 1'024;  //@ tune 24\n"), no_number);
  EXPECT_EQ(Why("int x = 4; y = 5;;  //@ tune 5\n"), no_number);
  EXPECT_EQ(Why("int x = 99999999999999999999;  //@ tune 1\n"),
            "line 1: 99999999999999999999, which x is, is not among its "
            "choices");
}

TEST(TuningTest, NoCountOfConfigurationsOverflows) {
  std::string source;
  for (int i = 0; i < 16; ++i) {
    source += "int p" + std::to_string(i) + " = 1;  //@ tune";
    for (int choice = 1; choice <= 64; ++choice) {
      source += " " + std::to_string(choice);
    }
    source += "\n";
  }
  // 64^16 = 2^96.
  EXPECT_EQ(CountConfigurations(Of(source)), std::uint64_t{1} << 62);
}

TEST(TuningTest, ANameHasLettersDigitsAndUnderscores) {
  for (const std::string name : {"AZ", "az", "A_9", "Z0", "_a"}) {
    const auto parameters =
        Of("constexpr int " + name + " = 4;  //@ tune 2 4\n");
    ASSERT_EQ(parameters.size(), 1u) << name;
    EXPECT_EQ(parameters[0].name, name);
  }
}

TEST(TuningTest, SixteenParametersOfSixtyFourChoicesAreTheMost) {
  std::string choices;
  for (int i = 1; i <= 64; ++i) choices += " " + std::to_string(i);
  EXPECT_EQ(Of("int x = 64;  //@ tune" + choices + "\n").size(), 1u);
  EXPECT_EQ(Why("int x = 1;  //@ tune" + choices + " 65\n"),
            "line 1: there are more than 64 choices");
  std::string source;
  for (int i = 1; i <= 16; ++i) {
    source += "int p" + std::to_string(i) + " = 1;  //@ tune 1 2\n";
  }
  EXPECT_EQ(Of(source).size(), 16u);
  EXPECT_EQ(Why(source + "int p17 = 1;  //@ tune 1 2\n"),
            "line 17: there are more than 16 parameters");
}

// Numbers of other lengths than the author's move what follows them.
TEST(TuningTest, EveryConfigurationIsASourceOfTheSameParameters) {
  const std::string source =
      "#define A 8  //@ tune 1 8 1024\n"
      "int b = 100;  //@ tune 5 100\r\n"
      "c = 7  #@ tune 7 77777\n"
      "run(A, b, c)";
  const auto parameters = Of(source);
  ASSERT_EQ(parameters.size(), 3u);
  ASSERT_EQ(CountConfigurations(parameters), 12u);
  for (std::uint64_t number = 0; number < 12; ++number) {
    const Configuration chosen = ConfigurationAt(parameters, number);
    const std::string text = Configured(source, parameters, chosen);
    const auto again = Of(text);
    EXPECT_EQ(AuthorsChoice(again), chosen) << text;
    EXPECT_EQ(Configured(text, again, AuthorsChoice(parameters)), source);
    EXPECT_TRUE(text.ends_with("run(A, b, c)"));
  }
  EXPECT_EQ(ConfigurationText(parameters, {2, 0, 1}), "A=1024 b=5 c=77777");
  EXPECT_EQ(ConfigurationText({}, {}), "");
}

TEST(TuningTest, TheLastLineNeedsNoNewline) {
  const auto parameters =
      Of("f();\n  static const int kN  =  2 ; //@ tune 2 3");
  ASSERT_EQ(parameters.size(), 1u);
  EXPECT_EQ(parameters[0].name, "kN");
  EXPECT_EQ(parameters[0].bytes, 1u);
}

}  // namespace
}  // namespace coppice
