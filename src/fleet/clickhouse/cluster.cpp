#include "fleet/clickhouse/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <thread>

#include "fleet/clickhouse/tsv.h"

namespace opsight::fleet::clickhouse {
namespace {

// ClickHouse's numbers of errors (dbms/src/Common/ErrorCodes.cpp), which have not changed since 18.16.
constexpr int kReadonly = 164, kUnknownTable = 60, kUnknownDatabase = 81, kNotEnoughSpace = 243,
              kUnknownUser = 192, kWrongPassword = 193, kRequiredPassword = 194, kAuthenticationFailed = 516,
              kAccessDenied = 497, kDatabaseAccessDenied = 291, kCannotWrite = 75, kNoElementInConfig = 137;
constexpr std::array kOtherNode = {32, 209, 210, 279, 519};
constexpr std::array kPassing = {3,   33,  102, 159, 202, 203, 209, 210, 225, 236, 242,
                                 252, 254, 265, 279, 285, 286, 319, 369, 394, 425, 999};
constexpr std::array kNotAllowed = {kUnknownUser, kWrongPassword, kRequiredPassword, kAuthenticationFailed};

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Array>
bool among(const Array& codes, int code) {
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

// "Code: 279, e.displayText() = DB::NetException: All connection ..." of old servers, "Code: 279. DB::..." of
// new ones.
int code_of(std::string_view words) {
    constexpr std::string_view kBegin = "Code: ";
    int code = 0;
    const size_t at = words.find(kBegin);
    if (at != std::string_view::npos)
        std::from_chars(words.data() + at + kBegin.size(), words.data() + words.size(), code);
    return code;
}

// The server's words without its ornaments.
std::string sentence_of(std::string_view words) {
    for (const std::string_view begin :
         {"DB::Exception: ", "DB::NetException: ", "Coordination::Exception: "})
        if (const size_t at = words.find(begin); at != std::string_view::npos) {
            words.remove_prefix(at + begin.size());
            break;
        }
    for (const std::string_view end : {", e.what()", " (version ", "\n", ", Stack trace"})
        words = words.substr(0, words.find(end));
    constexpr size_t kMost = 1000;
    std::string out(words.substr(0, kMost));
    while (!out.empty() && (out.back() == ' ' || out.back() == '.'))
        out.pop_back();
    return out;
}

std::string remedy_of(const Outcome& outcome, bool tls) {
    if (!outcome.arrived)
        return tls ? "is it running, and is this its HTTPS port?"
                   : "is it running, and is this its HTTP port?";
    if (among(kNotAllowed, outcome.code))
        return "give OPSIGHT_CLICKHOUSE_USER and OPSIGHT_CLICKHOUSE_PASSWORD, or a file: docs/FLEET.md";
    switch (outcome.code) {
        case kReadonly:
            return "the user's profile needs readonly = 2 to ask, 0 to push: docs/FLEET.md";
        case kAccessDenied:
        case kDatabaseAccessDenied:
            return "docs/FLEET.md lists the rights that it takes";
        case kUnknownTable:
            return "a push makes what tables are missing";
        case kUnknownDatabase:
            return "CREATE DATABASE it on every node";
        case kNoElementInConfig:
            return "each node needs the macros shard and replica: docs/FLEET.md";
        default:
            return {};
    }
}

}  // namespace

bool Outcome::passing() const {
    return !ok && (!arrived || among(kPassing, code) || among(kOtherNode, code));
}

bool Outcome::other_node_missing() const {
    return !ok && arrived && among(kOtherNode, code);
}

Backoff::Backoff(double seconds) : end_(now() + seconds) {}

bool Backoff::wait() {
    constexpr double kLongest = 2;
    const double left = end_ - now();
    if (left <= 0) return false;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(pause_, left)));
    pause_ = std::min(pause_ * 2, kLongest);
    return true;
}

Result<Cluster> Cluster::open(const Address& address, const Credentials& credentials) {
    OPSIGHT_ASSIGN(HttpClient http, HttpClient::make(address, credentials));
    Cluster out(address, std::move(http));
    for (const Host& host : address.hosts)
        out.nodes_.push_back({.host = host});
    OPSIGHT_TRY(out.find_shape());
    out.look_again();
    return out;
}

