#include "tests/attempt_texts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "store/kernel_hash.h"

namespace coppice {
namespace {

using Lines = std::vector<std::string>;

Lines Split(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string Join(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::size_t Pick(RandomStream& random, std::size_t count) {
  return static_cast<std::size_t>(random.Below(count));
}

std::string Number(RandomStream& random, int below) {
  return std::to_string(1 + random.Below(static_cast<std::uint64_t>(below)));
}

constexpr std::array kWords = {
    "the",       "inner",       "outer",     "loop",       "reads",
    "writes",    "row",         "column",    "tile",       "block",
    "cache",     "line",        "register",  "vector",     "lane",
    "sum",       "partial",     "buffer",    "packed",     "operand",
    "stride",    "unit",        "access",    "memory",     "latency",
    "bandwidth", "because",     "therefore", "so",         "that",
    "each",      "is",          "kept",      "in",         "across",
    "once",      "per",         "thread",    "split",      "over",
    "heads",     "sequence",    "softmax",   "maximum",    "exponent",
    "rescale",   "running",     "scalar",    "product",    "fused",
    "with",      "projection",  "avoid",     "second",     "pass",
    "store",     "load",        "prefetch",  "ahead",      "remainder",
    "masked",    "when",        "length",    "not",        "multiple",
    "of",        "aligned",     "restrict",  "pointer",    "hoist",
    "invariant", "index",       "compute",   "reuse",      "footprint",
    "fits",      "level",       "two",       "four",       "eight",
    "chains",    "add",         "hidden",    "by",         "unroll",
    "jam",       "interchange", "order",     "same",       "result",
    "bound",     "now",         "instead",   "contiguous", "private",
    "false",     "sharing",     "false",     "reduction",  "tree",
    "balanced",  "static"};

std::string Sentence(RandomStream& random, std::size_t words) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    std::string word = random.Below(9) == 0
                           ? Number(random, 512)
                           : kWords[Pick(random, kWords.size())];
    if (i == 0) word[0] = static_cast<char>(std::toupper(word[0]));
    text += (i == 0 ? "" : " ") + word;
  }
  return text + ".";
}

std::string Indent(const std::string& line) {
  return line.substr(0, std::min(line.find_first_not_of(' '), line.size()));
}

bool IsLoop(const std::string& line) {
  return line.find("for (int64_t ") != std::string::npos;
}

bool IsStatement(const std::string& line) {
  return line.find("= ") != std::string::npos && line.ends_with(";") &&
         !IsLoop(line);
}

// "for (int64_t i = 0; i < L; ++i) {" becomes a loop over tiles.
void Tile(Lines& lines, std::size_t at, RandomStream& random) {
  const std::string indent = Indent(lines[at]);
  const std::size_t name_at = lines[at].find("int64_t ") + 8;
  const std::string name =
      lines[at].substr(name_at, lines[at].find(' ', name_at) - name_at);
  const std::string size = std::to_string(8u << random.Below(5));
  lines[at] = indent + "for (int64_t " + name + "b = 0; " + name + "b < L; " +
              name + "b += " + size + ")";
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at) + 1,
               indent + "for (int64_t " + name + " = " + name + "b; " + name +
                   " < std::min<int64_t>(" + name + "b + " + size + ", L); ++" +
                   name + ") {");
}

// Repeats a statement for the next index.
void Unroll(Lines& lines, std::size_t at, RandomStream& random) {
  std::string copy = lines[at];
  const std::size_t bracket = copy.find(']');
  if (bracket != std::string::npos) {
    copy.insert(bracket, " + " + Number(random, 7));
  }
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at) + 1, copy);
}

void ChangeConstant(std::string& line, RandomStream& random) {
  const std::size_t from = line.find_first_of("0123456789");
  if (from == std::string::npos) return;
  std::size_t to = from;
  while (to < line.size() && std::isdigit(line[to]) != 0) ++to;
  line.replace(from, to - from, Number(random, 256));
}

void Rename(Lines& lines, RandomStream& random) {
  constexpr std::array kNames = {"sum", "largest", "scores", "query", "weight"};
  const std::string old = kNames[Pick(random, kNames.size())];
  const std::string fresh = old + "_" + Number(random, 99);
  for (std::string& line : lines) {
    std::size_t at = 0;
    while ((at = line.find(old, at)) != std::string::npos) {
      const bool inside = at > 0 && std::isalnum(line[at - 1]) != 0;
      if (!inside) line.replace(at, old.size(), fresh);
      at += fresh.size();
    }
  }
}

void InsertBefore(Lines& lines, std::size_t at, const std::string& text) {
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at),
               Indent(lines[at]) + text);
}

void EditOnce(Lines& lines, std::size_t at, RandomStream& random) {
  switch (random.Below(7)) {
    case 0:
      if (IsLoop(lines[at])) return Tile(lines, at, random);
      return ChangeConstant(lines[at], random);
    case 1:
      if (IsStatement(lines[at])) return Unroll(lines, at, random);
      return ChangeConstant(lines[at], random);
    case 2:
      if (random.Below(3) == 0) return Rename(lines, random);
      return ChangeConstant(lines[at], random);
    case 3:
      return InsertBefore(lines, at, "// " + Sentence(random, 9));
    case 4:
      return InsertBefore(lines, at,
                          random.Below(2) == 0
                              ? "#pragma omp simd"
                              : "#pragma GCC unroll " + Number(random, 16));
    case 5:
      return InsertBefore(lines, at,
                          "float part" + Number(random, 99) + "[" +
                              Number(random, 32) + "] = {};");
    default:
      return ChangeConstant(lines[at], random);
  }
}

