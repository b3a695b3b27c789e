#include "search/landscapes/fitted_law.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <sstream>

#include "store/records/parse_number.h"

namespace coppice::search {
namespace {

constexpr double kTiny = 1e-12;
constexpr double kMost = 1e6;

struct Field {
  std::string_view name;
  double& (*in)(FittedLaw& law);
  double least;
  double most;
};

// Logits of probabilities must be finite.
constexpr std::array<Field, 16> kFields = {{
    {"ceiling_shape", [](FittedLaw& l) -> double& { return l.ceilings.shape; },
     kTiny, kMost},
    {"ceiling_scale", [](FittedLaw& l) -> double& { return l.ceilings.scale; },
     kTiny, kMost},
    {"first_hop",
     [](FittedLaw& l) -> double& { return l.parameters.team.craft.first_hop; },
     -kMost, kMost},
    {"first_hop_sd",
     [](FittedLaw& l) -> double& { return l.parameters.first_hop_sd; }, 0.0,
     kMost},
    {"follows", [](FittedLaw& l) -> double& { return l.parameters.follows; },
     -kMost, kMost},
    {"conservative",
     [](FittedLaw& l) -> double& { return l.parameters.conservative; }, 0.0,
     1.0},
    {"shortfall",
     [](FittedLaw& l) -> double& { return l.parameters.shortfall; }, 0.0,
     kMost},
    {"step", [](FittedLaw& l) -> double& { return l.parameters.step; }, 0.0,
     kMost},
    {"inherited",
     [](FittedLaw& l) -> double& { return l.parameters.inherited; }, -1.0, 1.0},
    {"improves",
     [](FittedLaw& l) -> double& { return l.parameters.team.craft.improves; },
     0.0, 1.0},
    {"gap", [](FittedLaw& l) -> double& { return l.parameters.gap; }, 0.0,
     kMost},
    {"compiles",
     [](FittedLaw& l) -> double& { return l.parameters.team.compiles; }, kTiny,
     1.0 - kTiny},
    {"is_right",
     [](FittedLaw& l) -> double& { return l.parameters.team.is_right; }, kTiny,
     1.0 - kTiny},
    {"feedback", [](FittedLaw& l) -> double& { return l.parameters.feedback; },
     -kMost, kMost},
    {"repairs",
     [](FittedLaw& l) -> double& { return l.parameters.team.repairs; }, kTiny,
     1.0 - kTiny},
    {"noise", [](FittedLaw& l) -> double& { return l.parameters.noise; }, 0.0,
     kMost},
}};

tl::unexpected<Error> WrongAt(int line, const std::string& what) {
  return Fail(Errc::kCorrupt, "line " + std::to_string(line) + ": " + what);
}

Result<void> Take(int line, const std::string& name, const std::string& value,
                  FittedLaw& law) {
  if (name == "terrain") {
    const auto family = ParseFamily(value);
    if (family != Family::kWeak && family != Family::kHill) {
      return WrongAt(line, "terrain '" + value + "' is neither weak nor hill");
    }
    law.family = *family;
    return {};
  }
  const auto* field = std::ranges::find(kFields, name, &Field::name);
  if (field == kFields.end()) {
    return WrongAt(line, "'" + name + "' is no number of a fitted landscape");
  }
  const auto number = ParseNumber<double>(value);
  // Neither comparison holds of NaN.
  if (!number || !(*number >= field->least && *number <= field->most)) {
    return WrongAt(line, name + " '" + value +
                             "' is not a number that it can "
                             "be");
  }
  field->in(law) = *number;
  return {};
}

}  // namespace

Result<FittedLaw> ParseFittedLaw(std::string_view text) {
  FittedLaw law;
  // What tasks do not differ in, and windows do not change.
  law.parameters.window_gain = 0.0;
  law.parameters.compile_sd = 0.0;
  std::set<std::string> seen;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string name;
    std::string value;
    std::string more;
    words >> name >> value >> more;
    if (name.empty() || name[0] == '#') continue;
    if (value.empty() || !more.empty()) {
      return WrongAt(number, "expected a name and its value");
    }
    if (!seen.insert(name).second) {
      return WrongAt(number, "'" + name + "' is there twice");
    }
    TRY_DONE(Take(number, name, value, law));
  }
  if (!seen.contains("terrain")) {
    return Fail(Errc::kCorrupt, "terrain is missing");
  }
  for (const Field& field : kFields) {
    if (seen.contains(std::string(field.name))) continue;
    return Fail(Errc::kCorrupt, std::string(field.name) + " is missing");
  }
  law.parameters.alone = law.parameters.team;
  return law;
}

std::string Render(const FittedLaw& law) {
  FittedLaw copy = law;
  std::string text = "terrain " + std::string(Name(law.family)) + "\n";
  for (const Field& field : kFields) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   field.in(copy))
                         .ptr;
    text.append(field.name).append(" ");
    text.append(digits.data(), end).append("\n");
  }
  return text;
}

}  // namespace coppice::search
