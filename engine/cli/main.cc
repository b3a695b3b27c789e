// The program: gives the command line the outside world.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "engine/cli/dispatch.h"
#include "engine/documents/verb.h"
#include "engine/process/installation.h"
#include "engine/process/interrupts.h"

extern char** environ;

namespace {

using coppice::config::Environment;

Environment ReadEnvironment() {
  Environment variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals == text.npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

bool WantsColour(const Environment& environment) {
  const auto is = [&](const char* name, std::string_view value) {
    const auto found = environment.find(name);
    return found != environment.end() && found->second == value;
  };
  const bool no_color = environment.contains("NO_COLOR") && !is("NO_COLOR", "");
  return isatty(STDOUT_FILENO) == 1 && !no_color && !is("TERM", "dumb");
}

int TerminalColumns(int file) {
  winsize size{};
  const bool known = ioctl(file, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : 80;
}

// Ours stop at the edges of libraries; what is left is lack of memory and
// mistakes of ours.
std::string Describe(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
    return "out of memory; give it more, or raise its limit (ulimit -v)";
  }
  const auto* error = dynamic_cast<const std::system_error*>(&exception);
  if (error != nullptr &&
      error->code() == std::errc::resource_unavailable_try_again) {
    return "no thread can be started: " + error->code().message() +
           "; raise the limits of processes and memory (ulimit -u, ulimit -v)";
  }
  return std::string("unexpected failure: ") + exception.what();
}

// A thread ended by an exception that is not ours to catch.
[[noreturn]] void EndOfAThread() {
  const auto current = std::current_exception();
  if (current == nullptr) std::abort();
  try {
    std::rethrow_exception(current);
  } catch (const std::exception& exception) {
    std::cerr << "coppice: " << Describe(exception) << std::endl;
  }
  _exit(static_cast<int>(coppice::cli::Exit::kFailure));
}

// A plain file of ours, or root's, that nobody else may write; or none.
bool IsOursAlone(const char* path) {
  struct stat status {};
  if (stat(path, &status) != 0) return errno == ENOENT;
  return S_ISREG(status.st_mode) && (status.st_mode & S_IWOTH) == 0 &&
         (status.st_uid == getuid() || status.st_uid == 0);
}

// If whoever started us closed one, the next file we open would take its place
// and get what we print.  Reading from the stand-in ends at once, and writing
// to it fails.
void OccupyStandardDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // A reader of our output that has seen enough ends us, as it ends cat(1),
  // even if whoever started us ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
  // A write beyond `ulimit -f` fails, like one to a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  // Children are waited for, even if whoever started us ignores the signal.
  std::signal(SIGCHLD, SIG_DFL);
  std::set_terminate(EndOfAThread);
  OccupyStandardDescriptors();
  std::ios::sync_with_stdio(false);

  // Most verbs work without the program's data; those that do not say why.
  const auto installation =
      coppice::engine::FindInstallation(coppice::engine::ExecutablePath());
  coppice::config::Surroundings surroundings{
      ReadEnvironment(),
      static_cast<int>(std::max(1U, std::thread::hardware_concurrency())),
      getuid(),
      {},
      IsOursAlone("coppice.conf")};
  if (installation) {
    surroundings.data_directory = installation->data;
    surroundings.runner = installation->runner;
  }
  coppice::cli::Streams streams{std::cin,
                                std::cout,
                                std::cerr,
                                isatty(STDOUT_FILENO) == 1,
                                isatty(STDERR_FILENO) == 1,
                                WantsColour(surroundings.environment),
                                TerminalColumns(STDOUT_FILENO),
                                [] { return TerminalColumns(STDERR_FILENO); }};
  try {
    const coppice::cli::Exit exit =
        coppice::cli::Dispatch({argv + 1, argv + argc}, surroundings, streams);
    // Who asked us to stop is told so, however far we had come.
    return static_cast<int>(coppice::engine::WasInterrupted()
                                ? coppice::cli::Exit::kInterrupted
                                : exit);
  } catch (const std::exception& exception) {
    // What was committed stays.
    std::cerr << "coppice: " << Describe(exception) << "\n";
    return static_cast<int>(coppice::cli::Exit::kFailure);
  }
}
