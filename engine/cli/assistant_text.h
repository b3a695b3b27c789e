// What the assistant says, as a terminal or a file gets it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/assistant/dialogue.h"
#include "engine/assistant/marked_text.h"
#include "engine/documents/verb.h"
#include "store/read/query.h"

namespace coppice::cli {

// Prints an answer while it comes, with what it cites put into words and what
// no tool has shown marked.
class AnswerPrinter {
 public:
  // `streams` and `tools` outlive it.
  AnswerPrinter(Streams& streams, assistant::Tools& tools)
      : streams_(streams), tools_(tools) {}

  // The text so far; as assistant::Listener has it.
  void Add(std::string_view so_far);

  // Prints the rest of the text, and ends its line.  What comes next is another
  // text.
  void Finish();

 private:
  void PrintUpTo(std::size_t end);

  Streams& streams_;
  assistant::Tools& tools_;
  std::string text_;
  std::size_t printed_ = 0;  // Bytes of it.
};

// "  node {"n":14}: 1 row", "  sql {...}: SQL: no such table: x".
std::string ToolLine(const agents::ToolCall& call,
                     const assistant::ToolResult& result);

// "coppice show 14 --campaign a", for each node that is cited, and what shows a
// decision; each once, in order.
std::vector<std::string> CommandsFor(
    const std::vector<assistant::MarkedSpan>& pieces, std::string_view campaign,
    std::string_view database);

nlohmann::ordered_json ResponseJson(
    const std::string& question, const assistant::Response& response,
    const std::vector<assistant::MarkedSpan>& pieces);

// An answer without a model: fields if it is one row, else a table.
void PrintSheet(const store::Sheet& sheet, Streams& streams);

// The commands that show its nodes, the first few.
std::vector<std::string> CommandsFor(const store::Sheet& sheet,
                                     std::string_view campaign,
                                     std::string_view database);

nlohmann::ordered_json SheetJson(const std::string& question,
                                 const store::Sheet& sheet);

}  // namespace coppice::cli
