#include "engine/http/guard.h"

#include <algorithm>
#include <cctype>

#include "store/records/trimmed.h"

namespace coppice::http {
namespace {

constexpr std::string_view kNoToken =
    "no token: open the address that `coppice serve` printed";

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return lower;
}

// Empty if there is none of that name.
std::string_view CookieOf(const Request& request, const std::string& name) {
  std::string_view cookies = request.Header("cookie");
  while (!cookies.empty()) {
    const std::string_view one = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(std::min(cookies.size(), one.size() + 1));
    const std::string_view pair = Trimmed(one);
    if (pair.starts_with(name + "=")) return pair.substr(name.size() + 1);
  }
  return {};
}

Answer Welcome(const Door& door) {
  Answer answer{303, "text/plain", ""};
  answer.headers = {{"Location", "/"},
                    {"Set-Cookie", CookieName(door) + "=" + door.token +
                                       "; HttpOnly; SameSite=Strict; Path=/"}};
  return answer;
}

// No form and no page of another site can send that header.
bool HasBearer(const Door& door, const Request& request) {
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view given = request.Header("authorization");
  return Lower(given.substr(0, kBearer.size())) == kBearer &&
         AreEqual(door.token, Trimmed(given.substr(kBearer.size())));
}

bool IsReading(const Request& request) {
  return request.method == "GET" || request.method == "HEAD";
}

// Links from elsewhere may lead to a page of ours; but no page of another may
// read what is behind it, be it of another port of this machine.
bool ComesFromOurPage(const Request& request) {
  const std::string_view site = request.Header("sec-fetch-site");
  if (site.empty() || site == "same-origin" || site == "none") return true;
  return IsReading(request) && request.Header("sec-fetch-mode") == "navigate";
}

std::optional<Answer> StopWriting(const Request& request) {
  const std::string ours = "http://" + std::string(request.Header("host"));
  if (Lower(request.Header("origin")) != Lower(ours)) {
    return Refusal(403, "not sent by this page: its origin is another");
  }
  if (request.Header("x-coppice") != "1") {
    return Refusal(403, "not sent by this page: send the header X-Coppice: 1");
  }
  const std::string_view type = request.Header("content-type");
  if (Trimmed(type.substr(0, type.find(';'))) != "application/json") {
    return Refusal(403, "not JSON: send Content-Type: application/json");
  }
  return std::nullopt;
}

// No page may ask, but one of ours: a browser says where it comes from.
std::optional<Answer> StopProgram(const Door& door, const Request& request) {
  const std::string_view origin = request.Header("origin");
  const std::string ours = "http://" + std::string(request.Header("host"));
  if (!origin.empty() && Lower(origin) != Lower(ours)) {
    return Refusal(403, "asked for by a page of another site");
  }
  if (HasBearer(door, request)) return std::nullopt;
  Answer answer = Refusal(401, "token missing or wrong: " + door.remedy);
  answer.headers = {{"WWW-Authenticate", "Bearer realm=\"coppice\""}};
  return answer;
}

}  // namespace

std::string CookieName(const Door& door) {
  return "coppice-" + (door.port == 0 ? "socket" : std::to_string(door.port));
}

bool AreEqual(std::string_view secret, std::string_view given) {
  unsigned difference = secret.size() == given.size() ? 0 : 1;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    const char c = given.empty() ? '\0' : given[i % given.size()];
    difference |= static_cast<unsigned char>(secret[i] ^ c);
  }
  return difference == 0;
}

bool IsOurHost(const Door& door, std::string_view host) {
  const std::string lower = Lower(host);
  for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    if (!lower.starts_with(name)) continue;
    const std::string_view rest = std::string_view(lower).substr(name.size());
    // Who forwards a port to a socket chooses the port.
    if (door.port == 0 && (rest.empty() || rest.front() == ':')) return true;
    if (rest == ":" + std::to_string(door.port)) return true;
    if (rest.empty() && door.port == 80) return true;
  }
  return std::ranges::any_of(door.hosts, [&](const std::string& ours) {
    const std::string name = Lower(ours);
    return lower == name || lower.starts_with(name + ":");
  });
}

std::optional<Answer> Stop(const Door& door, const Request& request) {
  if (!IsOurHost(door, request.Header("host"))) {
    return Refusal(403,
                   "not a name of this server: use localhost, or give it by "
                   "--host");
  }
  if (door.shown == Shown::kByHeader) return StopProgram(door, request);
  if (!ComesFromOurPage(request)) {
    return Refusal(403, "asked for by a page of another site");
  }
  if (HasBearer(door, request)) return std::nullopt;
  const auto token = request.Query("token");
  if (request.path == "/" && request.method == "GET" && token) {
    return AreEqual(door.token, *token) ? Welcome(door)
                                        : Refusal(403, kNoToken);
  }
  if (!AreEqual(door.token, CookieOf(request, CookieName(door)))) {
    return Refusal(403, kNoToken);
  }
  if (IsReading(request)) return std::nullopt;
  return StopWriting(request);
}

}  // namespace coppice::http
