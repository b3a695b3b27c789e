// Messages to a client: each one line without its end.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "engine/mcp/incoming.h"

namespace coppice::mcp {

inline constexpr std::string_view kModern = "2026-07-28";

// Whether a handshake may agree on it, and what it agrees on else.
bool IsLegacyVersion(std::string_view version);
inline constexpr std::string_view kNewestLegacy = "2025-11-25";

// How long a client may keep a result: of those of tools and prompts nothing is
// said.
enum class Keep { kUnsaid, kNot, kMinutes };

// {"name": "coppice", "version": ...}.
nlohmann::ordered_json ServerInfo();

// The result of `request`, with what its era has beside it.
std::string ResultLine(const Incoming& request, nlohmann::ordered_json result,
                       Keep keep = Keep::kUnsaid);

std::string ErrorLine(const Mistake& mistake);

// To a request of a version that we do not speak.
std::string VersionErrorLine(const Incoming& request);

struct Advance {
  double done = 0;  // Only grows; the whole is not known.
  std::string message{};
};

std::string ProgressLine(std::string_view token, const Advance& advance);

// As one line, whatever bytes its texts have.
std::string LineText(const nlohmann::ordered_json& document);

}  // namespace coppice::mcp
