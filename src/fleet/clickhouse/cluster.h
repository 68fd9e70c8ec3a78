// The nodes of a ClickHouse cluster, and statements to one of them or to whichever answers.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/duckdb.h"
#include "fleet/clickhouse/http.h"

namespace opsight::fleet::clickhouse {

// What became of a statement at one node.
struct Outcome {
    bool ok = false;
    bool arrived = false;  // the node answered
    int code = 0;          // ClickHouse's number of the error; 0: none is told
    std::string body;      // the answer, or words about the failure
    // Of the connection or of the moment: the same may work elsewhere or later.
    bool passing() const;
    // Some other node did not answer the one that was asked.
    bool other_node_missing() const;
};

struct Node {
    Host host;
    int64_t shard = 0;  // from 1; 0: not known, for it has not answered yet
    std::shared_ptr<std::atomic<double>> silent_until = std::make_shared<std::atomic<double>>(0);
};

class Cluster {
  public:
    static Result<Cluster> open(const Address& address, const Credentials& credentials);

    const Address& address() const { return address_; }
    // Else it is one node alone, whose tables are not distributed.
    bool distributed() const { return distributed_; }
    bool replicated() const { return replicated_; }  // some shard has more than one node
    int64_t shards() const { return shards_; }
    const std::vector<Node>& nodes() const { return nodes_; }
    std::vector<const Node*> nodes_of(int64_t shard) const;
    // Asks those again that have not told their shard.
    void look_again();
    bool answers(const Node& node) const;
    // Whether it did not answer in the last seconds: others are asked before it.
    bool was_silent(const Node& node) const;

    // One statement at one node; `data` is what an INSERT takes.
    Outcome run(const Node& node, const std::string& sql, const Parameters& settings = {},
                std::string_view data = {}) const;
    // The same at the first node that answers; tried again for a while where the failure may pass.
    Outcome run_anywhere(const std::string& sql, const Parameters& settings = {}) const;
    // An answer read.
    Result<duck::Rows> query(const Node& node, const std::string& sql) const;
    Result<duck::Rows> query_anywhere(const std::string& sql) const;
    // The failure as a sentence.
    Error error(const Outcome& outcome, std::string_view place = {}) const;

  private:
    Cluster(Address address, HttpClient http) : address_(std::move(address)), http_(std::move(http)) {}
    Status find_shape();
    void place(Node& node) const;
    Address address_;
    HttpClient http_;
    std::vector<Node> nodes_;
    bool distributed_ = false, replicated_ = false;
    int64_t shards_ = 1;
};

// Waits between tries: longer each time, until `seconds` are over.
class Backoff {
  public:
    explicit Backoff(double seconds);
    // Sleeps; false where the time is over.
    bool wait();

  private:
    double end_, pause_ = 0.05;
};

}  // namespace opsight::fleet::clickhouse
