#include "agents/prompt/attempt_table.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "agents/prompt/describe.h"
#include "store/records/utf8.h"

namespace coppice::agents {
namespace {

std::string TellPass(const Sighting& sighting) {
  if (!sighting.speedup) return "not timed";
  std::string text = TellSpeedup(*sighting.speedup);
  if (sighting.speedup->Sign() != 0 && sighting.parent_speedup &&
      Over(*sighting.speedup, *sighting.parent_speedup).Sign() == 0) {
    text += ", as its parent";
  }
  return text;
}

std::string TellFault(const Sighting& sighting, const PromptLimits& limits) {
  std::string failure = TellFailure(sighting.log, limits.failure);
  if (!sighting.hint) return failure;
  return "a hint: " + HintText(*sighting.hint) + (failure.empty() ? "" : "; ") +
         failure;
}

std::string Line(const Sighting& sighting, const PromptLimits& limits) {
  const bool passed = sighting.verdict == Verdict::kPassed;
  std::string result =
      passed ? TellPass(sighting) : TellFault(sighting, limits);
  if (sighting.same_as) {
    result += (result.empty() ? "" : ", ");
    result += "same tokens as node " + std::to_string(Index(*sighting.same_as));
  }
  if (!sighting.again.empty()) {
    result += (result.empty() ? "" : ", ") + sighting.again;
  }
  const std::string technique =
      sighting.plan ? Cell(sighting.plan->technique, limits.technique) : "";
  return std::to_string(Index(sighting.id)) + " | " +
         (sighting.parent ? std::to_string(Index(*sighting.parent)) : "-") +
         " | " + (technique.empty() ? "-" : technique) +
         (passed ? "" : " | " + std::string(Name(sighting.verdict))) +
         (result.empty() ? "" : " | " + result) + "\n";
}

std::string LeftOut(std::int64_t attempts) {
  return "[" + std::to_string(attempts) +
         " more are left out: here are those told of below, the fastest, the "
         "newest and one of each technique]\n";
}

}  // namespace

std::string Cell(std::string_view text, std::size_t bytes) {
  constexpr std::string_view kCut = "...";
  std::string cell;
  for (const char c : text) {
    const bool is_blank = static_cast<unsigned char>(c) <= ' ' || c == '|';
    if (!is_blank) {
      cell += c;
    } else if (!cell.empty() && cell.back() != ' ') {
      cell += ' ';
    }
  }
  while (cell.ends_with(' ')) cell.pop_back();
  if (cell.size() <= bytes) return cell;
  cell.resize(WholeCharacters(cell, bytes - std::min(bytes, kCut.size())));
  return cell + std::string(kCut);
}

std::string TellFailure(std::string_view log, std::size_t bytes) {
  std::string_view first;
  std::string_view found;  // On the last workload that is told of.
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(line.size() + 1, log.size()));
    if (line.find("error:") != line.npos || line.find("Error:") != line.npos) {
      return Cell(line, bytes);
    }
    if (first.find_first_not_of(" \t\r") == first.npos) first = line;
    if (line.starts_with("workload ")) found = line;
  }
  return Cell(found.empty() ? first : found, bytes);
}

std::string UnrealisedList(const std::vector<Unrealised>& plans,
                           const PromptLimits& limits) {
  std::string list;
  for (const Unrealised& each : plans) {
    const std::string technique = Cell(each.plan.technique, limits.technique);
    const std::string advice =
        Cell(each.plan.advice.substr(0, each.plan.advice.find('\n')),
             limits.failure);
    const std::string failure = TellFailure(each.log, limits.failure);
    list +=
        "- never realised: " + technique +
        (technique.empty() || advice.empty() ? "" : ": ") + advice + " (" +
        std::to_string(each.tried) +
        (each.tried == 1 ? " attempt, node " : " attempts, the last, node ") +
        std::to_string(Index(each.last)) + ", " +
        std::string(Name(each.verdict)) +
        (failure.empty() ? "" : ": " + failure) + ")\n";
  }
  return list;
}

std::string AttemptTable(const std::vector<const Sighting*>& attempts,
                         std::int64_t so_far, const PromptLimits& limits) {
  std::map<NodeId, std::string> lines;
  std::size_t size = 0;
  for (const Sighting* attempt : attempts) {
    lines.emplace(attempt->id, Line(*attempt, limits));
    size += lines[attempt->id].size();
  }
  std::int64_t left_out = so_far - std::ssize(lines);
  for (auto last = attempts.rbegin(); last != attempts.rend(); ++last) {
    const std::string note = left_out > 0 ? LeftOut(left_out) : "";
    if (note.size() + size <= limits.table) break;
    size -= lines[(*last)->id].size();
    lines.erase((*last)->id);
    ++left_out;
  }
  std::string table = left_out > 0 ? LeftOut(left_out) : "";
  for (const auto& [node, line] : lines) table += line;
  return table;
}

}  // namespace coppice::agents
