#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/cli/cli_fixture.h"
#include "engine/cli/embedded.h"
#include "engine/cli/html.h"
#include "engine/cli/report_curve.h"
#include "engine/cli/report_page.h"
#include "store/records/node.h"
#include "store/write/claims.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ExportReportTest : public ::testing::Test, protected Rehearsal {
 protected:
  std::string Page(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"export", "report"};
    words.insert(words.end(), more.begin(), more.end());
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kDone) << said.err;
    return said.out;
  }
};

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) {
    ++count;
  }
  return count;
}

// Node 3, 1 s of the root's 4, from 1, 2 s; node 2 crashed.
TEST_F(ExportReportTest, TellsOfTheWholeCampaignWithoutAScript) {
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("<h1>a</h1>"));
  EXPECT_THAT(page, HasSubstr("A campaign on matmul by the policy stark"));
  EXPECT_THAT(page, HasSubstr("<dd class=best>4x (?)</dd>"));
  EXPECT_THAT(page, HasSubstr("<dd>node 3</dd>"));
  EXPECT_THAT(page, HasSubstr("From 1x in 2 steps to 4.00x over the root in 3 "
                              "attempts."));
  EXPECT_THAT(page, HasSubstr("<strong>node 1</strong> 2x (?)"));
  EXPECT_THAT(page, HasSubstr("unroll it"));
  EXPECT_THAT(page, HasSubstr("<span class=d>-two</span>"
                              "<span class=a>+three</span>"));
  EXPECT_THAT(page, HasSubstr("<td class=fail>crashed"));
  EXPECT_THAT(page, HasSubstr("$1.5000 for 2 improvements, $0.7500 each."));
  EXPECT_THAT(page, HasSubstr("<pre tabindex=0>one\nthree\n</pre>"));
  EXPECT_THAT(page, HasSubstr("<tr><td class=n>3<td class=n>1<td>passed"));
}

TEST_F(ExportReportTest, IsTheSameForTheSameFile) { EXPECT_EQ(Page(), Page()); }

TEST_F(ExportReportTest, LoadsNothingAndRunsOnlyItsOwn) {
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("default-src 'none'; style-src '" +
                              ContentHash(kReportStyle) + "'; script-src '" +
                              ContentHash(kReportScript) +
                              "'; base-uri 'none'; form-action 'none'"));
  for (const char* loading :
       {"src=\"", "src=h", "href=\"http", "url(", "@import", "<link", "<iframe",
        "<img", "style=\"", " onclick", "http://", "https://"}) {
    EXPECT_EQ(page.find(loading), page.npos) << loading;
  }
  EXPECT_EQ(Count(page, "<script>"), 1u);
  EXPECT_EQ(Count(page, "</script"), 1u);
  EXPECT_EQ(Count(page, "<style>"), 1u);
  EXPECT_EQ(Count(page, "<!--"), 0u);
}

// What kernels, models and logs may hold.
const std::string kHostile[] = {
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "--><img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "]]></style><style>*{display:none}",
    "\"><b>",
    "' onmouseover='alert(1)",
    "&lt;script&gt;",
    "&#x3c;script>",
    "javascript:alert(1)",
    "</pre></details></main>",
    "</title><h1>",
    "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0>",
    "<iframe srcdoc=x>",
    std::string("nul\0nul", 7),
    "\033[2J\033]0;title\007",
    "\x9b"
    "31m",
    "\xC2\x9B"
    "31m",
    "\xC0\xBC script\xC0\xBE",
    "\xE2\x82",
    "\xED\xA0\x80",
    "\xF4\x90\x80\x80",
    "\xFF\xFE<\0>",
    "a\xE2\x80\xAE"
    "b",
    "a\xE2\x81\xA6"
    "b",
    "a\xD8\x9C"
    "b",
    "a\xE2\x80\x8F"
    "b",
    "zero\xE2\x80\x8Bwidth",
    "\xEF\xBB\xBF"
    "bom",
    "line\xE2\x80\xA8separator",
    "\r\rcarriage\rreturn",
    "+ACI-+AD4-utf7",
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)}",
    "<a href=\"data:text/html,x\">",
    "<plaintext>",
    "<textarea>",
    "<math><mi//xlink:href=\"data:x\">",
    "\xF3\xA0\x81\x81tag",
};

