#include "engine/mcp/outgoing.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/process/version.h"

namespace coppice::mcp {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kLegacy = {
    "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

constexpr int kKeepMs = 300'000;

// An id or a token goes back as it came.
ordered_json Back(std::string_view text) { return ordered_json::parse(text); }

ordered_json ErrorMessage(const Mistake& mistake) {
  ordered_json message = {{"jsonrpc", "2.0"}};
  if (!mistake.id.empty()) message["id"] = Back(mistake.id);
  message["error"] = {{"code", mistake.code}, {"message", mistake.message}};
  return message;
}

}  // namespace

bool IsLegacyVersion(std::string_view version) {
  return std::ranges::find(kLegacy, version) != kLegacy.end();
}

ordered_json ServerInfo() {
  return {{"name", "coppice"},
          {"title", "coppice"},
          {"version", engine::Release()}};
}

std::string LineText(const ordered_json& document) {
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string ResultLine(const Incoming& request, ordered_json result,
                       Keep keep) {
  if (request.IsModern()) {
    result["resultType"] = "complete";
    if (keep != Keep::kUnsaid) {
      result["ttlMs"] = keep == Keep::kMinutes ? kKeepMs : 0;
      result["cacheScope"] = "private";
    }
    result["_meta"]["io.modelcontextprotocol/serverInfo"] = ServerInfo();
  }
  return LineText({{"jsonrpc", "2.0"},
                   {"id", Back(request.id)},
                   {"result", std::move(result)}});
}

std::string ErrorLine(const Mistake& mistake) {
  return LineText(ErrorMessage(mistake));
}

std::string VersionErrorLine(const Incoming& request) {
  ordered_json message = ErrorMessage(
      {kUnsupportedVersion,
       "no such version of the protocol here: " + request.version.value_or(""),
       request.id});
  message["error"]["data"] = {{"supported", ordered_json::array({kModern})},
                              {"requested", request.version.value_or("")}};
  return LineText(message);
}

std::string ProgressLine(std::string_view token, const Advance& advance) {
  ordered_json params = {{"progressToken", Back(token)},
                         {"progress", advance.done}};
  if (!advance.message.empty()) params["message"] = advance.message;
  return LineText({{"jsonrpc", "2.0"},
                   {"method", "notifications/progress"},
                   {"params", std::move(params)}});
}

}  // namespace coppice::mcp