std::string Fenced(const std::string& source) {
  return "\n\n```cpp\n" + source + "```\n";
}

std::string CompilerErrors(const std::string& source, RandomStream& random) {
  const Lines lines = Split(source);
  std::string log;
  const std::uint64_t errors = 1 + random.Below(4);
  for (std::uint64_t i = 0; i < errors; ++i) {
    const std::size_t at = Pick(random, lines.size());
    const std::string column = Number(random, 40);
    const std::string place =
        "kernel.cc:" + std::to_string(at + 1) + ":" + column + ": ";
    log += place + "error: '" + kWords[Pick(random, kWords.size())] +
           Number(random, 99) + "' was not declared in this scope\n" + "   " +
           std::to_string(at + 1) + " | " + lines[at] + "\n      | " +
           std::string(std::stoul(column), ' ') + "^~~~\n";
  }
  return log;
}

std::string Timings(RandomStream& random) {
  std::string log = "passed: all checks of 3 workloads\n";
  for (int workload = 0; workload < 3; ++workload) {
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(),
                  "workload %d: median %.6g s, quartiles %.6g to %.6g s, root "
                  "%.6g s, worst error %.4g of the allowed\n",
                  workload, 1e-3 * random.Uniform(), 1e-3 * random.Uniform(),
                  1e-3 * random.Uniform(), 1e-2 * random.Uniform(),
                  random.Uniform());
    log += line.data();
  }
  return log;
}

}  // namespace

AttemptTexts::AttemptTexts(const std::filesystem::path& source_directory)
    : root_(Read(source_directory / "data/cpu/attention_head/root.cc")),
      system_(Read(source_directory / "data/prompts/system.txt")),
      task_(Read(source_directory / "data/prompts/task.txt")),
      plan_(Read(source_directory / "data/prompts/plan.txt")),
      code_(Read(source_directory / "data/prompts/code.txt")),
      debug_(Read(source_directory / "data/prompts/debug.txt")) {}

std::string AttemptTexts::Read(const std::filesystem::path& path) const {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string AttemptTexts::Edited(const std::string& source,
                                 RandomStream& random) const {
  const auto tokens = [](const std::string& of) {
    return store::TokensOf(Language::kCpp, of);
  };
  std::string edited = source;
  while (tokens(edited) == tokens(source)) {
    edited = EditedAtWill(edited, random);
  }
  return edited;
}

std::string AttemptTexts::EditedAtWill(const std::string& source,
                                       RandomStream& random) const {
  const bool is_rewrite = random.Below(50) == 0;
  Lines lines = Split(is_rewrite ? root_ : source);
  const std::uint64_t edits = is_rewrite ? 20 : 1 + random.Below(4);
  std::size_t at = Pick(random, lines.size());
  for (std::uint64_t i = 0; i < edits; ++i) {
    // An agent works on one place, a rewrite on all.
    at = is_rewrite ? Pick(random, lines.size())
                    : std::min(at + Pick(random, 4), lines.size() - 1);
    EditOnce(lines, at, random);
  }
  // Kernels grow, but not for ever.
  while (lines.size() > Split(root_).size() * 3 / 2) {
    lines.erase(lines.begin() +
                static_cast<std::ptrdiff_t>(Pick(random, lines.size())));
  }
  return Join(lines);
}

std::string AttemptTexts::Annotated(const std::string& source,
                                    RandomStream& random) const {
  Lines lines = Split(source);
  const std::size_t from = Pick(random, lines.size());
  const std::size_t to =
      std::min(from + 2 + Pick(random, 12), lines.size() - 1);
  InsertBefore(lines, to, "// <<<IMPROVE END>>>");
  InsertBefore(lines, from, "// " + Sentence(random, 8));
  InsertBefore(lines, from, "// <<<IMPROVE BEGIN>>>");
  return Join(lines);
}

std::string AttemptTexts::Advice(RandomStream& random) const {
  std::string text;
  const std::uint64_t sentences = 3 + random.Below(4);
  for (std::uint64_t i = 0; i < sentences; ++i) {
    text += (i == 0 ? "" : " ") + Sentence(random, 8 + Pick(random, 12));
  }
  return text;
}

std::string AttemptTexts::Log(const std::string& source, Verdict verdict,
                              RandomStream& random) const {
  switch (verdict) {
    case Verdict::kPassed:
      return Timings(random);
    case Verdict::kCompileFailed:
      return CompilerErrors(source, random);
    default:
      return std::string(Name(verdict)) + ": workload " + Number(random, 3) +
             ", element " + Number(random, 99999) + " is " +
             std::to_string(random.Normal()) + ", should be " +
             std::to_string(random.Normal()) + "\n";
  }
}

std::string AttemptTexts::Prompt(
    const std::string& role, const NodeRecord& at, const std::string& annotated,
    const std::vector<std::string>& relatives) const {
  const bool is_code = role == "code";
  const std::string& rules =
      role == "plan" ? plan_ : (is_code ? code_ : debug_);
  std::string text = task_ + "\n# Earlier attempts\n";
  for (const std::string& relative : relatives) text += "\n" + relative + "\n";
  text += "\n# Latest attempt (node " + std::to_string(Index(at.id)) + ")" +
          Fenced(is_code ? annotated : at.candidate->source) +
          "\nExecution result: " + at.evaluation.log + "\n";
  return text + rules;
}

}  // namespace coppice
