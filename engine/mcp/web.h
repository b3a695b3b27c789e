// The protocol over HTTP ("streamable HTTP"): a message each POST to /mcp.
//
// A legacy client has a session, by the header that `initialize` is answered
// with, so that it can cancel by another request. A modern one has none: it
// cancels by closing its connection.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "engine/http/request.h"
#include "engine/mcp/session.h"

namespace coppice::mcp {

inline constexpr std::string_view kEndpoint = "/mcp";

class Web {
 public:
  // `terms` and `clock` outlive it; `fresh` makes names that nobody can guess.
  Web(const Terms& terms, const engine::Clock& clock,
      std::function<std::string()> fresh);

  // May be called by any thread.  What takes long is told in pieces: of these
  // there may be kMostInFlight at a time, and who asks for more gets a 429.
  http::Answer Answer(const http::Request& request);

  // Cancels everything; nothing begins any more.
  void End() { is_over_ = true; }

 private:
  struct Client {
    std::string name;  // Of its session.
    std::shared_ptr<Session> session;
  };

  http::Answer AnswerModern(const http::Request& request,
                            const Incoming& message);
  http::Answer AnswerLegacy(const http::Request& request,
                            const Incoming& message);
  http::Answer AnswerOf(const std::shared_ptr<Session>& session,
                        const Incoming& message);
  http::Answer Stream(const std::shared_ptr<Session>& session,
                      const Incoming& message, MessageOutcome outcome);
  http::Answer Delete(const http::Request& request);
  std::shared_ptr<Session> Begin(const std::string& name);
  // Null: there is none of that name.
  std::shared_ptr<Session> Find(std::string_view name);
  class Stay;  // One of the streams.

  const Terms& terms_;
  const engine::Clock& clock_;
  const std::function<std::string()> fresh_;
  std::mutex mutex_;
  std::list<Client> clients_;         // Who asked last comes first.
  std::shared_ptr<Session> nobodys_;  // Of legacy clients without a session.
  std::atomic<std::size_t> streams_ = 0;
  std::atomic<bool> is_over_ = false;
};

}  // namespace coppice::mcp
