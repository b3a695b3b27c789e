#include "store/flipped_bits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/connection.h"
#include "store/maintenance.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Two nodes of a campaign; the second takes 2.5 s.
class FlippedBitsTest : public ::testing::Test {
 protected:
  FlippedBitsTest() {
    const CampaignId campaign = Plant(database_, "a");
    Grow(database_, campaign, kRootNode);
    Grow(database_, campaign, kRootNode, {.runtime_s = 2.5});
  }
  std::vector<std::string> RepairAfter(const std::string& sql) {
    Damage(directory_.File("x.db"), sql);
    return Must(
        Repair(database_, 5000.0, [](const std::string&) { return true; }));
  }
  // Sets a column of one row to what it is with a bit flipped.
  void ExpectPutBack(const std::string& table, const std::string& column,
                     const std::string& flipped, const std::string& row) {
    const std::string read =
        "SELECT quote(" + column + ") FROM " + table + " WHERE " + row;
    const auto before = Rows(database_, read);
    const auto done = RepairAfter("UPDATE " + table + " SET " + column + " = " +
                                  flipped + " WHERE " + row);
    EXPECT_THAT(done, ElementsAre(StartsWith("a bit of " + column +
                                             " had changed in rows of " +
                                             table + " ")));
    EXPECT_EQ(Rows(database_, read), before);
    EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
};

// 't' is 0x74, 'd' is 0x64.
TEST_F(FlippedBitsTest, OfATextIsPutBack) {
  ExpectPutBack("attempt", "policy", "'sdark'", "attempt_id = 2");
}

TEST_F(FlippedBitsTest, OfABlobIsPutBack) {
  ExpectPutBack("node", "uuid", "CAST(x'41' || substr(uuid, 2) AS BLOB)",
                "number = 2 AND substr(uuid, 1, 1) = x'01'");
}

TEST_F(FlippedBitsTest, OfAnIntegerIsPutBack) {
  ExpectPutBack("model_call", "input_tokens", "input_tokens + 16",
                "call_id = 1");
}

// 3 is 0x03 in its only byte; with the first bit flipped 0x83, which is -125.
TEST_F(FlippedBitsTest, OfASignIsPutBack) {
  ExpectPutBack("node", "changed_inside", "-125", "number = 2");
}

// 0.25 has the exponent 1021, which is odd; 0.125 has 1020.
TEST_F(FlippedBitsTest, OfARealNumberIsPutBack) {
  ExpectPutBack("model_call", "cost_usd", "0.125", "call_id = 3");
}

// 2 is stored as an integer.
TEST_F(FlippedBitsTest, OfAWholeRealNumberIsPutBack) {
  ExpectPutBack("model_call", "latency_s", "66.0", "call_id = 3");
}

TEST_F(FlippedBitsTest, OfAnIndexedColumnIsPutBack) {
  ExpectPutBack("campaign", "name", "'c'", "campaign_id = 1");
}

TEST_F(FlippedBitsTest, OfARowInEachOfTwoBlocksArePutBack) {
  EXPECT_THAT(
      RepairAfter("UPDATE attempt SET policy = 'sdark' WHERE attempt_id = 1;"
                  "UPDATE campaign SET seed = 5"),
      ElementsAre(
          "a bit of seed had changed in rows of campaign (campaign_id 0 to "
          "63)",
          "a bit of policy had changed in rows of attempt (attempt_id 0 to "
          "63)"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(FlippedBitsTest, OfTwoBitsInABlockNoneIs) {
  EXPECT_THAT(RepairAfter("UPDATE attempt SET policy = 'sdark'"), IsEmpty());
  EXPECT_THAT(Must(Diagnose(database_)),
              Contains("rows of attempt (attempt_id 0 to 63) are not as "
                       "coppice wrote them"));
}

TEST_F(FlippedBitsTest, NoEventTellsOfWhatIsAsItWas) {
  RepairAfter("UPDATE attempt SET policy = 'sdark' WHERE attempt_id = 1");
  EXPECT_THAT(Rows(database_, "SELECT 1 FROM event WHERE kind = 'repaired'"),
              IsEmpty());
}

}  // namespace
}  // namespace coppice::store
