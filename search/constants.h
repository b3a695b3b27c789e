// The constants of policies' rules as users may set them, by name:
// "stark:epsilon=0.4,n_root=8".  A policy's table of them stands below its
// options, whose initial values are the defaults.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "store/records/result.h"

namespace coppice::search {

// The limit of counts that have none by themselves.
inline constexpr double kMany = 1e9;

// A row of a policy's table.
template <class Options>
struct ConstantOf {
  std::string_view name;
  std::variant<int Options::*, double Options::*> member;
  double least;  // Both limits are included.
  double most;
};

// The same, whatever the policy's options are.
struct Constant {
  std::string_view name;
  double standard;  // Of who says nothing.
  double least;
  double most;
  bool is_whole;
};

template <class Options, std::size_t N>
std::vector<Constant> Describe(const ConstantOf<Options> (&table)[N]) {
  const Options standard;
  std::vector<Constant> constants;
  for (const ConstantOf<Options>& row : table) {
    const auto value = [&](auto member) {
      return static_cast<double>(standard.*member);
    };
    constants.push_back({row.name, std::visit(value, row.member), row.least,
                         row.most, row.member.index() == 0});
  }
  return constants;
}

// REQUIRES: a value for each row, as ReadConstants gives them.
template <class Options, std::size_t N>
Options OptionsOf(const ConstantOf<Options> (&table)[N],
                  std::span<const double> values) {
  Options options;
  for (std::size_t i = 0; i < N; ++i) {
    if (const auto* whole = std::get_if<0>(&table[i].member)) {
      options.*(*whole) = static_cast<int>(values[i]);
    } else {
      options.*std::get<1>(table[i].member) = values[i];
    }
  }
  return options;
}

// The value of each constant: of "epsilon=0.4,n_root=8", or its default.
// kUsage names what is wrong, and the constants that there are.
Result<std::vector<double>> ReadConstants(
    std::string_view text, const std::vector<Constant>& constants);

// Only those that are no defaults, in the table's order: "epsilon=0.4".
std::string PrintConstants(const std::vector<Constant>& constants,
                           std::span<const double> values);

// "epsilon=0.3 (0 to 1), n_root=5 (1 or more)"; "no constants".
std::string Listed(const std::vector<Constant>& constants);

}  // namespace coppice::search
