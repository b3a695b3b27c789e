// A page of facts that are made up; export_report_test.cc has pages of
// campaigns.
#include "engine/cli/report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/records/tier.h"
#include "store/scratch.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A campaign whose best is node 2, 4 times as fast as the root of 4 s.
class ReportPageTest : public ::testing::Test {
 protected:
  ReportPageTest() {
    facts_.standing.row.spec = store::SpecNamed("a");
    facts_.standing.row.nodes = 4;
    facts_.standing.row.root_runtime_s = 4.0;
    facts_.standing.state = "finished";
    facts_.leaders = {LeaderOf(2, Around(4.0, 0.01)),
                      LeaderOf(1, Around(2.0, 0.01))};
  }

  static store::NodeLine LineOf(std::int64_t node,
                                std::optional<Speedup> speedup) {
    store::NodeLine line;
    line.node = NodeId{node};
    if (node > 0) line.parent = NodeId{node - 1};
    line.verdict = speedup ? Verdict::kPassed : Verdict::kCrashed;
    line.speedup = speedup;
    line.technique = "technique" + std::to_string(node);
    return line;
  }
  static store::Leader LeaderOf(std::int64_t node, const Speedup& speedup,
                                bool is_confirmed = false) {
    return {LineOf(node, speedup), is_confirmed};
  }
  std::string Page() const { return PageOf(facts_, engine::Redaction({})); }
  // What is between these two on the page.
  std::string Between(std::string_view begin, std::string_view end) const {
    const std::string page = Page();
    const std::size_t from = page.find(begin);
    if (from == page.npos) return "no '" + std::string(begin) + "'";
    const std::size_t to = page.find(end, from + begin.size());
    return page.substr(from + begin.size(), to - from - begin.size());
  }
  std::string Section(const std::string& id) const {
    return Between("<h2 id=\"" + id + "\">", "<h2 ");
  }
  std::string Sentence() const { return Between("</dl>\n<p>", "</p>"); }

  ReportFacts facts_;
};

// 4 / e^0.01 and 4 e^0.01 are 3.96 and 4.04.
TEST_F(ReportPageTest, ASentenceSaysHowSureTheBestIs) {
  EXPECT_EQ(Sentence(),
            "The best is 4.00x (95 % interval 3.96-4.04) the root&#39;s speed: "
            "1.00 s where the root took 4.00 s.");
  facts_.leaders[0] = LeaderOf(2, Around(1.001, 0.01));
  EXPECT_EQ(Sentence(),
            "It cannot be told that the best is faster than the root.");
  facts_.leaders[0] = LeaderOf(2, Speedup{4.0, {}});
  EXPECT_EQ(Sentence(),
            "It cannot be told that the best is faster than the root.");
  facts_.leaders[0] = LeaderOf(0, Speedup{1.0, Interval{1.0, 1.0}});
  EXPECT_EQ(Sentence(), "Nothing that was tried beats the root.");
}

TEST_F(ReportPageTest, TheNextBestIsToldApartOrNot) {
  facts_.standing.rival = engine::Rival{NodeId{1}, Around(2.0, 0.01)};
  EXPECT_THAT(Sentence(),
              HasSubstr(" It is told apart from the next best, node 1."));
  facts_.standing.rival = engine::Rival{NodeId{1}, Around(1.0, 0.01)};
  EXPECT_THAT(
      Sentence(),
      HasSubstr(" It cannot be told apart from the next best, node 1."));
}

TEST_F(ReportPageTest, WithoutARootsTimeNoTimeIsTold) {
  facts_.standing.row.root_runtime_s.reset();
  EXPECT_EQ(Sentence(),
            "The best is 4.00x (95 % interval 3.96-4.04) the root&#39;s "
            "speed.");
  EXPECT_EQ(Page().find("the root takes"), std::string::npos);
}

TEST_F(ReportPageTest, WhereNothingPassedEverySectionSaysSo) {
  facts_.leaders.clear();
  facts_.standing.row.nodes = 0;
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("<dd>nothing passed</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>attempts</dt><dd>0 of 100</dd>"));
  EXPECT_THAT(Section("leaders"), HasSubstr("<p>Nothing passed.</p>"));
  EXPECT_THAT(Section("lineage"), HasSubstr("<p>There is no best.</p>"));
  EXPECT_THAT(Section("source"), HasSubstr("<p>There is none.</p>"));
  EXPECT_THAT(Section("failures"), HasSubstr("<p>Nothing did.</p>"));
  EXPECT_THAT(Section("judging"), HasSubstr("Nothing was measured."));
}

