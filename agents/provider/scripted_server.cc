#include "agents/provider/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace coppice::agents {

std::string HttpReplyText(int status, const std::string& body,
                          const std::string& extra_headers) {
  return "HTTP/1.1 " + std::to_string(status) +
         " Scripted\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + extra_headers +
         "Connection: close\r\n\r\n" + body;
}

std::string HttpStreamText(const std::string& events) {
  return "HTTP/1.1 200 Scripted\r\nContent-Type: text/event-stream\r\n"
         "Connection: close\r\n\r\n" +
         events;
}

std::string DataEvents(const std::vector<std::string>& data) {
  std::string events;
  for (const std::string& event : data) {
    events += "data: ";
    for (const char c : event) {
      events += c;
      if (c == '\n') events += "data: ";
    }
    events += "\n\n";
  }
  return events;
}

ScriptedServer::ScriptedServer(std::vector<std::string> replies)
    : replies_(std::move(replies)) {
  setenv("no_proxy", "127.0.0.1", 1);  // Whatever proxy the machine has.
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener_ < 0 || bind(listener_, generic, size) != 0 ||
      listen(listener_, 8) != 0 ||
      getsockname(listener_, generic, &size) != 0 || pipe(stop_) != 0) {
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Serve(); });
}

ScriptedServer::~ScriptedServer() {
  close(stop_[1]);  // The other end reads end of file.
  thread_.join();
  close(stop_[0]);
  close(listener_);
}

std::string ScriptedServer::Url() const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/v1";
}

std::vector<std::string> ScriptedServer::Requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

bool ScriptedServer::WaitFor(int fd) const {
  pollfd polled[] = {{stop_[0], POLLIN, 0}, {fd, POLLIN, 0}};
  poll(polled, 2, -1);
  return polled[0].revents == 0;
}

std::string ScriptedServer::ReadRequest(int fd) const {
  std::string request;
  std::size_t wanted = std::string::npos;
  while (request.size() < wanted && WaitFor(fd)) {
    char buffer[4096];
    const ssize_t got = recv(fd, buffer, sizeof(buffer), 0);
    if (got <= 0) break;
    request.append(buffer, static_cast<std::size_t>(got));
    const std::size_t headers = request.find("\r\n\r\n");
    const std::size_t length = request.find("Content-Length: ");
    if (wanted == std::string::npos && headers != std::string::npos) {
      wanted = headers + 4 +
               (length == std::string::npos
                    ? 0
                    : std::strtoul(request.c_str() + length + 16, nullptr, 10));
    }
  }
  return request;
}

void ScriptedServer::Serve() {
  for (const std::string& reply : replies_) {
    if (!WaitFor(listener_)) return;
    const int fd = accept(listener_, nullptr, nullptr);
    std::string request = ReadRequest(fd);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(std::move(request));
    }
    Reply(fd, reply);
    close(fd);
  }
}

void ScriptedServer::Reply(int fd, const std::string& reply) const {
  constexpr int kPauseMs = 50;
  pollfd stop = {stop_[0], POLLIN, 0};
  // Text and \1word\1 take turns.
  std::size_t at = 0;
  for (bool word = false; at <= reply.size(); word = !word) {
    const std::size_t end = std::min(reply.find('\1', at), reply.size());
    const std::string part = reply.substr(at, end - at);
    at = end + 1;
    if (!word) {
      send(fd, part.data(), part.size(), MSG_NOSIGNAL);
    } else if (part == "pause") {
      poll(&stop, 1, kPauseMs);
    } else if (part == "hang") {
      poll(&stop, 1, -1);
    } else if (part == "reset") {
      const linger at_once = {1, 0};
      setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
  }
}

}  // namespace coppice::agents
