#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "fleet/clickhouse/address.h"

namespace opsight::fleet::clickhouse {
namespace {

constexpr size_t kLargestFile = 64 * 1024;

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The header that carries it ends at the end of a line.
bool fits_a_header(const std::string& text) {
    return text.find_first_of(std::string("\r\n\0", 3)) == std::string::npos;
}

// Of the file that is open: under its name another one may stand by now.
Status check_rights(int file, const std::string& path) {
    struct stat info {};
    if (fstat(file, &info) != 0) return fail(std::string("cannot be read: ") + std::strerror(errno), path);
    if (!S_ISREG(info.st_mode)) return fail("holds no credentials: it is not a file", path);
    if (info.st_uid != geteuid() && info.st_uid != 0)
        return fail("belongs to another user, who could change it", path, {}, "chown it to yourself");
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return fail("holds a password that other users may read", path, {}, "chmod 600 it");
    return {};
}

Result<std::string> text_of(const std::string& path) {
    // A pipe must not keep it waiting.
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return fail(std::string("cannot be read: ") + std::strerror(errno), path);
    Status good = check_rights(file, path);
    std::string text;
    while (good && text.size() <= kLargestFile) {
        char part[4096];
        const ssize_t got = read(file, part, sizeof part);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) good = fail(std::string("cannot be read: ") + std::strerror(errno), path);
        if (got <= 0) break;
        text.append(part, static_cast<size_t>(got));
    }
    close(file);
    if (!good) return fail(std::move(good).error());
    if (text.size() > kLargestFile) return fail("is larger than credentials are", path);
    return text;
}

Status read_file(const std::string& path, Credentials& out) {
    OPSIGHT_ASSIGN(const std::string text, text_of(path));
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (trimmed(line).empty() || trimmed(line)[0] == '#') continue;
        const size_t equals = line.find('=');
        const std::string key = trimmed(line.substr(0, equals));
        const std::string value = equals == std::string::npos ? "" : trimmed(line.substr(equals + 1));
        if (equals != std::string::npos && key == "user")
            out.user = value;
        else if (equals != std::string::npos && key == "password")
            out.password = value;
        else if (equals != std::string::npos && key == "ca")
            out.ca_file = value;
        else
            return fail("is none of `user = ...`, `password = ...` and `ca = ...`", path,
                        fmt::format("line {}", number));
    }
    return {};
}

}  // namespace

Result<Credentials> find_credentials() {
    Credentials out;
    const char* named = std::getenv("OPSIGHT_CLICKHOUSE_CREDENTIALS");
    const char* home = std::getenv("HOME");
    const std::string usual = home ? std::string(home) + "/.config/opsight/clickhouse" : "";
    if (named)
        OPSIGHT_TRY(read_file(named, out));
    else if (!usual.empty() && access(usual.c_str(), F_OK) == 0)
        OPSIGHT_TRY(read_file(usual, out));
    if (const char* user = std::getenv("OPSIGHT_CLICKHOUSE_USER")) out.user = user;
    if (const char* password = std::getenv("OPSIGHT_CLICKHOUSE_PASSWORD")) out.password = password;
    if (const char* ca = std::getenv("OPSIGHT_CLICKHOUSE_CA")) out.ca_file = ca;
    if (!fits_a_header(out.user) || !fits_a_header(out.password))
        return fail("a user and a password for ClickHouse must be of one line each");
    return out;
}

}  // namespace opsight::fleet::clickhouse
