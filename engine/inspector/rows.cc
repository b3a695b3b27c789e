#include "engine/inspector/rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/documents/document.h"
#include "engine/documents/value_json.h"
#include "engine/http/request.h"
#include "store/records/utf8.h"

namespace coppice::inspector {
namespace {

constexpr std::size_t kMostBytes = 1'000'000;
constexpr std::size_t kMostBytesOfAll = 50'000'000;

bool IsFlag(std::string_view column,
            std::initializer_list<std::string_view> flags) {
  return std::ranges::find(flags, column) != flags.end();
}

}  // namespace

Json ValuesJson(const std::vector<store::Value>& row) {
  return ArrayOf(row, cli::ValueJson);
}

Json RowJson(const store::Listing& listing, std::size_t row,
             std::initializer_list<std::string_view> flags) {
  Json object = Json::object();
  for (std::size_t i = 0; i < listing.columns.size(); ++i) {
    const std::string& column = listing.columns[i];
    Json value = cli::ValueJson(listing.rows[row][i]);
    if (IsFlag(column, flags) && value.is_number()) value = value != 0;
    object[column] = std::move(value);
  }
  return object;
}

Json RowsJson(const store::Listing& listing,
              std::initializer_list<std::string_view> flags) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < listing.rows.size(); ++i) {
    rows.push_back(RowJson(listing, i, flags));
  }
  return rows;
}

Json RowsWhere(const store::Listing& listing, std::string_view by,
               std::int64_t number,
               std::initializer_list<std::string_view> flags) {
  Json rows = Json::array();
  const auto column = std::ranges::find(listing.columns, by);
  if (column == listing.columns.end()) return rows;
  const auto at = static_cast<std::size_t>(column - listing.columns.begin());
  for (std::size_t i = 0; i < listing.rows.size(); ++i) {
    if (listing.rows[i][at] != store::Value(number)) continue;
    Json row = RowJson(listing, i, flags);
    row.erase(std::string(by));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<Speedup> SpeedupIn(const Json& row) {
  if (!row.at("speedup").is_number()) return std::nullopt;
  Speedup speedup{row["speedup"].get<double>(), std::nullopt};
  if (row.at("low").is_number()) {
    speedup.interval =
        Interval{row["low"].get<double>(), row.at("high").get<double>()};
  }
  return speedup;
}

void AddSpeedup(Json& row, const std::optional<Speedup>& speedup) {
  const auto interval = speedup ? speedup->interval : std::nullopt;
  row["speedup"] = OrNull(speedup, &Speedup::ratio);
  row["low"] = OrNull(interval, &Interval::low);
  row["high"] = OrNull(interval, &Interval::high);
}

void CutText(Json& row, const char* key, const char* cut, bool whole) {
  row[cut] = false;
  if (!row.contains(key) || !row[key].is_string()) return;
  auto& text = row[key].get_ref<std::string&>();
  const std::size_t most = whole ? kMostBytesOfAll : kMostBytes;
  if (text.size() <= most) return;
  text.resize(WholeCharacters(text, most));
  row[cut] = true;
}

http::Answer JsonAnswer(const Json& document, int status) {
  return {status, "application/json", cli::LineOf(document)};
}

}  // namespace coppice::inspector
