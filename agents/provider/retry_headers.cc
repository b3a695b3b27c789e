#include "agents/provider/retry_headers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace coppice::agents {
namespace {

// A number at the start of `text`, which it is taken off.
template <class Number>
std::optional<Number> TakeNumber(std::string_view& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

std::optional<double> Seconds(std::string_view text) {
  const auto number = TakeNumber<double>(text);
  if (!number || !text.empty() || !std::isfinite(*number) || *number < 0) {
    return std::nullopt;
  }
  return number;
}

// Days from 1970-01-01 to a date of the Gregorian calendar.  The year begins
// in March, so that the leap day is its last.
std::int64_t DaysSinceEpoch(std::int64_t year, int month, int day) {
  if (month <= 2) --year;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const int from_march = month > 2 ? month - 3 : month + 9;
  const std::int64_t day_of_year = (153 * from_march + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      of_era * 365 + of_era / 4 - of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

bool Take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// "08:49:37.25" at the start of `text`, which it is taken off.
std::optional<double> TakeTimeOfDay(std::string_view& text) {
  const auto hours = TakeNumber<int>(text);
  if (!hours || !Take(text, ':')) return std::nullopt;
  const auto minutes = TakeNumber<int>(text);
  if (!minutes || !Take(text, ':')) return std::nullopt;
  const auto seconds = TakeNumber<double>(text);
  if (!seconds || *hours < 0 || *hours > 23 || *minutes < 0 || *minutes > 59 ||
      !(*seconds >= 0 && *seconds < 61)) {
    return std::nullopt;
  }
  return *hours * 3600.0 + *minutes * 60.0 + *seconds;
}

std::optional<double> AsTime(std::int64_t year, int month, int day,
                             std::optional<double> of_day) {
  if (!of_day || year < 1970 || year > 9999 || month < 1 || month > 12 ||
      day < 1 || day > 31) {
    return std::nullopt;
  }
  return static_cast<double>(DaysSinceEpoch(year, month, day)) * 86400.0 +
         *of_day;
}

// "1994-11-06T08:49:37.25Z".
std::optional<double> ParseRfc3339(std::string_view text) {
  const auto year = TakeNumber<int>(text);
  if (!year || !Take(text, '-')) return std::nullopt;
  const auto month = TakeNumber<int>(text);
  if (!month || !Take(text, '-')) return std::nullopt;
  const auto day = TakeNumber<int>(text);
  if (!day || !Take(text, 'T')) return std::nullopt;
  const auto of_day = TakeTimeOfDay(text);
  if (text != "Z" && text != "+00:00") return std::nullopt;
  return AsTime(*year, *month, *day, of_day);
}

// "Sun, 06 Nov 1994 08:49:37 GMT".
std::optional<double> ParseHttpDate(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun",
      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr std::size_t kWeekday = 5;  // "Sun, "
  if (text.size() < kWeekday) return std::nullopt;
  text.remove_prefix(kWeekday);
  const auto day = TakeNumber<int>(text);
  if (!day || !Take(text, ' ')) return std::nullopt;
  const auto month = std::ranges::find(kMonths, text.substr(0, 3));
  if (month == kMonths.end()) return std::nullopt;
  text.remove_prefix(3);
  if (!Take(text, ' ')) return std::nullopt;
  const auto year = TakeNumber<int>(text);
  if (!year || !Take(text, ' ')) return std::nullopt;
  const auto of_day = TakeTimeOfDay(text);
  if (text != " GMT") return std::nullopt;
  return AsTime(*year, static_cast<int>(month - kMonths.begin()) + 1, *day,
                of_day);
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
  if (const auto time = ParseRfc3339(text)) return time;
  return ParseHttpDate(text);
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