TEST_F(ExportReportTest, NoTextOfOthersIsMarkup) {
  ASSERT_EQ(std::size(kHostile), 40u);
  const std::string before = Page();
  std::string all;
  for (const std::string& text : kHostile) all += text + "\n";
  store::Grow(database(), campaign(), NodeId{3},
              {.source = all,
               .runtime_s = 0.5,
               .advice = all,
               .technique = "<script>tile</script>"});
  store::Grow(database(), campaign(), kRootNode,
              {.source = "x" + all,
               .verdict = Verdict::kCompileFailed,
               .technique = kHostile[5]});
  const std::string page = Page();
  for (const char* element :
       {"<script", "</script", "<style", "<img", "<base", "<iframe", "<h1",
        "</main", "<meta", "<textarea", "<plaintext", "<math", "<!--", "<b>"}) {
    EXPECT_EQ(Count(page, element), Count(before, element)) << element;
  }
  for (const char c : page) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    ASSERT_FALSE(is_control && c != '\n' && c != '\t');
  }
  for (const char* hidden :
       {"\xE2\x80\xAE", "\xE2\x81\xA6", "\xD8\x9C", "\xE2\x80\x8F",
        "\xE2\x80\x8B", "\xEF\xBB\xBF", "\xE2\x80\xA8", "\xC2\x9B"}) {
    EXPECT_EQ(page.find(hidden), page.npos);
  }
  // What is no UTF-8 would be replaced once more.
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(Count(Escaped(page), replaced), Count(page, replaced));
  EXPECT_THAT(page, HasSubstr("&lt;/script&gt;&lt;script&gt;alert(1)"));
  EXPECT_THAT(page, HasSubstr("a[U+202E]b"));
}

// The name of the host and of the user, the home folder, a key and a path, in
// whatever a file may hold of them.
TEST_F(ExportReportTest, HoldsNothingOfThePersonOrTheMachine) {
  surroundings.environment["USER"] = "annabella";
  surroundings.environment["HOME"] = "/home/annabella";
  surroundings.environment["HOSTNAME"] = "lab7-gpu";
  const std::string key = "sk-proj-0123456789abcdefghij";
  const std::string text =
      "by annabella@lab7-gpu, see /home/annabella/secret/kernel.cc, " + key;
  store::Grow(database(), campaign(), NodeId{3},
              {.source = "#include \"/home/annabella/x.h\"  // lab7-gpu " + key,
               .runtime_s = 0.5,
               .advice = text});
  store::Change(database(),
                "INSERT INTO setting VALUES (1, 'record', '/home/annabella/c',"
                " '/home/annabella/coppice.conf:3'), (1, 'openai_base_url',"
                " 'http://lab7-gpu:8000', 'environment'), (1,"
                " 'openai_api_key_env', 'ANNS_KEY', 'x'), (1, 'prompts',"
                " '/home/annabella/prompts', 'x'), (1, 'agents', 'team',"
                " '/home/annabella/coppice.conf:4')");
  store::Change(database(),
                "UPDATE environment SET system = 'Linux lab7-gpu 6.1',"
                " flags = '-O3 -I/home/annabella/include'");
  const std::string page = Page();
  for (const std::string& secret :
       {std::string("annabella"), std::string("lab7-gpu"), key,
        std::string("/home"), std::string("ANNS_KEY"), Path(),
        std::string("secret/")}) {
    EXPECT_EQ(page.find(secret), page.npos) << secret;
  }
  EXPECT_THAT(page, HasSubstr("kernel.cc, [key]"));
  EXPECT_THAT(page, HasSubstr("<td>agents<td class=word>team"
                              "<td>file or variable"));
}

TEST_F(ExportReportTest, AuthorsOfWhatWasSubmittedAreTold) {
  store::Claim claim;
  claim.candidate = {Language::kCpp, "mine", "run"};
  claim.origin = "mine.cc";
  claim.author = "Ann <b>";
  store::Must(store::SubmitClaims(database(), campaign(), {claim},
                                  store::Judging::kByAttempt, store::NextUuid,
                                  2000.0));
  NodeRecord node = store::RootNode("mine");
  node.id = NodeId{4};
  node.parent = kRootNode;
  node.evaluation = store::EvaluationOf(Verdict::kPassed, 0.5);
  store::Must(
      store::Nodes(database())
          .Commit(
              campaign(),
              store::Must(store::Attempts(database()).Unfinished(campaign()))
                  .at(0)
                  .id,
              node, 2001.0));
  EXPECT_THAT(Page(), HasSubstr("<span class=by>by Ann &lt;b&gt;</span>"));
}

