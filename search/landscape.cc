#include "search/landscape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <sstream>

#include "search/simulated_source.h"
#include "store/records/hash.h"

namespace coppice::search {
namespace {

constexpr std::array<std::string_view, 1> kLandscapes = {"basic"};

constexpr double kRootRuntime_s = 10e-3;

struct Technique {
  double gain;  // In log speed, at the best level.
  int best;     // Level, of kMaxLevel.
};

struct Basin {
  double offset;  // In log speed, against the root.
  std::array<Technique, kSettings - 1> techniques;  // As kSettingNames[1..].
};

// Ceilings, exp(offset + gains): 1.73, 2.34, 3.86, 1.42.
constexpr std::array<Basin, kLayouts> kBasins = {{
    {0.00, {{{0.20, 4}, {0.15, 3}, {0.08, 3}, {0.05, 5}, {0.07, 4}}}},
    {-0.10, {{{0.35, 5}, {0.25, 4}, {0.10, 3}, {0.10, 4}, {0.15, 5}}}},
    {-0.45, {{{0.60, 6}, {0.45, 5}, {0.20, 4}, {0.25, 6}, {0.30, 5}}}},
    {0.05, {{{0.10, 4}, {0.10, 3}, {0.05, 3}, {0.03, 5}, {0.02, 4}}}},
}};

// How plans are drawn.
constexpr double kRelayoutFirst = 0.35;  // At the root's settings.
constexpr double kRelayoutLater = 0.10;
constexpr double kStepUp = 0.85;
constexpr int kLongestStep = 3;

// How edits come out.  Probabilities of failing are for a step of 2; see
// Risk().
constexpr double kNoAnswer = 0.02;
constexpr std::array<std::pair<Verdict, double>, 4> kBugs = {{
    {Verdict::kCompileFailed, 0.12},
    {Verdict::kWrongOutput, 0.22},
    {Verdict::kCrashed, 0.06},
    {Verdict::kTimedOut, 0.02},
}};
constexpr double kStubborn = 0.04;
constexpr double kMissed = 0.30;  // Sound, but at a level nobody asked for.

// How repairs come out.
constexpr double kMended = 0.50;
constexpr double kMendedByRetreat = 0.25;  // Of those mended.
constexpr double kChangesSymptom = 0.20;   // Of those not mended.

// Longer steps are riskier, a new layout most of all.
double Risk(int setting, int from, int to) {
  if (setting == kLayout) return 1.25;
  constexpr std::array<double, 4> kRisks = {0.80, 0.85, 1.00, 1.20};
  return kRisks[static_cast<std::size_t>(
      std::min(std::abs(to - from), kLongestStep))];
}

int& Value(SimulatedSource& source, int setting) {
  return source.settings[static_cast<std::size_t>(setting)];
}

std::string_view SettingName(int setting) {
  return kSettingNames[static_cast<std::size_t>(setting)];
}

int DrawInt(RandomStream& stream, int n) {
  return static_cast<int>(stream.Below(static_cast<std::uint64_t>(n)));
}

double LogSpeedup(const SimulatedSource& source) {
  const Basin& basin = kBasins[static_cast<std::size_t>(source.settings[0])];
  double sum = basin.offset;
  for (std::size_t t = 0; t < basin.techniques.size(); ++t) {
    const auto& [gain, best] = basin.techniques[t];
    const double miss =
        source.settings[t + 1] / static_cast<double>(best) - 1.0;
    sum += gain * (1.0 - miss * miss);
  }
  return sum;
}

// In [-1, 1); FNV-1a with the finish of SplitMix64 (Steele et al. 2014).
double HashNoise(std::string_view text) {
  std::uint64_t hash = Fnv1a(text);
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  hash ^= hash >> 31;
  return static_cast<double>(hash >> 11) * 0x1p-52 - 1.0;
}

// Whether a change of this setting touches the line: a new layout rewrites the
// lines of all settings.
bool Touches(int setting, const std::string& line) {
  std::istringstream stream(line);
  std::string word;
  stream >> word;
  const std::optional<int> found = FindSetting(word);
  return found && (setting == kLayout || *found == setting);
}

std::string Annotate(std::string_view text, int setting) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  const auto touched = [&](const std::string& line) {
    return Touches(setting, line);
  };
  const auto first = std::find_if(lines.begin(), lines.end(), touched);
  lines.insert(first, "# <<<IMPROVE BEGIN>>>");
  const auto last = std::find_if(lines.rbegin(), lines.rend(), touched);
  lines.insert(last.base(), "# <<<IMPROVE END>>>");
  std::string annotated;
  for (const std::string& line : lines) annotated.append(line).append("\n");
  return annotated;
}

struct Instruction {
  int setting;
  int value;
};

// The first "set NAME to N" in the advice that makes sense.
std::optional<Instruction> ReadAdvice(std::string_view advice) {
  std::istringstream stream{std::string(advice)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  for (std::size_t i = 0; i + 3 < words.size(); ++i) {
    if (words[i] != "set" || words[i + 2] != "to") continue;
    const std::optional<int> setting = FindSetting(words[i + 1]);
    const char digit = words[i + 3][0];
    if (!setting || digit < '0' || digit - '0' > LastValue(*setting)) continue;
    return Instruction{*setting, digit - '0'};
  }
  return std::nullopt;
}

Instruction DrawInstruction(SimulatedSource source, RandomStream& stream) {
  const bool first = source.settings == std::array<int, kSettings>{};
  if (stream.Uniform() < (first ? kRelayoutFirst : kRelayoutLater)) {
    const int shift = 1 + DrawInt(stream, kLayouts - 1);
    return {kLayout, (Value(source, kLayout) + shift) % kLayouts};
  }
  const int setting = 1 + DrawInt(stream, kSettings - 1);
  const int level = Value(source, setting);
  const int step = 1 + DrawInt(stream, kLongestStep);
  bool up = stream.Uniform() < kStepUp;
  if (level == 0) up = true;
  if (level == kMaxLevel) up = false;
  return {setting, std::clamp(up ? level + step : level - step, 0, kMaxLevel)};
}

void Apply(const Instruction& instruction, SimulatedSource& source) {
  // Work on the old layout carries over by half.
  if (instruction.setting == kLayout) {
    for (int& value : source.settings) value /= 2;
  }
  Value(source, instruction.setting) = instruction.value;
}

std::optional<SimulatedBug> DrawBug(int setting, double risk,
                                    RandomStream& stream) {
  double luck = stream.Uniform();
  const bool stubborn = stream.Uniform() < kStubborn;
  for (const auto& [verdict, probability] : kBugs) {
    luck -= probability * risk;
    if (luck < 0) return SimulatedBug{setting, verdict, stubborn};
  }
  return std::nullopt;
}

std::string Log(const SimulatedBug& bug) {
  const std::string name(SettingName(bug.setting));
  switch (bug.verdict) {
    case Verdict::kCompileFailed:
      return name + ": does not compile at this value";
    case Verdict::kWrongOutput:
      return name + ": output differs from the reference";
    case Verdict::kCrashed:
      return name + ": access out of bounds";
    case Verdict::kTimedOut:
      return name + ": still running at the time limit";
    default:
      return name + ": " + std::string(Name(bug.verdict));
  }
}

}  // namespace

std::string Landscape::RootSource() const {
  return Render({.landscape = std::string(name_), .settings = {}, .bug = {}});
}

namespace {

Proposal Propose(std::string_view source, const SimulatedSource& parsed,
                 const Instruction& change) {
  const std::string name(SettingName(change.setting));
  Proposal proposal;
  proposal.technique = name;
  proposal.advice = "set " + name + " to " + std::to_string(change.value);
  proposal.advice += " in place of ";
  proposal.advice +=
      std::to_string(parsed.settings[static_cast<std::size_t>(change.setting)]);
  if (change.setting == kLayout) proposal.advice += ", and halve all others";
  proposal.annotated_source = Annotate(source, change.setting);
  return proposal;
}

}  // namespace

Result<Proposal> Landscape::ProposePlan(std::string_view source,
                                        RandomStream& stream) const {
  TRY(parsed, ParseSimulatedSource(source));
  return Propose(source, parsed, DrawInstruction(parsed, stream));
}

Result<Proposal> Landscape::ProposeCross(std::string_view source,
                                         std::string_view mate,
                                         RandomStream& stream) const {
  TRY(parsed, ParseSimulatedSource(source));
  TRY(other, ParseSimulatedSource(mate));
  std::vector<Instruction> differing;
  for (int setting = 0; setting < kSettings; ++setting) {
    if (Value(parsed, setting) == Value(other, setting)) continue;
    differing.push_back({setting, Value(other, setting)});
  }
  if (differing.empty()) return ProposePlan(source, stream);
  return Propose(source, parsed, differing[stream.Below(differing.size())]);
}

std::optional<std::string> Landscape::Realise(std::string_view source,
                                              std::string_view advice,
                                              RandomStream& stream) const {
  auto parsed = ParseSimulatedSource(source);
  std::optional<Instruction> change = ReadAdvice(advice);
  if (!parsed || !change || stream.Uniform() < kNoAnswer) return std::nullopt;
  const int before = Value(*parsed, change->setting);
  const double risk = Risk(change->setting, before, change->value);
  if (change->setting != kLayout && stream.Uniform() < kMissed) {
    change->value = DrawInt(stream, kMaxLevel + 1);
  }
  Apply(*change, *parsed);
  if (!parsed->bug) parsed->bug = DrawBug(change->setting, risk, stream);
  return Render(*parsed);
}

std::optional<std::string> Landscape::Repair(std::string_view source,
                                             RandomStream& stream) const {
  auto parsed = ParseSimulatedSource(source);
  if (!parsed || stream.Uniform() < kNoAnswer) return std::nullopt;
  if (!parsed->bug) return Render(*parsed);
  SimulatedBug& bug = *parsed->bug;
  if (!bug.stubborn && stream.Uniform() < kMended) {
    int& value = Value(*parsed, bug.setting);
    const bool may_retreat = bug.setting != kLayout && value > 0;
    if (stream.Uniform() < kMendedByRetreat && may_retreat) --value;
    parsed->bug.reset();
  } else if (stream.Uniform() < kChangesSymptom) {
    bug.verdict = kBugs[stream.Below(kBugs.size())].first;
  }
  return Render(*parsed);
}

LandscapeOutcome Landscape::Judge(std::string_view source, Noise noise) const {
  const auto parsed = ParseSimulatedSource(source);
  if (!parsed) {
    return {Verdict::kCompileFailed, std::nullopt, parsed.error().what};
  }
  if (parsed->landscape != name_) {
    return {Verdict::kRejected, std::nullopt,
            "sim " + parsed->landscape + ": another landscape than the task's"};
  }
  if (parsed->bug)
    return {parsed->bug->verdict, std::nullopt, Log(*parsed->bug)};
  double runtime_s = kRootRuntime_s * std::exp(-LogSpeedup(*parsed));
  if (noise == Noise::kMeasured) {
    runtime_s *= 1.0 + kRuntimeNoise * HashNoise(Render(*parsed));
  }
  return {Verdict::kPassed, runtime_s, ""};
}

Result<Landscape> MakeLandscape(std::string_view name) {
  for (const std::string_view known : kLandscapes) {
    if (known == name) return Landscape(known);
  }
  std::string what = "landscape '";
  what.append(name).append("' is unknown. Choose one of:");
  for (const std::string_view known : kLandscapes)
    what.append(" ").append(known);
  return Fail(Errc::kUsage, std::move(what));
}

}  // namespace coppice::search
