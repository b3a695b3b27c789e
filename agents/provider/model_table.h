// What is known of providers and models, as data: data/models.json, and before
// it a file of the user's in the same form, whose rows win.
//
//   {"version": "2026-11-21", "about": remarks,
//    "providers": [{"name", "api": "chat" | "responses" | "messages",
//      "base_url", "elsewhere", "key_env", "key_command",
//      "headers": ["Name: value"], "output_limit", "nested_effort", "stream",
//      "stream_usage", "structured", "responses", "free", "silence_s",
//      "concurrent", "requests_per_minute", "tokens_per_minute"} or {"name",
//      "api": "exec", "command", "answer": "text" | "claude" | "codex",
//      "env": ["NAME"], "concurrent"} or the same with "api": "session",
//      "resume" and "writable": ["FOLDER"]
//      (agents/provider/session_transport.h)],
//    "models": [{"match": "gpt-5*", "api", "refuses": ["temperature", "top_p",
//      "effort"], "structured", "output_tokens"}],
//    "prices": [{"model", "input", "cached_input", "cache_write", "output",
//      "long": {"input_tokens", "input", ...}}]}
//
// Prices are US dollars per million tokens; what is not priced apart costs as
// input.  A model that is named with a date has the row of the one without,
// unless there is one of its own: "gpt-5-2025-08-07",
// "claude-haiku-4-5-20251001".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/provider/prices.h"
#include "agents/provider/secrets.h"
#include "agents/provider/throttle.h"
#include "store/records/result.h"

namespace coppice::agents {

enum class Api : std::uint8_t { kChat, kResponses, kMessages, kExec, kSession };

// How an exec provider's output holds the answer
// (agents/provider/command_transport.h).
enum class ExecAnswer : std::uint8_t { kText, kClaude, kCodex };

struct ProviderRow {
  std::string name;
  Api api = Api::kChat;
  std::string base_url;
  // By which row it is spoken to at another host, where anything may answer.
  std::string elsewhere;
  KeySource key;
  std::vector<std::string> headers;
  std::string output_limit = "max_tokens";
  bool nested_effort = false;  // Told as "reasoning": {"effort": ...}.
  bool stream = true;
  bool stream_usage = true;
  bool responses = false;   // Has that API too, for models that need it.
  bool structured = false;  // Takes a JSON Schema, for models that do.
  bool free = false;        // Runs on one's own machine: costs nothing.
  double silence_s = 300;
  Limits limits;
  // {model} stands for the model.  Empty: it is what the user names instead.
  std::string command;
  ExecAnswer answer = ExecAnswer::kText;
  std::vector<std::string> env;       // Variables that the command needs.
  std::string resume;                 // Of a session that the agent knows.
  std::vector<std::string> writable;  // Folders of the agent's own.

  bool HasSessions() const { return api == Api::kSession; }
  bool RunsCommand() const { return api == Api::kExec || HasSessions(); }
};

struct ModelRow {
  std::string match;       // A name, or the start of one and "*".
  std::optional<Api> api;  // Instead of the provider's.
  std::vector<std::string> refuses;
  bool structured = true;
  std::optional<std::int64_t> output_tokens{};  // That it gives at most.

  bool Refuses(std::string_view parameter) const;
};

class ModelTable {
 public:
  // kUsage names file and place of what makes no sense; so does an unknown
  // key.
  static Result<ModelTable> Load(
      const std::filesystem::path& data_directory,
      const std::optional<std::filesystem::path>& users_file);

  // Adds the rows of one file.  `file` names it in errors.
  Result<void> Add(std::string_view json, const std::string& file);

  // Null if there is none.
  const ProviderRow* FindProvider(std::string_view name) const;
  // The row for it at another host; null if no row of that name knows one.
  const ProviderRow* FindElsewhere(std::string_view name) const;
  std::vector<std::string> ProviderNames() const;

  // The row with the longest match, of the first file that has one; a row
  // without quirks if none has.
  ModelRow Model(std::string_view name) const;

  std::optional<Prices> PricesOf(std::string_view model) const;

 private:
  struct PriceRow {
    std::string match;
    Prices prices;
  };

  struct File {
    std::vector<ProviderRow> providers;
    std::vector<ModelRow> models;
    std::vector<PriceRow> prices;
  };

  std::vector<File> files_;
};

}  // namespace coppice::agents
