#include "engine/documents/row_sheet.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "engine/documents/csv.h"
#include "engine/documents/document.h"
#include "engine/documents/table.h"
#include "engine/documents/verb.h"
#include "store/records/formatted.h"

namespace coppice::cli {
namespace {

using nlohmann::ordered_json;

std::string CellText(const ordered_json& cell, const RowColumn& column,
                     const std::string& missing) {
  if (cell.is_null()) return missing;
  if (cell.is_string()) return OneLine(cell.get<std::string>());
  if (cell.is_boolean()) return cell.get<bool>() ? "yes" : "no";
  if (column.text != nullptr) return column.text(cell.get<double>());
  if (!cell.is_number_float()) return cell.dump();
  return Formatted("%.4g", cell.get<double>());
}

std::string CellCsv(const ordered_json& cell) {
  if (cell.is_null()) return "";
  if (cell.is_string()) return cell.get<std::string>();
  if (cell.is_number_float()) return CsvNumber(cell.get<double>());
  return cell.dump();
}

Align AlignOf(const RowSheet& sheet, std::size_t column) {
  const auto is = [&](auto kind) {
    return std::ranges::any_of(
        sheet.rows, [&](const auto& row) { return (row[column].*kind)(); });
  };
  const bool is_words =
      (is(&ordered_json::is_string) || is(&ordered_json::is_boolean)) &&
      !is(&ordered_json::is_number);
  return is_words ? sheet.columns[column].align : Align::kRight;
}

}  // namespace

RowColumn::RowColumn(const Column& both)
    : title(both.title), key(both.title), align(both.align) {}

RowColumn::RowColumn(const char* both) : RowColumn(Column(both)) {}

RowColumn ForPeople(const Column& column) {
  RowColumn all = column;
  all.key.reset();
  return all;
}

void PrintTable(const RowSheet& sheet, Streams& streams) {
  std::vector<Column> heads;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    const auto& title = sheet.columns[i].title;
    if (title) heads.push_back({*title, AlignOf(sheet, i)});
  }
  Table table(std::move(heads));
  for (const auto& row : sheet.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const RowColumn& column = sheet.columns[i];
      if (!column.title) continue;
      cells.push_back(CellText(row[i], column, sheet.missing));
    }
    table.AddRow(std::move(cells));
  }
  table.Print(streams);
  if (!sheet.note.empty()) streams.out << sheet.note << "\n";
}

void PrintCsv(const RowSheet& sheet, std::ostream& out) {
  std::vector<std::string> fields;
  for (const RowColumn& column : sheet.columns) fields.push_back(*column.key);
  out << CsvLine(fields);
  for (const auto& row : sheet.rows) {
    fields.clear();
    for (const ordered_json& cell : row) fields.push_back(CellCsv(cell));
    out << CsvLine(fields);
  }
}

ordered_json RowsJson(const RowSheet& sheet) {
  ordered_json rows = ordered_json::array();
  for (const auto& row : sheet.rows) {
    ordered_json object = ordered_json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto& key = sheet.columns[i].key;
      if (!key) continue;
      if (key->empty()) {
        object.update(row[i]);
      } else {
        object[*key] = row[i];
      }
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

void PrintRows(const Invocation& invocation, const RowSheet& sheet,
               Streams& streams) {
  if (invocation.Has("json")) {
    PrintDocument(RowsJson(sheet), streams.out);
  } else {
    PrintTable(sheet, streams);
  }
}

}  // namespace coppice::cli
