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

}  // namespace
}  // namespace coppice::cli
