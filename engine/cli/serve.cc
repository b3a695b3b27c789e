// coppice serve: the Inspector, a page of this machine's on which campaigns are
// watched and asked.
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <ostream>
#include <system_error>
#include <thread>
#include <utility>

#include "agents/provider/model.h"
#include "config/keys.h"
#include "engine/cli/listening.h"
#include "engine/cli/lists.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/token_file.h"
#include "engine/cli/user_name.h"
#include "engine/cli/verbs.h"
#include "engine/factory/campaign_factory.h"
#include "engine/http/server.h"
#include "engine/inspector/inspector.h"
#include "engine/inspector/page_files.h"
#include "engine/inspector/watch.h"
#include "engine/process/clock.h"
#include "engine/process/end_soon.h"
#include "engine/service/http_front.h"
#include "engine/service/stdio_front.h"
#include "engine/sessions/own_sessions.h"
#include "store/records/own_providers.h"

namespace coppice::cli {
namespace {
namespace fs = std::filesystem;

constexpr std::int64_t kPort = 8080;

// Who asks for an operation may wait for it, and has its connection to himself:
// with a thread for each connection nobody waits for another's.
constexpr std::size_t kHandlers = 300;
constexpr std::chrono::milliseconds kLinesPatience{1800};

// Only for who sits before it, and never as root: a browser runs what others
// wrote.
bool WantsBrowser(const Invocation& invocation, const Streams& streams) {
  const bool has_display = !invocation.Variable("DISPLAY").empty() ||
                           !invocation.Variable("WAYLAND_DISPLAY").empty();
  return !invocation.Has("no-open") && !invocation.Has("socket") &&
         streams.err_is_terminal && has_display && getuid() != 0 &&
         invocation.Variable("SSH_CONNECTION").empty();
}

// We do not hear what becomes of the browser, but the address was printed.
void OpenBrowser(const std::string& address) {
  const char* arguments[] = {"xdg-open", address.c_str(), nullptr};
  pid_t child = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int file : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, file, "/dev/null", 1, 0);
  }
  const int failed = posix_spawnp(&child, "xdg-open", &actions, nullptr,
                                  const_cast<char**>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return;
  // It may be there as long as the browser.
  std::thread([child] {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }).detach();
}

// None if it is not given.
Result<std::vector<std::string>> ListOf(const Invocation& invocation,
                                        const std::string& option,
                                        const std::string& hint) {
  if (!invocation.Has(option)) return std::vector<std::string>();
  return GivenList(invocation, option, {}, hint);
}

Result<http::Place> PlaceOf(const Invocation& invocation) {
  http::Place place;
  const std::int64_t port = invocation.Count("port").value_or(kPort);
  if (port > 65535) {
    return Fail(Errc::kUsage,
                "--port " + std::to_string(port) + ": 65535 at most");
  }
  place.port = static_cast<std::uint16_t>(port);
  TRY_ASSIGN(place.addresses,
             ListOf(invocation, "listen", "as --listen 192.0.2.1"));
  if (const auto socket = invocation.Text("socket")) {
    if (invocation.Has("port") || invocation.Has("listen")) {
      return Fail(Errc::kUsage, "--socket or --port and --listen, not both");
    }
    place.socket = *socket;
  }
  return place;
}

// The files that are named, or the one of the settings, each once.
Result<std::vector<fs::path>> FilesOf(const Invocation& invocation,
                                      Streams& streams) {
  std::vector<fs::path> files(invocation.arguments.begin(),
                              invocation.arguments.end());
  if (files.empty()) files.push_back(invocation.settings().db);
  inspector::Files checked(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    TRY(as_it_lies, checked.IsReadAsItLies(i));
    if (as_it_lies) {
      streams.err << files[i].string()
                  << ": its directory may not be written, so it is read anew "
                     "for each question, and what others write is seen late\n";
    }
    const auto same = [&](const fs::path& other) {
      std::error_code unknown;
      return fs::equivalent(other, files[i], unknown);
    };
    if (std::any_of(files.begin(), files.begin() + static_cast<long>(i),
                    same)) {
      return Fail(Errc::kUsage, files[i].string() + ": named twice");
    }
  }
  return files;
}

void Announce(const Invocation& invocation, const http::Place& place,
              const std::string& address, Streams& streams) {
  if (inspector::PageFiles().empty()) {
    streams.err << "this program was built without the page: scripts/setup "
                   "page, then build again; /api answers nevertheless\n";
  }
  for (const std::string& listened : place.addresses) {
    if (WarnIfOthersReach(listened, streams) && !invocation.Has("host")) {
      streams.err << "give the name by which they call this machine: --host "
                     "NAME\n";
    }
  }
  if (!place.socket.empty()) {
    streams.err << "listening at " << place.socket.string()
                << "; from elsewhere: ssh -L 8080:"
                << fs::absolute(place.socket).string()
                << " HOST, and open there\n";
  }
  streams.out << address << std::endl;
  streams.err << "Ctrl-C ends it\n";
}

// What /v1 and lines ask: the first of the databases.
Result<std::unique_ptr<service::Service>> ServiceOf(
    const Invocation& invocation) {
  static const engine::SystemClock kClock;
  TRY(runner, RunnerOf(invocation));
  service::ServiceOptions options{invocation.config, std::move(runner)};
  options.database = invocation.arguments.empty()
                         ? invocation.settings().db
                         : fs::path(invocation.arguments.front());
  options.make_sessions = sessions::MakeOwnSessions;
  return std::make_unique<service::Service>(std::move(options), kClock);
}

// Blocks the signals in all threads that are begun after it.
sigset_t BlockEndings() {
  sigset_t endings;
  sigemptyset(&endings);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    // nohup(1) has it so.
    if (signal == SIGHUP && now.sa_handler == SIG_IGN) continue;
    sigaddset(&endings, signal);
  }
  pthread_sigmask(SIG_BLOCK, &endings, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return endings;
}

// The folder of models that run in browsers; empty if it is not given.
Result<fs::path> ModelsFolder(const Invocation& invocation) {
  const auto folder = invocation.Text("models-folder");
  if (!folder) return fs::path();
  std::error_code unknown;
  for (const char* needed : {"web-llm.js", "models.json"}) {
    if (fs::is_regular_file(fs::path(*folder) / needed, unknown)) continue;
    return Fail(Errc::kUsage, "--models-folder " + *folder + ": has no " +
                                  needed +
                                  "; it holds web-llm's module, a list of "
                                  "models and their weights");
  }
  return fs::path(*folder);
}

// Operations for a program that has started this one.
Result<Exit> ServeStdio(const Invocation& invocation, Streams& streams) {
  for (const char* other :
       {"port", "listen", "socket", "host", "read-only", "models-folder"}) {
    if (!invocation.Has(other)) continue;
    return Fail(Errc::kUsage, std::string("--stdio: does not go with --") +
                                  other + ": nobody else is served");
  }
  if (invocation.arguments.size() > 1) {
    return Fail(Errc::kUsage, "--stdio: serves one database");
  }
  TRY(service, ServiceOf(invocation));
  std::signal(SIGPIPE, SIG_IGN);
  auto served = service::ServeLines(*service, streams.in, streams.out);
  // Whoever is left waiting has closed its end: nothing of it is kept.
  engine::EndSoon(kLinesPatience);
  service.reset();
  if (!served) return tl::unexpected<Error>(served.error());
  return Exit::kDone;
}

Result<Exit> RunServe(const Invocation& invocation, Streams& streams) {
  if (invocation.Has("stdio")) return ServeStdio(invocation, streams);
  TRY(place, PlaceOf(invocation));
  TRY(files, FilesOf(invocation, streams));
  TRY(hosts, ListOf(invocation, "host", "as --host build.lan"));
  TRY(folder, ModelsFolder(invocation));
  const config::ModelList& models = invocation.settings().assistant_model;
  if (models.size() != 1) {
    return Fail(Errc::kUsage, "assistant_model: the assistant has one model");
  }
  const http::Door door{FreshToken(), 0, std::move(hosts)};
  const sigset_t endings = BlockEndings();
  const engine::SystemClock clock;
  inspector::InspectorOptions terms{std::move(files),
                                    invocation.Has("read-only"), UserName()};
  terms.models = std::move(folder);
  std::unique_ptr<engine::CampaignFactory>
      factory;  // Outlives those who ask it.
  if (OwnProviderOf(models.front().provider).answerer != Answerer::kCatalogue) {
    TRY_ASSIGN(factory, OpenFactory(invocation));
    terms.assistant_usd_day = invocation.settings().assistant_usd_day;
    // The factory knows limits of providers by account, one asker at a time.
    terms.assistant = [&factory, &models,
                       mutex = std::make_shared<std::mutex>()] {
      const std::lock_guard lock(*mutex);
      return factory->ChatModelFor(models.front());
    };
    // A mistyped provider, or a key that is missing, shows at once.
    TRY_DONE(terms.assistant());
  }
  inspector::Inspector inspector(std::move(terms), clock);
  TRY(operations, ServiceOf(invocation));
  const auto rights = invocation.Has("read-only") ? service::Rights::kReading
                                                  : service::Rights::kAll;
  const auto answer = [&](const http::Request& request) {
    return service::IsOfOperations(request)
               ? service::AnswerWeb(*operations, request, rights)
               : inspector.Answer(request);
  };
  TRY(server,
      http::Server::Start(place, door, answer, {.handlers = kHandlers}));
  const std::string address =
      "http://localhost:" +
      (place.socket.empty() ? std::to_string(server->port()) : "8080") +
      "/?token=" + door.token;
  Announce(invocation, place, address, streams);
  if (!streams.out) {
    return Fail(Errc::kIo, "standard output: cannot be written");
  }
  {
    const inspector::Watch watch(inspector, [&](const std::string& message) {
      server->Publish("change", message);
    });
    if (WantsBrowser(invocation, streams)) OpenBrowser(address);
    int signal = 0;
    sigwait(&endings, &signal);
    inspector.End();
    operations->End();
  }
  return Exit::kDone;
}

}  // namespace

