#include "agents/provider/asked_command.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace coppice::agents {
namespace {

CommandOptions Named(const std::string& provider) {
  CommandOptions options;
  options.provider = provider;
  return options;
}

TEST(AskedCommandTest, TheSystemsPromptComesFirst) {
  ModelRequest request;
  request.user_prompt = "Go.";
  EXPECT_EQ(PromptsOf(request), "Go.");
  request.system_prompt = "Be quick.";
  EXPECT_EQ(PromptsOf(request), "Be quick.\n\nGo.");
}

TEST(AskedCommandTest, AMissingProgramIsTheUsersMistake) {
  const Error error =
      AskedCommand(Named("p")).NotRun({Errc::kNotFound, "x: none"});
  EXPECT_EQ(error.code, Errc::kUsage);
  EXPECT_EQ(error.what, "p: x: none (is it installed?)");
}

TEST(AskedCommandTest, OneThatIsTooSlowMayHaveMoreTime) {
  const Error error =
      AskedCommand(Named("p")).NotRun({Errc::kTimeout, "x: slow"});
  EXPECT_EQ(error.code, Errc::kTimeout);
  EXPECT_EQ(error.what, "p: x: slow (model_timeout_s allows for more)");
}

TEST(AskedCommandTest, OneThatSaidTooMuchMaySayLessAnotherTime) {
  const Error error =
      AskedCommand(Named("p")).NotRun({Errc::kCorrupt, "x: long"});
  EXPECT_EQ(error.code, Errc::kUnavailable);
  EXPECT_EQ(error.what, "p: x: long");
}

// The third failure of one that never worked is told as a mistake.
TEST(AskedCommandTest, WhatHasNeverWorkedIsNotWaitedFor) {
  AskedCommand command(Named("p"));
  EXPECT_EQ(command.Failed(1, "").error.what, "p: exit code 1 and no word why");
  EXPECT_EQ(command.Failed(2, "no").error.code, Errc::kUnavailable);
  const Refusal third = command.Failed(2, "no");
  EXPECT_EQ(third.error.code, Errc::kUsage);
  EXPECT_EQ(third.error.what,
            "p: exit code 2: no; it has never worked, so nothing waits for "
            "it: try it by hand");
  EXPECT_EQ(third.again, Again::kNever);
  EXPECT_TRUE(third.may_be_billed);
}

TEST(AskedCommandTest, WhatHasWorkedIsWaitedFor) {
  AskedCommand command(Named("p"));
  (void)command.Failed(1, "");
  command.Worked();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(command.Failed(1, "").error.code, Errc::kUnavailable);
  }
}

TEST(AskedCommandTest, AnErrorShowsNoKeyThatTheCommandWasGiven) {
  setenv("COPPICE_TEST_SECRET", "correct-horse", 1);
  CommandOptions options = Named("p");
  options.env = {"COPPICE_TEST_SECRET"};
  const AskedCommand command(options);
  EXPECT_EQ(command.Keyless("a correct-horse"), "a [key]");
  EXPECT_EQ(command.Named(Errc::kUsage, "correct-horse, sk-0123456789ab").what,
            "p: [key], [key]");
  unsetenv("COPPICE_TEST_SECRET");
}

// Without a price nothing is known of the cost, nor without a limit.
TEST(PricedTest, ABoundCostsWhatItsTokensMayCost) {
  Prices prices;
  prices.rates = {
      .input = 2e6, .cached_input = 2e6, .cache_write = 3e6, .output = 5e6};
  const Bound priced = Priced({.input_tokens = 10, .output_tokens = 4}, prices);
  EXPECT_DOUBLE_EQ(priced.input_usd, 30.0);         // All of it may be written.
  EXPECT_DOUBLE_EQ(priced.cost_usd.value(), 50.0);  // And 4 * 5.
  EXPECT_EQ(Priced({.input_tokens = 10, .output_tokens = 4}, {}).cost_usd,
            std::nullopt);
  EXPECT_EQ(Priced({.input_tokens = 10}, prices).cost_usd, std::nullopt);
}

}  // namespace
}  // namespace coppice::agents
