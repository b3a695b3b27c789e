// Text to values and back: one overload for each type of setting.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "config/keys.h"
#include "config/model_list.h"
#include "config/presets.h"
#include "store/records/nearest_name.h"
#include "store/records/parse_number.h"

namespace coppice::config {
namespace {

// Shortest text that reads back as the same number: 0.1, 1e+15, 30.
template <class Number>
std::string ToText(Number number) {
  char text[32];
  const auto end = std::to_chars(text, std::end(text), number).ptr;
  return {text, end};
}

template <class Number>
Result<Number> ParseNumber(std::string_view text, NumberRange range,
                           std::string_view kind) {
  const auto number = coppice::ParseNumber<Number>(text);
  const auto value = static_cast<double>(number.value_or(Number{}));
  if (!number || !std::isfinite(value) || value < range.least ||
      value > range.most) {
    // 2^64 - 1 is no double.
    const std::string most =
        range.most < 0x1p64 ? ToText(range.most)
                            : ToText(std::numeric_limits<std::uint64_t>::max());
    return Fail(Errc::kUsage, "expected " + std::string(kind) + " from " +
                                  ToText(range.least) + " to " + most);
  }
  return *number;
}

bool IsVariableName(std::string_view text) {
  const auto legal = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), legal);
}

// Words with commas between, each a number or the UUID of a GPU.
bool IsListOfDevices(std::string_view text) {
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    const bool is_number =
        !word.empty() && word.find_first_not_of("0123456789") == word.npos;
    const bool is_uuid = word.starts_with("GPU-") && word.size() > 4;
    if (!is_number && !is_uuid) return false;
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
  }
}

// Whether a word of it begins as keys of providers do; "ask-pass" has none.
bool HoldsAKey(std::string_view command) {
  constexpr std::string_view kBeginning = "sk-";
  for (std::size_t at = command.find(kBeginning); at != command.npos;
       at = command.find(kBeginning, at + 1)) {
    if (at == 0 ||
        std::isalnum(static_cast<unsigned char>(command[at - 1])) == 0) {
      return true;
    }
  }
  return false;
}

// Values that have a form beyond "some text".
Result<void> CheckText(const Key& key, std::string_view text) {
  if (const auto choices = Choices(key.placeholder); !choices.empty()) {
    return CheckChoice(text, choices);
  }
  if (text.empty()) return Fail(Errc::kUsage, "expected a value");
  if (key.name.ends_with("_api_key_env") && !IsVariableName(text)) {
    return Fail(Errc::kUsage,
                "expected the NAME of an environment variable, in capitals; "
                "the key itself belongs in that variable");
  }
  // "cpu:0" goes the way of a GPU, for tests.
  if (key.name == "devices" && text != "auto" && text != "cpu" &&
      text != "cpu:0" && text != "all" && !IsListOfDevices(text)) {
    return Fail(Errc::kUsage,
                "expected auto, cpu, all, or numbers and UUIDs as in 0,2 or "
                "GPU-1a2b3c4d");
  }
  if (key.name == "preset") {
    TRY_DONE(FindPreset(text));
    return {};
  }
  // A key in the command would be stored with the campaign.
  if (key.name.ends_with("_key_command") && HoldsAKey(text)) {
    return Fail(Errc::kUsage,
                "expected a command that prints the key, not the key itself");
  }
  if (!key.name.ends_with("_base_url")) return {};
  if (!text.starts_with("http://") && !text.starts_with("https://")) {
    return Fail(Errc::kUsage, "expected a URL, http:// or https://");
  }
  const std::size_t host = text.find("://") + 3;
  if (host == text.size() || text.find_first_of(" /?#:", host) == host) {
    return Fail(Errc::kUsage, "expected a URL with a host");
  }
  if (text.find('@') != text.npos) {
    return Fail(Errc::kUsage, "expected a URL without a user or password");
  }
  return {};
}

