// What an operation answered, as the result of a tool: short enough for an
// agent's context, and with what strangers wrote marked as theirs.
//
// Programs read structuredContent.  `content` has the same as text for models:
// first the object, and then each of its long texts by itself, fenced.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "store/records/result.h"

namespace coppice::mcp {

// structuredContent may have so many bytes, and all of `content` as many.  A
// client cuts at 25,000 tokens.
inline constexpr std::size_t kResultBytes = 30'000;

// Writes what is too long into a file, and says which.
using KeepWhole = std::function<Result<std::string>(std::string_view whole)>;

// REQUIRES: `answer` is JSON of an object, its texts of whatever bytes.
nlohmann::ordered_json ToolResult(std::string_view answer,
                                  const KeepWhole& keep);

// For whom the model is that called it: what is wrong and what to do.
nlohmann::ordered_json ToolError(const Error& error);

}  // namespace coppice::mcp
