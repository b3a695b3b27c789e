#include "store/records/technique.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "store/records/joined.h"
#include "store/records/parse_number.h"
#include "store/records/trimmed.h"

namespace coppice {
namespace {

// Where the parts of "a(x) + b(y)" are joined: not within parentheses.
std::vector<std::string_view> SplitLabel(std::string_view label) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] == '(') ++depth;
    if (label[i] == ')') --depth;
    if (label[i] == '+' && depth == 0) {
      parts.push_back(label.substr(start, i - start));
      start = i + 1;
    }
  }
  parts.push_back(label.substr(start));
  return parts;
}

}  // namespace

std::string Technique::Arg(std::size_t index) const {
  return index < args.size() ? args[index] : "";
}

std::optional<std::int64_t> Technique::IntArg(std::size_t index) const {
  return ParseNumber<std::int64_t>(Arg(index));
}

std::string Print(const Technique& technique) {
  if (technique.args.empty()) return technique.name;
  return technique.name + "(" + Joined(technique.args, ", ") + ")";
}

std::optional<Technique> ParseTechnique(std::string_view label) {
  const std::string text(Trimmed(label));
  const std::size_t open = text.find('(');
  Technique technique{std::string(Trimmed(text.substr(0, open))), {}};
  if (technique.name.empty()) return std::nullopt;
  if (open == std::string::npos) return technique;
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos || close < open) return std::nullopt;
  const std::string inner = text.substr(open + 1, close - open - 1);
  for (std::size_t at = 0; at <= inner.size() && !inner.empty();) {
    const std::size_t comma = std::min(inner.find(',', at), inner.size());
    technique.args.emplace_back(Trimmed(inner.substr(at, comma - at)));
    at = comma + 1;
  }
  return technique;
}

std::vector<Technique> ParseLabel(std::string_view label) {
  std::vector<Technique> techniques;
  for (std::string_view part : SplitLabel(label)) {
    auto technique = ParseTechnique(part);
    if (!technique) return {};
    techniques.push_back(std::move(*technique));
  }
  return techniques;
}

std::string PrintLabel(const std::vector<Technique>& techniques) {
  return Joined(techniques, " + ", Print);
}

std::vector<Technique> TechniquesOf(std::string_view label) {
  const std::string text(Trimmed(label));
  if (text.empty()) return {};
  std::vector<Technique> techniques = ParseLabel(text);
  const bool is_whole =
      std::ranges::all_of(SplitLabel(text), [](std::string_view part) {
        return part.find('(') == part.npos || Trimmed(part).ends_with(')');
      });
  if (techniques.empty() || !is_whole) return {Technique{text, {}}};
  return techniques;
}

std::string NamesOf(const std::vector<Technique>& techniques) {
  return Joined(techniques, " + ", &Technique::name);
}

std::string ArgumentsOf(const std::vector<Technique>& techniques) {
  return Joined(techniques, "; ", [](const Technique& technique) {
    return Joined(technique.args, ", ");
  });
}

std::string KindOf(const Technique& technique) {
  Technique kind{technique.name, {}};
  for (std::size_t i = 0; i < technique.args.size(); ++i) {
    const auto number = technique.IntArg(i);
    if (!number || *number < 0) continue;
    kind.args.push_back(
        std::to_string(std::bit_floor(static_cast<std::uint64_t>(*number))));
  }
  return Print(kind);
}

std::string KindsOf(const std::vector<Technique>& techniques) {
  return Joined(techniques, " + ", KindOf);
}

std::string ProgramAfter(const std::string& parents, const std::string& label) {
  static const std::string kAnew = std::string(kFromRoot) + " + ";
  if (label.starts_with(kAnew)) return label.substr(kAnew.size());
  if (parents.empty() || label.empty()) return parents + label;
  return parents + " + " + label;
}

}  // namespace coppice
