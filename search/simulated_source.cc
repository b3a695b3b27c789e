#include "search/simulated_source.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "store/records/parse_number.h"

namespace coppice::search {
namespace {

constexpr std::string_view kLegend =
    "# layout: the basin, 0 to 3.  The others: how far each technique is "
    "taken.\n";

tl::unexpected<Error> FailAt(int line, std::string_view what) {
  std::string text = "line " + std::to_string(line);
  text.append(": ").append(what);
  return Fail(Errc::kCorrupt, std::move(text));
}

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Words: "bug", a verdict, and perhaps "stubborn".
std::optional<SimulatedBug> ParseBug(int setting,
                                     const std::vector<std::string>& words) {
  if (words.size() > 5 || words.size() < 4 || words[2] != "bug") {
    return std::nullopt;
  }
  const std::optional<Verdict> verdict = ParseVerdict(words[3]);
  if (!verdict || *verdict == Verdict::kPassed) return std::nullopt;
  if (words.size() == 5 && words[4] != "stubborn") return std::nullopt;
  return SimulatedBug{setting, *verdict, words.size() == 5};
}

Result<void> ParseSetting(int line, const std::vector<std::string>& words,
                          std::array<bool, kSettings>& seen,
                          SimulatedSource& source) {
  const std::optional<int> setting = FindSetting(words[0]);
  if (!setting) return FailAt(line, "unknown setting '" + words[0] + "'");
  const auto at = static_cast<std::size_t>(*setting);
  if (seen[at]) return FailAt(line, words[0] + " is set twice");
  seen[at] = true;
  const auto value =
      words.size() > 1 ? ParseNumber<int>(words[1]) : std::nullopt;
  if (!value || *value < 0 || *value > LastValue(*setting)) {
    return FailAt(line, words[0] + " takes a number from 0 to " +
                            std::to_string(LastValue(*setting)));
  }
  source.settings[at] = *value;
  if (words.size() == 2) return {};
  if (source.bug) return FailAt(line, "a second bug");
  source.bug = ParseBug(*setting, words);
  if (!source.bug) return FailAt(line, "unreadable after the number");
  return {};
}

}  // namespace

int LastValue(int setting) {
  return setting == kLayout ? kLayouts - 1 : kMaxLevel;
}

std::optional<int> FindSetting(std::string_view name) {
  const auto found =
      std::find(kSettingNames.begin(), kSettingNames.end(), name);
  if (found == kSettingNames.end()) return std::nullopt;
  return static_cast<int>(found - kSettingNames.begin());
}

Result<SimulatedSource> ParseSimulatedSource(std::string_view text) {
  SimulatedSource source;
  std::array<bool, kSettings> seen{};
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::vector<std::string> words = Words(line);
    if (words.empty() || words[0][0] == '#') continue;
    if (source.landscape.empty()) {
      if (words.size() != 2 || words[0] != "sim") {
        return FailAt(number, "expected 'sim LANDSCAPE'");
      }
      source.landscape = words[1];
      continue;
    }
    TRY_DONE(ParseSetting(number, words, seen, source));
  }
  if (source.landscape.empty()) {
    return FailAt(number + 1, "expected 'sim LANDSCAPE'");
  }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing != seen.end()) {
    std::string what(
        kSettingNames[static_cast<std::size_t>(missing - seen.begin())]);
    return FailAt(number + 1, what.append(" is not set"));
  }
  return source;
}

std::string Render(const SimulatedSource& source) {
  std::string text = "sim " + source.landscape + "\n";
  text += kLegend;
  for (int setting = 0; setting < kSettings; ++setting) {
    const auto at = static_cast<std::size_t>(setting);
    text.append(kSettingNames[at]).append(" ");
    text += std::to_string(source.settings[at]);
    if (source.bug && source.bug->setting == setting) {
      text.append(" bug ").append(Name(source.bug->verdict));
      if (source.bug->stubborn) text += " stubborn";
    }
    text += "\n";
  }
  return text;
}

}  // namespace coppice::search
