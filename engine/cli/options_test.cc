#include "engine/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cli/verbs.h"

namespace coppice::cli {
namespace {

using ::testing::ElementsAre;
using Words = std::vector<std::string>;

const std::string kSeeHelp = "; see: coppice sample --help";

Verb Sample(std::string_view arguments = "[NODE...]") {
  return {.name = "sample",
          .summary = "",
          .arguments = arguments,
          .examples = "",
          .options = {{"json", Takes::kNothing, "", ""},
                      {"output", Takes::kText, "FILE", ""},
                      {"on", Takes::kText, "land|sea", ""},
                      {"limit", Takes::kCount, "N", ""}},
          .settings = {"budget_s", "db"},
          .run = nullptr};
}

std::string ErrorOf(const Words& words, std::string_view arguments = "[X...]") {
  const auto parsed = ParseWords(Sample(arguments), words);
  return parsed ? "none" : parsed.error().what;
}

TEST(OptionsTest, TakesValuesAfterSpaceOrEquals) {
  const auto parsed =
      ParseWords(Sample(), {"--output", "a b", "--limit=3", "--json"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->options.at("output"), "a b");
  EXPECT_EQ(parsed->options.at("limit"), "3");
  EXPECT_TRUE(parsed->options.contains("json"));
}

TEST(OptionsTest, SettingsAreSpelledWithDashes) {
  const auto parsed = ParseWords(Sample(), {"--budget-s", "9", "--db=x.db"});
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->settings.size(), 2u);
  EXPECT_EQ(parsed->settings[0].key, "budget_s");
  EXPECT_EQ(parsed->settings[0].value, "9");
  EXPECT_EQ(parsed->settings[1].key, "db");
  EXPECT_TRUE(parsed->options.empty());
  EXPECT_EQ(ErrorOf({"--budget_s", "9"}),
            "unknown option '--budget_s'; did you mean '--budget-s'?");
}

TEST(OptionsTest, AnEventAndItsCommandAreASetting) {
  Verb verb = Sample();
  verb.settings = {"on_done", "on_best", "on_trouble"};
  const auto parsed =
      ParseWords(verb, {"1", "--on", "done", "mail me", "--on", "best", "ls"});
  ASSERT_TRUE(parsed) << parsed.error().what;
  ASSERT_EQ(parsed->settings.size(), 2u);
  EXPECT_EQ(parsed->settings[0].key, "on_done");
  EXPECT_EQ(parsed->settings[0].value, "mail me");
  EXPECT_EQ(parsed->settings[1].key, "on_best");
  EXPECT_THAT(parsed->arguments, ElementsAre("1"));
  for (const Words& words : {Words{"--on"}, Words{"--on", "doen", "ls"}}) {
    EXPECT_EQ(ParseWords(verb, words).error().what,
              "--on: expected done, best, trouble or steered, and a command");
  }
  EXPECT_FALSE(ParseWords(verb, {"--on", "done"}));
  EXPECT_FALSE(ParseWords(Sample(), {"--on", "done", "ls"}));
}

TEST(OptionsTest, ArgumentsAndOptionsMix) {
  const auto parsed = ParseWords(Sample(), {"1", "--json", "2", "-"});
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->arguments, ElementsAre("1", "2", "-"));
}

TEST(OptionsTest, AfterTwoDashesAllAreArguments) {
  const auto parsed = ParseWords(Sample(), {"--", "--json", "-h"});
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->arguments, ElementsAre("--json", "-h"));
}

// Boost would take --js for --json.
TEST(OptionsTest, NothingIsGuessed) {
  EXPECT_EQ(ErrorOf({"--js"}), "unknown option '--js'" + kSeeHelp);
  EXPECT_EQ(ErrorOf({"--jso"}),
            "unknown option '--jso'; did you mean '--json'?");
  EXPECT_EQ(ErrorOf({"-x"}), "unknown option '-x'" + kSeeHelp);
  EXPECT_EQ(ErrorOf({"---"}), "unknown option '---'" + kSeeHelp);
}

