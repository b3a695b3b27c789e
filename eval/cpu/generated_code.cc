#include "eval/cpu/generated_code.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "store/records/parse_number.h"
#include "store/records/trimmed.h"

namespace coppice::eval {
namespace {

constexpr std::size_t kMostOfALine = 60;   // Of a source.
constexpr std::size_t kLeastSamples = 20;  // Fewer tell no share.
constexpr std::string_view kFile = "kernel.cc:";

std::string_view NextLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

bool TakeFront(std::string_view& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}

struct SourceLoop {
  std::uint64_t bytes_wide = 0;  // 0: no vector code.
  std::string reason = {};       // Why not.
  std::uint64_t at_line = 0;     // Which is of this one.
};

using SourcePlace =
    std::pair<std::uint64_t, std::uint64_t>;  // Line and column.

std::map<SourcePlace, SourceLoop> LoopsOf(std::string_view remarks) {
  std::map<SourcePlace, SourceLoop> loops;
  SourceLoop* missed = nullptr;  // The reason comes next.
  while (!remarks.empty()) {
    std::string_view line = NextLine(remarks);
    if (!TakeFront(line, kFile)) continue;
    const auto row = TakeNumber<std::uint64_t>(line);
    if (!row || !TakeFront(line, ":")) continue;
    const auto column = TakeNumber<std::uint64_t>(line);
    if (!column || !TakeFront(line, ": ")) continue;
    if (TakeFront(line, "optimized: loop vectorized using ")) {
      SourceLoop& loop = loops[{*row, *column}];
      loop.bytes_wide = std::max(loop.bytes_wide,
                                 TakeNumber<std::uint64_t>(line).value_or(0));
    } else if (line == "missed: couldn't vectorize loop") {
      missed = &loops[{*row, *column}];
    } else if (missed != nullptr &&
               TakeFront(line, "missed: not vectorized: ")) {
      if (missed->reason.empty()) {
        // What follows are names of the compiler's own.
        line = line.substr(0, line.find(':'));
        while (line.ends_with('.')) line.remove_suffix(1);
        missed->reason = line;
        missed->at_line = *row;
      }
      missed = nullptr;
    }
  }
  return loops;
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(NextLine(text));
  return lines;
}

struct MachineStep {
  std::uint64_t address = 0;
  std::string_view text;                     // "vaddps zmm0,zmm1,zmm2".
  std::optional<std::uint64_t> target = {};  // Of a jump.
};

std::vector<MachineStep> InstructionsOf(std::string_view disassembly) {
  std::vector<MachineStep> instructions;
  while (!disassembly.empty()) {
    std::string_view line = Trimmed(NextLine(disassembly));
    const auto address = TakeNumber<std::uint64_t>(line, 16);
    if (!address || !TakeFront(line, ":")) continue;
    MachineStep instruction{*address, Trimmed(line)};
    if (instruction.text.starts_with('j')) {
      std::string_view operand = instruction.text;
      operand.remove_prefix(std::min(operand.find(' '), operand.size()));
      operand = Trimmed(operand);
      instruction.target = TakeNumber<std::uint64_t>(operand, 16);
    }
    instructions.push_back(instruction);
  }
  return instructions;
}

// [first, last] of the instructions.
struct MachineLoop {
  std::size_t first = 0;
  std::size_t last = 0;

