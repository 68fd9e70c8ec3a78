#include "fleet/clickhouse/visible.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace opsight::fleet::clickhouse {
namespace {

// The one node that answers of a cluster of three shards, on loopback.
class OneNode {
  public:
    OneNode() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(socket_, 8) != 0)
            return;
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
        port = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~OneNode() {
        ::shutdown(socket_, SHUT_RDWR);
        if (thread_.joinable()) thread_.join();
        ::close(socket_);
    }
    OneNode(const OneNode&) = delete;
    OneNode& operator=(const OneNode&) = delete;

    uint16_t port = 0;

  private:
    void serve() const {
        for (int client; (client = ::accept(socket_, nullptr, nullptr)) >= 0; ::close(client)) {
            std::string request;
            while (!whole(request)) {
                char part[4096];
                const ssize_t got = ::recv(client, part, sizeof part, 0);
                if (got <= 0) break;
                request.append(part, static_cast<size_t>(got));
            }
            const std::string body = answer(request);
            const std::string reply = fmt::format(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
            ::send(client, reply.data(), reply.size(), MSG_NOSIGNAL);
        }
    }

    static bool whole(const std::string& request) {
        const size_t end = request.find("\r\n\r\n"), length = request.find("Content-Length: ");
        return end != request.npos && length < end &&
               request.size() >= end + 4 + std::stoul(request.substr(length + 16));
    }

    static std::string answer(const std::string& request) {
        if (request.find("uniqExact(shard_num)") != request.npos)
            return "nodes\tshards\nUInt64\tUInt64\n3\t3\n";
        if (request.find("is_local") != request.npos) return "shard\nInt64\n1\n";
        return "x\nInt64\n7\n";
    }

    int socket_;
    std::thread thread_;
};

TEST(QueryAll, AShardThatIsLostLaterIsMissingToo) {
    const OneNode node;
    ASSERT_GT(node.port, 0);
    const auto address = parse_address(fmt::format("clickhouse://127.0.0.1:{}/fleet?timeout=5", node.port));
    ASSERT_TRUE(address);
    const Result<Cluster> cluster = Cluster::open(*address, {});
    ASSERT_TRUE(cluster) << cluster.error().message();
    ASSERT_EQ(cluster->shards(), 3);
    Missing missing = {2};  // by the first question; shard 3 went after it
    const auto rows = query_all(*cluster, "SELECT x", missing);
    ASSERT_TRUE(rows) << rows.error().message();
    EXPECT_EQ(missing, (Missing{2, 3}));
    InForce in_force;
    in_force.missing = missing;
    in_force.runs = {{.run = "r", .push = "p", .blocks = {{"ops", 1, 3, 10, 0}}}};
    const std::vector<std::string> notes = notes_on_missing(*cluster, in_force);
    ASSERT_EQ(notes.size(), 3U);
    EXPECT_NE(notes[2].find("It lacks: run r: all ops"), std::string::npos);
}

}  // namespace
}  // namespace opsight::fleet::clickhouse
