#include "report/render.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace opsight::report {
Result<Format> parse_format(std::string_view name) {
    if (name == "table") return Format::kTable;
    if (name == "csv") return Format::kCsv;
    if (name == "json") return Format::kJson;
    return fail(Error{.what = fmt::format("unknown format '{}'", name),
                      .remedy = "use table, csv or json",
                      .exit_code = 2});
}

int terminal_width(int otherwise) {
    if (const char* columns = std::getenv("COLUMNS"); columns && std::atoi(columns) > 0)
        return std::atoi(columns);
    winsize size{};
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return otherwise;
    return size.ws_col > 0 ? size.ws_col : otherwise;
}

}  // namespace opsight::report
