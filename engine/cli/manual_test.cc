#include "engine/cli/manual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/keys.h"
#include "engine/cli/verbs.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// "\\-\\-budget\\-s" of "budget_s".
std::string Dashed(std::string_view name) {
  std::string text = "\\-\\-";
  for (const char c : config::OptionName(name)) {
    text += c == '-' ? "\\-" : std::string(1, c);
  }
  return text;
}

TEST(ManualTest, TheFirstPageNamesVerbsSettingsVariablesAndExitCodes) {
  const std::string page = OverallPage();
  EXPECT_THAT(page, StartsWith(".TH \"COPPICE\" 1 "));
  for (const Verb* verb : Verbs()) {
    // A verb may have a dash of its own, and one lies before each.
    EXPECT_THAT(
        page, HasSubstr(".BR coppice" + Dashed(verb->name).substr(2) + " (1)"));
  }
  for (const config::Key& key : config::Keys()) {
    EXPECT_THAT(page, HasSubstr("\n" + Dashed(key.name) + ", " +
                                config::EnvironmentName(key.name)));
  }
  EXPECT_THAT(page, HasSubstr(".SH \"EXIT STATUS\"\n.TP\n.B \"0\"\ndone\n"));
}

TEST(ManualTest, APageHasEveryOptionOfItsVerb) {
  for (const Verb* verb : Verbs()) {
    const std::string page = VerbPage(*verb);
    EXPECT_THAT(page, StartsWith(".TH \"COPPICE\\-"));
    std::vector<const Verb*> all = {verb};
    for (const Verb& action : verb->actions) {
      all.push_back(&action);
      EXPECT_THAT(page,
                  HasSubstr(".B \"coppice " + Dashed(action.name).substr(4)));
    }
    for (const Verb* each : all) {
      for (const Option& option : each->options) {
        EXPECT_THAT(page, HasSubstr(Dashed(option.name))) << each->name;
      }
      for (const std::string_view name : each->settings) {
        EXPECT_THAT(page, HasSubstr(Dashed(name))) << each->name;
      }
    }
  }
}

// A command over two lines ends in a backslash, which roff would eat.
TEST(ManualTest, ExamplesCanBeCopied) {
  EXPECT_THAT(VerbPage(*FindVerb("run")),
              HasSubstr("19_ReLU.py \\e\n"
                        "      \\-\\-code\\-model openai:MODEL\n"));
}

}  // namespace
}  // namespace coppice::cli
