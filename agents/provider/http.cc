#include "agents/provider/http.h"

#include <curl/curl.h>
#include <strings.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "agents/provider/certificates.h"
#include "agents/provider/retry_headers.h"

namespace coppice::agents {
namespace {

constexpr std::size_t kLargestBody = std::size_t{64} << 20;  // Bytes.
constexpr long kConnectTimeoutMs = 10'000;
constexpr int kPollMs = 100;  // Between looks at `cancel`.

template <auto kFree>
struct FreedBy {
  void operator()(auto* handle) const { kFree(handle); }
};
using Easy = std::unique_ptr<CURL, FreedBy<curl_easy_cleanup>>;
using Multi = std::unique_ptr<CURLM, FreedBy<curl_multi_cleanup>>;
using HeaderList = std::unique_ptr<curl_slist, FreedBy<curl_slist_free_all>>;

// libcurl wants this once per process, before its first handle.
bool Initialise() {
  static const bool initialised =
      curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return initialised;
}

// What comes back, and who is told of it.
struct Exchange {
  const HttpRequest& request;
  CURL* easy = nullptr;
  HttpReply reply{};
  bool refused = false;  // By on_stream, or for its size.
};

std::string_view Header(CURL* easy, const char* name) {
  curl_header* header = nullptr;
  const CURLHcode code =
      curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header);
  return code == CURLHE_OK ? header->value : std::string_view();
}

int HttpStatus(CURL* easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

bool IsEventStream(CURL* easy) {
  constexpr std::string_view kStream = "text/event-stream";
  const std::string_view type = Header(easy, "content-type");
  return HttpStatus(easy) / 100 == 2 && type.size() >= kStream.size() &&
         strncasecmp(type.data(), kStream.data(), kStream.size()) == 0;
}

std::size_t TakeBody(char* data, std::size_t, std::size_t size, void* taker) {
  auto& exchange = *static_cast<Exchange*>(taker);
  HttpReply& reply = exchange.reply;
  if (exchange.request.on_stream && IsEventStream(exchange.easy)) {
    reply.streamed = true;
    exchange.refused = !exchange.request.on_stream({data, size});
  } else {
    exchange.refused = reply.body.size() + size > kLargestBody;
    if (!exchange.refused) reply.body.append(data, size);
  }
  return exchange.refused ? 0 : size;  // 0 is CURLE_WRITE_ERROR.
}

HeaderList MakeHeaders(const std::vector<std::string>& lines) {
  HeaderList list;
  for (const std::string& line : lines) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) return nullptr;
    (void)list.release();
    list.reset(longer);
  }
  return list;
}

// Where there are none, it is left to libcurl.
void TrustAuthorities(CURL* easy) {
  const auto found = FindCertificates();
  if (!found) return;
  if (!found->file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, found->file.c_str());
  }
  if (!found->folder.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAPATH, found->folder.c_str());
  }
}

void Configure(Exchange& exchange, curl_slist* headers) {
  CURL* easy = exchange.easy;
  const HttpRequest& request = exchange.request;
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // Keeps the key here.
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  TrustAuthorities(easy);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  const double timeout_ms = std::clamp(request.timeout_s * 1e3, 1.0, 1e9);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_ms));
  // A reasoning model is silent until it is done; routers forget such
  // connections unless they are kept alive.
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 60L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 30L);
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "coppice");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &TakeBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
  // Else giving up waits for the resolver's thread.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  if (request.silence_s > 0) {
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
                     static_cast<long>(std::ceil(request.silence_s)));
  }
}

double ElapsedSeconds(CURL* easy) {
  curl_off_t microseconds = 0;
  curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &microseconds);
  return static_cast<double>(microseconds) * 1e-6;
}

std::string RequestId(CURL* easy) {
  for (const char* name : {"request-id", "x-request-id", "x-generation-id"}) {
    const std::string_view id = Header(easy, name);
    if (!id.empty()) return std::string(id);
  }
  return "";
}

// Whatever befalls a connection may be gone the next time.  What we would do
// again, as it is asked for, is not.
bool IsTransient(CURLcode code) {
  switch (code) {
    case CURLE_ABORTED_BY_CALLBACK:
    case CURLE_URL_MALFORMAT:
    case CURLE_WRITE_ERROR:
    case CURLE_OUT_OF_MEMORY:
    case CURLE_SSL_CACERT_BADFILE:
      return false;
    default:
      return true;
  }
}

// True once the request may have reached the server.
bool WasSent(CURL* easy) {
  curl_off_t bytes = 0;
  curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &bytes);
  return bytes > 0;
}

