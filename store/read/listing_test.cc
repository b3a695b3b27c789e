#include "store/read/listing.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "store/connection.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

class ListingTest : public ::testing::Test {
 protected:
  Listing List(const std::string& sql) {
    return Must(connection_.Read([&]() -> Result<Listing> {
      Statement statement = connection_.Prepare(sql);
      return ListingOf(statement);
    }));
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  Connection& connection_ = database_.connection();
};

TEST_F(ListingTest, ACellHasTheTypeOfItsValue) {
  const Listing listing = List(
      "SELECT 7 AS i, 7.0 AS r, 'seven' AS t, NULL AS n,"
      " 9223372036854775807 AS most, '' AS empty");
  EXPECT_EQ(listing.columns,
            (std::vector<std::string>{"i", "r", "t", "n", "most", "empty"}));
  ASSERT_EQ(listing.rows.size(), 1u);
  const std::vector<Value>& row = listing.rows[0];
  EXPECT_EQ(std::get<std::int64_t>(row[0]), 7);
  EXPECT_EQ(std::get<double>(row[1]), 7.0);
  EXPECT_EQ(std::get<std::string>(row[2]), "seven");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(row[3]));
  EXPECT_EQ(std::get<std::int64_t>(row[4]),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(std::get<std::string>(row[5]), "");
}

TEST_F(ListingTest, EveryRowIsAsWideAsItsColumns) {
  const Listing listing = List(
      "SELECT column1 AS a, column2 AS b FROM (VALUES (1, 'x'), (2, NULL),"
      " (NULL, 3.5))");
  EXPECT_EQ(AsLines(listing.rows),
            (std::vector<std::string>{"1|x", "2|-", "-|3.5"}));
}

TEST_F(ListingTest, WithoutRowsThereAreColumnsAllTheSame) {
  const Listing listing = List("SELECT name, seed FROM campaign");
  EXPECT_EQ(listing.columns, (std::vector<std::string>{"name", "seed"}));
  EXPECT_TRUE(listing.rows.empty());
}

}  // namespace
}  // namespace coppice::store
