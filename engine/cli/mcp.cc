// coppice mcp: the service's operations for coding agents.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <ostream>
#include <thread>

#include "config/keys.h"
#include "engine/cli/agent_entry.h"
#include "engine/cli/listening.h"
#include "engine/cli/token_file.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/http/server.h"
#include "engine/mcp/local.h"
#include "engine/mcp/stdio.h"
#include "engine/mcp/web.h"
#include "engine/process/clock.h"
#include "engine/process/end_soon.h"
#include "engine/process/installation.h"
#include "engine/process/interrupts.h"
#include "engine/service/error_json.h"
#include "engine/service/service.h"
#include "engine/sessions/own_sessions.h"
#include "eval/host/whole_file.h"
#include "eval/torch/scratch_folder.h"
#include "store/records/parse_number.h"
#include "store/schema.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

// What is too long for an answer: in a folder that is made when it is needed,
// and gone with us.
class LongAnswers {
 public:
  // May be called by any thread.
  Result<std::string> Keep(std::string_view whole) {
    const std::lock_guard lock(mutex_);
    if (folder_.path().empty()) {
      std::error_code failed;
      TRY_ASSIGN(folder_, eval::torch::ScratchFolder::Create(
                              fs::temp_directory_path(failed)));
    }
    const fs::path path = folder_.path() / (std::to_string(++count_) + ".json");
    TRY_DONE(eval::WriteWhole(path, whole));
    return path.string();
  }

 private:
  std::mutex mutex_;
  eval::torch::ScratchFolder folder_;
  int count_ = 0;
};

mcp::Terms TermsOf(service::Service& service, LongAnswers& kept,
                   const fs::path& documents, bool is_remote) {
  mcp::Terms terms;
  terms.operations = service::Operations();
  terms.ask = [&service, is_remote](
                  const service::Operation& operation,
                  const service::Call& call,
                  std::string_view request) -> Result<std::string> {
    service::Call own = call;
    own.is_remote = is_remote;
    auto answer = operation.answer(service, own, request);
    if (answer) return answer;
    Error error = std::move(answer).error();
    const std::string hint(service::HintOf(error.code));
    if (!hint.empty()) error.what += "\n" + hint;
    return tl::unexpected(std::move(error));
  };
  terms.keep = [&kept](std::string_view whole) { return kept.Keep(whole); };
  terms.schema = store::ViewsSql();
  terms.documents = documents;
  return terms;
}

// What any library prints goes to stderr from now on, and what is started reads
// nothing: both descriptors are the protocol's, and no child's.
struct Pipe {
  int in;
  int out;
};

Result<Pipe> TakePipe() {
  const Pipe pipe{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3),
                  ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (pipe.in < 0 || pipe.out < 0 || nothing < 0 ||
      ::dup2(nothing, STDIN_FILENO) < 0 ||
      ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return Fail(Errc::kIo, "standard input or output: cannot be used");
  }
  ::close(nothing);
  return pipe;
}

// A client waits for two seconds, and a campaign that is drained may take
// longer.
constexpr std::chrono::milliseconds kPipePatience{1500};

Result<Exit> ServeStdio(const mcp::Terms& terms, const engine::Clock& clock,
                        Streams& streams) {
  if (::isatty(STDIN_FILENO) == 1) {
    streams.err << "waiting for messages of the Model Context Protocol, a line "
                   "each; a client starts this, and coppice setup-agent tells "
                   "it how; Ctrl-D ends it\n";
  }
  TRY(pipe, TakePipe());
  const std::atomic<bool>& interrupted = engine::WatchInterrupts();
  mcp::Session session(terms, clock, "mcp");
  const mcp::Ended ended =
      mcp::ServePipe(session, pipe.in, pipe.out,
                     [&interrupted] { return interrupted.load(); });
  // What goes on uses all that would be taken down now; it dies with us.
  if (ended == mcp::Ended::kUnfinished) ::_exit(0);
  engine::EndSoon(kPipePatience);
  return Exit::kDone;
}

// "127.0.0.1:0", "[::1]:8765" or "8765".
Result<http::Place> PlaceIn(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == text.npos ? text : text.substr(colon + 1);
  std::string address =
      colon == text.npos ? "127.0.0.1" : text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  const auto number = ParseNumber<std::uint16_t>(port);
  if (!number || address.empty()) {
    return Fail(Errc::kUsage,
                "--http " + text + ": expected ADDRESS:PORT, as 127.0.0.1:0");
  }
  http::Place place;
  place.addresses = {address};
  place.port = *number;
  return place;
}

std::string AddressOf(const http::Place& place, std::uint16_t port) {
  const std::string& host = place.addresses.front();
  const bool is_of_6 = host.find(':') != host.npos;
  return "http://" + (is_of_6 ? "[" + host + "]" : host) + ":" +
         std::to_string(port) + std::string(mcp::kEndpoint);
}

