// What is said between a user, a model and the tools that it may call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::agents {

struct Tool {
  std::string name;         // [a-z_]+
  std::string description;  // For the model.
  std::string parameters;   // A JSON schema, of an object.
};

struct ToolCall {
  std::string id;    // Of the provider's, to answer it by.
  std::string name;  // As the model wrote it: there may be no such tool.
  std::string
      arguments;  // Likewise: meant to be a JSON object, and may be none.
};

enum class Speaker : std::uint8_t { kUser, kModel, kTool };

struct Message {
  Speaker speaker = Speaker::kUser;
  std::string text;               // Of a tool: what the call came to.
  std::vector<ToolCall> calls{};  // Of a model.
  std::string call_id{};          // Of a tool: the call that it answers.
  // What a model's provider wants to be given back with its words, in the
  // provider's own form.
  std::string kept{};
};

// Ends with what the model is to answer.  Each call is followed by its result.
struct Conversation {
  std::string system;
  std::vector<Tool> tools;
  std::vector<Message> messages;
};

// For models that know no tools, such as those behind a command: the rules,
// then the tools, then the messages.  Each tool and message is a line of JSON,
// so that none can be taken for another.
std::string SpokenRules(const Conversation& conversation);
std::string SpokenMessages(const Conversation& conversation);

// The calls in an answer to these: lines that are a JSON object with a member
// "tool".  `text` is left with the other lines.
std::vector<ToolCall> TakeSpokenCalls(std::string& text);

}  // namespace coppice::agents
