// What a server is asked and what it answers, without a word of the library
// that carries it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coppice::http {

struct Request {
  std::string method;  // "GET"
  std::string path;    // As it was sent, without the query: "/c/a%2Fb".
  std::map<std::string, std::string, std::less<>> query{};  // Decoded.
  // Headers by names in lower case.
  std::map<std::string, std::string, std::less<>> headers{};
  std::string body{};

  // Empty if there is none.
  std::string_view Header(std::string_view name) const;
  std::optional<std::string> Query(std::string_view name) const;
};

// Sends a piece of an answer.
using Tell = std::function<void(std::string piece)>;

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  // Beside those that every answer of a server has.
  std::vector<std::pair<std::string, std::string>> headers = {};
  // If set, the answer goes on with what this tells, once its head was sent,
  // and ends with its connection.  Called by a thread of its own; `is_gone`
  // becomes true once nobody listens any more.
  std::function<void(const Tell& tell, const std::atomic<bool>& is_gone)>
      pieces = {};
};

// What scripts, styles and connections a page of ours may have: its own files',
// and of scripts `more`.
std::string ContentPolicy(std::string_view more = {});

// {"error": what}.
Answer Refusal(int status, std::string_view what);

// "a%20b" is "a b", and in a query "a+b" is, too.  None: not well-formed.
std::optional<std::string> Decoded(std::string_view text, bool is_query);

// "a=1&b=2".  If a name comes twice, its first value counts.  None: it is not
// well-formed.
std::optional<std::map<std::string, std::string, std::less<>>> ParseQuery(
    std::string_view text);

}  // namespace coppice::http