TEST_F(ExportReportTest, SaysHowItWasJudged) {
  EXPECT_THAT(Page(), HasSubstr("Root and candidate ran in turn"));
  store::Change(database(),
                "INSERT INTO setting VALUES (1, 'protocol', 'kernelbench',"
                " 'default')");
  EXPECT_THAT(Page(), HasSubstr("By the protocol of <code>kernelbench</code>"));
  store::Change(database(), "UPDATE node SET language = 5");
  EXPECT_THAT(Page(), HasSubstr("The task is simulated"));
}

TEST(CurveDrawingTest, HasADotForWhatPassedAndAMarkForWhatFailed) {
  const std::string svg = CurveDrawing({{NodeId{0}, 1.0}, {NodeId{2}, 4.0}},
                                       {{Verdict::kPassed, 1.0},
                                        {Verdict::kCrashed, {}},
                                        {Verdict::kPassed, 4.0},
                                        {Verdict::kInconclusive, {}}});
  EXPECT_EQ(Count(svg, "<circle"), 2u);
  EXPECT_EQ(Count(svg, "v12"), 1u);
  EXPECT_EQ(Count(svg, "class=curve"), 1u);
  EXPECT_THAT(svg, HasSubstr("From 1x in 1 step to 4.00x over the root in 3 "
                             "attempts."));
  EXPECT_THAT(CurveDrawing({}, {}),
              HasSubstr("Nothing was faster than the root in 0 attempts."));
}

// 100 nodes of 2 kB, and 10,000 small ones: 1 MB and 3 MB are what they may
// take.
TEST_F(ExportReportTest, APageOfManyNodesStaysSmall) {
  for (int i = 0; i < 100; ++i) {
    store::Grow(database(), campaign(), NodeId{i > 3 ? i : 3},
                {.source = std::string(2000, 'x') + std::to_string(i),
                 .runtime_s = 0.9 - 0.005 * i});
  }
  EXPECT_LT(Page().size(), 1'000'000u);
  ReportFacts facts;
  facts.standing.row.nodes = 10'000;
  for (int i = 0; i < 10'000; ++i) {
    store::NodeLine line;
    line.node = NodeId{i};
    if (i > 0) line.parent = NodeId{i - 1};
    line.verdict = Verdict::kPassed;
    line.speedup = Around(1.2345 + i * 0.001, 0.01);
    line.technique = "tile(i, 32) + jam(j, 4) + parallel(i)";
    facts.nodes.push_back(line);
    facts.points.push_back({Verdict::kPassed, 1.0 + i * 0.001});
    facts.improvements.push_back({NodeId{i}, 1.0 + i * 0.001});
  }
  EXPECT_LT(PageOf(facts, engine::Redaction({})).size(), 3'000'000u);
}

TEST_F(ExportReportTest, ACampaignWithoutANodeHasAReportToo) {
  store::Must(store::Campaigns(database()).Create(store::SpecNamed("new")));
  const std::string page = Page({"new"});
  EXPECT_THAT(page, AllOf(HasSubstr("nothing passed"),
                          HasSubstr("Nothing was measured.")));
}

TEST_F(ExportReportTest, GoesIntoAFileOrIsRefused) {
  const std::string path = File("r.html").string();
  const Said said = Say({"export", "report", "--output", path});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, HasSubstr(path + ": a report of a, "));
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), Page());
  EXPECT_EQ(Say({"export", "report", "b"}).exit, Exit::kUsage);
  EXPECT_EQ(Say({"export", "report", "a", "--campaign", "a"}).exit,
            Exit::kUsage);
  EXPECT_THAT(
      Say({"export", "report", "--output", File("no/such/r.html").string()})
          .err,
      HasSubstr("cannot be written"));
  terminal = true;
  EXPECT_THAT(Say({"export", "report"}).err,
              HasSubstr("say where with --output FILE"));
}

}  // namespace
}  // namespace coppice::cli
