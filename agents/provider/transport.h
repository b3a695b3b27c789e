// A Transport makes one call to one provider: what leaves once, and may be
// billed once.  A retrying model (agents/provider/retrying_model.h) makes a
// Model of it, which tries again, keeps within limits and tells the observer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agents/provider/bound.h"
#include "agents/provider/model.h"
#include "store/records/result.h"

namespace coppice::agents {

enum class Again : std::uint8_t {
  kNever,
  kLater,   // After a while it may go well.
  kAtOnce,  // The transport has learnt: its next body will be another.
};

// Why a call brought no answer.
struct Refusal {
  Error error;
  Again again = Again::kNever;
  bool throttled = false;          // Whoever calls this provider should wait.
  std::optional<double> wait_s{};  // That the provider asked for.
  bool may_be_billed = false;      // It was asked, and how it ended is unknown.
};

// Whoever was asked may bill for it: to ask again might cost as much again.
inline Refusal MayBeBilled(Error error) {
  return {std::move(error), Again::kNever, false, std::nullopt, true};
}

// How one call ended.
struct Delivery {
  ModelAnswer answer;              // As far as it came.
  std::optional<Refusal> refusal;  // Set: it is no answer.
  int http_status = 0;
  std::string request_id{};
  std::optional<std::string> served_model{};  // That the server says it ran.
};

// What a call sends.
struct TransportBody {
  std::string text;       // Holds no key.
  SentSampling sampling;  // Told by whoever wrote the text, as it did.
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual std::string_view Provider() const = 0;
  virtual std::string_view ModelName() const = 0;

  // What Send() would send.
  virtual TransportBody Body(const ModelRequest& request) const = 0;

  // The most that Send() may use with `body`, which Body() has just made of the
  // request.
  virtual Bound BoundOf(const ModelRequest& request,
                        const TransportBody& body) const = 0;

  // Blocks.  `body` is the text of Body().  May be called from several threads.
  // Honours the request's `cancel` and tells its `on_progress`.
  virtual Delivery Send(const ModelRequest& request, const std::string& body,
                        double timeout_s) = 0;
};

// A model that needs no transport, such as the catalogue or a cassette, seen as
// one, so that its calls stand in the same ledger.  Its body is the request; no
// sampling is sent with it, since nothing there draws a sample.
std::unique_ptr<Transport> MakeModelTransport(std::unique_ptr<Model> model);

}  // namespace coppice::agents
