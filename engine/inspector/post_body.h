// What a page sent: an object of JSON, which mostly names a campaign.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/inspector/query_parameters.h"
#include "engine/inspector/rows.h"
#include "store/database.h"
#include "store/records/result.h"

namespace coppice::inspector {

struct Addressee {
  std::size_t file = 0;  // `db`
  std::string campaign;  // `c`
};

// An object whose `db` is a whole number, or not there.  kUsage with `form`,
// which shows how it is sent.
Result<Json> ParseObject(const std::string& body, std::string_view form);
// One that names a campaign, too.
Result<Json> ParsePosted(const std::string& body, std::string_view form);
// REQUIRES: ParseObject gave it.
std::size_t FileOf(const Json& document);
// REQUIRES: ParsePosted gave it.
Addressee AddresseeOf(const Json& document);

// A member; null if it is not there.
const Json& MemberOf(const Json& object, const char* key);
// One that is a whole number from 0 on, or not there.
Result<std::optional<std::int64_t>> WholeIn(const Json& object,
                                            const char* key);
// One that is a number, or not there.
Result<std::optional<double>> NumberIn(const Json& object, const char* key);
// One that is a text; empty if it is not there.
Result<std::string> TextIn(const Json& object, const char* key);

// A connection of one's own, for those on loan only read.
Result<store::Database> OpenToWrite(const QueryParameters& asked,
                                    std::size_t file);

}  // namespace coppice::inspector
