#include "engine/steering/constraints.h"

#include <regex.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "store/records/technique.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kNoTensorCores = "no-tensor-cores";
constexpr std::string_view kNoAtomics = "no-atomics";
constexpr std::string_view kNoThreads = "no-threads";
constexpr std::string_view kKeepLoop = "keep-loop:";

// Names by which tensor cores are called: CUDA's and CUTLASS's, PTX's,
// Triton's, TileLang's.
constexpr const char* kTensorCores =
    "(^|[^A-Za-z0-9_])(nvcuda::|wmma(::|\\.)|mma_sync|mma\\.sync|wgmma|tcgen05|"
    "__hmma|__imma|mma\\.h|tl\\.dot|T\\.gemm|cute::gemm|cutlass::gemm)";
constexpr const char* kAtomics =
    "(^|[^A-Za-z0-9_])(atomic[A-Z_]|std::atomic|__atomic_|__sync_(fetch|add|"
    "sub|or|and|xor|bool|val|lock)|omp +atomic|cuda::atomic|"
    "(atom|red)\\.(global|shared|async|relaxed|acquire|release|acq_rel|gpu|sys|"
    "cta|cluster|add|min|max|and|or|xor|cas|exch|inc|dec)|"
    "tl\\.atomic|T\\.atomic)";

constexpr const char* kThreads =
    "(^|[^A-Za-z0-9_])(omp +(parallel|task|teams)|std::(jthread|thread|async)|"
    "std::execution::par|pthread_create|tbb::|"
    "(import|from) +(threading|multiprocessing|concurrent))";

// What a pattern was compiled to.
using Pattern = std::unique_ptr<regex_t, void (*)(regex_t*)>;

// The C library's matcher calls itself for each group in a group, writes out
// what is counted, and tries all ways of what refers back.
constexpr std::size_t kMostPatternBytes = 1000;
constexpr int kMostGroups = 100;
constexpr double kMostWrittenOut = 20'000.0;  // Bytes.
// Its time grows with the square of a line's length.
constexpr std::size_t kLongestLine = 10'000;  // Bytes.

// The greatest count of "2,30}" is 30; it is 1 at least.
double GreatestCount(std::string_view text) {
  double greatest = 1.0;
  double number = 0.0;
  for (const char c : text.substr(0, text.find('}'))) {
    const bool is_digit = c >= '0' && c <= '9';
    number = is_digit ? 10.0 * number + (c - '0') : 0.0;
    greatest = std::max(greatest, number);
  }
  return greatest;
}

// Why matching it could take all time or memory; empty: it cannot.  What stands
// in brackets counts as if it did not.
std::string WhyTooDear(std::string_view text) {
  if (text.size() > kMostPatternBytes) {
    return "a pattern of more than " + std::to_string(kMostPatternBytes) +
           " bytes";
  }
  int groups = 0;
  auto written_out = static_cast<double>(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++groups;
    if (text[i] == '{') written_out *= GreatestCount(text.substr(i + 1));
    if (text[i] != '\\' || ++i >= text.size()) continue;
    if (text[i] >= '1' && text[i] <= '9') {
      return "a pattern that refers back by \\" + std::string(1, text[i]) +
             " takes too long";
    }
  }
  if (groups > kMostGroups) {
    return "a pattern of more than " + std::to_string(kMostGroups) + " groups";
  }
  return written_out > kMostWrittenOut
             ? "the counts of a pattern multiply to too much"
             : "";
}

Result<Pattern> Compile(const std::string& text) {
  Pattern pattern(new regex_t, [](regex_t* each) {
    regfree(each);
    delete each;
  });
  const int code = regcomp(pattern.get(), text.c_str(),
                           REG_EXTENDED | REG_NOSUB | REG_NEWLINE);
  if (code == 0) return pattern;
  char why[128];
  regerror(code, pattern.get(), why, sizeof why);
  // It holds nothing that could be freed.
  delete pattern.release();
  return Fail(Errc::kUsage, "pattern '" + text + "': " + why);
}