TEST(OptionsTest, SaysWhatAValueShouldBe) {
  EXPECT_EQ(ErrorOf({"--output"}), "--output: expected a value");
  EXPECT_EQ(ErrorOf({"--output", ""}), "--output: expected a value");
  EXPECT_EQ(ErrorOf({"--budget-s="}),
            "--budget-s: expected none or a number from 0 to 1e+09");
  EXPECT_EQ(ErrorOf({"--json=yes"}), "--json: takes no value");
  for (const char* bad : {"x", "-1", "1.5", "", "99999999999999999999x",
                          "-99999999999999999999"}) {
    EXPECT_EQ(ErrorOf({std::string("--limit=") + bad}),
              std::string(*bad == '\0' ? "--limit: expected a value"
                                       : "--limit: expected a whole number of "
                                         "at least 0, not '" +
                                             std::string(bad) + "'"));
  }
  EXPECT_EQ(ErrorOf({"--limit=9223372036854775808"}),
            "--limit: expected a whole number below 2^63, not "
            "'9223372036854775808'");
}

TEST(OptionsTest, CountsItsArguments) {
  EXPECT_EQ(ErrorOf({}, "NODE"), "missing NODE" + kSeeHelp);
  EXPECT_EQ(ErrorOf({"1"}, "A B"), "missing B" + kSeeHelp);
  EXPECT_EQ(ErrorOf({"1", "2", "3"}, "A B"), "unexpected '3'" + kSeeHelp);
  EXPECT_EQ(ErrorOf({"1"}, ""), "unexpected '1'" + kSeeHelp);
  EXPECT_EQ(ErrorOf({"x.db"}, ""),
            "unexpected 'x.db'; a database is named by --db x.db");
  EXPECT_EQ(ErrorOf({}, "[SQL]"), "none");
  EXPECT_EQ(ErrorOf({}, "TASK..."), "missing TASK" + kSeeHelp);
  EXPECT_EQ(ErrorOf({"1", "2", "3"}, "TASK..."), "none");
}

TEST(OptionsTest, HelpStopsTheSearchForErrors) {
  const auto parsed = ParseWords(Sample("NODE"), {"-h"});
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->help);
}

TEST(OptionsTest, APlaceholderMayNameAllThatIsTaken) {
  EXPECT_EQ(ErrorOf({"--on", "sea"}), "none");
  EXPECT_EQ(ErrorOf({"--on", "sae"}),
            "--on sae: expected land or sea; did you mean 'sea'?");
}

TEST(OptionsTest, AnOptionOfAnotherActionSaysWhose) {
  const auto parsed =
      ParseWords(*FindAction(*FindVerb("report"), "best"), {"--output", "x"});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().what,
            "unknown option '--output'; it goes with report visualize, report "
            "merge");
}

TEST(OptionsTest, AnOptionGivenTwiceIsRefused) {
  EXPECT_EQ(ErrorOf({"--limit", "1", "--limit", "2"}), "--limit: given twice");
}

TEST(OptionsTest, OnlyWhatMayRepeatIsGivenTwice) {
  Verb verb = Sample("[X...]");
  verb.options.push_back({"with", Takes::kTexts, "FILE", ""});
  const auto parsed =
      ParseWords(verb, {"--with", "b c", "--with=a", "--with", "a"});
  ASSERT_TRUE(parsed) << parsed.error().what;
  Invocation typed;
  typed.options = parsed->options;
  EXPECT_THAT(typed.Texts("with"), ElementsAre("b c", "a", "a"));
  EXPECT_THAT(typed.Texts("output"), ElementsAre());
  for (const char* option : {"--output", "--limit"}) {
    EXPECT_EQ(ErrorOf({option, "1", option, "1"}),
              std::string(option) + ": given twice");
  }
  EXPECT_EQ(ErrorOf({"--json", "--json"}), "--json: given twice");
  EXPECT_EQ(ErrorOf({"--budget-s", "1", "--budget-s", "2"}),
            "--budget-s: given twice");
  for (const Words& words : {Words{"--with", ""}, Words{"--with="},
                             Words{"--with", "a", "--with", ""}}) {
    EXPECT_EQ(ParseWords(verb, words).error().what, "--with: expected a value");
  }
}

}  // namespace
}  // namespace coppice::cli
