#include "engine/documents/row_sheet.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/cli/printed.h"
#include "engine/documents/document.h"
#include "engine/documents/table.h"

namespace coppice::cli {
namespace {

std::string Halves(double number) { return std::to_string(int(2 * number)); }

RowSheet Fruit() {
  return {"fruit",
          {"name", RowColumn("ripe", "is_ripe"),
           RowColumn("halves", "weight", Halves), "sugar",
           ForPeople(Right("taste")), ForPrograms("log"), ForPrograms("")},
          {{"fig", true, 1.5, 0.123456, "sweet", "a\nb", {{"low", 1}}},
           {"sloe, blue", false, 20, nullptr, "-", "", {{"low", nullptr}}}},
          "of this year",
          "?"};
}

// Words on the left but where a column says otherwise, numbers on the right.
TEST(RowSheetTest, PeopleSeeWhatHasATitle) {
  EXPECT_EQ(Printed(PrintTable, Fruit()),
            "name        ripe  halves   sugar  taste\n"
            "fig         yes        3  0.1235  sweet\n"
            "sloe, blue  no        40       ?      -\n"
            "of this year\n");
}

TEST(RowSheetTest, ProgramsAreToldWhatHasAKey) {
  EXPECT_EQ(LineOf(RowsJson(Fruit())),
            R"([{"name":"fig","is_ripe":true,"weight":1.5,"sugar":0.123456,)"
            R"("log":"a\nb","low":1},)"
            R"({"name":"sloe, blue","is_ripe":false,"weight":20,"sugar":null,)"
            R"("log":"","low":null}])");
}

TEST(RowSheetTest, CsvHasWholeNumbersAndNothingForWhatIsMissing) {
  std::ostringstream out;
  PrintCsv(
      {"fruit", {"name", "sugar"}, {{"sloe, blue", nullptr}, {"fig", 0.1}}},
      out);
  EXPECT_EQ(out.str(),
            "name,sugar\n\"sloe, blue\",\nfig,0.10000000000000001\n");
}

// A column of words and numbers stands on the right, as one of numbers does.
TEST(RowSheetTest, AColumnWithANumberStandsOnTheRight) {
  const RowSheet sheet{"x",
                       {"a", "b", "c", "d"},
                       {{"word", "w", nullptr, true}, {7, "x", nullptr, false}},
                       "",
                       "-"};
  EXPECT_EQ(Printed(PrintTable, sheet),
            "   a  b  c  d\n"
            "word  w  -  yes\n"
            "   7  x  -  no\n");
}

TEST(RowSheetTest, WithoutRowsThereAreTitlesAndAnEmptyArray) {
  const RowSheet sheet{"x", {"a", ForPrograms("b")}};
  EXPECT_EQ(Printed(PrintTable, sheet), "a\n");
  EXPECT_EQ(LineOf(RowsJson(sheet)), "[]");
  std::ostringstream out;
  PrintCsv(sheet, out);
  EXPECT_EQ(out.str(), "a,b\n");
}

TEST(RowSheetTest, AProgramGetsADocumentOnlyIfItAsks) {
  const RowSheet sheet{"x", {"a"}, {{1}}};
  Invocation invocation;
  EXPECT_EQ(Printed(PrintRows, invocation, sheet), "a\n1\n");
  invocation.options["json"] = "";
  EXPECT_EQ(Printed(PrintRows, invocation, sheet),
            "[\n  {\n    \"a\": 1\n  }\n]\n");
}

// A name may hold anything, and programs are to get it as it is.
TEST(RowSheetTest, OnlyPeopleAreSparedControls) {
  const RowSheet sheet{"x", {"a"}, {{"b\033[2J\nc"}}};
  EXPECT_EQ(Printed(PrintTable, sheet), "a\nb?[2J c\n");
  EXPECT_EQ(LineOf(RowsJson(sheet)), "[{\"a\":\"b\\u001b[2J\\nc\"}]");
  std::ostringstream out;
  PrintCsv(sheet, out);
  EXPECT_EQ(out.str(), "a\n\"b\033[2J\nc\"\n");
}

}  // namespace
}  // namespace coppice::cli