bool Matches(const std::string& pattern, std::string_view text) {
  const auto compiled = Compile(pattern);
  if (!compiled) return false;
  while (true) {
    const std::string_view line = text.substr(0, text.find('\n'));
    // Not to the first zero byte, which compilers pass over.
    regmatch_t all{0, static_cast<regoff_t>(line.size())};
    if (regexec(compiled->get(), line.data(), 0, &all, REG_STARTEND) == 0) {
      return true;
    }
    if (line.size() == text.size()) return false;
    text.remove_prefix(line.size() + 1);
  }
}

bool HasLongLine(std::string_view text) {
  while (text.size() > kLongestLine) {
    const std::size_t end = text.find('\n');
    if (std::min(end, text.size()) > kLongestLine) return true;
    text.remove_prefix(end + 1);
  }
  return false;
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped;
}

std::string HeaderPattern(std::string_view header) {
  const std::string name = Escaped(header);
  return "^[ \t]*(#[ \t]*include[ \t]*[<\"]" + name + "[>\"]|import[ \t]+" +
         name + "([ \t.,]|$)|from[ \t]+" + name + "[ \t.])";
}

// Every run of spaces is none, so that no layout matters.
std::string WithoutSpaces(std::string_view text) {
  std::string rest;
  std::ranges::copy_if(text, std::back_inserter(rest), [](char c) {
    return c != ' ' && c != '\t' && c != '\n' && c != '\r';
  });
  return rest;
}

bool HasTechnique(const Directive& rule, const Plan& plan) {
  return std::ranges::any_of(
      TechniquesOf(plan.technique),
      [&](const Technique& step) { return step.name == rule.text; });
}

bool IsKeepLoop(const Directive& rule) {
  return rule.aspect == kConstraintAspect && rule.text.starts_with(kKeepLoop);
}

// Whether a source has what a rule speaks of.
bool Has(const Directive& rule, const std::string& source) {
  if (rule.aspect == kPatternAspect) {
    // One that came by another way than CheckRule is found nowhere.
    return WhyTooDear(rule.text).empty() && Matches(rule.text, source);
  }
  if (rule.aspect == kHeaderAspect) {
    return Matches(HeaderPattern(rule.text), source);
  }
  if (rule.text == kNoTensorCores) return Matches(kTensorCores, source);
  if (rule.text == kNoAtomics) return Matches(kAtomics, source);
  if (rule.text == kNoThreads) return Matches(kThreads, source);
  if (!IsKeepLoop(rule)) return false;
  const std::string_view kept =
      std::string_view(rule.text).substr(kKeepLoop.size());
  return WithoutSpaces(source).find(WithoutSpaces(kept)) != std::string::npos;
}

// Whether it begins a character of C; the quote may also stand between the
// digits of a number.
bool IsCharacter(std::string_view source, std::size_t at) {
  const std::string_view rest = source.substr(at);
  return rest.size() > 2 && (rest[1] == '\\' || rest[2] == '\'');
}

// Behind a string in three quotes of Python's that begins there; its first
// character otherwise.
std::size_t EndOfTriple(std::string_view source, std::size_t at) {
  const std::string three(3, source[at]);
  if (source.substr(at, 3) != three) return at;
  for (std::size_t i = at + 3; i < source.size(); ++i) {
    if (source[i] == '\\') {
      ++i;
    } else if (source.substr(i, 3) == three) {
      return i + 3;
    }
  }
  return source.size();
}

// The same of C++'s R"x(...)x", whose quote is at `at`.
std::size_t EndOfRaw(std::string_view source, std::size_t at) {
  const std::string_view before = source.substr(0, at);
  const std::size_t name = before.find_last_not_of(
                               "0123456789abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") +
                           1;
  const std::string_view prefix = before.substr(name);
  if (prefix != "R" && prefix != "LR" && prefix != "uR" && prefix != "UR" &&
      prefix != "u8R") {
    return at;
  }
  const std::size_t open = source.find('(', at);
  if (open == std::string_view::npos) return source.size();
  const std::string close =
      ")" + std::string(source.substr(at + 1, open - at - 1)) + "\"";
  const std::size_t end = source.find(close, open);
  return end == std::string_view::npos ? source.size() : end + close.size();
}

// A constraint that says "keep" wants what a forbidding one does not.
bool WantsIt(const Directive& rule) {
  return rule.kind == DirectiveKind::kRequire
             ? rule.aspect != kConstraintAspect || IsKeepLoop(rule)
             : IsKeepLoop(rule);
}

