#include "store/records/tuning.h"

#include <algorithm>
#include <optional>

#include "store/records/parse_number.h"
#include "store/records/trimmed.h"

namespace coppice {
namespace {

// C++ and CUDA have the first, Python the second.
constexpr std::string_view kMarks[] = {"//@ tune", "#@ tune"};
constexpr std::string_view kSpace = " \t\r";
constexpr std::uint64_t kMostConfigurations = std::uint64_t{1} << 62;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// The last word of `text`, of letters and digits.
std::string_view LastName(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && (IsLetter(text[begin - 1]) || IsDigit(text[begin - 1]))) {
    --begin;
  }
  const std::string_view name = text.substr(begin);
  return name.empty() || IsDigit(name.front()) ? std::string_view() : name;
}

// "constexpr int TILE = 64;": the name before the number, and the number.
struct Declared {
  std::string_view name;
  std::string_view digits;
};

std::optional<Declared> ReadDeclaration(std::string_view code) {
  code = Trimmed(code);
  const bool is_macro = code.starts_with("#define");
  if (!is_macro && code.ends_with(';')) {
    code = Trimmed(code.substr(0, code.size() - 1));
  }
  std::size_t begin = code.size();
  while (begin > 0 && IsDigit(code[begin - 1])) --begin;
  const std::string_view digits = code.substr(begin);
  std::string_view before = Trimmed(code.substr(0, begin));
  if (is_macro) {
    // "#define SSE4" has a name, and no number.
    if (begin == 0 || kSpace.find(code[begin - 1]) == kSpace.npos) {
      return std::nullopt;
    }
  } else {
    if (!before.ends_with('=')) return std::nullopt;
    before = Trimmed(before.substr(0, before.size() - 1));
  }
  const std::string_view name = LastName(before);
  if (name.empty() || digits.empty()) return std::nullopt;
  return Declared{name, digits};
}

Result<std::vector<std::int64_t>> ReadChoices(std::string_view list) {
  std::vector<std::int64_t> choices;
  for (list = Trimmed(list); !list.empty();) {
    const std::size_t end = std::min(list.find_first_of(kSpace), list.size());
    const auto value = ParseCount(list.substr(0, end));
    if (!value) {
      return Fail(Errc::kCorrupt, std::string(list.substr(0, end)) +
                                      ": a choice is a whole number");
    }
    if (std::ranges::find(choices, *value) != choices.end()) {
      return Fail(Errc::kCorrupt, std::to_string(*value) + " is listed twice");
    }
    choices.push_back(*value);
    list = Trimmed(list.substr(end));
  }
  if (choices.empty()) return Fail(Errc::kCorrupt, "there are no choices");
  if (choices.size() > kMostTuningChoices) {
    return Fail(Errc::kCorrupt, "there are more than " +
                                    std::to_string(kMostTuningChoices) +
                                    " choices");
  }
  return choices;
}

struct Marked {
  std::string_view code;
  std::string_view list;
};

// None: the line declares nothing to be tuned.
std::optional<Marked> ReadMark(std::string_view line) {
  for (const std::string_view mark : kMarks) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view list = line.substr(at + mark.size());
    if (!list.empty() && kSpace.find(list.front()) == std::string_view::npos) {
      continue;  // "tuned by hand".
    }
    return Marked{line.substr(0, at), list};
  }
  return std::nullopt;
}

Result<TuningParameter> ReadParameter(std::string_view source,
                                      const Marked& line) {
  const auto declared = ReadDeclaration(line.code);
  if (!declared) {
    return Fail(Errc::kCorrupt,
                "before the mark there is no NAME = NUMBER nor #define NAME "
                "NUMBER");
  }
  TRY(choices, ReadChoices(line.list));
  const auto value = ParseCount(declared->digits);
  const auto chosen =
      value ? std::ranges::find(choices, *value) : choices.end();
  if (chosen == choices.end()) {
    return Fail(Errc::kCorrupt, std::string(declared->digits) + ", which " +
                                    std::string(declared->name) +
                                    " is, is not among its choices");
  }
  TuningParameter parameter;
  parameter.name = declared->name;
  parameter.chosen = static_cast<std::size_t>(chosen - choices.begin());
  parameter.choices = std::move(choices);
  parameter.begin =
      static_cast<std::size_t>(declared->digits.data() - source.data());
  parameter.bytes = declared->digits.size();
  return parameter;
}

}  // namespace

Result<std::vector<TuningParameter>> TuningParametersOf(
    std::string_view source) {
  std::vector<TuningParameter> parameters;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    const auto line = ReadMark(source.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (!line) continue;
    const auto refuse = [&](const std::string& what) {
      return Fail(Errc::kCorrupt,
                  "line " + std::to_string(number) + ": " + what);
    };
    auto parameter = ReadParameter(source, *line);
    if (!parameter) return refuse(parameter.error().what);
    if (std::ranges::find(parameters, parameter->name,
                          &TuningParameter::name) != parameters.end()) {
      return refuse(parameter->name + " is declared twice");
    }
    if (parameters.size() == kMostTuningParameters) {
      return refuse("there are more than " +
                    std::to_string(kMostTuningParameters) + " parameters");
    }
    parameters.push_back(*std::move(parameter));
  }
  return parameters;
}

Configuration AuthorsChoice(std::span<const TuningParameter> parameters) {
  Configuration configuration;
  for (const TuningParameter& each : parameters) {
    configuration.push_back(each.chosen);
  }
  return configuration;
}

std::uint64_t CountConfigurations(std::span<const TuningParameter> parameters) {
  std::uint64_t count = 1;
  for (const TuningParameter& each : parameters) {
    if (count > kMostConfigurations / each.choices.size()) {
      return kMostConfigurations;
    }
    count *= each.choices.size();
  }
  return count;
}

Configuration ConfigurationAt(std::span<const TuningParameter> parameters,
                              std::uint64_t number) {
  Configuration configuration(parameters.size());
  for (std::size_t i = parameters.size(); i-- > 0;) {
    const std::size_t choices = parameters[i].choices.size();
    configuration[i] = number % choices;
    number /= choices;
  }
  return configuration;
}

std::string Configured(std::string_view source,
                       std::span<const TuningParameter> parameters,
                       const Configuration& configuration) {
  std::string text;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const TuningParameter& each = parameters[i];
    text += source.substr(copied, each.begin - copied);
    text += std::to_string(each.choices[configuration[i]]);
    copied = each.begin + each.bytes;
  }
  return text += source.substr(copied);
}

std::string ConfigurationText(std::span<const TuningParameter> parameters,
                              const Configuration& configuration) {
  std::string text;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    text += (i == 0 ? "" : " ") + parameters[i].name + "=" +
            std::to_string(parameters[i].choices[configuration[i]]);
  }
  return text;
}

}  // namespace coppice
