// How long a server asks to wait, of the headers that servers say it with.
// Times of day count from the reply's own Date, so that no clock is read and
// one that is wrong does not matter.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

namespace coppice::agents {

// A header's value; empty: it is absent.
using HeaderOf = std::function<std::string_view(const char* name)>;

// In this order: retry-after-ms; Retry-After as seconds or as a date; if
// neither, the reset of the limits of which nothing remains
// (x-ratelimit-*: "6m0s", anthropic-ratelimit-*: an RFC 3339 time), the
// latest.  Not negative.
std::optional<double> WaitAsked(const HeaderOf& header);

// "1h2m3.5s", "12ms", "7": seconds.  As Go prints a duration.
std::optional<double> ParseDuration(std::string_view text);

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110's preferred form) or
// "1994-11-06T08:49:37.25Z": Unix seconds.
std::optional<double> ParseTime(std::string_view text);

}  // namespace coppice::agents
