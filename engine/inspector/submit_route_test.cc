// POST /api/submit, for campaigns of each language.  More is in
// inspector_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/inspector/pages_fixture.h"
#include "store/records/node.h"

namespace coppice::inspector {
namespace {

using store::Must;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SubmitRouteTest : public PagesTest {
 protected:
  // A campaign whose root is of that language.
  void Plant(const std::string& name, Language language) {
    const CampaignId campaign =
        Must(store::Campaigns(first_).Create(store::SpecNamed(name)));
    NodeRecord root = store::RootNode();
    root.candidate->language = language;
    Must(store::Nodes(first_).Commit(campaign, std::nullopt, root, 1000.0));
  }

  http::Answer Submit(const std::string& campaign, const std::string& name,
                      const std::string& source = "int x;") {
    return Post("/api/submit",
                {{"c", campaign}, {"name", name}, {"source", source}});
  }

  std::vector<std::string> Claims() {
    return store::Rows(first_, "SELECT origin FROM claims ORDER BY claim");
  }
};

// Names of other files, or none, say nothing of a language.
TEST_F(SubmitRouteTest, AFileOfAnotherLanguageIsRefusedByItsName) {
  struct Case {
    Language language;
    const char* name;
    bool is_taken;
  };
  Plant("cpp", Language::kCpp);
  Plant("cuda", Language::kCuda);
  Plant("triton", Language::kTriton);
  Plant("python", Language::kPython);
  const std::map<Language, std::string> campaigns = {
      {Language::kCpp, "cpp"},
      {Language::kCuda, "cuda"},
      {Language::kTriton, "triton"},
      {Language::kPython, "python"}};
  int number = 0;
  for (const Case& each : {
           Case{Language::kCpp, "k.cc", true},
           Case{Language::kCpp, "k.cpp", true},
           Case{Language::kCpp, "k.cxx", true},
           Case{Language::kCpp, "k.c", true},
           Case{Language::kCpp, "k.txt", true},
           Case{Language::kCpp, "kernel", true},
           Case{Language::kCpp, "k.cu", false},
           Case{Language::kCpp, "k.py", false},
           Case{Language::kCuda, "k.cu", true},
           Case{Language::kCuda, "k.cuh", true},
           Case{Language::kCuda, "k.cc", false},
           Case{Language::kTriton, "k.py", true},
           Case{Language::kTriton, "k.cu", false},
           Case{Language::kPython, "k.py", true},
           Case{Language::kPython, "k.cc", false},
       }) {
    const http::Answer answer =
        Submit(campaigns.at(each.language), each.name,
               "int x" + std::to_string(++number) + ";");
    EXPECT_EQ(answer.status, each.is_taken ? 201 : 400)
        << each.name << answer.body;
    if (!each.is_taken) {
      EXPECT_THAT(Refusal(answer, 400), HasSubstr("are written in "));
    }
  }
}

TEST_F(SubmitRouteTest, BeforeItsRootACampaignTakesNone) {
  Must(store::Campaigns(first_).Create(store::SpecNamed("later")));
  EXPECT_EQ(Refusal(Submit("later", "k.cc"), 400),
            "later: its root was not measured yet; submit again once it was");
  EXPECT_THAT(Claims(), ElementsAre());
}

// A path's last name stays, which is a line of a table.
TEST_F(SubmitRouteTest, ANameIsALineThatATableHasRoomFor) {
  EXPECT_EQ(Submit("a", "/home/ann/../k.cc", "int a;").status, 201);
  EXPECT_EQ(Submit("a", std::string(80, 'k'), "int b;").status, 201);
  EXPECT_EQ(Submit("a", "\xc3\xa4.cc", "int c;").status, 201);
  EXPECT_THAT(Claims(),
              ElementsAre("k.cc", std::string(80, 'k'), "\xc3\xa4.cc"));
  EXPECT_THAT(Refusal(Submit("a", std::string(81, 'k')), 400),
              HasSubstr("name: is longer than 80 characters"));
  for (const char* name : {"a\tb.cc", "a\x1b[2J.cc", "a\r.cc", "a\x7f.cc"}) {
    EXPECT_THAT(Refusal(Submit("a", name), 400),
                HasSubstr("name: has control characters"));
  }
  for (const char* name : {"", "/", "a/"}) {
    EXPECT_THAT(Refusal(Submit("a", name), 400),
                HasSubstr("not a kernel: send"));
  }
  EXPECT_EQ(Claims().size(), 3u);
}

TEST_F(SubmitRouteTest, ASourceHasSomethingInItAndHalfAMegabyteAtMost) {
  for (const char* source : {"", " ", "\n\t\v\f\r "}) {
    EXPECT_EQ(Refusal(Submit("a", "k.cc", source), 400),
              "k.cc: holds no kernel");
  }
  EXPECT_EQ(Submit("a", "k.cc", std::string(500'000, 'x')).status, 201);
  EXPECT_THAT(Refusal(Submit("a", "k.cc", std::string(500'001, 'x')), 400),
              HasSubstr("has more than 500 kB"));
}

// The claim is the first one's; it is of no other campaign of the file.
TEST_F(SubmitRouteTest, ASourceIsOneClaimOfEachCampaign) {
  Plant("other", Language::kCpp);
  const json first = json::parse(Submit("a", "one.cc").body);
  const http::Answer again = Submit("a", "two.cc");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(json::parse(again.body)["claim"], first["claim"]);
  EXPECT_THAT(std::string(json::parse(again.body)["note"]),
              HasSubstr("was submitted before as one.cc"));
  EXPECT_EQ(Submit("other", "two.cc").status, 201);
  EXPECT_THAT(Claims(), ElementsAre("one.cc", "two.cc"));
}

// A finished campaign goes on with it: its budget grows by one.
TEST_F(SubmitRouteTest, AFinishedCampaignWaitsForWhoeverRunsIt) {
  Must(store::Campaigns(first_).Update(a_, store::CampaignState::kFinished, 0.0,
                                       2000.0));
  EXPECT_EQ(Submit("a", "k.cc").status, 201);
  const store::CampaignRow row = Must(store::Campaigns(first_).Find(a_));
  EXPECT_EQ(row.state, store::CampaignState::kPaused);
  EXPECT_EQ(row.spec.budget_attempts, 101);
}

}  // namespace
}  // namespace coppice::inspector
