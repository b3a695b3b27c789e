#include "search/landscapes/fitted_law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::search {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText =
    "terrain weak\nceiling_shape 4.5\nceiling_scale 0.7667\nfirst_hop 2\n"
    "first_hop_sd 0.4\nfollows 0.5797\nconservative 0.2\nshortfall 1.087\n"
    "step 0.1285\ninherited 0.4\nimproves 0.3\ngap 1.2\ncompiles 0.9\n"
    "is_right 0.95\nfeedback -0.636\nrepairs 0.75\nnoise 0.08\n";

std::string ComplaintOf(const std::string& text) {
  const auto law = ParseFittedLaw(text);
  return law ? "" : law.error().what;
}

TEST(FittedLawTest, ATextIsReadAndWrittenAsItWas) {
  const auto law = ParseFittedLaw(std::string("# of live.db\n\n") + kText);
  ASSERT_TRUE(law.has_value()) << law.error().what;
  EXPECT_EQ(law->family, Family::kWeak);
  EXPECT_EQ(law->ceilings.shape, 4.5);
  EXPECT_EQ(law->parameters.alone.repairs, 0.75);
  EXPECT_EQ(law->parameters.team.repairs, 0.75);
  EXPECT_EQ(law->parameters.feedback, -0.636);
  EXPECT_EQ(law->parameters.window_gain, 0.0);
  EXPECT_EQ(Render(*law), kText);
}

TEST(FittedLawTest, WhatIsWrongIsNamedWithItsLine) {
  const std::string text = kText;
  EXPECT_EQ(ComplaintOf(text.substr(text.find('\n') + 1)),
            "terrain is missing");
  EXPECT_EQ(ComplaintOf("terrain hill\n"), "ceiling_shape is missing");
  EXPECT_EQ(ComplaintOf("terrain nk\n"),
            "line 1: terrain 'nk' is neither weak nor hill");
  EXPECT_EQ(ComplaintOf(text + "steps 1\n"),
            "line 18: 'steps' is no number of a fitted landscape");
  EXPECT_EQ(ComplaintOf(text + "step 1\n"), "line 18: 'step' is there twice");
  EXPECT_EQ(ComplaintOf("step\n"), "line 1: expected a name and its value");
  for (const char* value : {"1", "nan", "-0.1", "0.5x"}) {
    EXPECT_THAT(ComplaintOf(std::string("compiles ") + value),
                HasSubstr("is not a number that it can be"))
        << value;
  }
}

TEST(FittedLawTest, OrderBlanksAndCommentsAreFree) {
  std::string backwards;
  std::string text = kText;
  while (!text.empty()) {
    text.pop_back();
    const std::size_t line = text.rfind('\n') + 1;
    backwards += "  " + text.substr(line) + " \n\n# more\n";
    text.erase(line);
  }
  const auto law = ParseFittedLaw(backwards);
  ASSERT_TRUE(law.has_value()) << law.error().what;
  EXPECT_EQ(Render(*law), kText);
}

TEST(FittedLawTest, EachNumberMustBeThere) {
  const std::string text = kText;
  for (const char* name : {"ceiling_scale", "first_hop_sd", "follows", "gap",
                           "improves", "noise", "is_right"}) {
    std::string other = text;
    const std::size_t at = other.find("\n" + std::string(name) + " ") + 1;
    other.erase(at, other.find('\n', at) + 1 - at);
    EXPECT_EQ(ComplaintOf(other), std::string(name) + " is missing");
  }
  EXPECT_EQ(ComplaintOf(""), "terrain is missing");
  EXPECT_EQ(ComplaintOf("step 1 2\n"), "line 1: expected a name and its value");
}

TEST(FittedLawTest, EachNumberHasItsBounds) {
  const auto is_taken = [](const std::string& name, const std::string& value) {
    std::string text = kText;
    const std::size_t at = text.find("\n" + name + " ") + name.size() + 2;
    text.replace(at, text.find('\n', at) - at, value);
    return ParseFittedLaw(text).has_value();
  };
  struct Case {
    const char* name;
    const char* inside;
    const char* outside;
  };
  for (const auto& [name, inside, outside] :
       {Case{"ceiling_shape", "1e-12", "0"},
        Case{"ceiling_scale", "1e6", "1e7"}, Case{"first_hop", "-1e6", "-2e6"},
        Case{"first_hop_sd", "0", "-1"}, Case{"follows", "-3", "1e9"},
        Case{"conservative", "1", "1.1"}, Case{"shortfall", "0", "-0.1"},
        Case{"step", "2", "inf"}, Case{"inherited", "-1", "-1.1"},
        Case{"improves", "0", "1.01"}, Case{"gap", "0", "-1"},
        Case{"compiles", "0.999", "0"}, Case{"is_right", "0.001", "1"},
        Case{"feedback", "-9", "nan"}, Case{"repairs", "0.5", "1"},
        Case{"noise", "0", "-0.01"}}) {
    EXPECT_TRUE(is_taken(name, inside)) << name;
    EXPECT_FALSE(is_taken(name, outside)) << name;
  }
}

}  // namespace
}  // namespace coppice::search
