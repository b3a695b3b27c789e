// A Transport over HTTP: sends what a dialect writes and judges what comes
// back.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/provider/dialect.h"
#include "agents/provider/prices.h"
#include "agents/provider/transport.h"

namespace coppice::agents {

struct HttpTransportOptions {
  std::string provider;  // "openai"
  std::string base_url;  // "https://host/v1"
  const Dialect* dialect = &ChatDialect();
  BodyOptions body;
  std::string api_key;                 // Sent, if any; in nothing else.
  std::string key_place{};             // "OPENAI_API_KEY", to be told of it.
  std::vector<std::string> headers{};  // Beside the dialect's.
  std::optional<Prices> prices;        // Unset: a call's cost is not known,
                                       // unless the server states it.
  // The model's own limit, should it be sent none.  Unset: it is not known.
  std::optional<std::int64_t> output_tokens{};
  double silence_s = 300;  // Without a byte, after which a stream is given up.
};

// A server that answers at once, though asked for a stream, is understood.  A
// 200 is not success: an error may come inside it, and a stream that ends
// before its end marker was cut.
//
// A parameter that the model rejects by name (temperature, top_p, the output
// limit's, ...) is dropped or renamed for this and all later calls.
std::unique_ptr<Transport> MakeHttpTransport(HttpTransportOptions options);

}  // namespace coppice::agents
