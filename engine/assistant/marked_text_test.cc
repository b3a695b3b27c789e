#include "engine/assistant/marked_text.h"

#include <gtest/gtest.h>

#include "store/scratch.h"

namespace coppice::assistant {
namespace {

class MarkedTextTest : public ::testing::Test {
 protected:
  // "plain|cited|~missing~|?not found?".
  std::string Marked(std::string_view text) {
    std::string marked;
    std::string whole;
    for (const MarkedSpan& piece : store::Must(MarkText(text, tools_))) {
      whole += piece.text;
      const char* around = piece.mark == Mark::kCited      ? "+"
                           : piece.mark == Mark::kMissing  ? "~"
                           : piece.mark == Mark::kNotFound ? "?"
                                                           : "";
      marked += around + piece.text + around;
    }
    EXPECT_EQ(whole, text);
    return marked;
  }

  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  CampaignId campaign_ = store::Plant(database_, "a");
  Tools tools_{database_, "a", [] { return 0.0; }};
};

TEST_F(MarkedTextTest, CitationsAreChecked) {
  EXPECT_EQ(Marked("From [[n:0]] to [[n:7]]."), "From +[[n:0]]+ to ~[[n:7]]~.");
  EXPECT_EQ(Marked("[[n:0]][[n:0]]"), "+[[n:0]]++[[n:0]]+");
  EXPECT_EQ(Marked(""), "");
}

TEST_F(MarkedTextTest, NumbersThatNoToolHasShownAreMarked) {
  EXPECT_EQ(Marked("It is 7.9x."), "It is ?7.9?x.");
  tools_.Run({"c", "sql", R"({"query": "SELECT 7.91"})"});
  EXPECT_EQ(Marked("It is 7.9x, not 8.1x [[n:0]]."),
            "It is 7.9x, not ?8.1?x +[[n:0]]+.");
  // One row is counted, too.
  EXPECT_EQ(Marked("1 row"), "1 row");
}

TEST_F(MarkedTextTest, TheEndOfAGrowingTextWaits) {
  EXPECT_EQ(MarkableBytes("It is 7"), 3u);      // "It ": "is 7" may go on.
  EXPECT_EQ(MarkableBytes("It is 193 u"), 6u);  // "193 us".
  EXPECT_EQ(MarkableBytes("One two\nthr"), 8u);
  EXPECT_EQ(MarkableBytes("See it [[n:1"), 4u);
  EXPECT_EQ(MarkableBytes("See [[a b c d"), 4u);
  EXPECT_EQ(MarkableBytes(""), 0u);
}

}  // namespace
}  // namespace coppice::assistant
