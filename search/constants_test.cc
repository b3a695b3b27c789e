#include "search/constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace coppice::search {
namespace {

using ::testing::ElementsAre;

struct Rule {
  double share = 0.25;
  int width = 3;
};

constexpr ConstantOf<Rule> kRule[] = {
    {"share", &Rule::share, 0, 1},
    {"width", &Rule::width, 1, kMany},
};

std::string Complaint(std::string_view text) {
  const auto values = ReadConstants(text, Describe(kRule));
  return values ? "" : values.error().what;
}

TEST(ConstantsTest, WhatIsNotGivenIsTheDefault) {
  const std::vector<Constant> constants = Describe(kRule);
  EXPECT_THAT(ReadConstants("", constants).value(), ElementsAre(0.25, 3.0));
  EXPECT_THAT(ReadConstants("width=8", constants).value(),
              ElementsAre(0.25, 8.0));
  const Rule rule =
      OptionsOf(kRule, ReadConstants("width=8,share=1", constants).value());
  EXPECT_EQ(rule.share, 1.0);
  EXPECT_EQ(rule.width, 8);
}

TEST(ConstantsTest, OneSpellingIsPrintedForEachWayToSayIt) {
  const std::vector<Constant> constants = Describe(kRule);
  const auto spelt = [&](std::string_view text) {
    return PrintConstants(constants, ReadConstants(text, constants).value());
  };
  EXPECT_EQ(spelt("width=4,share=0.50"), "share=0.5,width=4");
  EXPECT_EQ(spelt("share=5e-1,width=4"), "share=0.5,width=4");
  EXPECT_EQ(spelt("share=0.25,width=3"), "");
}

TEST(ConstantsTest, AComplaintSaysWhatThereIs) {
  EXPECT_EQ(Complaint("breadth=2"),
            "has no constant 'breadth'; it has share=0.25 (0 to 1), width=3 (1 "
            "or more)");
  EXPECT_EQ(Complaint("share=1.5"), "share=1.5: expected a number, 0 to 1");
  EXPECT_EQ(Complaint("share=nan"), "share=nan: expected a number, 0 to 1");
  EXPECT_EQ(Complaint("width=2.5"),
            "width=2.5: expected a whole number, 1 or more");
  EXPECT_EQ(Complaint("width"), "width=: expected a whole number, 1 or more");
  EXPECT_EQ(Complaint("width=2,width=2"), "width is given twice");
  const auto none = ReadConstants("x=1", {});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().what, "has no constant 'x'; it has no constants");
}

}  // namespace
}  // namespace coppice::search
