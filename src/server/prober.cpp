#include "server/prober.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json_writer.h"

extern char** environ;

namespace opsight::server {
namespace {

constexpr std::chrono::seconds kPatience(120);  // a large file of an older version is brought up to date
constexpr size_t kLongestAnswer = 1 << 20;

bool send_all(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::send(to, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
}

std::string answer_to(const std::string& question) {
    const bool may_write = question.starts_with('w');
    const Expected<ProfileFacts> facts = read_facts(question.substr(1), may_write);
    JsonWriter json;
    json.object([&] {
        if (facts) return put_facts(json, *facts);
        const Problem& problem = facts.error();
        json.field("status", problem.status).field("code", problem.code).field("file", problem.file);
        json.field("message", problem.message).field("remedy", problem.remedy);
    });
    return json.take();
}

Expected<ProfileFacts> read_answer(const std::string& text) {
    const nlohmann::json answer = nlohmann::json::parse(text);
    if (answer.contains("code")) {
        Problem problem(answer.at("status"), answer.at("code"), answer.at("message"), answer.at("remedy"));
        problem.file = answer.at("file");
        return fail(std::move(problem));
    }
    return ProfileFacts{answer.at("producer"), answer.at("duration_ns"), answer.at("ranks"),
                        answer.at("devices"),  answer.at("iterations"),  answer.at("kernels"),
                        answer.at("ops"),      answer.at("ranges"),      answer.at("device_work")};
}

}  // namespace

Prober::~Prober() {
    stop();
    end();
}

void Prober::stop() {
    const std::lock_guard lock(child_mutex_);
    stopped_ = true;
    if (child_ > 0) ::kill(child_, SIGKILL);
}

Status Prober::start() {
    const std::lock_guard lock(child_mutex_);
    if (stopped_) return fail("the server is stopping");
    if (child_ > 0) return {};
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return fail(std::strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);  // Ctrl-C is for us
    std::vector<char*> arguments;
    for (std::string& word : command_)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int problem = ::posix_spawn(&child, command_[0].c_str(), &actions, &how, arguments.data(), environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (problem != 0) {
        ::close(ends[0]);
        return fail(std::string("no process can be started: ") + std::strerror(problem));
    }
    child_ = child;
    socket_ = ends[0];
    return {};
}

void Prober::end() {
    const std::lock_guard lock(child_mutex_);
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
}

Result<std::string> Prober::exchange(const std::string& question) {
    const auto crashes = [] {
        return fail("crashes DuckDB", {}, {}, "it is damaged: import the trace again");
    };
    if (!send_all(socket_, question + '\0')) return crashes();
    const auto until = std::chrono::steady_clock::now() + kPatience;
    std::string answer;
    while (answer.find('\n') == answer.npos) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        pollfd ready{socket_, POLLIN, 0};
        const int some = left.count() > 0 ? ::poll(&ready, 1, static_cast<int>(left.count())) : 0;
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0)
            return fail(fmt::format("takes longer than {} s to open", kPatience.count()), {}, {},
                        "bring it up to date with 'opsight info FILE', then start the viewer again");
        char part[4096];
        const ssize_t got = ::recv(socket_, part, sizeof part, 0);
        if (got <= 0) return crashes();
        answer.append(part, static_cast<size_t>(got));
        if (answer.size() > kLongestAnswer)
            return fail("has too long an answer", {}, {}, "this is a mistake of Opsight: please report it");
    }
    return answer;
}

Expected<ProfileFacts> Prober::ask(const std::string& path, bool may_write) {
    const FairSemaphore::Permit permit(turn_);
    if (Status ready = start(); !ready) return fail(Problem(503, "busy", ready.error().what));
    const Result<std::string> answer = exchange((may_write ? "w" : "r") + path);
    if (!answer) {
        end();
        return fail(
            not_usable(path, {"cannot be opened: it " + answer.error().what, {}, {}, answer.error().remedy}));
    }
    try {
        return read_answer(*answer);
    } catch (const std::exception&) {
        end();
        return fail(not_usable(path, {"cannot be opened: its process gives no answer", {}, {}, "try again"}));
    }
}

int answer_probes(int in, int out) {
    std::string question;
    char part[4096];
    while (true) {
        const ssize_t got = ::read(in, part, sizeof part);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        for (const char c : std::string_view(part, static_cast<size_t>(got))) {
            if (c != '\0') {
                question += c;
                continue;
            }
            if (!send_all(out, answer_to(question) + '\n')) return 0;
            question.clear();
        }
    }
}

}  // namespace opsight::server
