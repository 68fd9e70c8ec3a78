#include "cli/table_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "cli/new_file.h"
#include "cli/standard_output.h"

extern char** environ;

namespace opsight::cli {
namespace {

void write_all(int file, const std::string& text) {
    size_t done = 0;
    while (done < text.size()) {
        const ssize_t wrote = ::write(file, text.data() + done, text.size() - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return;  // the command has read all that it wants
        done += static_cast<size_t>(wrote);
    }
}

// The words of `command` are parted by blanks; no shell sees them.
Status feed(const std::string& command, const std::string& text) {
    std::istringstream stream(command);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    if (words.empty()) return fail(Error{"'@' needs a command", {}, {}, "as in --output '@less -S'", 2});
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(std::string("no pipe: ") + std::strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    pid_t child = 0;
    const int problem =
        ::posix_spawnp(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[0]);
    if (problem == 0) {
        const auto before = std::signal(SIGPIPE, SIG_IGN);
        write_all(ends[1], text);
        std::signal(SIGPIPE, before);
    }
    ::close(ends[1]);
    if (problem != 0) return fail(fmt::format("cannot run '{}': {}", words[0], std::strerror(problem)));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) return fail(fmt::format("the command '{}' failed", command));
    return {};
}

}  // namespace

std::vector<std::string> split_lists(const std::vector<std::string>& given) {
    std::vector<std::string> parts;
    for (const std::string& text : given)
        for (size_t at = 0; at <= text.size();) {
            const size_t end = std::min(text.find(',', at), text.size());
            if (end > at) parts.push_back(text.substr(at, end - at));
            at = end + 1;
        }
    return parts;
}

Status parse_window(const std::string& text, query::Filter& filter) {
    if (text.empty()) return {};
    const size_t slash = text.find('/');
    const auto read = [](std::string_view part, std::optional<int64_t>& into) {
        if (part.empty()) return true;
        int64_t value = 0;
        const auto result = std::from_chars(part.data(), part.data() + part.size(), value);
        into = value;
        return result.ec == std::errc() && result.ptr == part.data() + part.size();
    };
    if (slash != text.npos && read(std::string_view(text).substr(0, slash), filter.begin) &&
        read(std::string_view(text).substr(slash + 1), filter.end))
        return {};
    return fail(
        Error{fmt::format("'{}' is not a range of time", text), {}, {}, "give START/END in nanoseconds", 2});
}

std::string TableOutput::file_name(const std::string& output, const std::string& name,
                                   const report::nsys::Format& format) const {
    std::string tail = name;
    std::replace(tail.begin(), tail.end(), ':', '_');
    std::replace(tail.begin(), tail.end(), '/', '_');
    return fmt::format("{}_{}.{}", output == "." ? base : output, tail, report::nsys::file_ending(format));
}

Status TableOutput::write(const std::string& output, const std::string& name,
                          const report::nsys::Format& format, const std::string& text) const {
    if (output.empty() || output == "-") {
        return print_text(text);
    }
    OPSIGHT_TRY(finish_output());
    if (output[0] == '@') return feed(output.substr(1), text);
    return write_file(file_name(output, name, format), overwrite, text);
}

}  // namespace opsight::cli
