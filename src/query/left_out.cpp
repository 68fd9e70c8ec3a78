#include "query/left_out.h"

#include <fmt/format.h>

namespace opsight {
namespace {

constexpr double kWorthSaying = 0.001;  // share of the time

// How much there is, how much of it the range holds, and how much is in no iteration.
struct Held {
    int64_t count = 0, time_ns = 0;
    int64_t chosen = 0, chosen_ns = 0;
    int64_t in_none_ns = 0;

    double left_out() const {
        return time_ns > 0 ? 1 - static_cast<double>(chosen_ns) / static_cast<double>(time_ns) : 0;
    }
    double in_none() const {
        return time_ns > 0 ? static_cast<double>(in_none_ns) / static_cast<double>(time_ns) : 0;
    }
};

// `count`, `time`: SQL of the sums; the range's rows are those of `chosen`, all are in `all`.
Result<Held> held(Session& session, const char* count, const char* time, const char* all,
                  const char* chosen) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(fmt::format(
            "SELECT a.n, a.t, a.none, c.n, c.t FROM (SELECT coalesce({0}, 0)::BIGINT AS n, "
            "coalesce(sum({1}), 0)::BIGINT AS t, coalesce(sum({1}) FILTER (WHERE iteration < 0), 0)::BIGINT "
            "AS none FROM {2}) a, (SELECT coalesce({0}, 0)::BIGINT AS n, coalesce(sum({1}), 0)::BIGINT AS t "
            "FROM {3}) c",
            count, time, all, chosen)));
    const auto number = [&rows](size_t i) { return std::get<int64_t>(rows.rows.at(0)[i]); };
    Held result{number(0), number(1), number(3), number(4), number(2)};
    // Of iterations cut anew the stored numbers say nothing.
    const std::string& source = session.range().source;
    if (source == "key_op" || source == "range_regex") result.in_none_ns = 0;
    return result;
}

}  // namespace

Result<std::string> left_out_by_range(Session& session, bool asked) {
    if (session.range().whole) return std::string();
    OPSIGHT_ASSIGN(const Held device, held(session, "count(*)", "dur_ns", "raw.device_spans WHERE kind < 3",
                                           "sel_device WHERE kind < 3"));
    OPSIGHT_ASSIGN(const Held ops, held(session, "sum(calls)", "self_cpu_ns", "raw.op_stats", "sel_stats"));
    const bool on_device = device.in_none() >= kWorthSaying;
    const Held& main = on_device ? device : ops;
    std::string text;
    if (!asked && device.left_out() >= kWorthSaying)
        text = fmt::format("{} of {} kernels, copies and sets with {:.1f} % of the device's time",
                           device.count - device.chosen, device.count, 100 * device.left_out());
    if (!asked && ops.left_out() >= kWorthSaying)
        text +=
            fmt::format("{}{} of {} ops with {:.1f} % of their time on the CPU", text.empty() ? "" : ", and ",
                        ops.count - ops.chosen, ops.count, 100 * ops.left_out());
    if (!text.empty()) text = "the range leaves out " + text;
    if (main.in_none() >= kWorthSaying)
        text += fmt::format("{}{:.1f} % of {} is in no iteration", text.empty() ? "" : "; ",
                            100 * main.in_none(), on_device ? "the device's time" : "the ops' time");
    return text;
}

}  // namespace opsight