TEST_F(ReportPageTest, LeadersStandBesideTheFirst) {
  facts_.leaders.push_back(LeaderOf(3, Around(3.99, 0.01), true));
  const std::string leaders = Section("leaders");
  EXPECT_THAT(leaders, HasSubstr("<td class=n>1<td class=n>2<td class=n>4.00x "
                                 "(3.96-4.04)<td>"));
  EXPECT_THAT(leaders, HasSubstr("</svg><td><td><td class=word><code>technique2"
                                 "</code>\n"));
  EXPECT_THAT(leaders, HasSubstr("</svg><td>slower<td><td class=word><code>"
                                 "technique1</code>\n"));
  EXPECT_THAT(leaders, HasSubstr("</svg><td>not told from it<td>yes<td class="
                                 "word><code>technique3</code>\n"));
}

TEST_F(ReportPageTest, WhoSubmittedAKernelStandsBesideIt) {
  store::ClaimLine claim;
  claim.author = "Ann & Bob";
  facts_.claims.emplace(NodeId{2}, claim);
  facts_.claims.emplace(NodeId{1}, store::ClaimLine{});
  const std::string leaders = Section("leaders");
  EXPECT_THAT(leaders, HasSubstr("technique2</code> <span class=by>by Ann "
                                 "&amp; Bob</span>"));
  EXPECT_THAT(leaders, HasSubstr("technique1</code> <span class=by>submitted"
                                 "</span>"));
}

// On a scale from 1 to 100 by logarithms 10 is in the middle: 70 of 140, with 5
// at each end.
TEST_F(ReportPageTest, IntervalsAreDrawnOnOneScale) {
  facts_.leaders = {LeaderOf(2, Speedup{10.0, Interval{1.0, 100.0}}),
                    LeaderOf(1, Speedup{10.0, {}})};
  const std::string leaders = Section("leaders");
  EXPECT_THAT(leaders, HasSubstr("<path class=bar d=\"M5.0 7H135.0\"/><circle "
                                 "class=knob cx=70.0 cy=7 r=3.5 /></svg>"));
  EXPECT_THAT(leaders, HasSubstr("aria-hidden=true><circle class=knob cx=70.0 "
                                 "cy=7 r=3.5 /></svg>"));
}

TEST_F(ReportPageTest, OneKernelAloneIsInTheMiddleOfItsScale) {
  facts_.leaders = {LeaderOf(2, Speedup{3.0, {}})};
  EXPECT_THAT(Section("leaders"), HasSubstr("cx=70.0 cy=7"));
}

LineageStep StepOf(const store::NodeLine& line, const std::string& diff,
                   const std::string& advice) {
  LineageStep step;
  step.ancestor.line = line;
  step.ancestor.advice = advice;
  step.diff = diff;
  return step;
}

TEST_F(ReportPageTest, EachStepIsHeldAgainstTheOneBefore) {
  store::NodeLine root = LineOf(0, Speedup{1.0, Interval{1.0, 1.0}});
  facts_.lineage = {StepOf(root, "", ""),
                    StepOf(LineOf(1, std::nullopt),
                           "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n", "fix it"),
                    StepOf(LineOf(2, Speedup{4.0, {}}), "", "tile it"),
                    StepOf(LineOf(3, Speedup{6.0, {}}), "", "")};
  const std::string lineage = Section("lineage");
  EXPECT_THAT(lineage,
              HasSubstr("<li><strong>node 0</strong> 1x: <code>the root"
                        "</code></li>\n"));
  EXPECT_THAT(lineage, HasSubstr("<li><strong>node 1</strong> crashed: <code>"
                                 "technique1</code><p class=soft>fix it</p>"));
  EXPECT_THAT(lineage,
              HasSubstr("<pre tabindex=0><span>--- a</span><span>+++ b</span>"
                        "<span class=h>@@ -1 +1 @@</span><span class=d>-x"
                        "</span><span class=a>+y</span><span> z</span></pre>"));
  // What did not pass is nothing to be held against.
  EXPECT_THAT(lineage, HasSubstr("node 2</strong> 4x (?): <code>"));
  EXPECT_THAT(lineage, HasSubstr("node 3</strong> 6x (?), 1.50x the speed of "
                                 "the step before: <code>"));
}