void WaitForTheEnd(const std::atomic<bool>& interrupted) {
  constexpr std::chrono::milliseconds kLook{100};
  while (!interrupted) std::this_thread::sleep_for(kLook);
}

Result<Exit> ServeHttp(const mcp::Terms& terms, const engine::Clock& clock,
                       const http::Place& place, const std::string& token_file,
                       Streams& streams) {
  TRY(token, TokenIn(token_file));
  const std::atomic<bool>& interrupted = engine::WatchInterrupts();
  mcp::Web web(terms, clock, FreshToken);
  http::Door door{
      token, 0, {}, http::Shown::kByHeader, "see coppice mcp --show-config"};
  // An address that was given is a name by which it is asked for.
  door.hosts = place.addresses;
  http::ServerLimits limits;
  limits.tellers = 2 * mcp::kMostInFlight;
  TRY(server,
      http::Server::Start(
          place, std::move(door),
          [&web](const auto& request) { return web.Answer(request); }, limits));
  WarnIfOthersReach(place.addresses.front(), streams);
  streams.out << AddressOf(place, server->port()) << std::endl;
  streams.err << "the token is in " << token_file << "; Ctrl-C ends it\n";
  WaitForTheEnd(interrupted);
  web.End();
  return Exit::kDone;
}

Result<std::string> TokenFileOf(const Invocation& invocation) {
  if (const auto file = invocation.Text("token-file")) return *file;
  return Fail(Errc::kUsage,
              "--http: give --token-file FILE; it is made if it is not there");
}

Result<Exit> ShowConfig(const Invocation& invocation, Streams& streams) {
  nlohmann::ordered_json server;
  if (const auto http = invocation.Text("http")) {
    TRY(place, PlaceIn(*http));
    TRY(file, TokenFileOf(invocation));
    if (place.port == 0) {
      return Fail(Errc::kUsage, "--http " + *http +
                                    ": give the port that was printed, for "
                                    "clients to be told");
    }
    TRY(token, TokenIn(file));
    server = {{"type", "http"},
              {"url", AddressOf(place, place.port)},
              {"headers", {{"Authorization", "Bearer " + token}}}};
  } else {
    const AgentEntry entry = EntryFor(invocation);
    server = {{"type", "stdio"},
              {"command", entry.command},
              {"args", entry.arguments}};
  }
  PrintDocument({{"mcpServers", {{"coppice", std::move(server)}}}},
                streams.out);
  return Exit::kDone;
}

// What is said goes to the campaign that the agent works for, and comes back.
Result<Exit> CarryTo(const std::string& socket) {
  TRY(pipe, TakePipe());
  TRY_DONE(mcp::Bridge(socket, pipe.in, pipe.out));
  return Exit::kDone;
}

Result<Exit> RunMcp(const Invocation& invocation, Streams& streams) {
  if (const auto socket = invocation.Text("bridge")) {
    TRY_DONE(invocation.MustNotHave({"http", "token-file", "show-config"},
                                    "does not go with --bridge"));
    return CarryTo(*socket);
  }
  const auto http = invocation.Text("http");
  if (!http) TRY_DONE(invocation.MustNotHave({"token-file"}, "is of --http"));
  if (invocation.Has("show-config")) return ShowConfig(invocation, streams);
  TRY(installation, engine::FindInstallation(engine::ExecutablePath()));
  const engine::SystemClock clock;
  LongAnswers kept;
  service::Service service({.config = invocation.config,
                            .runner = installation.runner,
                            .database = invocation.settings().db,
                            .make_sessions = sessions::MakeOwnSessions},
                           clock);
  const mcp::Terms terms =
      TermsOf(service, kept, installation.documents, http.has_value());
  if (!http) return ServeStdio(terms, clock, streams);
  TRY(place, PlaceIn(*http));
  TRY(file, TokenFileOf(invocation));
  return ServeHttp(terms, clock, place, file, streams);
}

}  // namespace

Verb McpVerb() {
  using config::Group;
  return {
      .name = "mcp",
      .summary = "tools for coding agents, by the Model Context Protocol",
      .examples =
          "  coppice mcp\n"
          "  coppice mcp --http 127.0.0.1:8765 --token-file ~/.coppice-token\n"
          "  coppice mcp --show-config\n",
      .options =
          {{"http", Takes::kText, "ADDRESS:PORT",
            "over HTTP there, instead of standard input and output; port 0: "
            "any"},
           {"token-file", Takes::kText, "FILE",
            "the secret that whoever asks over HTTP sends; made if it is not "
            "there"},
           {"bridge", Takes::kText, "SOCKET",
            "carries messages to the campaign that an agent in a session works "
            "for, which tells it where"},
           {"show-config", Takes::kNothing, "",
            "prints what a client's configuration has for it"}},
      .settings =
          config::NamesIn({Group::kDatabase, Group::kProviders, Group::kThreads,
                           Group::kTimeouts, Group::kDevices, Group::kPython,
                           Group::kData, Group::kCache}),
      .run = RunMcp,
  };
}

}  // namespace coppice::cli
