#include "query/reports/op_quantiles.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "query/reports/sql.h"

namespace opsight::query {
namespace {

struct Times {
    std::vector<int64_t> cpu, gpu;
};

// Times by (op, rank, device).
class Groups {
  public:
    using Key = std::tuple<int32_t, int32_t, int32_t>;

    Times& at(int32_t op, int32_t rank, int32_t device) {
        const Key key{op, rank, device};
        // Most often an op stays with its rank and device.
        Recent& recent = recent_[static_cast<uint32_t>(op) % kRecent];
        if (!recent.times || recent.key != key) recent = {key, &times_[key]};
        return *recent.times;
    }
    std::map<Key, Times>& all() { return times_; }

  private:
    struct Recent {
        Key key;
        Times* times = nullptr;
    };
    std::map<Key, Times> times_;  // its elements stay where they are
    static constexpr size_t kRecent = 4096;
    std::vector<Recent> recent_ = std::vector<Recent>(kRecent);
};

// Device work of op instances by their id.
class Work {
  public:
    struct Row {
        int32_t id = 0, device = -1;
        int64_t gpu_ns = 0;
    };

    static Result<Work> read(Session& session) {
        Work work;
        OPSIGHT_ASSIGN(const duck::Rows count, session.query(reports::sql::op_work_count));
        work.rows_.reserve(static_cast<size_t>(std::get<int64_t>(count.rows.at(0)[0])));
        OPSIGHT_TRY(session.scan(reports::sql::op_work, [&work](const duck::Batch& batch) {
            const auto *id = batch.column<int32_t>(0), *device = batch.column<int32_t>(2);
            const auto* gpu = batch.column<int64_t>(1);
            for (size_t i = 0; i < batch.size(); ++i)
                work.rows_.push_back({id[i], device[i], gpu[i]});
        }));
        const auto by_id = [](const Row& a, const Row& b) { return a.id < b.id; };
        if (!std::is_sorted(work.rows_.begin(), work.rows_.end(), by_id))
            std::sort(work.rows_.begin(), work.rows_.end(), by_id);
        return work;
    }

    // Quick where ids are asked for in rising order.
    Row of(int32_t id) {
        if (next_ > 0 && rows_[next_ - 1].id >= id) next_ = 0;
        next_ = static_cast<size_t>(std::partition_point(rows_.cbegin() + static_cast<std::ptrdiff_t>(next_),
                                                         gallop(id),
                                                         [id](const Row& row) { return row.id < id; }) -
                                    rows_.cbegin());
        return next_ < rows_.size() && rows_[next_].id == id ? rows_[next_] : Row{id};
    }

  private:
    // A place from `next_` on that is not below `id`, found in steps that double.
    std::vector<Row>::const_iterator gallop(int32_t id) const {
        size_t step = 1, at = next_;
        while (at < rows_.size() && rows_[at].id < id) {
            at += step;
            step *= 2;
        }
        return rows_.begin() + static_cast<std::ptrdiff_t>(std::min(at, rows_.size()));
    }

    std::vector<Row> rows_;
    size_t next_ = 0;
};

Result<Groups> group_times(Session& session, const std::string& ranks_by, bool by_device) {
    OPSIGHT_ASSIGN(Work work, Work::read(session));
    Groups groups;
    const auto take = [&](const duck::Batch& batch) {
        const auto *id = batch.column<int32_t>(0), *op = batch.column<int32_t>(2),
                   *rank = batch.column<int32_t>(3);
        const auto* dur = batch.column<int64_t>(1);
        for (size_t i = 0; i < batch.size(); ++i) {
            const Work::Row done = work.of(id[i]);
            Times& times = groups.at(op[i], rank[i], by_device ? done.device : -1);
            times.cpu.push_back(dur[i]);
            times.gpu.push_back(done.gpu_ns);
        }
    };
    OPSIGHT_TRY(session.scan(duck::Statement(reports::sql::op_instances).set("ranks_by", ranks_by), take));
    return groups;
}

}  // namespace

double quantile(std::vector<int64_t>& values, size_t percent) {
    const size_t place = percent * (values.size() - 1);
    const auto low = values.begin() + static_cast<std::ptrdiff_t>(place / 100);
    std::nth_element(values.begin(), low, values.end());
    if (low + 1 == values.end()) return static_cast<double>(*low);
    const auto above = static_cast<double>(*std::min_element(low + 1, values.end()));
    const auto below = static_cast<double>(*low);
    return below + (above - below) * static_cast<double>(place % 100) / 100;
}

Status make_op_quantiles(Session& session, const std::string& ranks_by, bool by_device) {
    OPSIGHT_TRY(session.execute(reports::sql::op_quantiles));
    OPSIGHT_ASSIGN(const duck::Rows any, session.query(duck::Statement(reports::sql::any_shown)));
    if (!std::get<bool>(any.rows.at(0)[0])) return {};
    OPSIGHT_ASSIGN(Groups groups, group_times(session, ranks_by, by_device));
    using enum duck::Type;
    OPSIGHT_ASSIGN(duck::Appender appender,
                   session.append_to("op_quantiles",
                                     {kInteger, kInteger, kInteger, kDouble, kDouble, kDouble, kDouble}));
    size_t row = 0;
    for (auto& [key, times] : groups.all()) {
        appender.column<int32_t>(0)[row] = std::get<0>(key);
        appender.column<int32_t>(1)[row] = std::get<1>(key);
        appender.column<int32_t>(2)[row] = std::get<2>(key);
        appender.column<double>(3)[row] = quantile(times.cpu, 50);
        appender.column<double>(4)[row] = quantile(times.cpu, 95);
        appender.column<double>(5)[row] = quantile(times.gpu, 50);
        appender.column<double>(6)[row] = quantile(times.gpu, 95);
        if (++row < duck::Appender::kBatch) continue;
        OPSIGHT_TRY(appender.add(row));
        row = 0;
    }
    OPSIGHT_TRY(appender.add(row));
    return appender.close();
}

}  // namespace opsight::query
