// The file format.  schema.sql is its document, and is built into the program.
#pragma once

#include <cstdint>

namespace coppice::store {

// Creates a file of the newest format in an empty database, and marks it.
extern const char* const kSchemaSql;

inline constexpr std::int64_t kFormatVersion = 1;  // PRAGMA user_version.
inline constexpr std::int64_t kApplicationId = 0x436f7070;  // "Copp".

}  // namespace coppice::store
