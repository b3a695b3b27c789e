#include "engine/documents/value_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/documents/table.h"

namespace coppice::cli {

nlohmann::ordered_json ValueJson(const store::Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

nlohmann::ordered_json ValuesJson(const std::vector<std::string>& columns,
                                  const ValueRow& row) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < row.size(); ++i) {
    object[columns[i]] = ValueJson(row[i]);
  }
  return object;
}

void PrintValues(const store::Sheet& sheet,
                 std::vector<std::string> (*texts)(const ValueRow& row),
                 Streams& streams) {
  std::vector<Column> heads;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    const bool has_text = std::ranges::any_of(sheet.rows, [i](const auto& row) {
      return std::holds_alternative<std::string>(row[i]);
    });
    heads.push_back(
        {sheet.columns[i], has_text ? Align::kLeft : Align::kRight});
  }
  Table table(std::move(heads));
  for (const ValueRow& row : sheet.rows) table.AddRow(texts(row));
  table.Print(streams);
}

}  // namespace coppice::cli
