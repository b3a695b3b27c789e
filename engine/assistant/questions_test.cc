// Ten questions that people have, about campaigns that were really run.  A
// model's answers are recorded in a cassette and played again: tools, figures
// and links are those of the file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "agents/provider/providers.h"
#include "engine/assistant/dialogue.h"
#include "engine/assistant/marked_text.h"
#include "engine/assistant/scripted_model.h"
#include "store/scratch.h"

namespace coppice::assistant {
namespace {

using ::testing::HasSubstr;

struct Case {
  std::string question;
  std::vector<std::pair<std::string, std::string>> calls;
  std::string answer;
  // What must be in the answer, worked out apart from tools and model.
  std::string figure_sql;
  int links = 0;
};

constexpr const char* kGemm = "gemm_square.stark.s1";
constexpr const char* kHistogram = "histogram.stark.s1";

std::vector<std::pair<std::string, Case>> Cases() {
  return {
      {kGemm,
       {"Which kernel is fastest, and by how much?",
        {{"sql",
          R"({"query":"SELECT rank, node, speedup, speedup_low, speedup_high)"
          R"( FROM leaderboard WHERE campaign = 'gemm_square.stark.s1')"
          R"( AND rank <= 3"})"}},
        "[[n:7]] is, at 53.2x [47.4, 59.7] of the root. The next, [[n:30]] "
        "with 49.7x, cannot be told apart: its interval reaches 84.3x.",
        "SELECT printf('%.1fx', speedup) FROM nodes WHERE"
        " campaign = 'gemm_square.stark.s1' AND node = 7",
        2}},
      {kGemm,
       {"How did node 8 come about?",
        {{"lineage", R"({"n":8})"}},
        "In six steps: [[n:1]] jammed j (15.0x), [[n:4]] i (21.7x), [[n:5]] "
        "went parallel (25.1x), [[n:6]] promised no overlap (26.8x), and "
        "[[n:7]] started again at 53.2x; [[n:8]] fell to 48.8x.",
        "SELECT printf('%.1fx', speedup) FROM nodes WHERE"
        " campaign = 'gemm_square.stark.s1' AND node = 4",
        6}},
      {kHistogram,
       {"Why did node 14 fail?",
        {{"node", R"({"n":14})"}, {"log", R"({"n":14})"}},
        "[[n:14]] computed wrong: wrong_output. It ran `parallel(i, bold)` on "
        "the loop over i of [[n:10]], so that threads counted into the same "
        "bins.",
        "SELECT verdict FROM nodes WHERE campaign = 'histogram.stark.s1'"
        " AND node = 14",
        2}},
      {kHistogram,
       {"What did the agent see in decision 13?",
        {{"window", R"({"decision":13})"}},
        "In [[d:13]] the plan agent saw four nodes: [[n:10]], the root "
        "[[n:0]], and the leaders [[n:9]] and [[n:13]].",
        "SELECT '[[n:' || node || ']]' FROM windows WHERE"
        " campaign = 'histogram.stark.s1' AND decision = 13 AND role = 'plan'"
        " AND kinship = 'leader' ORDER BY position LIMIT 1",
        5}},
      {kGemm,
       {"Which of 7 and 8 is really faster?",
        {{"sql", R"({"query":"SELECT node, speedup, speedup_low, speedup_high)"
                 R"( FROM nodes WHERE campaign = 'gemm_square.stark.s1')"
                 R"( AND node IN (7, 8) "})"}},
        "They cannot be told apart: [[n:7]] is at 53.2x [47.4, 59.7] and "
        "[[n:8]] at 48.8x [38.4, 62.0].",
        "SELECT printf('%.1fx [%.1f, %.1f]', speedup, speedup_low,"
        " speedup_high) FROM nodes WHERE campaign = 'gemm_square.stark.s1'"
        " AND node = 8",
        2}},
      {kGemm,
       {"What did it cost?",
        {{"spend", "{}"}},
        "Nothing, $0: 30 calls of the plan agent and 30 of the code agent went "
        "to the catalogue.",
        "SELECT calls || ' calls' FROM spend WHERE"
        " campaign = 'gemm_square.stark.s1' AND role = 'plan'",
        0}},
      {kGemm,
       {"What was tried most and gained least?",
        {{"sql", R"({"query":"SELECT technique_name, count(*) AS tries,)"
                 R"( exp(avg(ln(effect))) AS mean FROM evidence)"
                 R"( WHERE campaign = 'gemm_square.stark.s1' GROUP BY 1)"
                 R"( ORDER BY 2 DESC, 3 LIMIT 5"})"}},
        "Starting again with two jams and threads: 8 tries came to 0.71x of "
        "their parents on average.",
        "SELECT count(*) || ' tries' FROM evidence WHERE"
        " campaign = 'gemm_square.stark.s1'"
        " AND technique_name = 'again + jam + jam + parallel'",
        0}},
      {kGemm,
       {"What limits node 7?",
        {{"profile", R"({"n":7})"}},
        "Arithmetic: [[n:7]] reaches 57 % of that roof at N=256 where it was "
        "first measured.",
        "SELECT printf('%.0f %%', 100 * roof_share) FROM profiles WHERE"
        " campaign = 'gemm_square.stark.s1' AND node = 7 AND ordinal = 0"
        " AND shape = 'N=256'",
        1}},
      {kGemm,
       {"What did node 8 change?",
        {{"diff", R"({"a":7,"b":8})"}, {"node", R"({"n":8})"}},
        "[[n:8]] did `restrict()` to [[n:7]]: it promises that the buffers do "
        "not overlap, and went from decision 7 to 48.8x.",
        "SELECT technique FROM nodes WHERE"
        " campaign = 'gemm_square.stark.s1' AND node = 8",
        2}},
      {kGemm,
       {"Why was node 7 selected in decision 7?",
        {{"decision", R"({"d":7})"}},
        "The policy exploited in [[d:7]]: [[n:7]] had the lowest runtime, "
        "193.8 us.",
        "SELECT substr(reason, -8) FROM attempts WHERE"
        " campaign = 'gemm_square.stark.s1' AND decision = 7",
        2}},
  };
}

