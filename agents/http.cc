#include "agents/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string_view>

namespace coppice::agents {
namespace {

constexpr std::size_t kLargestBody = std::size_t{64} << 20;  // Bytes.
constexpr long kConnectTimeoutMs = 10'000;

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListDeleter>;

// libcurl wants this once per process, before its first handle.
bool Initialise() {
  static const bool initialised =
      curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return initialised;
}

std::size_t AppendBody(char* data, std::size_t, std::size_t size, void* body) {
  auto& text = *static_cast<std::string*>(body);
  if (text.size() + size > kLargestBody) return 0;  // CURLE_WRITE_ERROR.
  text.append(data, size);
  return size;
}

// libcurl calls it at least once a second; anything but 0 gives up.
int CheckCancel(void* cancel, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::atomic<bool>*>(cancel)->load() ? 1 : 0;
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

void Configure(CURL* easy, const HttpRequest& request, curl_slist* headers,
               std::string* body) {
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // Keeps the key here.
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
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
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &AppendBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, body);
  if (request.cancel != nullptr) {
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &CheckCancel);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, request.cancel);
  }
}

double ElapsedSeconds(CURL* easy) {
  curl_off_t microseconds = 0;
  curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &microseconds);
  return static_cast<double>(microseconds) * 1e-6;
}

std::string_view Header(CURL* easy, const char* name) {
  curl_header* header = nullptr;
  const CURLHcode code =
      curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header);
  return code == CURLHE_OK ? header->value : std::string_view();
}

std::optional<double> RetryAfter(CURL* easy) {
  const std::string_view text = Header(easy, "retry-after-ms");
  double milliseconds = 0;
  const auto [end, errc] =
      std::from_chars(text.data(), text.data() + text.size(), milliseconds);
  if (errc == std::errc() && std::isfinite(milliseconds) && milliseconds >= 0) {
    return milliseconds * 1e-3;
  }
  curl_off_t seconds = 0;  // Of a number or a date; 0 if there is neither.
  curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
  if (seconds <= 0) return std::nullopt;
  return static_cast<double>(seconds);
}

bool IsTransient(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_HTTP2:
    case CURLE_PARTIAL_FILE:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

HttpFailure Failure(CURL* easy, CURLcode code, std::string_view detail) {
  HttpFailure failure;
  failure.elapsed_s = ElapsedSeconds(easy);
  failure.transient = IsTransient(code);
  failure.error.code = Errc::kUnavailable;
  failure.error.what = detail.empty() ? curl_easy_strerror(code) : detail;
  switch (code) {
    case CURLE_ABORTED_BY_CALLBACK:
      failure.error = {Errc::kCancelled, "cancelled"};
      break;
    case CURLE_OPERATION_TIMEDOUT: {
      double connected_s = 0;
      curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME, &connected_s);
      failure.error.code = Errc::kTimeout;
      failure.transient = connected_s == 0;  // Nothing was asked of it yet.
      break;
    }
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
      failure.error.code = Errc::kUsage;
      break;
    case CURLE_WRITE_ERROR:
      failure.error.what = "the reply is longer than 64 MiB";
      break;
    default:
      break;
  }
  return failure;
}

}  // namespace

tl::expected<HttpReply, HttpFailure> Post(const HttpRequest& request) {
  const Easy easy(Initialise() ? curl_easy_init() : nullptr);
  const HeaderList headers = MakeHeaders(request.headers);
  if (!easy || (!headers && !request.headers.empty())) {
    return tl::unexpected(
        HttpFailure{{Errc::kUnavailable, "libcurl: out of memory"}, false, 0});
  }
  HttpReply reply;
  char detail[CURL_ERROR_SIZE] = "";
  Configure(easy.get(), request, headers.get(), &reply.body);
  curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, detail);
  const CURLcode code = curl_easy_perform(easy.get());
  if (code != CURLE_OK) {
    return tl::unexpected(Failure(easy.get(), code, detail));
  }
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  reply.retry_after_s = RetryAfter(easy.get());
  const std::string_view should_retry = Header(easy.get(), "x-should-retry");
  if (should_retry == "true") reply.should_retry = true;
  if (should_retry == "false") reply.should_retry = false;
  reply.elapsed_s = ElapsedSeconds(easy.get());
  return reply;
}

}  // namespace coppice::agents
