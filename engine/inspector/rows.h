// What a page is told, as JSON.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/documents/or_null.h"
#include "store/read/listing.h"
#include "store/records/speedup.h"

namespace coppice::http {
struct Answer;
}

namespace coppice::inspector {

using Json = nlohmann::ordered_json;

using cli::ArrayOf;
using cli::NameOrNull;
using cli::OrNull;
using cli::TextOrNull;

// An array.
Json ValuesJson(const std::vector<store::Value>& row);

// Columns are keys.  Those of `flags` become true or false.
Json RowJson(const store::Listing& listing, std::size_t row,
             std::initializer_list<std::string_view> flags = {});
// An array of such.
Json RowsJson(const store::Listing& listing,
              std::initializer_list<std::string_view> flags = {});
// As many rows as have `number` in the column `by`, without that column.
Json RowsWhere(const store::Listing& listing, std::string_view by,
               std::int64_t number,
               std::initializer_list<std::string_view> flags = {});

// The numbers of a row of a listing with columns speedup, low and high.
std::optional<Speedup> SpeedupIn(const Json& row);

// Adds speedup, low and high; null where they are not known.
void AddSpeedup(Json& row, const std::optional<Speedup>& speedup);

// Cuts `row[key]` at 1 MB, or 50 MB if `whole`, at the end of a character, and
// sets `row[cut]` to whether it did.
void CutText(Json& row, const char* key, const char* cut, bool whole);

// Bytes that are no UTF-8 become the mark for that.
http::Answer JsonAnswer(const Json& document, int status = 200);

}  // namespace coppice::inspector
