#include "cli/outcome_file.h"

#include <sys/resource.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json_writer.h"
#include "base/small_file.h"
#include "cli/new_file.h"

namespace opsight::cli {

Status write_outcome(const std::string& path, const Outcome& outcome) {
    JsonWriter json;
    json.object([&] {
        json.field("exit_code", outcome.exit_code).field("signal", outcome.signal);
        json.field("wall_s", outcome.wall_s).field("rss_bytes", outcome.rss_bytes);
    });
    return write_file(path, true, json.take() + "\n");
}

Result<Outcome> read_outcome(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return fail(Error{.what = "is not there", .file = path, .code = ErrorCode::kNotFound});
    OPSIGHT_ASSIGN(const std::string text, small_regular_file(path, kLargestSettings));
    const nlohmann::json in = nlohmann::json::parse(text, nullptr, false);
    if (!in.is_object() || !in.contains("exit_code") || !in["exit_code"].is_number_integer())
        return fail("does not say how the program ended", path);
    Outcome out;
    out.exit_code = in["exit_code"].get<int>();
    if (in.contains("signal") && in["signal"].is_string()) out.signal = in["signal"].get<std::string>();
    if (in.contains("wall_s") && in["wall_s"].is_number()) out.wall_s = in["wall_s"].get<double>();
    if (in.contains("rss_bytes") && in["rss_bytes"].is_number_integer())
        out.rss_bytes = in["rss_bytes"].get<int64_t>();
    return out;
}

std::optional<int64_t> peak_of_children() {
    struct rusage used {};
    if (getrusage(RUSAGE_CHILDREN, &used) != 0 || used.ru_maxrss <= 0) return std::nullopt;
    return int64_t{used.ru_maxrss} * 1024;
}

}  // namespace opsight::cli
