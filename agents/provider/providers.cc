#include "agents/provider/providers.h"

#include <algorithm>
#include <utility>

#include "agents/provider/child.h"
#include "agents/provider/command_transport.h"
#include "agents/provider/http_transport.h"
#include "agents/provider/session_transport.h"
#include "store/records/own_providers.h"

namespace coppice::agents {
namespace {

// "http://127.0.0.1:8000" of "http://127.0.0.1:8000/v1".
std::string_view HostOf(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  return url.substr(0, url.find('/', host));
}

const Dialect& DialectOf(Api api) {
  switch (api) {
    case Api::kResponses:
      return ResponsesDialect();
    case Api::kMessages:
      return MessagesDialect();
    case Api::kChat:
    case Api::kExec:
    case Api::kSession:
      break;
  }
  return ChatDialect();
}

std::optional<Prices> PricesFor(const ModelTable& table, const ProviderRow& row,
                                const std::string& model) {
  if (!row.free) return table.PricesOf(model);
  Prices nothing;
  nothing.version = "free";
  return nothing;
}

Result<std::vector<std::string>> WordsFor(const ProviderRow& row,
                                          const std::string& command,
                                          const std::string& model) {
  constexpr std::string_view kModel = "{model}";
  auto words = SplitCommand(command);
  if (!words) return Fail(Errc::kUsage, row.name + ": " + words.error().what);
  for (std::string& word : *words) {
    const std::size_t at = word.find(kModel);
    if (at != std::string::npos) word.replace(at, kModel.size(), model);
  }
  return words;
}

Result<std::unique_ptr<Transport>> MakeTransportOfCommand(
    const ModelTable& table, const ProviderRow& row, const std::string& model,
    Timer& timer) {
  TRY(words, WordsFor(row, row.command.empty() ? model : row.command, model));
  CommandOptions options{row.name,   model,   std::move(words),
                         row.answer, row.env, PricesFor(table, row, model)};
  if (!row.HasSessions()) {
    return MakeCommandTransport(std::move(options), timer);
  }
  SessionOptions session{.writable = row.writable};
  if (!row.resume.empty()) {
    TRY_ASSIGN(session.resume, WordsFor(row, row.resume, model));
  }
  return MakeSessionTransport(std::move(options), std::move(session), timer);
}

tl::unexpected<Error> NoSuchProvider(const ModelTable& table,
                                     const std::string& provider) {
  std::string known;
  const auto add = [&](std::string_view name, std::string_view operand) {
    known += known.empty() ? "" : ", ";
    known.append(name).append(operand.empty() ? "" : ":").append(operand);
  };
  for (const OwnProvider& own : kOwnProviders) {
    if (!own.help.empty()) add(own.name, own.operand);
  }
  for (const std::string& name : table.ProviderNames()) add(name, "MODEL");
  return Fail(Errc::kUsage,
              provider + ": no such provider; there are " + known);
}

}  // namespace

Result<ProviderRow> RowOf(const ModelTable& table, const std::string& provider,
                          const std::string& base_url) {
  const OwnProvider own = OwnProviderOf(provider);
  if (own.RunsCommand()) {
    ProviderRow row;
    row.name = provider;
    row.api = own.has_sessions ? Api::kSession : Api::kExec;
    return row;
  }
  const ProviderRow* row = table.FindProvider(provider);
  if (row == nullptr) return NoSuchProvider(table, provider);
  ProviderRow found = *row;
  if (!base_url.empty() && HostOf(base_url) != HostOf(row->base_url)) {
    if (const ProviderRow* other = table.FindElsewhere(provider)) {
      found = *other;
      found.name = provider;
      found.key = row->key;
    }
  }
  if (!base_url.empty()) found.base_url = base_url;
  return found;
}

Result<Heeds> WhatItHeeds(const ModelTable& table, const std::string& provider,
                          const std::string& model,
                          const std::string& base_url) {
  TRY(row, RowOf(table, provider, base_url));
  if (row.RunsCommand()) return Heeds{false, false};
  const ModelRow quirks = table.Model(model);
  return Heeds{!quirks.Refuses("temperature"), !quirks.Refuses("effort")};
}

Result<std::unique_ptr<Transport>> MakeTransport(
    const ModelTable& table, const std::string& provider,
    const std::string& model, const ProviderSettings& settings, Timer& timer) {
  TRY(row, RowOf(table, provider, settings.base_url));
  if (model.empty()) {
    const bool is_users = OwnProviderOf(provider).RunsCommand();
    return Fail(Errc::kUsage, provider +
                                  (is_users ? ": name the command, as in "
                                            : ": name the model, as in ") +
                                  provider +
                                  (is_users ? ":./agent" : ":MODEL_NAME"));
  }
  if (row.RunsCommand()) {
    return MakeTransportOfCommand(table, row, model, timer);
  }
  const ModelRow quirks = table.Model(model);
  KeySource source = row.key;
  if (!settings.key.env.empty()) source.env = settings.key.env;
  if (!settings.key.command.empty()) source.command = settings.key.command;
  TRY(key, ReadKey(source, timer));
  const bool is_service =
      !row.free && !source.env.empty() &&
      row.base_url == table.FindProvider(provider)->base_url;
  if (key.empty() && is_service) {
    return Fail(Errc::kUsage,
                provider + ": no key: set the variable " + source.env);
  }
  HttpTransportOptions options;
  options.provider = row.name;
  options.base_url = row.base_url;
  const bool needs_responses = quirks.api == Api::kResponses;
  options.dialect =
      &DialectOf(needs_responses && row.responses ? Api::kResponses : row.api);
  options.api_key = std::move(key);
  options.key_place = source.command.empty() ? source.env : "its command";
  options.headers = row.headers;
  options.prices = PricesFor(table, row, model);
  options.silence_s = row.silence_s;
  options.output_tokens = quirks.output_tokens;
  options.body.model = model;
  options.body.temperature = !quirks.Refuses("temperature");
  options.body.top_p = !quirks.Refuses("top_p");
  options.body.output_limit = row.output_limit;
  options.body.nested_effort = row.nested_effort;
  options.body.stream = row.stream;
  options.body.stream_usage = row.stream_usage;
  options.body.structured =
      settings.structured && row.structured && quirks.structured;
  return MakeHttpTransport(std::move(options));
}

}  // namespace coppice::agents
