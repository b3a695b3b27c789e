// For tests: a server of language models on 127.0.0.1 that speaks Chat
// Completions and Messages, streamed or not, to any number of clients at a
// time.  It counts what it was asked and what it gave and, as often as it is
// told to, misbehaves as real ones do.
//
// Its answers are plans and kernels for simulated landscapes
// (search/simulated_source.h) and a pure function of the request.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "store/records/random.h"

namespace coppice {

enum class Misbehaviour {
  kNone,
  kThrottles,     // 429 with Retry-After: 0.
  kFails,         // 500.
  kIsOverloaded,  // 529, or 503.
  kIsSlow,        // A pause in the middle of the answer.
  kStopsShort,    // The connection ends in the middle of the answer.
  kErrsInside,    // Status 200, and an error in the body or the stream.
  kResets,        // The connection is reset before a byte of the answer.
  // These bring a campaign that waits for its time-outs to a crawl.
  kThrottlesLong,  // 429 with Retry-After: 1.
  kThrottlesOnly,  // 429 without.
  kIsAway,         // 502, with a page.
  kIsEmpty,        // 200 without a byte in the body.
  kIsPage,         // 200 with a page.
  kIsNoJson,       // 200, and JSON that is damaged.
  kEndsEarly,      // A stream that ends as it should, without its last event.
  kResetsLate,     // The connection is reset after the headers.
  kIsTooLong,      // More bytes than the length says,
  kIsTooShort,     // and fewer.
  kStalls,         // Nothing comes after the middle of the answer,
  kHangs,          // or nothing at all.
  kRefuses,        // For a while it takes no connections.
};
inline constexpr int kMildMisbehaviours = 8;
inline constexpr int kMisbehaviours = 21;

struct ServedCall {
  std::string name;  // The client's, from X-Client-Request-Id; may be empty.
  std::string body;
  Misbehaviour misbehaviour = Misbehaviour::kNone;
  // Every byte of an answer was handed to the system; that it was read is not
  // known.
  bool is_answered = false;
  std::int64_t input_tokens = 0;  // Of an answer.
  std::int64_t output_tokens = 0;
};

struct ModelServerOptions {
  std::uint64_t seed = 1;
  double misbehaves = 0.0;         // Share of the calls, in turn of each kind
  int kinds = kMildMisbehaviours;  // among the first so many.
  std::chrono::milliseconds latency{0};
};

class ModelServer {
 public:
  explicit ModelServer(ModelServerOptions options);
  ~ModelServer();  // Ends what is under way.
  ModelServer(const ModelServer&) = delete;
  ModelServer& operator=(const ModelServer&) = delete;

  std::string Url() const;  // "http://127.0.0.1:PORT/v1"

  std::vector<ServedCall> Calls() const;  // In the order in which they came.

 private:
  bool Open();
  void Listen();
  void Serve(int fd);
  ServedCall* Enter(const std::string& request);
  void Answer(int fd, ServedCall& call, bool is_messages);
  void AwaitGoing(int fd) const;
  bool Wait(std::chrono::milliseconds time) const;  // False: it is to stop.

  ModelServerOptions options_;
  int listener_ = -1;
  int stop_[2] = {-1, -1};
  int port_ = 0;
  std::atomic<bool> refuses_{false};
  mutable std::mutex mutex_;  // Guards all below.
  RandomStream draws_;
  int misbehaved_ = 0;
  std::list<ServedCall> calls_;
  std::list<std::thread> connections_;
  std::thread listening_;
};

// What the model says to a request with these prompts: a plan if `user` asks a
// planner, otherwise a kernel.  A pure function.
std::string SimulatedAnswer(const std::string& user);

}  // namespace coppice
