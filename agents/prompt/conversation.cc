#include "agents/prompt/conversation.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agents/prompt/reply_json.h"

namespace coppice::agents {
namespace {

using nlohmann::json;

constexpr std::string_view kSpokenRules =
    "You may call tools. To call some, answer with nothing but a line of JSON "
    "for each call, {\"tool\": NAME, \"arguments\": {...}}. Their results will "
    "be shown to you, and you are asked again. Any other answer is shown to "
    "the user. The tools, with the JSON schemas of their arguments:\n";

json SpokenMessage(const Message& message) {
  switch (message.speaker) {
    case Speaker::kUser:
      return {{"user", message.text}};
    case Speaker::kTool:
      return {{"result_of", message.call_id}, {"result", message.text}};
    case Speaker::kModel:
      break;
  }
  json calls = json::array();
  for (const ToolCall& call : message.calls) {
    calls.push_back(
        {{"id", call.id}, {"tool", call.name}, {"arguments", call.arguments}});
  }
  json said = {{"you", message.text}};
  if (!calls.empty()) said["calls"] = std::move(calls);
  return said;
}

}  // namespace

std::string SpokenRules(const Conversation& conversation) {
  std::string rules = conversation.system;
  if (conversation.tools.empty()) return rules;
  rules += "\n\n";
  rules += kSpokenRules;
  for (const Tool& tool : conversation.tools) {
    rules += DumpBody({{"tool", tool.name},
                       {"description", tool.description},
                       {"arguments", ParseReply(tool.parameters)}});
    rules += '\n';
  }
  return rules;
}

std::string SpokenMessages(const Conversation& conversation) {
  std::string messages;
  for (const Message& message : conversation.messages) {
    messages += DumpBody(SpokenMessage(message));
    messages += '\n';
  }
  return messages;
}

std::vector<ToolCall> TakeSpokenCalls(std::string& text) {
  std::vector<ToolCall> calls;
  std::string rest;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t begin = line.find_first_not_of(" \t");
    const bool may_be = begin != std::string::npos && line[begin] == '{';
    const json call = may_be ? ParseReply(line) : json();
    const std::string name = TextOf(Member(&call, "tool"));
    if (name.empty()) {
      rest += line + '\n';
      continue;
    }
    const json* arguments = Member(&call, "arguments");
    calls.push_back({"call_" + std::to_string(calls.size()), name,
                     arguments == nullptr ? "{}" : DumpBody(*arguments)});
  }
  if (calls.empty()) return calls;
  // A fence that stood around the calls is no word for the user.
  const bool has_words = std::ranges::any_of(rest, [](char c) {
    return (c & 0x80) != 0 || std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
  text = has_words && rest.find("```") == std::string::npos ? rest : "";
  return calls;
}

}  // namespace coppice::agents
