#include "server/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "query/reports/info.h"
#include "query/session/session.h"

namespace opsight::server {
namespace {

int64_t count_of(const query::ResultTable& table, std::string_view key) {
    for (size_t i = 0; i < table.columns.size(); ++i)
        if (table.columns[i].key == key)
            if (const auto* value = std::get_if<int64_t>(&table.rows.at(0)[i])) return *value;
    return 0;
}

}  // namespace

Problem not_usable(const std::string& path, const Error& error) {
    Problem problem(error);
    problem.status = kNotUsable;
    if (error.code == ErrorCode::kOther || error.code == ErrorCode::kLocked) problem.code = "unreadable";
    if (error.code == ErrorCode::kNotFound) problem.message = "does not exist";
    problem.file = std::filesystem::path(path).filename().string();
    return problem;
}

Error about_a_file(std::string_view failed, Error error) {
    error.what = fmt::format("{}: {}", failed, error.what);
    return error;
}

void put_facts(JsonWriter& json, const ProfileFacts& facts) {
    json.field("producer", facts.producer).field("duration_ns", facts.duration_ns);
    json.field("ranks", facts.ranks).field("devices", facts.devices).field("iterations", facts.iterations);
    json.field("kernels", facts.kernels).field("ops", facts.ops).field("ranges", facts.ranges);
    json.field("device_work", facts.device_work);
}

ProfileFacts facts_of(const query::Info& info) {
    return {info.producer,
            info.end_ns - info.begin_ns,
            static_cast<int64_t>(info.ranks.rows.size()),
            static_cast<int64_t>(info.devices.rows.size()),
            info.iterations.total,
            count_of(info.counts, "kernels"),
            count_of(info.counts, "ops"),
            std::max(count_of(info.counts, "nvtx_ranges"), count_of(info.counts, "annotations")),
            info.device_work};
}

Expected<ProfileFacts> read_facts(const std::string& path, bool may_write) {
    db::ReadOptions options;
    options.may_write = may_write;
    const auto profile = db::open_profile(path, options);
    if (!profile) return fail(not_usable(path, profile.error()));
    const auto read = [&]() -> Result<query::Info> {
        OPSIGHT_ASSIGN(query::Session session, query::Session::open_on(*profile, path, {}));
        return query::profile_info(session);
    };
    const Result<query::Info> info = read();
    if (!info) return fail(not_usable(path, about_a_file("cannot be read", info.error())));
    return facts_of(*info);
}

}  // namespace opsight::server
