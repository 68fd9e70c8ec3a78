// The yardstick of the viewer's answers: what the machine, the loopback and the client take for the same
// number of bytes. A thread for each connection reads requests and answers "/N" with N bytes that lie ready.
//
//   bare_http      prints its port, and ends when its standard input does
//
// Shares no code with the server, knows no more of HTTP than the benchmarks send, and listens on 127.0.0.1.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

constexpr size_t kMostBytes = size_t{64} << 20;

bool send_all(int socket, const char* data, size_t size) {
    while (size > 0) {
        const ssize_t sent = ::send(socket, data, size, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        data += sent;
        size -= static_cast<size_t>(sent);
    }
    return true;
}

void answer(int socket, const std::string& bytes) {
    std::string read;
    char buffer[4096];
    while (true) {
        const ssize_t got = ::recv(socket, buffer, sizeof(buffer), 0);
        if (got <= 0) break;
        read.append(buffer, static_cast<size_t>(got));
        if (!read.ends_with("\r\n\r\n")) continue;
        const size_t wanted = std::strtoull(read.c_str() + sizeof("GET /") - 1, nullptr, 10);
        const size_t size = wanted < kMostBytes ? wanted : kMostBytes;
        const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
        if (!send_all(socket, head.data(), head.size()) || !send_all(socket, bytes.data(), size)) break;
        read.clear();
    }
    ::close(socket);
}

}  // namespace

int main() {
    const std::string bytes(kMostBytes, 'x');
    const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    if (::bind(listening, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        ::listen(listening, 128) != 0 ||
        ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
        std::perror("bare_http");
        return 1;
    }
    std::printf("%d\n", ntohs(address.sin_port));
    std::fflush(stdout);
    std::thread([] {
        while (std::getchar() != EOF) {
        }
        std::_Exit(0);
    }).detach();
    while (true) {
        const int socket = ::accept(listening, nullptr, nullptr);
        if (socket < 0) continue;
        const int on = 1;
        ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        std::thread(answer, socket, std::cref(bytes)).detach();
    }
}
