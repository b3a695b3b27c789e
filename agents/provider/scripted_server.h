// For tests: an HTTP server on 127.0.0.1 that gives its replies in order, one a
// connection, and keeps what it was asked.
#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace coppice::agents {

// A reply with a status line, a length and `body`.
std::string HttpReplyText(int status, const std::string& body,
                          const std::string& extra_headers = "");

// A stream of events that ends with its connection; `events` are the bytes.
std::string HttpStreamText(const std::string& events);

// "data: ...", one event for each.
std::string DataEvents(const std::vector<std::string>& data);

class ScriptedServer {
 public:
  // Parts of replies.  Nothing until the server is destroyed:
  static constexpr const char* kHang = "\1hang\1";
  // A twentieth of a second:
  static constexpr const char* kPause = "\1pause\1";
  // The connection is torn down, so that the client sees an error:
  static constexpr const char* kReset = "\1reset\1";
  // A whole reply: the connection is closed after the request was read.
  static constexpr const char* kClose = "";

  explicit ScriptedServer(std::vector<std::string> replies);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string Url() const;  // "http://127.0.0.1:PORT/v1"

  // Whole requests so far, headers and body.
  std::vector<std::string> Requests() const;

 private:
  void Serve();
  void Reply(int fd, const std::string& reply) const;
  bool WaitFor(int fd) const;  // False once the server is to stop.
  std::string ReadRequest(int fd) const;

  std::vector<std::string> replies_;
  int listener_ = -1;
  int stop_[2] = {-1, -1};
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace coppice::agents
