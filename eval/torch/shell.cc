#include "eval/torch/shell.h"

#include <signal.h>

#include <array>
#include <cstdio>

namespace coppice::eval::torch {

std::string ShellQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string OutputOf(const std::string& command) {
  std::string output;
  // Blocked in it as well: what a terminal sends to our group is for us.
  sigset_t of_terminals, before;
  sigemptyset(&of_terminals);
  sigaddset(&of_terminals, SIGINT);
  sigaddset(&of_terminals, SIGQUIT);
  pthread_sigmask(SIG_BLOCK, &of_terminals, &before);
  FILE* pipe = popen(command.c_str(), "re");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pipe == nullptr) return output;
  std::array<char, 4096> part;
  while (const std::size_t got =
             std::fread(part.data(), 1, part.size(), pipe)) {
    output.append(part.data(), got);
  }
  pclose(pipe);
  return output;
}

}  // namespace coppice::eval::torch
