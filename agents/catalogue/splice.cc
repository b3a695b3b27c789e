#include "agents/catalogue/splice.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue {
namespace {

struct HeaderNeed {
  std::string_view word;
  std::string_view header;
};
constexpr std::array<HeaderNeed, 9> kNeeds = {{
    {"std::min", "#include <algorithm>"},
    {"std::max", "#include <algorithm>"},
    {"std::fill", "#include <algorithm>"},
    {"INFINITY", "#include <cmath>"},
    {"std::numeric_limits", "#include <limits>"},
    {"std::swap", "#include <utility>"},
    {"std::vector", "#include <vector>"},
    {"_mm512_", "#include <immintrin.h>"},
    {"omp_get_", "#include <omp.h>"},
}};

int CountLines(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// In its alphabetical place among the includes; returns the lines added.
int AddHeader(std::string& text, std::string_view header) {
  if (text.find(header) != std::string::npos) return 0;
  std::size_t at = 0;
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t end = std::min(text.find('\n', line), text.size() - 1);
    const std::string_view content(text.data() + line, end - line);
    if (content.starts_with("#include")) {
      if (content > header) break;
      at = end + 1;
    }
    line = end + 1;
  }
  text.insert(at, std::string(header) + "\n");
  return 1;
}

}  // namespace

std::string Splice(const Kernel& kernel, Lines& span,
                   const Rewritten& rewritten) {
  int indent = 2;
  for (int line = span.first; line <= span.last; ++line) {
    if (const int found = IndentOf(kernel.text, line); found > 0) {
      indent = found;
      break;
    }
  }
  const std::string lines = Print(rewritten.span, indent);
  std::string text = WithLines(kernel.text, span, lines);
  int added = 0;
  std::string helpers;
  for (const std::string& helper : rewritten.helpers) {
    if (text.find(helper) == std::string::npos &&
        helpers.find(helper) == std::string::npos) {
      helpers += helper + "\n";
    }
  }
  if (!helpers.empty()) {
    std::size_t at = 0;
    for (int line = 1; line < kernel.first_line; ++line) {
      at = text.find('\n', at) + 1;
    }
    text.insert(at, helpers);
    added += CountLines(helpers);
  }
  for (const HeaderNeed& need : kNeeds) {
    if (text.find(need.word) != std::string::npos) {
      added += AddHeader(text, need.header);
    }
  }
  span.first += added;
  span.last = span.first + CountLines(lines) - 1;
  return text;
}

}  // namespace coppice::agents::catalogue
