#include "engine/cli/assistant_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "store/scratch.h"

namespace coppice::cli {
namespace {

using assistant::Citation;
using assistant::Cited;
using assistant::Mark;
using assistant::MarkedSpan;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Campaign "a" of the root and nodes 1 and 2; a tool has shown the number 8.
class AnswerPrinterTest : public ::testing::Test {
 protected:
  AnswerPrinterTest() {
    store::Grow(database_, campaign_, kRootNode, {.runtime_s = 0.5});
    store::Grow(database_, campaign_, NodeId{1});
    tools_.Run({"c1", "node", R"({"n": 1})"});
  }
  // What is printed of an answer that comes in these pieces.
  std::string Printed(const std::vector<std::string>& pieces) {
    out_.str("");
    AnswerPrinter printer(streams_, tools_);
    std::string so_far;
    for (const std::string& piece : pieces) printer.Add(so_far += piece);
    printer.Finish();
    return out_.str();
  }

  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  CampaignId campaign_ = store::Plant(database_, "a");
  assistant::Tools tools_{database_, "a", [] { return 0.0; }};
  std::istringstream in_;
  std::ostringstream out_;
  std::ostringstream err_;
  Streams streams_{in_, out_, err_};
};

TEST_F(AnswerPrinterTest, CitationsAreWords) {
  EXPECT_EQ(Printed({"See [[n:1]]."}), "See node 1.\n");
  EXPECT_EQ(Printed({"See [[n:1..n:2]]."}), "See nodes 1 to 2.\n");
  EXPECT_EQ(Printed({"By [[d:0]] and [[d:0..1]]."}),
            "By decision 0 and decisions 0 to 1.\n");
  EXPECT_EQ(Printed({"In [[a/n:2]]."}), "In node 2 of a.\n");
}

TEST_F(AnswerPrinterTest, WhatIsNotThereIsStruckOut) {
  EXPECT_EQ(Printed({"See [[n:77]]."}), "See ~~[[n:77]]~~.\n");
  streams_.colour = true;
  EXPECT_EQ(Printed({"See [[n:77]]."}), "See \033[9m[[n:77]]\033[29m.\n");
  EXPECT_EQ(Printed({"See [[n:1]]."}), "See \033[36mnode 1\033[0m.\n");
}

TEST_F(AnswerPrinterTest, ANumberThatNoToolShowedIsMarked) {
  EXPECT_EQ(Printed({"It is 8x, or 9x."}), "It is 8x, or 9(not found)x.\n");
  streams_.colour = true;
  EXPECT_EQ(Printed({"Or 9x."}), "Or \033[33m9(not found)\033[0mx.\n");
}

// However the pieces fall, the text is printed once and as a whole.
TEST_F(AnswerPrinterTest, PiecesCutWhatTheyWill) {
  const std::string text =
      "First, [[n:1]] took 8 x or 9.5 ms.\nThen [[n:77]] and [[d:0..1]], "
      "says 17 % of the log\n";
  const std::string whole = Printed({text});
  EXPECT_THAT(whole, HasSubstr("First, node 1 took 8 x or 9.5(not found) ms."));
  for (std::size_t at = 0; at <= text.size(); ++at) {
    EXPECT_EQ(Printed({text.substr(0, at), text.substr(at)}), whole) << at;
  }
  std::vector<std::string> bytes;
  for (const char c : text) bytes.emplace_back(1, c);
  EXPECT_EQ(Printed(bytes), whole);
}

TEST_F(AnswerPrinterTest, AnAnswerEndsItsLineOnce) {
  EXPECT_EQ(Printed({"Yes."}), "Yes.\n");
  EXPECT_EQ(Printed({"Yes.\n"}), "Yes.\n");
  EXPECT_EQ(Printed({}), "");
  EXPECT_EQ(Printed({""}), "");
}

// One that broke off stays on the screen, and the next begins its own line.
TEST_F(AnswerPrinterTest, AnAnswerThatStartsAnewIsAnother) {
  AnswerPrinter printer(streams_, tools_);
  printer.Add("The fastest is ");
  printer.Add("Node 1 wins.");
  printer.Finish();
  printer.Add("And then?");
  printer.Finish();
  printer.Finish();
  EXPECT_EQ(out_.str(), "The fastest is \nNode 1 wins.\nAnd then?\n");
}

TEST_F(AnswerPrinterTest, WordsOfAModelCannotSteerTheTerminal) {
  EXPECT_EQ(Printed({"A\033[2Jb\ac\xE2\x80\xAE"
                     "d."}),
            "A?[2Jb?c?d.\n");
  EXPECT_EQ(Printed({"[[x\033/n:1]]."}), "~~[[x?/n:1]]~~.\n");
}

TEST(ToolLineTest, TellsWhatWasLookedUpAndWhatWasFound) {
  const agents::ToolCall call{"c1", "node", R"({"n": 14})"};
  const auto line = [&](const assistant::ToolResult& result) {
    return ToolLine(call, result);
  };
  EXPECT_EQ(line({"[]", 1}), "  node {\"n\": 14}: 1 row");
  EXPECT_EQ(line({"[]", 0}), "  node {\"n\": 14}: 0 rows");
  EXPECT_EQ(line({"", 0, "no such node"}), "  node {\"n\": 14}: no such node");
  EXPECT_EQ(line({"", 0, "", assistant::Card{"freeze", "n:1", "", "slow"}}),
            "  node {\"n\": 14}: a card");
  // 60 cells, three of them dots.
  EXPECT_EQ(ToolLine({"c1", "sql", std::string(61, 'x')}, {"", 2}),
            "  sql " + std::string(57, 'x') + "...: 2 rows");
}

MarkedSpan OfNode(std::int64_t first, std::int64_t last,
                  const std::string& campaign = "") {
  return {Mark::kCited, "[[]]", {0, 0, Cited::kNode, campaign, first, last}};
}

TEST(AssistantCommandsTest, ACommandShowsEachNodeThatIsCited) {
  MarkedSpan missing = OfNode(9, 9);
  missing.mark = Mark::kMissing;
  EXPECT_THAT(CommandsFor({OfNode(14, 14),
                           {Mark::kNone, "and", {}},
                           OfNode(7, 9),
                           missing,
                           OfNode(14, 14),
                           OfNode(1, 1, "b c")},
                          "a", "my file.db"),
              ElementsAre("coppice show 14 --campaign a --db 'my file.db'",
                          "coppice show 7 --campaign a --db 'my file.db'",
                          "coppice show 9 --campaign a --db 'my file.db'",
                          "coppice show 1 --campaign 'b c' --db 'my file.db'"));
  EXPECT_THAT(CommandsFor(std::vector<MarkedSpan>{}, "a", "x.db"), IsEmpty());
}

// The name is quoted for SQL, and that for the shell.
TEST(AssistantCommandsTest, ADecisionIsAskedForInSql) {
  const MarkedSpan decision{
      Mark::kCited, "[[d:3]]", {0, 0, Cited::kDecision, "it's", 3, 3}};
  EXPECT_THAT(CommandsFor({decision}, "a", "x.db"),
              ElementsAre("coppice sql --db x.db 'SELECT * FROM attempts WHERE "
                          "campaign = '\\''it'\\'''\\''s'\\'' AND decision = "
                          "3'"));
}

TEST(AssistantCommandsTest, OfATableTheFirstFewNodesAreShown) {
  store::Sheet sheet{{"rank", "node", "other"}, {}, false};
  for (std::int64_t i = 0; i < 4; ++i) {
    sheet.rows.push_back({i, i % 3, i + 5});
  }
  sheet.rows.push_back({std::int64_t{9}, std::monostate(), std::monostate()});
  // Nodes 0, 1 and 2, the first again, and then those of the other column.
  std::vector<std::string> nodes;
  for (const std::string& command : CommandsFor(sheet, "a", "x.db")) {
    nodes.push_back(command.substr(0, command.find(" --campaign")));
  }
  EXPECT_THAT(nodes,
              ElementsAre("coppice show 0", "coppice show 1", "coppice show 2",
                          "coppice show 5", "coppice show 6"));
  EXPECT_THAT(CommandsFor(store::Sheet{{"rank"}, {{std::int64_t{1}}}, false},
                          "a", "x.db"),
              IsEmpty());
}

TEST(AssistantAnswerJsonTest, CitationsAreToldWithWhetherTheyAreThere) {
  MarkedSpan missing = OfNode(9, 9);
  missing.mark = Mark::kMissing;
  missing.text = "[[n:9]]";
  assistant::Response response;
  response.text = "See [[]] 17 [[n:9]]";
  response.cards = {{"freeze", "n:1", "{}", "it is slow"}};
  response.rounds = 2;
  response.input_tokens = 10;
  response.output_tokens = 3;
  response.cost_usd = std::nullopt;
  const auto json = ResponseJson("why?", response,
                                 {{Mark::kNone, "See ", {}},
                                  OfNode(1, 1),
                                  {Mark::kNotFound, "17", {}},
                                  missing});
  EXPECT_EQ(json.dump(),
            R"({"question":"why?","answer":"See [[]] 17 [[n:9]]","fault":"",)"
            R"("cites":[{"text":"[[]]","exists":true},)"
            R"({"text":"[[n:9]]","exists":false}],"not_found":["17"],)"
            R"("cards":[{"kind":"freeze","subject":"n:1","payload":"{}",)"
            R"("why":"it is slow"}],"requests":2,"input_tokens":10,)"
            R"("output_tokens":3,"cost_usd":null})");
}

class PrintSheetTest : public ::testing::Test {
 protected:
  std::string Printed(const store::Sheet& sheet) {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    Streams streams{in, out, err};
    PrintSheet(sheet, streams);
    return out.str();
  }
};

TEST_F(PrintSheetTest, NothingIsAWordAndOneRowIsFields) {
  EXPECT_EQ(Printed({{"node"}, {}, false}), "nothing\n");
  EXPECT_EQ(
      Printed({{"node", "speedup", "failure", "verdict", "log"},
               {{std::int64_t{3}, 2.0 / 3.0, std::monostate(),
                 std::string("cra\033shed"), std::string("one\ntwo\n\n")}},
               false}),
      "node        3\n"
      "speedup     0.6667\n"
      "verdict     cra?shed\n"
      "log         \none\ntwo\n");
}

TEST_F(PrintSheetTest, SeveralRowsAreATable) {
  store::Sheet sheet{{"node", "verdict"},
                     {{std::int64_t{3}, std::string("passed")},
                      {std::int64_t{12}, std::monostate()}},
                     false};
  EXPECT_EQ(Printed(sheet),
            "node  verdict\n"
            "   3  passed\n"
            "  12  -\n");
  sheet.is_cut = true;
  EXPECT_THAT(Printed(sheet), HasSubstr("\nand more; `coppice sql` shows all"
                                        "\n"));
}

TEST_F(PrintSheetTest, JsonHasARowForEach) {
  EXPECT_EQ(
      SheetJson("q?",
                {{"node", "why"}, {{std::int64_t{3}, std::monostate()}}, false})
          .dump(),
      R"({"question":"q?","rows":[{"node":3,"why":null}]})");
  EXPECT_EQ(SheetJson("q?", {{"node"}, {}, false}).dump(),
            R"({"question":"q?","rows":[]})");
}

}  // namespace
}  // namespace coppice::cli