Status Cluster::find_shape() {
    const std::string sql = fmt::format(
        "SELECT count() AS nodes, uniqExact(shard_num) AS shards FROM system.clusters WHERE cluster = '{}'",
        address_.cluster);
    OPSIGHT_ASSIGN(const duck::Rows rows, query_anywhere(sql));
    const int64_t nodes = std::get<int64_t>(rows.rows.at(0).at(0)),
                  shards = std::get<int64_t>(rows.rows.at(0).at(1));
    distributed_ = nodes > 0;
    if (!distributed_ && nodes_.size() > 1)
        return fail(
            fmt::format("has no cluster \"{}\" among its remote_servers, and the address names {} nodes",
                        address_.cluster, nodes_.size()),
            address_.text(), {}, "name it with ?cluster=NAME; docs/FLEET.md has an example");
    shards_ = std::max<int64_t>(shards, 1);
    replicated_ = nodes > shards_;
    return {};
}

// In 18.16 `is_local` is told of the shard, in later ones of the node: either way it tells the node's shard.
void Cluster::place(Node& node) const {
    if (!distributed_) {
        node.shard = 1;
        return;
    }
    const auto rows = query(
        node,
        fmt::format(
            "SELECT DISTINCT toInt64(shard_num) FROM system.clusters WHERE cluster = '{}' AND is_local = 1",
            address_.cluster));
    if (rows && rows->rows.size() == 1) node.shard = std::get<int64_t>(rows->rows[0].at(0));
}

void Cluster::look_again() {
    for (Node& node : nodes_)
        if (node.shard == 0) place(node);
}

std::vector<const Node*> Cluster::nodes_of(int64_t shard) const {
    std::vector<const Node*> out;
    for (const Node& node : nodes_)
        if (node.shard == shard) out.push_back(&node);
    return out;
}

bool Cluster::answers(const Node& node) const {
    return run(node, "SELECT 1").ok;
}

bool Cluster::was_silent(const Node& node) const {
    return now() < node.silent_until->load();
}

Outcome Cluster::run(const Node& node, const std::string& sql, const Parameters& settings,
                     std::string_view data) const {
    Parameters parameters = settings;
    // So an error in the middle of an answer is told as an error.
    parameters.emplace_back("wait_end_of_query", "1");
    if (!data.empty()) parameters.emplace_back("query", sql);
    HttpReply reply =
        http_.post(node.host, parameters, data.empty() ? std::string_view(sql) : data, address_.timeout_s);
    Outcome out;
    out.arrived = reply.arrived;
    constexpr double kSilence = 5;
    node.silent_until->store(reply.arrived ? 0 : now() + kSilence);
    constexpr int kFine = 200;
    out.ok = reply.arrived && reply.status == kFine;
    out.body = std::move(reply.body);
    if (!out.ok && out.arrived) out.code = code_of(out.body);
    return out;
}

Outcome Cluster::run_anywhere(const std::string& sql, const Parameters& settings) const {
    Outcome out;
    Backoff backoff(1);
    do {
        for (const bool silent : {false, true})
            for (const Node& node : nodes_) {
                if (was_silent(node) != silent) continue;
                out = run(node, sql, settings);
                if (!out.passing() || out.other_node_missing()) return out;
            }
    } while (backoff.wait());
    return out;
}

Result<duck::Rows> Cluster::query(const Node& node, const std::string& sql) const {
    const Outcome outcome = run(node, fmt::format("{} FORMAT {}", sql, kAnswerFormat));
    if (!outcome.ok) return fail(error(outcome, node.host.text()));
    return read_tsv(outcome.body);
}

Result<duck::Rows> Cluster::query_anywhere(const std::string& sql) const {
    const Outcome outcome = run_anywhere(fmt::format("{} FORMAT {}", sql, kAnswerFormat));
    if (!outcome.ok) return fail(error(outcome));
    return read_tsv(outcome.body);
}

Error Cluster::error(const Outcome& outcome, std::string_view place) const {
    Error out;
    out.file = address_.text();
    if (!place.empty()) out.place = fmt::format("node {}", place);
    if (!outcome.arrived)
        out.what = fmt::format("does not answer: {}", outcome.body);
    else if (outcome.code == kNotEnoughSpace || outcome.code == kCannotWrite)
        out.what = fmt::format("the disk of a node is full: {}", sentence_of(outcome.body));
    else if (among(kNotAllowed, outcome.code))
        out.what = "the user and password are not those of a user there";
    else
        out.what = fmt::format("ClickHouse says: {}", sentence_of(outcome.body));
    if (outcome.code == kNotEnoughSpace || outcome.code == kCannotWrite) out.code = ErrorCode::kNoSpace;
    if (outcome.code == kUnknownTable || outcome.code == kUnknownDatabase) out.code = ErrorCode::kNotFound;
    out.remedy = remedy_of(outcome, address_.tls);
    return out;
}

}  // namespace opsight::fleet::clickhouse