  bool Holds(const MachineLoop& other) const {
    return first <= other.first && other.last <= last &&
           (first != other.first || last != other.last);
  }
};

std::vector<MachineLoop> LoopsOf(const std::vector<MachineStep>& instructions) {
  std::map<std::size_t, std::size_t> last_of;  // By the first.
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const auto target = instructions[i].target;
    if (!target || *target > instructions[i].address) continue;
    // Code that was put out of the way goes back by one without a condition.
    if (instructions[i].text.starts_with("jmp")) continue;
    const auto head = std::ranges::lower_bound(instructions, *target, {},
                                               &MachineStep::address);
    if (head->address != *target) continue;
    last_of[static_cast<std::size_t>(head - instructions.begin())] = i;
  }
  std::vector<MachineLoop> loops;
  for (const auto& [first, last] : last_of) loops.push_back({first, last});
  return loops;
}

int WidthOf(std::string_view text) {
  if (text.find("zmm") != text.npos) return 64;
  if (text.find("ymm") != text.npos) return 32;
  return text.find("xmm") != text.npos ? 16 : 0;
}

bool IsOnStack(std::string_view text) {
  return text.find("[rsp") != text.npos || text.find("[rbp-") != text.npos;
}

// "vaddps zmm0,zmm1,[rax+rcx*4]", jumps without addresses.
std::string Short(const MachineStep& instruction, std::uint64_t head) {
  std::string text;
  for (std::string_view rest = instruction.text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
    rest = Trimmed(rest);
    if (!text.empty()) text += ' ';
    text += word;
  }
  for (const std::string_view size :
       {"ZMMWORD", "YMMWORD", "XMMWORD", "QWORD", "DWORD", "WORD", "BYTE"}) {
    const std::string noise = std::string(size) + " PTR ";
    if (const std::size_t at = text.find(noise); at != text.npos) {
      text.erase(at, noise.size());
    }
  }
  if (!instruction.target) return text;
  return text.substr(0, text.find(' ')) +
         (*instruction.target == head ? " loop" : " elsewhere");
}

// Null if there is none.
const MachineLoop* DeepestOf(const std::vector<MachineLoop>& loops,
                             const std::vector<MachineStep>& code) {
  std::tuple<std::ptrdiff_t, int, std::size_t> most;
  const MachineLoop* deepest = nullptr;
  for (const MachineLoop& loop : loops) {
    const bool is_innermost = std::ranges::none_of(
        loops, [&](const MachineLoop& other) { return loop.Holds(other); });
    if (!is_innermost) continue;
    const auto depth = std::ranges::count_if(
        loops, [&](const MachineLoop& other) { return other.Holds(loop); });
    int width = 0;
    for (std::size_t i = loop.first; i <= loop.last; ++i) {
      width = std::max(width, WidthOf(code[i].text));
    }
    const std::tuple its(depth, width, loop.last - loop.first);
    if (deepest != nullptr && its <= most) continue;
    most = its;
    deepest = &loop;
  }
  return deepest;
}

struct Hottest {
  const MachineLoop* loop = nullptr;
  std::size_t samples = 0;
};

// A sample counts for the innermost loop that it lies in.
Hottest HottestOf(const std::vector<MachineLoop>& loops,
                  const std::vector<MachineStep>& code,
                  std::span<const std::uint64_t> samples) {
  std::map<const MachineLoop*, std::size_t> counts;
  Hottest hottest;
  for (const std::uint64_t address : samples) {
    const MachineLoop* innermost = nullptr;
    for (const MachineLoop& loop : loops) {
      const bool is_in = code[loop.first].address <= address &&
                         address <= code[loop.last].address;
      if (is_in && (innermost == nullptr || innermost->Holds(loop))) {
        innermost = &loop;
      }
    }
    if (innermost == nullptr) continue;
    const std::size_t count = ++counts[innermost];
    if (count > hottest.samples) hottest = {innermost, count};
  }
  return hottest;
}

}  // namespace

std::string TellLoops(std::string_view remarks, std::string_view source,
                      std::size_t bytes) {
  const std::vector<std::string_view> lines = LinesOf(source);
  std::string text;
  for (const auto& [place, loop] : LoopsOf(remarks)) {
    if (loop.bytes_wide == 0 && loop.reason.empty()) continue;
    std::string told = "line " + std::to_string(place.first);
    if (place.first >= 1 && place.first <= lines.size()) {
      std::string_view line = Trimmed(lines[place.first - 1]);
      told += ", `" + std::string(line.substr(0, kMostOfALine)) +
              (line.size() > kMostOfALine ? "..." : "") + "`";
    }
    if (loop.bytes_wide > 0) {
      told +=
          ": vectorised, " + std::to_string(loop.bytes_wide) + " bytes wide";
    } else {
      told += ": not vectorised, " + loop.reason;
      if (loop.at_line != place.first) {
        told += " (line " + std::to_string(loop.at_line) + ")";
      }
    }
    told += '\n';
    if (text.size() + told.size() > bytes) break;
    text += told;
  }
  return text;
}

std::string TellLoop(std::string_view disassembly,
                     std::span<const std::uint64_t> samples,
                     std::size_t bytes) {
  const std::vector<MachineStep> code = InstructionsOf(disassembly);
  const std::vector<MachineLoop> loops = LoopsOf(code);
  const Hottest hottest = samples.size() < kLeastSamples
                              ? Hottest{}
                              : HottestOf(loops, code, samples);
  const MachineLoop* loop =
      hottest.loop != nullptr ? hottest.loop : DeepestOf(loops, code);
  if (loop == nullptr) return "";
  std::size_t on_stack = 0;
  std::string text;
  std::size_t told = 0;
  for (std::size_t i = loop->first; i <= loop->last; ++i) {
    on_stack += IsOnStack(code[i].text) ? 1 : 0;
    const std::string line = Short(code[i], code[loop->first].address);
    const bool is_whole = told == i - loop->first;  // So far.
    if (!is_whole || text.size() + line.size() + 1 > bytes) continue;
    text += line + "\n";
    ++told;
  }
  const std::size_t all = loop->last - loop->first + 1;
  std::string head =
      "The deepest loop of its machine code, chosen by nesting "
      "and by width, not by time: ";
  if (hottest.loop != nullptr) {
    head = "The hottest loop of its machine code, with " +
           std::to_string((100 * hottest.samples + samples.size() / 2) /
                          samples.size()) +
           " % of " + std::to_string(samples.size()) +
           " samples that its own process took: ";
  }
  head += std::to_string(all) + " instructions";
  if (on_stack > 0) {
    head += ", " + std::to_string(on_stack) +
            " of which read or write the stack (spilled registers or arrays)";
  }
  if (told < all) {
    head += "; " + std::to_string(all - told) + " more are left out";
  }
  return head + ".\n```text\n" + text + "```\n";
}

}  // namespace coppice::eval
