#include "agents/provider/retry_headers.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "store/records/parse_number.h"

namespace coppice::agents {
namespace {

std::optional<double> Seconds(std::string_view text) {
  const auto number = ParseNumber<double>(text);
  if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
  return number;
}

// A time of the form that strptime has, in UTC, at the start of `text`, which
// it is taken off.  None before 1970.
std::optional<double> TakeTime(std::string_view& text, const char* form) {
  const std::string whole(text);
  tm time{};
  const char* end = strptime(whole.c_str(), form, &time);
  if (end == nullptr) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - whole.c_str()));
  const time_t seconds = timegm(&time);
  if (seconds < 0) return std::nullopt;
  return static_cast<double>(seconds);
}

// Seconds from `now` to a time of day, which may be past.
std::optional<double> Until(std::string_view time, std::optional<double> now) {
  const auto then = ParseTime(time);
  if (!then || !now) return std::nullopt;
  return std::max(0.0, *then - *now);
}

// The latest reset among the limits that are used up.
std::optional<double> Reset(const HeaderOf& header, std::optional<double> now) {
  std::optional<double> latest;
  const auto add = [&](std::optional<double> wait) {
    if (wait) latest = std::max(latest.value_or(0.0), *wait);
  };
  const auto value = [&](const std::string& name) {
    return header(name.c_str());
  };
  for (const char* limit : {"requests", "tokens"}) {
    const std::string name = limit;
    if (value("x-ratelimit-remaining-" + name) == "0") {
      add(ParseDuration(value("x-ratelimit-reset-" + name)));
    }
  }
  for (const char* limit :
       {"requests", "tokens", "input-tokens", "output-tokens"}) {
    const std::string name = std::string("anthropic-ratelimit-") + limit;
    if (value(name + "-remaining") == "0") {
      add(Until(value(name + "-reset"), now));
    }
  }
  return latest;
}

}  // namespace

std::optional<double> ParseDuration(std::string_view text) {
  if (const auto seconds = Seconds(text)) return seconds;
  struct Unit {
    std::string_view name;
    double seconds;
  };
  // Longer names first: "ms" is no "m".
  constexpr Unit kUnits[] = {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9},
                             {"h", 3600},  {"m", 60},    {"s", 1}};
  double total = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const auto number = TakeNumber<double>(text);
    if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
    const auto* unit = std::ranges::find_if(
        kUnits, [&](const Unit& u) { return text.starts_with(u.name); });
    if (unit == std::end(kUnits)) return std::nullopt;
    text.remove_prefix(unit->name.size());
    total += *number * unit->seconds;
  }
  return total;
}

std::optional<double> ParseTime(std::string_view text) {
  std::string_view rest = text;
  if (const auto time = TakeTime(rest, "%Y-%m-%dT%H:%M:%S")) {
    const double part =
        rest.starts_with('.') ? TakeNumber<double>(rest).value_or(0.0) : 0.0;
    if (rest == "Z" || rest == "+00:00") return *time + part;
  }
  rest = text;
  const auto time = TakeTime(rest, "%a, %d %b %Y %H:%M:%S GMT");
  return rest.empty() ? time : std::nullopt;
}

std::optional<double> WaitAsked(const HeaderOf& header) {
  if (const auto wait = Seconds(header("retry-after-ms"))) return *wait * 1e-3;
  const std::string_view asked = header("retry-after");
  if (const auto wait = Seconds(asked)) return wait;
  const auto now = ParseTime(header("date"));
  if (const auto wait = Until(asked, now)) return wait;
  return Reset(header, now);
}

}  // namespace coppice::agents
