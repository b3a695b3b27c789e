// Numbers and truth written as JSON strings, as pydantic takes them where it is
// lax: FlashInfer-Bench reads its documents so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace coppice::eval {

// "3", " +3 ", "1_000", "3.00".  None if it is another thing, or has no place
// in 64 bits.
std::optional<std::int64_t> LaxInteger(const std::string& text);

// Those, "0.5", "1e3", "NaN" and "-Infinity".
std::optional<double> LaxNumber(const std::string& text);

// "true", "T", "yes", "on", "1", "y" and their opposites, in any case.
std::optional<bool> LaxBool(const std::string& text);

}  // namespace coppice::eval
