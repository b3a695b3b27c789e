#include "engine/cli/assistant_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "engine/cli/colour.h"
#include "engine/cli/counted.h"
#include "engine/documents/continuing.h"
#include "engine/documents/or_null.h"
#include "engine/documents/table.h"
#include "engine/documents/value_json.h"
#include "store/records/formatted.h"

namespace coppice::cli {
namespace {

using assistant::Citation;
using assistant::Cited;
using assistant::Mark;
using assistant::MarkedSpan;
using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestArguments = 60;
constexpr std::size_t kMostCommands = 5;

std::string CitedInWords(const Citation& citation) {
  const bool is_node = citation.what == Cited::kNode;
  std::string words = is_node ? "node" : "decision";
  if (citation.last != citation.first) words += "s";
  words += " " + std::to_string(citation.first);
  if (citation.last != citation.first) {
    words += " to " + std::to_string(citation.last);
  }
  if (!citation.campaign.empty()) words += " of " + citation.campaign;
  return words;
}

std::string StruckOut(const Streams& streams, const std::string& text) {
  if (!streams.colour) return "~~" + text + "~~";
  return "\033[9m" + text + "\033[29m";
}

std::string TextOfPiece(const Streams& streams, const MarkedSpan& piece) {
  switch (piece.mark) {
    case Mark::kCited:
      return Paint(streams.colour, Colour::kCyan,
                   Printable(CitedInWords(piece.citation)));
    case Mark::kMissing:
      return StruckOut(streams, Printable(piece.text));
    case Mark::kNotFound:
      return Paint(streams.colour, Colour::kYellow, piece.text + "(not found)");
    case Mark::kNone:
      break;
  }
  return Printable(piece.text);
}

std::string ShowCommand(const std::string& node, std::string_view campaign,
                        std::string_view database) {
  return "coppice show " + node + " --campaign " +
         ShellWord(std::string(campaign)) + " --db " +
         ShellWord(std::string(database));
}

std::string DecisionCommand(std::int64_t decision, std::string_view campaign,
                            std::string_view database) {
  std::string name(campaign);
  for (std::size_t at = 0; (at = name.find('\'', at)) != name.npos; at += 2) {
    name.insert(at, 1, '\'');
  }
  return "coppice sql --db " + ShellWord(std::string(database)) + " " +
         ShellWord("SELECT * FROM attempts WHERE campaign = '" + name +
                   "' AND decision = " + std::to_string(decision));
}

void AddOnce(std::string command, std::vector<std::string>& commands) {
  if (std::ranges::find(commands, command) == commands.end()) {
    commands.push_back(std::move(command));
  }
}

std::string CellText(const store::Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return std::to_string(*whole);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return Formatted("%.4g", *real);
  }
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "-";
}

}  // namespace

void AnswerPrinter::Add(std::string_view so_far) {
  if (!so_far.starts_with(text_)) Finish();
  text_ = so_far;
  PrintUpTo(assistant::MarkableBytes(text_));
}

void AnswerPrinter::Finish() {
  if (text_.empty()) return;
  PrintUpTo(text_.size());
  streams_.out << (text_.ends_with('\n') ? "" : "\n") << std::flush;
  text_.clear();
  printed_ = 0;
}

void AnswerPrinter::PrintUpTo(std::size_t end) {
  if (end <= printed_) return;
  const auto pieces =
      assistant::MarkText(std::string_view(text_).substr(0, end), tools_);
  // What cannot be checked is shown as it is.
  if (!pieces) {
    streams_.out << Printable(text_.substr(printed_, end - printed_));
    printed_ = end;
    return;
  }
  std::size_t at = 0;
  for (MarkedSpan piece : *pieces) {
    const std::size_t begin = at;
    at += piece.text.size();
    if (at <= printed_) continue;
    if (begin < printed_) piece.text.erase(0, printed_ - begin);
    streams_.out << TextOfPiece(streams_, piece);
  }
  streams_.out << std::flush;
  printed_ = end;
}

std::string ToolLine(const agents::ToolCall& call,
                     const assistant::ToolResult& result) {
  std::string line =
      "  " + call.name + " " + Shorten(call.arguments, kLongestArguments);
  if (!result.error.empty()) return line + ": " + result.error;
  if (result.card) return line + ": a card";
  return line + ": " + Counted(result.rows, "row");
}

std::vector<std::string> CommandsFor(const std::vector<MarkedSpan>& pieces,
                                     std::string_view campaign,
                                     std::string_view database) {
  std::vector<std::string> commands;
  for (const MarkedSpan& piece : pieces) {
    if (piece.mark != Mark::kCited) continue;
    const Citation& cited = piece.citation;
    const std::string_view in =
        cited.campaign.empty() ? campaign : std::string_view(cited.campaign);
    for (const std::int64_t number : {cited.first, cited.last}) {
      AddOnce(cited.what == Cited::kNode
                  ? ShowCommand(std::to_string(number), in, database)
                  : DecisionCommand(number, in, database),
              commands);
    }
  }
  return commands;
}

Json ResponseJson(const std::string& question,
                  const assistant::Response& response,
                  const std::vector<MarkedSpan>& pieces) {
  Json cites = Json::array();
  Json not_found = Json::array();
  for (const MarkedSpan& piece : pieces) {
    if (piece.mark == Mark::kNotFound) not_found.push_back(piece.text);
    if (piece.mark != Mark::kCited && piece.mark != Mark::kMissing) continue;
    cites.push_back(
        {{"text", piece.text}, {"exists", piece.mark == Mark::kCited}});
  }
  return {{"question", question},
          {"answer", response.text},
          {"fault", response.fault},
          {"cites", cites},
          {"not_found", not_found},
          {"cards", ArrayOf(response.cards, assistant::CardJson)},
          {"requests", response.rounds},
          {"input_tokens", response.input_tokens},
          {"output_tokens", response.output_tokens},
          {"cost_usd", OrNull(response.cost_usd)}};
}

void PrintSheet(const store::Sheet& sheet, Streams& streams) {
  if (sheet.rows.empty()) {
    streams.out << "nothing\n";
    return;
  }
  if (sheet.rows.size() == 1) {
    for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
      const store::Value& value = sheet.rows[0][i];
      if (std::holds_alternative<std::monostate>(value)) continue;
      std::string text = CellText(value);
      while (text.ends_with('\n')) text.pop_back();
      const bool is_long = text.find('\n') != text.npos;
      PrintField(streams, sheet.columns[i], is_long ? "\n" + text : text);
    }
    return;
  }
  PrintValues(
      sheet,
      [](const ValueRow& row) {
        std::vector<std::string> cells;
        for (const store::Value& value : row) cells.push_back(CellText(value));
        return cells;
      },
      streams);
  if (sheet.is_cut) streams.out << "and more; `coppice sql` shows all\n";
}

std::vector<std::string> CommandsFor(const store::Sheet& sheet,
                                     std::string_view campaign,
                                     std::string_view database) {
  std::vector<std::string> commands;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    if (sheet.columns[i] != "node" && sheet.columns[i] != "other") continue;
    for (const auto& row : sheet.rows) {
      if (commands.size() == kMostCommands) return commands;
      if (!std::holds_alternative<std::int64_t>(row[i])) continue;
      AddOnce(ShowCommand(CellText(row[i]), campaign, database), commands);
    }
  }
  return commands;
}

Json SheetJson(const std::string& question, const store::Sheet& sheet) {
  const auto json = [&](const ValueRow& row) {
    return ValuesJson(sheet.columns, row);
  };
  return {{"question", question}, {"rows", ArrayOf(sheet.rows, json)}};
}

}  // namespace coppice::cli
