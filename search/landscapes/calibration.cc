#include "search/landscapes/calibration.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "store/records/formatted.h"

namespace coppice::search {
namespace {

// {compiles, is_right, repairs, {first_hop, improves}} of alone and team.
constexpr std::array<std::array<Parameters, kLevels>, kFamilyNames.size()>
    kCalibrated = {{
        // hill
        {{
            {.alone = {0.8987, 0.8943, 0.6277, {-1.4403, 0.2050}},
             .team = {0.8339, 0.6855, 0.7549, {-0.0482, 0.6275}},
             .ceiling_scale = 1.9767,
             .first_hop_sd = 0.5595,
             .shortfall = 0.1632,
             .conservative = 0.0512,
             .gap = 0.1462,
             .hard = 0.5080,
             .hard_penalty = 7.7843,
             .right_sd = 0.3622,
             .stubborn = 0.1010,
             .brittleness = 0.0060},
            {.alone = {0.9319, 0.7533, 0.6195, {-0.7346, 0.4075}},
             .team = {0.9085, 0.6486, 0.6076, {0.1848, 0.6742}},
             .ceiling_scale = 1.6043,
             .first_hop_sd = 0.3174,
             .shortfall = 0.2095,
             .conservative = 0.2110,
             .gap = 0.0583,
             .hard = 0.3973,
             .hard_penalty = 4.0057,
             .right_sd = 1.6534,
             .stubborn = 0.0564,
             .brittleness = 0.0079},
            {.alone = {0.8198, 0.2690, 0.6796, {-1.5736, 0.1235}},
             .team = {0.8098, 0.2233, 0.6779, {-0.6754, 0.6642}},
             .ceiling_scale = 0.9800,
             .first_hop_sd = 0.5159,
             .shortfall = 0.2298,
             .conservative = 0.4753,
             .gap = 0.1155,
             .hard = 0.4315,
             .hard_penalty = 1.5127,
             .right_sd = 0.4613,
             .stubborn = 0.1404,
             .brittleness = 0.0005},
        }},
        // nk
        {{
            {.alone = {0.8990, 0.9319, 0.6568, {-1.5948, 0.4073}},
             .team = {0.8448, 0.7112, 0.6299, {-0.2238, 0.6494}},
             .ceiling_scale = 1.6593,
             .first_hop_sd = 0.6184,
             .shortfall = 1.1933,
             .conservative = 0.0509,
             .gap = 0.4371,
             .hard = 0.5360,
             .hard_penalty = 7.6105,
             .right_sd = 1.1603,
             .stubborn = 0.0956,
             .brittleness = 0.0022},
            {.alone = {0.9195, 0.6258, 0.6381, {-0.3105, 0.3855}},
             .team = {0.9178, 0.6931, 0.2673, {0.1900, 0.6765}},
             .ceiling_scale = 1.3075,
             .first_hop_sd = 0.1906,
             .shortfall = 0.6806,
             .conservative = 0.0544,
             .gap = 0.1125,
             .hard = 0.2693,
             .hard_penalty = 4.0986,
             .right_sd = 1.7994,
             .stubborn = 0.0527,
             .brittleness = 0.0069},
            {.alone = {0.8187, 0.2444, 0.6825, {-0.4568, 0.0452}},
             .team = {0.8157, 0.2584, 0.5946, {-0.2559, 0.6970}},
             .ceiling_scale = 0.5223,
             .first_hop_sd = 0.1918,
             .shortfall = 0.6788,
             .conservative = 0.3597,
             .gap = 0.1529,
             .hard = 0.2897,
             .hard_penalty = 1.5220,
             .right_sd = 0.1707,
             .stubborn = 0.1439,
             .brittleness = 0.0045},
        }},
        // ladder
        {{
            {.alone = {0.8967, 0.8513, 0.6993, {-1.5904, 0.4396}},
             .team = {0.8539, 0.7535, 0.4562, {-0.0216, 0.6860}},
             .ceiling_scale = 2.1889,
             .first_hop_sd = 0.6015,
             .shortfall = 0.1781,
             .conservative = 0.0508,
             .gap = 0.1035,
             .hard = 0.4905,
             .hard_penalty = 7.9544,
             .right_sd = 0.2480,
             .stubborn = 0.0863,
             .brittleness = 0.0108},
            {.alone = {0.9229, 0.6493, 0.6502, {-1.0253, 0.2594}},
             .team = {0.9103, 0.6380, 0.4676, {0.1821, 0.6517}},
             .ceiling_scale = 1.7853,
             .first_hop_sd = 0.5927,
             .shortfall = 0.2625,
             .conservative = 0.1950,
             .gap = 0.5493,
             .hard = 0.2869,
             .hard_penalty = 4.4836,
             .right_sd = 1.4620,
             .stubborn = 0.0637,
             .brittleness = 0.0035},
            {.alone = {0.8191, 0.1712, 0.6794, {-0.9943, 0.0977}},
             .team = {0.8080, 0.1809, 0.7907, {-0.7418, 0.6620}},
             .ceiling_scale = 0.6144,
             .first_hop_sd = 0.2275,
             .shortfall = 0.1657,
             .conservative = 0.5833,
             .gap = 0.0523,
             .hard = 0.0068,
             .hard_penalty = 1.6314,
             .right_sd = 0.3855,
             .stubborn = 0.1303,
             .brittleness = 0.0015},
        }},
        // weak
        {{
            {.alone = {0.8963, 0.9172, 0.6524, {-1.5816, 0.4305}},
             .team = {0.8504, 0.7554, 0.4430, {-0.4220, 0.5278}},
             .ceiling_scale = 1.9684,
             .first_hop_sd = 0.6799,
             .shortfall = 0.4883,
             .conservative = 0.0507,
             .gap = 0.8300,
             .hard = 0.5329,
             .hard_penalty = 7.8562,
             .right_sd = 1.0054,
             .stubborn = 0.0935,
             .brittleness = 0.0014},
            {.alone = {0.9316, 0.6589, 0.6973, {-1.5223, 0.3039}},
             .team = {0.9143, 0.6649, 0.4184, {0.1837, 0.6559}},
             .ceiling_scale = 1.6154,
             .first_hop_sd = 0.4634,
             .shortfall = 0.4588,
             .conservative = 0.2120,
             .gap = 0.8358,
             .hard = 0.2886,
             .hard_penalty = 4.3923,
             .right_sd = 1.9563,
             .stubborn = 0.0778,
             .brittleness = 0.0010},
            {.alone = {0.8383, 0.1696, 0.6910, {-0.9469, 0.4358}},
             .team = {0.8322, 0.2344, 0.7313, {-0.6903, 0.6885}},
             .ceiling_scale = 0.5319,
             .first_hop_sd = 0.2205,
             .shortfall = 0.6391,
             .conservative = 0.4572,
             .gap = 0.8815,
             .hard = 0.0847,
             .hard_penalty = 1.5131,
             .right_sd = 0.6340,
             .stubborn = 0.5093,
             .brittleness = 0.0099},
        }},
        // deceptive
        {{
            {.alone = {0.8957, 0.8755, 0.6245, {-1.4131, 0.3576}},
             .team = {0.8478, 0.7072, 0.5270, {0.1334, 0.6737}},
             .ceiling_scale = 2.1733,
             .first_hop_sd = 0.4107,
             .shortfall = 0.1547,
             .conservative = 0.0507,
             .gap = 0.1247,
             .hard = 0.4952,
             .hard_penalty = 7.9779,
             .right_sd = 0.4738,
             .stubborn = 0.0967,
             .brittleness = 0.0026},
            {.alone = {0.9225, 0.6201, 0.6510, {-1.4651, 0.2774}},
             .team = {0.9132, 0.6565, 0.4631, {0.1590, 0.6734}},
             .ceiling_scale = 1.9172,
             .first_hop_sd = 0.1167,
             .shortfall = 0.3318,
             .conservative = 0.2239,
             .gap = 0.1149,
             .hard = 0.2285,
             .hard_penalty = 5.2942,
             .right_sd = 1.8764,
             .stubborn = 0.0562,
             .brittleness = 0.0052},
            {.alone = {0.8173, 0.2018, 0.6950, {-1.4740, 0.1480}},
             .team = {0.8124, 0.1607, 0.7972, {-0.3067, 0.6892}},
             .ceiling_scale = 1.2639,
             .first_hop_sd = 0.1239,
             .shortfall = 0.1596,
             .conservative = 0.5530,
             .gap = 0.0725,
             .hard = 0.2268,
             .hard_penalty = 1.5125,
             .right_sd = 0.7411,
             .stubborn = 0.1371,
             .brittleness = 0.0012},
        }},
    }};

constexpr std::array<CeilingLaw, kLevels> kCeilings = {
    {{0.541, 0.915}, {0.992, 0.550}, {1.497, 0.498}}};

std::size_t At(int level) {
  assert(level >= 1 && level <= kLevels);
  return static_cast<std::size_t>(level - 1);
}

}  // namespace

std::string_view Name(Family family) {
  return kFamilyNames.at(static_cast<std::size_t>(family));
}

std::optional<Family> ParseFamily(std::string_view name) {
  const auto found = std::find(kFamilyNames.begin(), kFamilyNames.end(), name);
  if (found == kFamilyNames.end()) return std::nullopt;
  return static_cast<Family>(found - kFamilyNames.begin());
}

const Parameters& Calibrated(Family family, int level) {
  return kCalibrated.at(static_cast<std::size_t>(family)).at(At(level));
}

double Logit(double p) { return std::log(p / (1.0 - p)); }

CeilingLaw CeilingsOf(int level) { return kCeilings.at(At(level)); }

std::string DefinitionOf(Family family, int level) {
  const Parameters& own = Calibrated(family, level);
  const CeilingLaw ceilings = CeilingsOf(level);
  std::string text(Name(family));
  const auto add = [&](double number) { text += Formatted(" %.17g", number); };
  for (const Skill& skill : {own.alone, own.team}) {
    for (const double number : {skill.compiles, skill.is_right, skill.repairs,
                                skill.craft.first_hop, skill.craft.improves}) {
      add(number);
    }
  }
  for (const double number :
       {own.ceiling_scale, own.first_hop_sd, own.shortfall, own.conservative,
        own.gap, own.hard, own.hard_penalty, own.right_sd, own.stubborn,
        own.brittleness, own.window_gain, ceilings.shape, ceilings.scale}) {
    add(number);
  }
  return text;
}

}  // namespace coppice::search