// One overload for each type of member: reads `text` into it.
class Reader {
 public:
  Reader(const Key& key, std::string_view text, Settings& settings)
      : key_(key), text_(text), settings_(settings) {}

  Result<void> operator()(std::filesystem::path Settings::*member) const {
    TRY_DONE(CheckText(key_, text_));
    settings_.*member = text_;
    return {};
  }
  Result<void> operator()(std::string Settings::*member) const {
    TRY_DONE(CheckText(key_, text_));
    settings_.*member = text_;
    return {};
  }
  Result<void> operator()(std::uint64_t Settings::*member) const {
    constexpr NumberRange kAll{0, 0x1p64};
    return Store(member, ParseNumber<std::uint64_t>(text_, kAll, kWhole));
  }
  Result<void> operator()(std::int64_t Settings::*member) const {
    return Store(member, ParseNumber<std::int64_t>(text_, key_.range, kWhole));
  }
  Result<void> operator()(double Settings::*member) const {
    return Store(member, ParseNumber<double>(text_, key_.range, "a number"));
  }
  Result<void> operator()(std::optional<double> Settings::*member) const {
    if (text_ == "none") {
      settings_.*member = std::nullopt;
      return {};
    }
    return Store(member,
                 ParseNumber<double>(text_, key_.range, "none or a number"));
  }
  Result<void> operator()(std::optional<std::string> Settings::*member) const {
    TRY_DONE(CheckText(key_, text_));
    settings_.*member = std::nullopt;
    if (text_ != "none") settings_.*member = std::string(text_);
    return {};
  }
  Result<void> operator()(ModelList Settings::*member) const {
    return Store(member, ParseModelList(text_));
  }
  Result<void> operator()(Agents Settings::*member) const {
    TRY_DONE(CheckText(key_, text_));
    settings_.*member = text_ == "team" ? Agents::kTeam : Agents::kAlone;
    return {};
  }

 private:
  static constexpr std::string_view kWhole = "a whole number";

  template <class Member, class Value>
  Result<void> Store(Member Settings::*member, Result<Value> value) const {
    TRY_ASSIGN(settings_.*member, std::move(value));
    return {};
  }

  const Key& key_;
  std::string_view text_;
  Settings& settings_;
};

class Printer {
 public:
  explicit Printer(const Settings& settings) : settings_(settings) {}

  std::string operator()(std::filesystem::path Settings::*member) const {
    return (settings_.*member).string();
  }
  std::string operator()(std::string Settings::*member) const {
    return settings_.*member;
  }
  std::string operator()(std::optional<double> Settings::*member) const {
    const auto& value = settings_.*member;
    return value ? ToText(*value) : "none";
  }
  std::string operator()(std::optional<std::string> Settings::*member) const {
    return (settings_.*member).value_or("none");
  }
  std::string operator()(ModelList Settings::*member) const {
    return config::Print(settings_.*member);
  }
  std::string operator()(Agents Settings::*member) const {
    return settings_.*member == Agents::kTeam ? "team" : "alone";
  }
  template <class Number>
  std::string operator()(Number Settings::*member) const {
    return ToText(settings_.*member);
  }

 private:
  const Settings& settings_;
};

}  // namespace

Result<void> CheckChoice(std::string_view text,
                         const std::vector<std::string>& choices) {
  std::string what = "expected " + choices.front();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == text) return {};
    if (i > 0) what += (i + 1 < choices.size() ? ", " : " or ") + choices[i];
  }
  if (const auto nearest = NearestName(text, choices)) {
    what += "; did you mean '" + *nearest + "'?";
  }
  return Fail(Errc::kUsage, what);
}

Result<void> Assign(const Key& key, std::string_view text, Settings& settings) {
  return std::visit(Reader(key, text, settings), key.member);
}

std::string Print(const Key& key, const Settings& settings) {
  return std::visit(Printer(settings), key.member);
}

}  // namespace coppice::config
