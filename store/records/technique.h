// A technique as plans name it: "jam(j, 32)".  Several in one plan are joined:
// "jam(j, 32) + parallel(i)".  Who reads such a label reads it here: the
// catalogue that does what it says, and the store that files it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coppice {

struct Technique {
  std::string name;
  std::vector<std::string> args;

  // "" if there are fewer arguments.
  std::string Arg(std::size_t index) const;
  std::optional<std::int64_t> IntArg(std::size_t index) const;
  bool operator==(const Technique&) const = default;
};

std::string Print(const Technique& technique);
// Nothing unless the label is a name, with or without (arguments).
std::optional<Technique> ParseTechnique(std::string_view label);

// Empty unless every part of the label can be read.
std::vector<Technique> ParseLabel(std::string_view label);
std::string PrintLabel(const std::vector<Technique>& techniques);

// The techniques of any plan.  A label of other words is one technique of that
// name.
std::vector<Technique> TechniquesOf(std::string_view label);

// As the columns of a plan have them: "jam + parallel" and "j, 32; i".
std::string NamesOf(const std::vector<Technique>& techniques);
std::string ArgumentsOf(const std::vector<Technique>& techniques);

// What is alike in other kernels: the name, with numbers rounded down to powers
// of two, and without names of loops and the like: "register_block(8, 32)" of
// "register_block(i, 8, 48)".
std::string KindOf(const Technique& technique);
std::string KindsOf(const std::vector<Technique>& techniques);  // Joined.

// Stands in front of a plan whose steps start from the root's source.
inline constexpr std::string_view kFromRoot = "again";

// What makes a kernel of the root's source: what made its parent, then what its
// own plan says, or that alone if it began anew.  "": the root itself.
std::string ProgramAfter(const std::string& parents, const std::string& label);

}  // namespace coppice