TEST(QuestionsTest, TenAnswersHaveRightFiguresAndLinks) {
  const auto path =
      std::filesystem::path(COPPICE_SOURCE_DIR) / "docs/data/level1.db";
  store::Database database =
      store::Must(store::Database::Open(path, store::Access::kReadOnly));
  const store::ScratchDirectory directory;
  const auto cassette = directory.File("questions.jsonl");
  const auto cases = Cases();
  ASSERT_EQ(cases.size(), 10u);
  for (const auto& [campaign, asked] : cases) {
    SCOPED_TRACE(asked.question);
    Questioning questioning;
    questioning.question = asked.question;
    {
      const auto recorder = store::Must(agents::MakeRecordingModel(
          std::make_unique<ScriptedModel>(
              std::vector<Line>{{"", asked.calls}, {asked.answer, {}}}),
          cassette));
      Tools tools(database, campaign, [] { return 0.0; });
      store::Must(Converse(*recorder, tools, questioning, {}));
    }
    const auto replayed = store::Must(agents::MakeReplayModel(cassette));
    Tools tools(database, campaign, [] { return 0.0; });
    const Response response =
        store::Must(Converse(*replayed, tools, questioning, {}));
    EXPECT_EQ(response.text, asked.answer);
    EXPECT_EQ(response.cost_usd, 0.0);
    const auto figure = store::Rows(database, asked.figure_sql);
    ASSERT_EQ(figure.size(), 1u);
    EXPECT_THAT(response.text, HasSubstr(figure[0]));
    int links = 0;
    for (const MarkedSpan& piece :
         store::Must(MarkText(response.text, tools))) {
      EXPECT_NE(piece.mark, Mark::kMissing) << piece.text;
      EXPECT_NE(piece.mark, Mark::kNotFound) << piece.text;
      if (piece.mark == Mark::kCited) ++links;
    }
    EXPECT_EQ(links, asked.links);
  }
}

// The same, with a figure that is wrong and a node that is not there.
TEST(QuestionsTest, AWrongFigureAndALinkToNothingAreMarked) {
  const auto path =
      std::filesystem::path(COPPICE_SOURCE_DIR) / "docs/data/level1.db";
  store::Database database =
      store::Must(store::Database::Open(path, store::Access::kReadOnly));
  Tools tools(database, kGemm, [] { return 0.0; });
  tools.Run({"c", "lineage", R"({"n":8})"});
  std::vector<std::string> marked;
  for (const MarkedSpan& piece : store::Must(
           MarkText("[[n:8]] is at 48.8x, [[n:99]] at 61.7x.", tools))) {
    if (piece.mark == Mark::kMissing || piece.mark == Mark::kNotFound) {
      marked.push_back(piece.text);
    }
  }
  EXPECT_THAT(marked, ::testing::ElementsAre("[[n:99]]", "61.7"));
}

}  // namespace
}  // namespace coppice::assistant
