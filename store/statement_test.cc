#include "store/statement.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/ids.h"
#include "store/records/uuid.h"
#include "store/records/verdict.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;

class StatementTest : public ::testing::Test {
 protected:
  // What SQLite has of a value that is bound: its type, and its text.
  template <class Value>
  std::string Bound(const Value& value) {
    SQLite::Statement prepared(sqlite_, "SELECT typeof(?1), quote(?1)");
    Statement read(prepared, value);
    EXPECT_TRUE(read.Step());
    return read.Text(0) + " " + read.Text(1);
  }

  SQLite::Database sqlite_{":memory:"};
};

TEST_F(StatementTest, AValueIsBoundAsWhatItIs) {
  EXPECT_EQ(Bound(-7), "integer -7");
  EXPECT_EQ(Bound(std::size_t{7}), "integer 7");
  EXPECT_EQ(Bound(true), "integer 1");
  EXPECT_EQ(Bound(Verdict::kCrashed), "integer 2");
  EXPECT_EQ(Bound(NodeId{1'000'000'000'000}), "integer 1000000000000");
  EXPECT_EQ(Bound(0.5), "real 0.5");
  EXPECT_EQ(Bound(0.5F), "real 0.5");
  EXPECT_EQ(Bound("it's"), "text 'it''s'");
  EXPECT_EQ(Bound(std::string_view("abc").substr(0, 2)), "text 'ab'");
  EXPECT_EQ(Bound(std::string()), "text ''");
  EXPECT_EQ(Bound(Bytes("\x01\xff")), "blob X'01FF'");
  EXPECT_EQ(Bound(std::optional<int>(3)), "integer 3");
  EXPECT_EQ(Bound(std::optional<std::string>()), "null NULL");
  EXPECT_EQ(Bound(ParseUuid("017f22e2-79b0-7cc3-98c4-dc0c0c07398f").value()),
            "blob X'017F22E279B07CC398C4DC0C0C07398F'");
}

TEST_F(StatementTest, EachTextOfAListHasAPlaceOfItsOwn) {
  SQLite::Statement prepared(sqlite_, "SELECT ?, ?, ?");
  Statement read(prepared, std::vector<std::string>{"a", "b"}, 3);
  ASSERT_TRUE(read.Step());
  EXPECT_EQ(read.Text(0) + read.Text(1) + read.Text(2), "ab3");
}

TEST_F(StatementTest, AColumnIsReadAsWhatIsAskedFor) {
  SQLite::Statement prepared(
      sqlite_, "SELECT 2 AS two, 2.5, 'text', x'0041ff', NULL, -1");
  Statement read(prepared);
  ASSERT_TRUE(read.Step());
  EXPECT_EQ(read.Width(), 6);
  EXPECT_EQ(read.NameOf(0), "two");
  EXPECT_EQ(read.As<int>(0), 2);
  EXPECT_EQ(read.As<Verdict>(0), Verdict::kCrashed);
  EXPECT_EQ(read.As<double>(0), 2.0);
  EXPECT_EQ(read.As<std::string>(0), "2");
  EXPECT_EQ(read.As<double>(1), 2.5);
  EXPECT_EQ(read.As<std::int64_t>(1), 2);
  EXPECT_EQ(read.Text(2), "text");
  EXPECT_EQ(read.View(3), std::string_view("\0A\xff", 3));
  EXPECT_EQ(read.As<std::int64_t>(5), -1);
  EXPECT_EQ(read.TypeOf(1), SQLITE_FLOAT);
}

// Where there is nothing, that is told from what is 0 or empty.
TEST_F(StatementTest, NullIsNoValue) {
  SQLite::Statement prepared(sqlite_, "SELECT NULL, 0, ''");
  Statement read(prepared);
  ASSERT_TRUE(read.Step());
  EXPECT_TRUE(read.IsNull(0));
  EXPECT_EQ(read.OptionalInt(0), std::nullopt);
  EXPECT_EQ(read.OptionalReal(0), std::nullopt);
  EXPECT_EQ(read.OptionalText(0), std::nullopt);
  EXPECT_EQ(read.OptionalAs<NodeId>(0), std::nullopt);
  EXPECT_EQ(read.View(0), "");
  EXPECT_EQ(read.OptionalInt(1), 0);
  EXPECT_EQ(read.OptionalReal(1), 0.0);
  EXPECT_EQ(read.OptionalAs<NodeId>(1), kRootNode);
  EXPECT_EQ(read.OptionalText(2), "");
}

// A damaged one may be shorter or longer than the 16 bytes of a uuid.
TEST_F(StatementTest, AUuidIsReadFromAsManyBytesAsThereAre) {
  SQLite::Statement prepared(
      sqlite_,
      "SELECT x'017f22e279b07cc398c4dc0c0c07398f', x'01', NULL,"
      " x'017f22e279b07cc398c4dc0c0c07398fffff'");
  Statement read(prepared);
  ASSERT_TRUE(read.Step());
  EXPECT_EQ(ToString(read.Uuid(0)), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
  EXPECT_EQ(ToString(read.Uuid(1)), "01000000-0000-0000-0000-000000000000");
  EXPECT_EQ(read.Uuid(2), Uuid());
  EXPECT_EQ(read.Uuid(3), read.Uuid(0));
}

// It is on loan: who has it next finds nothing of who had it before.
TEST_F(StatementTest, IsGivenBackAsItWas) {
  SQLite::Statement prepared(sqlite_, "SELECT ?1, ?2");
  {
    Statement read(prepared, 1, 2);
    ASSERT_TRUE(read.Step());
  }
  Statement read(prepared, 3);
  ASSERT_TRUE(read.Step());
  EXPECT_EQ(read.Int(0), 3);
  EXPECT_TRUE(read.IsNull(1));
  EXPECT_FALSE(read.Step());
}

TEST_F(StatementTest, IsGivenBackAlsoWhereAValueCannotBeBound) {
  SQLite::Statement prepared(sqlite_, "SELECT ?1");
  EXPECT_THROW(Statement(prepared, 1, 2), SQLite::Exception);
  Statement read(prepared);
  ASSERT_TRUE(read.Step());
  EXPECT_TRUE(read.IsNull(0));
}

TEST_F(StatementTest, RowsComeOneByOne) {
  SQLite::Statement prepared(sqlite_, "VALUES (1), (2), (3)");
  std::vector<std::int64_t> numbers;
  Statement read(prepared);
  while (read.Step()) numbers.push_back(read.Int(0));
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace coppice::store