// A portal that answers in a server's place is gone the next time.  Where no
// authority is trusted, none is then, either.
void ExplainDistrust(CURLcode code, HttpFailure& failure) {
  const auto found = FindCertificates();
  if (!found) {
    failure.transient = false;
    failure.error.what += "; " + found.error().what;
  } else if (code == CURLE_PEER_FAILED_VERIFICATION) {
    failure.error.what += "; trusted are those of " +
                          (found->file.empty() ? found->folder : found->file) +
                          "; SSL_CERT_FILE names others";
  }
}

HttpFailure Failure(const Exchange& exchange, CURLcode code,
                    std::string_view detail) {
  CURL* easy = exchange.easy;
  HttpFailure failure;
  failure.elapsed_s = ElapsedSeconds(easy);
  failure.transient = IsTransient(code);
  failure.sent = WasSent(easy);
  failure.status = HttpStatus(easy);
  failure.request_id = RequestId(easy);
  failure.error.code = Errc::kUnavailable;
  failure.error.what = detail.empty() ? curl_easy_strerror(code) : detail;
  switch (code) {
    case CURLE_ABORTED_BY_CALLBACK:
      failure.error = {Errc::kCancelled, "cancelled"};
      break;
    case CURLE_OPERATION_TIMEDOUT:
      failure.error.code = Errc::kTimeout;
      failure.transient = false;
      // Else it was the connection or the silence that took too long.
      if (failure.elapsed_s >= 0.99 * exchange.request.timeout_s) break;
      // What was sent may be worked on yet, and would be paid for twice.
      failure.silent = failure.sent;
      failure.transient = !failure.sent;
      break;
    case CURLE_UNSUPPORTED_PROTOCOL:
      // The URL has it, or a server that speaks no HTTP.
      if (failure.sent) break;
      failure.error.code = Errc::kUsage;
      failure.transient = false;
      break;
    case CURLE_URL_MALFORMAT:
      failure.error.code = Errc::kUsage;
      break;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      ExplainDistrust(code, failure);
      break;
    case CURLE_WRITE_ERROR:
      failure.error.what = exchange.reply.streamed
                               ? "the stream is too long"
                               : "the reply is longer than 64 MiB";
      break;
    default:
      break;
  }
  return failure;
}

// Like curl_easy_perform, but gives up whenever `cancel` says so: also while a
// name is resolved, a connection made or nothing comes.
CURLcode Perform(CURLM* multi, const Exchange& exchange) {
  const std::atomic<bool>* cancel = exchange.request.cancel;
  if (curl_multi_add_handle(multi, exchange.easy) != CURLM_OK) {
    return CURLE_OUT_OF_MEMORY;
  }
  CURLcode result = CURLE_ABORTED_BY_CALLBACK;
  int running = 1;
  while (cancel == nullptr || !cancel->load()) {
    if (curl_multi_perform(multi, &running) != CURLM_OK) {
      result = CURLE_OUT_OF_MEMORY;
      break;
    }
    if (running == 0) {
      int left = 0;
      const CURLMsg* message = curl_multi_info_read(multi, &left);
      result = message == nullptr ? CURLE_OUT_OF_MEMORY : message->data.result;
      break;
    }
    curl_multi_poll(multi, nullptr, 0, kPollMs, nullptr);
  }
  return result;
}

}  // namespace

tl::expected<HttpReply, HttpFailure> Post(const HttpRequest& request) {
  // Declared in this order, so that the handle leaves `multi` before it ends.
  const Multi multi(Initialise() ? curl_multi_init() : nullptr);
  const Easy easy(multi ? curl_easy_init() : nullptr);
  const HeaderList headers = MakeHeaders(request.headers);
  if (!easy || (!headers && !request.headers.empty())) {
    return tl::unexpected(
        HttpFailure{{Errc::kUnavailable, "libcurl: out of memory"}});
  }
  Exchange exchange{request, easy.get()};
  char detail[CURL_ERROR_SIZE] = "";
  Configure(exchange, headers.get());
  curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, detail);
  const CURLcode code = Perform(multi.get(), exchange);
  if (code != CURLE_OK) {
    HttpFailure failure = Failure(exchange, code, detail);
    curl_multi_remove_handle(multi.get(), easy.get());
    return tl::unexpected(std::move(failure));
  }
  HttpReply reply = std::move(exchange.reply);
  reply.status = HttpStatus(easy.get());
  reply.streamed = request.on_stream && IsEventStream(easy.get());
  reply.request_id = RequestId(easy.get());
  reply.retry_after_s =
      WaitAsked([&](const char* name) { return Header(easy.get(), name); });
  const std::string_view should_retry = Header(easy.get(), "x-should-retry");
  if (should_retry == "true") reply.should_retry = true;
  if (should_retry == "false") reply.should_retry = false;
  reply.elapsed_s = ElapsedSeconds(easy.get());
  curl_multi_remove_handle(multi.get(), easy.get());
  return reply;
}

}  // namespace coppice::agents
