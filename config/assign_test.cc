// Texts of every kind of setting at their limits, and just past them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/keys.h"

namespace coppice::config {
namespace {

// What Print shows after `text` was assigned; else "! " and the error.
std::string Assigned(const Key& key, std::string_view text) {
  Settings settings;
  const std::string before = Print(key, settings);
  if (const auto done = Assign(key, text, settings); !done) {
    EXPECT_EQ(done.error().code, Errc::kUsage);
    EXPECT_EQ(Print(key, settings), before) << key.name << " " << text;
    return "! " + done.error().what;
  }
  return Print(key, settings);
}

std::string Assigned(std::string_view key, std::string_view text) {
  return Assigned(*FindKey(key), text);
}

bool IsRefused(std::string_view key, std::string_view text) {
  return Assigned(key, text).starts_with("! ");
}

struct Limits {
  const char* key;
  const char* least;
  const char* most;
  const char* below;
  const char* above;
};

// By the table of keys.cc, one of each range that there is.
TEST(AssignTest, BothLimitsOfANumberAreItsOwnAndNothingBeyond) {
  constexpr Limits kLimits[] = {
      {"budget", "0", "1000000000000000", "-1", "1000000000000001"},
      {"tuning_trials", "0", "1000", "-1", "1001"},
      {"parallel", "1", "256", "0", "257"},
      {"threads", "1", "4096", "0", "4097"},
      {"session_calls", "1", "10000", "0", "10001"},
      {"max_output_tokens", "1", "10000000", "0", "10000001"},
      {"window_history", "0", "1000", "-1", "1001"},
      {"cache_limit_mb", "1", "1000000000", "0", "1000000001"},
      {"seed", "0", "18446744073709551615", "-1", "18446744073709551616"},
      {"budget_s", "0", "1e+09", "-0.1", "1000000001"},
      {"lease_s", "1", "1e+09", "0.999", "1000000000.1"},
      {"compile_timeout_s", "0.1", "1e+09", "0.09999", "2e9"},
      {"policy_timeout_s", "0.1", "1e+09", "0.0999999999999", "1e10"},
      {"quiet_wait_s", "0", "1e+09", "-1e-9", "1e10"},
      {"stop_at_speedup", "0.001", "1e+09", "0.0009", "1e10"},
      {"stop_without_gain", "1", "1e+09", "0.5", "1e10"},
      {"plan_temperature", "0", "2", "-0.01", "2.01"},
      {"model_retries", "0", "100", "-1", "100.5"},
      {"model_failures", "1", "1000", "0", "1001"},
      {"cap_usd", "0", "1e+09", "-0.01", "1.1e9"},
      {"cap_tokens", "0", "1e+15", "-1", "1.1e15"},
  };
  for (const Limits& row : kLimits) {
    EXPECT_EQ(Assigned(row.key, row.least), row.least) << row.key;
    EXPECT_EQ(Assigned(row.key, row.most), row.most) << row.key;
    EXPECT_TRUE(IsRefused(row.key, row.below)) << row.key;
    EXPECT_TRUE(IsRefused(row.key, row.above)) << row.key;
  }
}

// A default outside of its own range could not be said again.
TEST(AssignTest, EveryNumberHasARangeWithItsDefaultInIt) {
  const Settings defaults;
  for (const Key& key : Keys()) {
    const bool is_number =
        std::holds_alternative<std::int64_t Settings::*>(key.member) ||
        std::holds_alternative<double Settings::*>(key.member) ||
        std::holds_alternative<std::optional<double> Settings::*>(key.member);
    EXPECT_EQ(is_number, key.range.most > key.range.least) << key.name;
    if (!is_number) continue;
    const std::string text = Print(key, defaults);
    if (text == "none") continue;
    EXPECT_LE(key.range.least, std::stod(text)) << key.name;
    EXPECT_GE(key.range.most, std::stod(text)) << key.name;
  }
}

TEST(AssignTest, AWholeNumberIsDigitsAndNothingElse) {
  for (const char* text : {"", " 3", "3 ", "+3", "3.0", "3e1", "0x3", "3,000",
                           "three", "3;", "- 3", "nan", "inf", "none"}) {
    EXPECT_EQ(Assigned("budget", text),
              "! expected a whole number from 0 to 1e+15")
        << text;
    EXPECT_EQ(Assigned("seed", text),
              "! expected a whole number from 0 to 18446744073709551615")
        << text;
  }
  EXPECT_EQ(Assigned("budget", "007"), "7");
  EXPECT_EQ(Assigned("seed", "007"), "7");
}

TEST(AssignTest, ANumberMayHaveAPointAndAnExponent) {
  EXPECT_EQ(Assigned("lease_s", "90.5"), "90.5");
  EXPECT_EQ(Assigned("lease_s", "1e3"), "1000");
  EXPECT_EQ(Assigned("cap_usd", ".5"), "0.5");
  EXPECT_EQ(Assigned("cap_usd", "0.1"), "0.1");  // No more digits than said.
  for (const char* text : {"", " 3", "3 ", "+3", "0x3", "3,5", "3s", "inf",
                           "-inf", "nan", "1e400", "3e", "--3"}) {
    EXPECT_EQ(Assigned("lease_s", text), "! expected a number from 1 to 1e+09")
        << text;
    EXPECT_EQ(Assigned("cap_usd", text),
              "! expected none or a number from 0 to 1e+09")
        << text;
  }
}

TEST(AssignTest, EveryChoiceIsTakenAsItIsSpelledAndNothingElse) {
  int keys = 0;
  for (const Key& key : Keys()) {
    const std::vector<std::string> choices = Choices(key.placeholder);
    if (choices.empty()) continue;
    ++keys;
    for (const std::string& choice : choices) {
      EXPECT_EQ(Assigned(key, choice), choice) << key.name;
      for (const std::string& other :
           {choice + " ", " " + choice, choice + "|",
            choice.substr(0, choice.size() - 1),
            std::string(1, static_cast<char>(choice[0] - 32)) +
                choice.substr(1)}) {
        EXPECT_TRUE(Assigned(key, other).starts_with("! expected "))
            << key.name << " '" << other << "'";
      }
    }
    EXPECT_TRUE(Assigned(key, "").starts_with("! expected ")) << key.name;
    EXPECT_TRUE(Assigned(key, key.placeholder).starts_with("! ")) << key.name;
  }
  EXPECT_GT(keys, 10);
}

TEST(AssignTest, WhatMayBeUnsetIsUnsetByNone) {
  int keys = 0;
  for (const Key& key : Keys()) {
    const bool is_optional =
        std::holds_alternative<std::optional<double> Settings::*>(key.member) ||
        std::holds_alternative<std::optional<std::string> Settings::*>(
            key.member);
    if (!is_optional) continue;
    ++keys;
    EXPECT_EQ(Assigned(key, "none"), "none") << key.name;
    EXPECT_TRUE(Assigned(key, "").starts_with("! expected ")) << key.name;
    EXPECT_NE(Assigned(key, "None"), "none") << key.name;
  }
  EXPECT_GT(keys, 30);
}

TEST(AssignTest, AnEmptyTextIsNoValueOfAnyKey) {
  for (const Key& key : Keys()) {
    EXPECT_TRUE(Assigned(key, "").starts_with("! expected ")) << key.name;
  }
}

TEST(AssignTest, AUrlHasASchemeAndAHostAndNoSecret) {
  for (const char* good :
       {"http://h", "https://h/v1", "http://127.0.0.1:8080/v1",
        "http://[::1]:8080", "https://h?api-version=1", "http://h/"}) {
    EXPECT_EQ(Assigned("openai_base_url", good), good);
    EXPECT_EQ(Assigned("anthropic_base_url", good), good);
  }
  const std::string scheme = "! expected a URL, http:// or https://";
  for (const char* bad : {"h/v1", "HTTP://h", "ftp://h", "http:/h", "http:h",
                          " http://h", "localhost:8080", "//h"}) {
    EXPECT_EQ(Assigned("openai_base_url", bad), scheme) << bad;
  }
  for (const char* bad : {"http://", "https://", "http:///v1", "http://:80",
                          "http://?a", "http://#a", "http:// h"}) {
    EXPECT_EQ(Assigned("openai_base_url", bad), "! expected a URL with a host")
        << bad;
  }
  for (const char* bad : {"http://me@h", "http://me:sk@h/v1", "http://h/a@b"}) {
    EXPECT_EQ(Assigned("openai_base_url", bad),
              "! expected a URL without a user or password")
        << bad;
  }
}

TEST(AssignTest, TheNameOfAVariableIsOfCapitals) {
  for (const char* good : {"OPENAI_API_KEY", "K", "_", "K2", "A__B"}) {
    EXPECT_EQ(Assigned("openai_api_key_env", good), good);
    EXPECT_EQ(Assigned("anthropic_api_key_env", good), good);
  }
  for (const char* bad : {"sk-ant-api03", "key", "Key", "A-B", "A B", "$KEY",
                          "KEY=1", "A\n", "\xC3\x84"}) {
    EXPECT_EQ(Assigned("openai_api_key_env", bad),
              "! expected the NAME of an environment variable, in capitals; "
              "the key itself belongs in that variable")
        << bad;
  }
  EXPECT_EQ(Assigned("openai_api_key_env", ""), "! expected a value");
}

// Those of OpenAI and Anthropic begin with sk-, wherever a command has them.
TEST(AssignTest, ACommandWithAKeyInItIsRefused) {
  for (const char* key : {"openai_key_command", "anthropic_key_command"}) {
    for (const char* good : {"pass show key", "cat ~/.key", "none",
                             "ask-pass openai", "./desk-key", "task-2-sks"}) {
      EXPECT_EQ(Assigned(key, good), good);
    }
    for (const char* bad :
         {"sk-a", "echo sk-ant-1", "printf 'sk-a'", "echo \"sk-a\"",
          "K=sk-a; echo $K", "echo\tsk-a", "echo a-sk-a", "desk-key sk-a"}) {
      EXPECT_EQ(Assigned(key, bad),
                "! expected a command that prints the key, not the key itself")
          << bad;
    }
  }
}

TEST(AssignTest, OnlyAChoiceThatIsNearIsGuessed) {
  EXPECT_EQ(Assigned("grounding", "require"),
            "! expected used, required or off; did you mean 'required'?");
  EXPECT_EQ(Assigned("grounding", "of"),
            "! expected used, required or off; did you mean 'off'?");
  EXPECT_EQ(Assigned("grounding", "everything"),
            "! expected used, required or off");
  EXPECT_EQ(CheckChoice("b", {"a"}).error().what,
            "expected a; did you mean 'a'?");
}

TEST(AssignTest, ChoicesAreBetweenTheirBars) {
  EXPECT_EQ(Choices("a|b|c"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(Choices("a||c"), (std::vector<std::string>{"a", "", "c"}));
  EXPECT_EQ(Choices("|"), (std::vector<std::string>{"", ""}));
}

}  // namespace
}  // namespace coppice::config