std::string Told(const Directive& rule) {
  return "directive " + std::to_string(Index(rule.id)) + " of " + rule.author +
         ": " + RuleText(rule);
}

}  // namespace

Result<void> CheckRule(const Directive& rule) {
  if (rule.aspect == kPatternAspect) {
    const std::string why = WhyTooDear(rule.text);
    if (!why.empty()) return Fail(Errc::kUsage, why);
    return Compile(rule.text).map([](const auto&) {});
  }
  if (rule.text.size() > kMostPatternBytes) {
    return Fail(Errc::kUsage, rule.aspect + " of more than " +
                                  std::to_string(kMostPatternBytes) + " bytes");
  }
  if (rule.aspect != kConstraintAspect || rule.text == kNoTensorCores ||
      rule.text == kNoAtomics || rule.text == kNoThreads) {
    return {};
  }
  if (IsKeepLoop(rule) &&
      !WithoutSpaces(std::string_view(rule.text).substr(kKeepLoop.size()))
           .empty()) {
    return {};
  }
  return Fail(Errc::kUsage, "unknown constraint '" + rule.text +
                                "': there are no-tensor-cores, no-atomics, "
                                "no-threads and keep-loop:TEXT");
}

std::string RuleText(const Directive& rule) {
  if (rule.aspect == kConstraintAspect) {
    if (rule.text == kNoTensorCores) return "must not use tensor cores";
    if (rule.text == kNoAtomics) return "must not use atomic operations";
    if (rule.text == kNoThreads) return "must start no threads";
    if (!IsKeepLoop(rule)) return "must keep to " + rule.text;
    return "must keep this as it is: " + rule.text.substr(kKeepLoop.size());
  }
  const std::string must = WantsIt(rule) ? "must " : "must not ";
  if (rule.aspect == kTechniqueAspect) {
    return must + "use the technique " + rule.text;
  }
  if (rule.aspect == kHeaderAspect) return must + "include " + rule.text;
  return must + "match the regular expression " + rule.text;
}

std::optional<std::string> WhyPlanBreaks(
    const std::vector<const Directive*>& rules, const Plan& plan) {
  for (const Directive* rule : rules) {
    if (rule->aspect != kTechniqueAspect) continue;
    if (HasTechnique(*rule, plan) != WantsIt(*rule)) return Told(*rule);
  }
  return std::nullopt;
}

std::optional<std::string> WhySourceBreaks(
    const std::vector<const Directive*>& rules, const Candidate& candidate) {
  const std::string source =
      WithoutComments(candidate.source, candidate.language);
  for (const Directive* rule : rules) {
    if (rule->aspect == kTechniqueAspect) continue;
    if (rule->aspect == kPatternAspect && HasLongLine(source)) {
      return Told(*rule) + ": its lines may have " +
             std::to_string(kLongestLine) + " bytes at most to be searched";
    }
    if (Has(*rule, source) != WantsIt(*rule)) return Told(*rule);
  }
  return std::nullopt;
}

std::string WithoutComments(std::string_view source, Language language) {
  if (language == Language::kSim) return std::string(source);
  const bool is_c = language == Language::kCpp || language == Language::kCuda;
  std::string rest;
  char quote = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    const std::string_view two = source.substr(i, 2);
    if (quote != 0) {
      rest += c;
      if (c == '\\' && i + 1 < source.size()) {
        rest += source[++i];
      } else if (c == quote || c == '\n') {
        quote = 0;
      }
    } else if (c == '"' || (c == '\'' && (!is_c || IsCharacter(source, i)))) {
      const std::size_t end =
          is_c ? (c == '"' ? EndOfRaw(source, i) : i) : EndOfTriple(source, i);
      if (end == i) {
        quote = c;
        rest += c;
      } else {
        rest += source.substr(i, end - i);
        i = end - 1;
      }
    } else if (is_c ? two == "//" : c == '#') {
      i = std::min(source.find('\n', i), source.size());
      rest += '\n';
    } else if (is_c && two == "/*") {
      const std::size_t end = source.find("*/", i + 2);
      i = end == std::string_view::npos ? source.size() : end + 1;
      rest += ' ';
    } else {
      rest += c;
    }
  }
  return rest;
}

}  // namespace coppice::engine
