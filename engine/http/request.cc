#include "engine/http/request.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace coppice::http {
namespace {

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

}  // namespace

std::string_view Request::Header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : found->second;
}

std::optional<std::string> Request::Query(std::string_view name) const {
  const auto found = query.find(name);
  if (found == query.end()) return std::nullopt;
  return found->second;
}

std::string ContentPolicy(std::string_view more) {
  std::string policy = "default-src 'none'; script-src 'self'";
  if (!more.empty()) policy.append(" ").append(more);
  return policy +
         "; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
         "worker-src 'self'; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'";
}

Answer Refusal(int status, std::string_view what) {
  const nlohmann::ordered_json body = {{"error", what}};
  return {status, "application/json",
          body.dump(-1, ' ', false,
                    nlohmann::ordered_json::error_handler_t::replace)};
}

std::optional<std::string> Decoded(std::string_view text, bool is_query) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto high = HexDigit(text[i + 1]);
      const auto low = HexDigit(text[i + 2]);
      if (!high || !low) return std::nullopt;
      decoded += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      decoded += is_query && text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

std::optional<std::map<std::string, std::string, std::less<>>> ParseQuery(
    std::string_view text) {
  std::map<std::string, std::string, std::less<>> query;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const auto name = Decoded(pair.substr(0, equals), true);
    const auto value = Decoded(
        equals == pair.npos ? std::string_view() : pair.substr(equals + 1),
        true);
    if (!name || !value) return std::nullopt;
    query.emplace(*name, *value);
  }
  return query;
}

}  // namespace coppice::http