// 300 kB of changes: the first takes all but one, of which the second has but a
// part, and nothing is left for the third.
TEST_F(ReportPageTest, ChangesThatAreTooLongAreCut) {
  const store::NodeLine line = LineOf(1, Speedup{2.0, {}});
  const std::string rest =
      "<p>The rest is left out, since the report has room for 300 kB of "
      "changes.</p>";
  facts_.lineage = {StepOf(line, std::string(299'999, 'a'), ""),
                    StepOf(line, "bc", ""), StepOf(line, "d", "")};
  const std::string page = Section("lineage");
  EXPECT_THAT(page, HasSubstr("<span>b</span></pre>\n" + rest));
  EXPECT_THAT(page, Not(HasSubstr("bc")));
  EXPECT_THAT(page, Not(HasSubstr("<span>d</span>")));
}

// No half of a character is left: of the three bytes that begin before the
// limit, none.
TEST_F(ReportPageTest, ASourceIsCutBetweenCharacters) {
  facts_.lineage = {StepOf(LineOf(1, Speedup{2.0, {}}), "", "")};
  facts_.source = std::string(199'999, 'a') + "\xE2\x82\xAC";
  const std::string source = Section("source");
  EXPECT_THAT(source, HasSubstr("a</pre>\nThe first 200 kB of 200002 bytes."));
  EXPECT_THAT(source, Not(HasSubstr("\xEF\xBF\xBD")));
  facts_.source = std::string(199'997, 'a') + "\xE2\x82\xAC";
  EXPECT_THAT(Section("source"), AllOf(HasSubstr("a\xE2\x82\xAC</pre>"),
                                       Not(HasSubstr("The first"))));
}

FailureExample FailureOf(std::int64_t count, const std::string& line,
                         const std::string& log) {
  FailureExample failure;
  failure.group.verdict = Verdict::kRejected;
  failure.group.line = line;
  failure.group.count = count;
  failure.group.nodes = {1, 2};
  failure.log = log;
  return failure;
}

TEST_F(ReportPageTest, FailuresAreToldWithTheirTechniquesAndNodes) {
  facts_.failing = 9;
  FailureExample failure = FailureOf(9, "reads the clock", "<log>");
  failure.group.rule = "clock";
  failure.group.techniques = {{"a", 1}, {"b", 4}, {"c", 2}, {"d", 2}};
  facts_.failures = {failure, FailureOf(2, "", "")};
  const std::string failures = Section("failures");
  EXPECT_THAT(failures,
              HasSubstr("<td class=n>9<td class=fail>rejected (clock)<td class="
                        "word><details><summary>reads the clock</summary><pre "
                        "tabindex=0>&lt;log&gt;</pre></details>"));
  // The most of them first, and of equals in the order of the alphabet.
  EXPECT_THAT(failures,
              HasSubstr("<td class=word>b 4, c 2, d 2, ...<td>1, 2, ...\n"));
  EXPECT_THAT(failures, HasSubstr("<summary>nothing was said</summary>"));
  EXPECT_THAT(failures, HasSubstr("<td class=word><td>1, 2\n"));
}

TEST_F(ReportPageTest, SmallGroupsOfFailuresAreLeftOutBeyondThirty) {
  for (int i = 0; i < 32; ++i) {
    facts_.failures.push_back(FailureOf(2, "line" + std::to_string(i), ""));
  }
  const std::string failures = Section("failures");
  EXPECT_THAT(failures, AllOf(HasSubstr("line29<"), Not(HasSubstr("line30<"))));
  EXPECT_THAT(failures, HasSubstr("<p>2 smaller groups are left out.</p>"));
  facts_.failures.resize(30);
  EXPECT_THAT(Section("failures"), Not(HasSubstr("left out")));
}

TEST_F(ReportPageTest, ALongLogIsCut) {
  facts_.failures = {
      FailureOf(2, std::string(301, 'y'), std::string(2'001, 'x'))};
  const std::string failures = Section("failures");
  EXPECT_THAT(failures,
              HasSubstr(">" + std::string(2'000, 'x') + "\n...</pre>"));
  EXPECT_THAT(failures,
              HasSubstr("<summary>" + std::string(300, 'y') + "</summary>"));
}

Evaluation Measured(Tier tier, double seconds) {
  Evaluation evaluation = store::EvaluationOf(Verdict::kPassed, seconds);
  evaluation.tier = tier;
  return evaluation;
}

// The last of the full tier says most, and one that failed says nothing.
TEST_F(ReportPageTest, WorkloadsAreThoseOfTheThoroughestEvaluation) {
  Evaluation crashed = Measured(Tier::kFull, 9.0);
  crashed.verdict = Verdict::kCrashed;
  facts_.evaluations = {Measured(Tier::kFast, 1.0), Measured(Tier::kFull, 2.0),
                        Measured(Tier::kFull, 3.0), Measured(Tier::kFast, 5.0),
                        crashed};
  const std::string judging = Section("judging");
  EXPECT_THAT(judging, HasSubstr("in its evaluation of the full tier"));
  EXPECT_THAT(judging, HasSubstr("<td>w0<td class=n>3.00 s<td class=n>4.00 s"));
  facts_.evaluations = {Measured(Tier::kFast, 1.0), crashed};
  EXPECT_THAT(Section("judging"), HasSubstr("of the fast tier"));
  facts_.evaluations = {crashed};
  EXPECT_THAT(Section("judging"), Not(HasSubstr("in its evaluation")));
}

TEST_F(ReportPageTest, AWorkloadThatWasNotTimedHasNoTime) {
  Evaluation evaluation = Measured(Tier::kFast, 1.0);
  evaluation.workloads[0].samples_s.clear();
  evaluation.workloads[0].root_samples_s.clear();
  facts_.evaluations = {evaluation};
  EXPECT_THAT(Section("judging"),
              HasSubstr("<td>w0<td class=n><td class=n><td class=n><td class=n"
                        ">0<td class=n>0"));
}

TEST_F(ReportPageTest, BaselinesAreBesideTheBest) {
  store::Baseline expert{"expert",         false,
                         Verdict::kPassed, Speedup{2.0, {}},
                         Speedup{3.0, {}}, true};
  store::Baseline quoted{"torch", true, Verdict::kTimedOut, {}, {}, false};
  facts_.baselines = {expert, quoted};
  EXPECT_THAT(Section("judging"),
              HasSubstr("<tr><td>expert<td>passed<td class=n>2x (?)<td class=n"
                        ">3x (?)\n<tr><td>torch (measured elsewhere)<td>"
                        "timed_out<td class=n><td class=n>\n"));
}

TEST_F(ReportPageTest, AMachineIsToldByWhatIsKnownOfIt) {
  Environment environment;
  environment.hardware = "a <processor>";
  environment.libraries = {{"torch", "2.9"}};
  environment.facts = "2 cores";
  facts_.environments = {environment};
  const std::string judging = Section("judging");
  EXPECT_THAT(judging, HasSubstr("<dt>hardware</dt><dd>a &lt;processor&gt;</dd"
                                 ">"));
  EXPECT_THAT(judging, HasSubstr("<dt>threads</dt><dd>1</dd>"));
  EXPECT_THAT(judging, HasSubstr("<dt>torch</dt><dd>2.9</dd>"));
  EXPECT_THAT(judging, HasSubstr("<p>2 cores</p>"));
  EXPECT_THAT(judging, Not(HasSubstr("<dt>driver</dt>")));
}

TEST_F(ReportPageTest, MoneyIsToldByWhatIsKnownOfIt) {
  facts_.cost.cost_usd = 1.5;
  EXPECT_THAT(Section("spend"),
              HasSubstr("<p>$1.5000 for 0 improvements.</p>"));
  facts_.cost.improvements = 2;
  facts_.cost.usd_per_improvement = 0.75;
  facts_.cost.unsettled_usd = 0.25;
  EXPECT_THAT(Section("spend"),
              HasSubstr("<p>$1.5000 for 2 improvements, $0.7500 each; calls "
                        "without an answer may have cost another $0.2500."
                        "</p>"));
}

TEST_F(ReportPageTest, SettingsThatNameThingsOfTheUsersAreLeftOut) {
  facts_.standing.row.spec.settings = {
      {"agents", "team", "command line"},
      {"policy", "stark", "preset xei"},
      {"grounding", "used", "default"},
      {"window_history", "5", "/home/ann/coppice.conf:3"},
      {"db", "mine", "x"},
      {"models_file", "mine", "x"},
      {"prompts", "~/prompts", "x"},
      {"memory", "C:\\mine", "x"},
      {"no_such_setting", "1", "x"}};
  const std::string settings = Section("settings");
  EXPECT_THAT(settings, HasSubstr("<summary>9 settings</summary>"));
  EXPECT_THAT(settings,
              HasSubstr("<tr><td>agents<td class=word>team<td>command line\n"
                        "<tr><td>policy<td class=word>stark<td>preset\n"
                        "<tr><td>grounding<td class=word>used<td>default\n"
                        "<tr><td>window_history<td class=word>5<td>file or "
                        "variable\n</tbody>"));
}

TEST_F(ReportPageTest, NodesAreATableWithWhatWasRefuted) {
  facts_.nodes = {LineOf(0, Speedup{1.0, Interval{1.0, 1.0}}),
                  LineOf(1, std::nullopt)};
  facts_.nodes[1].is_quarantined = true;
  EXPECT_THAT(Between("<h2 id=\"nodes\">", "</main>"),
              AllOf(HasSubstr("<summary>2 nodes of 4</summary>"),
                    HasSubstr("<tr><td class=n>0<td class=n><td>passed<td class"
                              "=n>1x<td>technique0\n"
                              "<tr><td class=n>1<td class=n>0<td>refuted<td "
                              "class=n><td>technique1\n")));
}

// 1 January 1970 and the last minute of 29 February 2024.
TEST_F(ReportPageTest, DatesAreOfUtc) {
  facts_.first_at_s = 0.0;
  facts_.last_at_s = 1709251199.9;
  EXPECT_THAT(Page(), HasSubstr("; from 1970-01-01 00:00 UTC to 2024-02-29 "
                                "23:59 UTC.</p>"));
  facts_.last_at_s.reset();
  EXPECT_THAT(Page(), Not(HasSubstr("1970")));
}

TEST_F(ReportPageTest, EachPartIsListedAndThere) {
  const std::string page = Page();
  for (const char* id : {"curve", "leaders", "lineage", "source", "failures",
                         "judging", "spend", "settings", "nodes"}) {
    EXPECT_THAT(page, HasSubstr("<a href=\"#" + std::string(id) + "\">"));
    EXPECT_THAT(page, HasSubstr("<h2 id=\"" + std::string(id) + "\">"));
  }
}

TEST_F(ReportPageTest, WhatJudgedIsSaidInItsWords) {
  const std::string own = "Root and candidate ran in turn in processes";
  EXPECT_THAT(Section("judging"), HasSubstr(own));
  facts_.standing.row.spec.settings = {{"protocol", "coppice", "default"}};
  EXPECT_THAT(Section("judging"), HasSubstr(own));
  facts_.standing.row.spec.settings = {{"protocol", "kernelbench", "x"}};
  EXPECT_THAT(Section("judging"),
              AllOf(HasSubstr("<p>By the protocol of <code>kernelbench</code>"),
                    Not(HasSubstr(own))));
  // Whatever the protocol, no program ran.
  facts_.is_simulated = true;
  EXPECT_THAT(Section("judging"),
              AllOf(HasSubstr("<p>The task is simulated: "),
                    Not(HasSubstr("By the protocol")), Not(HasSubstr(own))));
}

TEST_F(ReportPageTest, ACurveSaysIfItLeavesDotsOut) {
  const std::string note = "there is one dot for each column";
  facts_.points.assign(2'000, {Verdict::kPassed, 1.0});
  EXPECT_THAT(Section("curve"), Not(HasSubstr(note)));
  facts_.points.push_back({Verdict::kPassed, 1.0});
  EXPECT_THAT(Section("curve"), HasSubstr(note));
}

TEST_F(ReportPageTest, WhatThereIsOnceIsInTheSingular) {
  facts_.nodes = {LineOf(0, Speedup{1.0, Interval{1.0, 1.0}})};
  EXPECT_THAT(Between("<h2 id=\"nodes\">", "</main>"),
              HasSubstr("<summary>1 node of 4</summary>"));
  facts_.failing = 1;
  facts_.failures = {FailureOf(1, "line", "")};
  EXPECT_THAT(Section("failures"), HasSubstr("1 attempt, grouped by verdict"));
  facts_.failures.assign(31, FailureOf(1, "line", ""));
  EXPECT_THAT(Section("failures"),
              HasSubstr("<p>1 smaller group is left out.</p>"));
  facts_.cost.cost_usd = 1.5;
  facts_.cost.improvements = 1;
  EXPECT_THAT(Section("spend"), HasSubstr("<p>$1.5000 for 1 improvement.</p>"));
}

}  // namespace
}  // namespace coppice::cli