Verb ServeVerb() {
  return {
      .name = "serve",
      .summary = "a page on which campaigns are watched and asked, live",
      .arguments = "[DB...]",
      .examples =
          "  coppice serve\n"
          "  coppice serve mine.db others.db --port 0\n"
          "  coppice serve --read-only --socket ~/coppice.sock\n"
          "  coppice serve --stdio --db mine.db\n",
      .options =
          {{"port", Takes::kCount, "N",
            "of this machine; 0: any; by default "
            "8080"},
           {"listen", Takes::kText, "ADDRESS,...",
            "instead of 127.0.0.1 and ::1; others get in if they have the "
            "token"},
           {"socket", Takes::kText, "FILE",
            "a socket in the file system instead, for this user alone"},
           {"host", Takes::kText, "NAME,...",
            "names beside localhost by which browsers may ask for it"},
           {"models-folder", Takes::kText, "DIR",
            "of web-llm and models that run in the browser"},
           {"read-only", Takes::kNothing, "", "it changes nothing"},
           {"stdio", Takes::kNothing, "",
            "no page: operations for the program that has started it, as "
            "lines of JSON"},
           {"no-open", Takes::kNothing, "", "opens no browser"}},
      .settings =
          config::NamesIn({config::Group::kDatabase, config::Group::kProviders,
                           config::Group::kAssistant, config::Group::kData,
                           config::Group::kThreads, config::Group::kTimeouts,
                           config::Group::kPython, config::Group::kDevices,
                           config::Group::kRules, config::Group::kDelegation,
                           config::Group::kCache}),
      .run = RunServe,
  };
}

}  // namespace coppice::cli
