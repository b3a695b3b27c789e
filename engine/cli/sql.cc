// coppice sql: a question to the history, in SQL on the views of schema.sql.
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "config/keys.h"
#include "engine/cli/verbs.h"
#include "engine/documents/continuing.h"
#include "engine/documents/csv.h"
#include "engine/documents/document.h"
#include "engine/documents/input.h"
#include "engine/documents/open_history.h"
#include "engine/documents/value_json.h"
#include "store/read/query.h"

namespace coppice::cli {
namespace {

using ColumnNames = std::vector<std::string>;

Result<void> QueryAsTable(store::Database& database, const std::string& sql,
                          Streams& streams) {
  store::Sheet sheet;
  TRY_DONE(store::Query(database, sql, store::Into(sheet)));
  PrintValues(sheet, CsvFields, streams);
  return {};
}

// An array of objects, written as the rows arrive.
Result<void> QueryAsJson(store::Database& database, const std::string& sql,
                         Streams& streams) {
  ColumnNames columns;
  const char* before = "[\n";
  TRY_DONE(store::Query(database, sql,
                        {[&](const ColumnNames& names) { columns = names; },
                         [&](const ValueRow& row) {
                           streams.out << std::exchange(before, ",\n")
                                       << LineOf(ValuesJson(columns, row));
                         }}));
  streams.out << (*before == '[' ? "[" : "\n") << "]\n";
  return {};
}

Result<void> QueryAsCsv(store::Database& database, const std::string& sql,
                        Streams& streams) {
  return store::Query(
      database, sql,
      {[&](const ColumnNames& names) { streams.out << CsvLine(names); },
       [&](const ValueRow& row) { streams.out << CsvLine(CsvFields(row)); }});
}

Result<std::string> Question(const Invocation& invocation, std::istream& in) {
  const auto& arguments = invocation.arguments;
  if (!arguments.empty() && arguments.front() != "-") return arguments.front();
  return ReadAll(in, "standard input");
}

// sqlite3(1) takes a file where we take a question.
Result<void> RefuseFile(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  if (arguments.empty() || !arguments.front().ends_with(".db")) return {};
  return Fail(Errc::kUsage, "'" + arguments.front() +
                                "' is no SQL; a file is named by --db " +
                                ShellWord(arguments.front()));
}

Result<Exit> RunSql(const Invocation& invocation, Streams& streams) {
  if (invocation.Has("json") && invocation.Has("csv")) {
    return Fail(Errc::kUsage, "--json or --csv, not both");
  }
  TRY_DONE(RefuseFile(invocation));
  TRY(database, OpenToLook(invocation));
  TRY(sql, Question(invocation, streams.in));
  const auto print = invocation.Has("json")  ? QueryAsJson
                     : invocation.Has("csv") ? QueryAsCsv
                                             : QueryAsTable;
  TRY_DONE(print(database, sql, streams));
  return Exit::kDone;
}

}  // namespace

Verb SqlVerb() {
  return {
      .name = "sql",
      .summary = "a question to the history, in SQL; without SQL: from stdin",
      .arguments = "[SQL]",
      .examples =
          "  coppice sql \"SELECT node, speedup, technique FROM leaderboard\"\n"
          "  coppice sql \"SELECT policy, verdict, sum(nodes) FROM failures "
          "GROUP BY 1, 2\"\n"
          "  coppice sql \"SELECT attempts, best_speedup FROM best_so_far\" "
          "--csv > curve.csv\n"
          "  coppice sql \"SELECT name, sql FROM sqlite_schema WHERE type = "
          "'view'\"\n",
      .options = {{"csv", Takes::kNothing, "", "as comma-separated values"},
                  kJsonOption},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunSql,
  };
}

}  // namespace coppice::cli
