#include "fleet/clickhouse/http.h"

#include <curl/curl.h>

#include <mutex>

namespace opsight::fleet::clickhouse {
namespace {

constexpr long kConnectMilliseconds = 2000;

struct EasyEnd {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct ListEnd {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, EasyEnd>;
using List = std::unique_ptr<curl_slist, ListEnd>;

size_t take(char* data, size_t size, size_t count, void* out) {
    auto& body = *static_cast<std::string*>(out);
    if (body.size() + size * count > HttpClient::kLargestReply) return 0;
    body.append(data, size * count);
    return size * count;
}

bool start_library() {
    static const bool started = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    return started;
}

void add(List& list, const std::string& line) {
    if (curl_slist* longer = curl_slist_append(list.get(), line.c_str())) {
        static_cast<void>(list.release());
        list.reset(longer);
    }
}

}  // namespace

struct HttpClient::State {
    bool tls = false;
    std::string ca_file;
    List headers;
    std::mutex mutex;
    std::vector<Easy> idle;

    Easy take_handle() {
        const std::lock_guard lock(mutex);
        if (idle.empty()) return Easy(curl_easy_init());
        Easy handle = std::move(idle.back());
        idle.pop_back();
        return handle;
    }
    void give_back(Easy handle) {
        const std::lock_guard lock(mutex);
        idle.push_back(std::move(handle));
    }
};

HttpClient::HttpClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

Result<HttpClient> HttpClient::make(const Address& address, const Credentials& credentials) {
    if (!start_library()) return fail("libcurl does not start");
    auto state = std::make_unique<State>();
    state->tls = address.tls;
    state->ca_file = credentials.ca_file;
    // Headers are in no log of queries, other than parameters; and `Expect:` would cost a round trip.
    add(state->headers, "X-ClickHouse-User: " + credentials.user);
    add(state->headers, "X-ClickHouse-Key: " + credentials.password);
    add(state->headers, "Expect:");
    return HttpClient(std::move(state));
}

HttpReply HttpClient::post(const Host& host, const Parameters& parameters, std::string_view body,
                           int silence_s) const {
    HttpReply reply;
    Easy easy = state_->take_handle();
    CURL* curl = easy.get();
    if (!curl) return {false, 0, "libcurl has no memory"};
    std::string url = (state_->tls ? "https://" : "http://") + host.text() + "/";
    char mark = '?';
    for (const auto& [key, value] : parameters) {
        char* escaped = curl_easy_escape(curl, value.c_str(), static_cast<int>(value.size()));
        url += mark + key + "=" + (escaped ? escaped : "");
        curl_free(escaped);
        mark = '&';
    }
    char words[CURL_ERROR_SIZE] = "";
    curl_easy_reset(curl);  // keeps connections
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, state_->tls ? "https" : "http");
    curl_easy_setopt(curl, CURLOPT_PROXY, "");  // what the environment says is for the web
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, state_->headers.get());
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, kConnectMilliseconds);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, static_cast<long>(silence_s));
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply.body);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words);
    if (!state_->ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, state_->ca_file.c_str());
    const CURLcode code = curl_easy_perform(curl);
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    reply.status = static_cast<int>(status);
    reply.arrived = code == CURLE_OK;
    if (!reply.arrived) reply.body = *words ? words : curl_easy_strerror(code);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, nullptr);
    state_->give_back(std::move(easy));
    return reply;
}

}  // namespace opsight::fleet::clickhouse
