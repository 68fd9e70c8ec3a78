#include "query/session/range_projection.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "query/session/sql.h"

namespace opsight::query {
namespace {

namespace sql = session::sql;

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

bool in_order(const Ranges& r, size_t a, size_t b) {
    if (r.track[a] != r.track[b]) return r.track[a] < r.track[b];
    if (r.begin[a] != r.begin[b]) return r.begin[a] < r.begin[b];
    if (r.end[a] != r.end[b]) return r.end[a] > r.end[b];
    return r.id[a] < r.id[b];
}

template <class T>
void permute(std::vector<T>& column, const std::vector<uint32_t>& order) {
    std::vector<T> sorted(column.size());
    for (size_t i = 0; i < order.size(); ++i)
        sorted[i] = column[order[i]];
    column = std::move(sorted);
}

// The stored tables are in order each; more than one of them must be merged.
void sort_ranges(Ranges& r) {
    bool sorted = true;
    for (size_t i = 1; i < r.size() && sorted; ++i)
        sorted = !in_order(r, i, i - 1);
    if (sorted) return;
    std::vector<uint32_t> order(r.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&r](uint32_t a, uint32_t b) { return in_order(r, a, b); });
    permute(r.begin, order);
    permute(r.end, order);
    permute(r.track, order);
    permute(r.label, order);
    permute(r.id, order);
    permute(r.style, order);
}

}  // namespace

Result<Ranges> load_ranges(duck::Connection& connection, bool crossing) {
    Ranges r;
    const Status done = connection.scan(duck::Statement(sql::range_columns).set("crossing", crossing),
                                        [&r](const duck::Batch& batch) {
                                            const auto append = [&batch](auto& column, size_t index) {
                                                using T = typename std::decay_t<decltype(column)>::value_type;
                                                const T* data = batch.column<T>(index);
                                                column.insert(column.end(), data, data + batch.size());
                                            };
                                            append(r.begin, 0);
                                            append(r.end, 1);
                                            append(r.track, 2);
                                            append(r.label, 3);
                                            append(r.id, 4);
                                            append(r.style, 5);
                                        });
    OPSIGHT_TRY(done);
    sort_ranges(r);
    return r;
}

Nesting nesting_of(const Ranges& ranges) {
    Nesting n;
    n.level.assign(ranges.size(), 0);
    n.children.assign(ranges.size(), 0);
    n.parent.assign(ranges.size(), Nesting::kNoParent);
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < ranges.size(); ++i) {
        if (ranges.style[i] != 0) continue;
        while (!open.empty() &&
               (ranges.track[open.back()] != ranges.track[i] || ranges.end[open.back()] < ranges.end[i]))
            open.pop_back();
        if (!open.empty()) {
            n.parent[i] = open.back();
            ++n.children[open.back()];
        }
        n.level[i] = static_cast<uint32_t>(open.size());
        open.push_back(i);
    }
    return n;
}

std::vector<int64_t> time_in_children(const Ranges& ranges, const Nesting& nesting) {
    std::vector<int64_t> sums(ranges.size(), 0);
    for (uint32_t i = 0; i < ranges.size(); ++i)
        if (nesting.parent[i] != Nesting::kNoParent)
            sums[nesting.parent[i]] += ranges.end[i] - ranges.begin[i];
    return sums;
}

std::string stack_text(const Ranges& ranges, const Nesting& nesting, uint32_t range) {
    std::vector<uint32_t> path;
    for (uint32_t at = range; at != Nesting::kNoParent; at = nesting.parent[at])
        path.push_back(at);
    std::string text;
    for (size_t i = path.size(); i-- > 0;)
        text += ':' + std::to_string(ranges.id[path[i]]);
    return text;
}

const std::string& RangeNames::label(int64_t id) const {
    static const std::string kNone;
    const auto at = std::lower_bound(labels.begin(), labels.end(), id,
                                     [](const auto& entry, int64_t wanted) { return entry.first < wanted; });
    return at != labels.end() && at->first == id ? at->second : kNone;
}

Result<RangeNames> load_range_names(duck::Connection& connection) {
    RangeNames names;
    OPSIGHT_ASSIGN(const duck::Rows tracks, connection.query(sql::track_threads));
    for (const auto& row : tracks.rows) {
        names.pid.push_back(row[0]);
        names.tid.push_back(row[1]);
    }
    OPSIGHT_ASSIGN(duck::Rows labels, connection.query(sql::range_labels));
    for (auto& row : labels.rows)
        names.labels.emplace_back(std::get<int64_t>(row[0]), std::move(std::get<std::string>(row[1])));
    return names;
}

Launches::Launches(std::vector<Launch> list) : list_(std::move(list)) {
    std::sort(list_.begin(), list_.end(), [](const Launch& a, const Launch& b) {
        return std::tie(a.track, a.api_begin, a.api_end, a.rid) <
               std::tie(b.track, b.api_begin, b.api_end, b.rid);
    });
    const size_t n = list_.size();
    latest_end_.resize(n);
    least_.resize(2 * n);
    most_.resize(2 * n);
    for (size_t i = 0; i < n; ++i) {
        const auto track = static_cast<size_t>(list_[i].track);
        const bool first = i == 0 || list_[i - 1].track != list_[i].track;
        if (track >= of_track_.size()) of_track_.resize(track + 1);
        if (first) of_track_[track].first = i;
        of_track_[track].second = i + 1;
        latest_end_[i] = first ? list_[i].api_end : std::max(latest_end_[i - 1], list_[i].api_end);
        least_[n + i] = list_[i].begin;
        most_[n + i] = list_[i].end;
    }
    for (size_t i = n; i-- > 1;) {
        least_[i] = std::min(least_[2 * i], least_[2 * i + 1]);
        most_[i] = std::max(most_[2 * i], most_[2 * i + 1]);
    }
}

void Launches::inside(int32_t track, int64_t begin, int64_t end,
                      const std::function<void(size_t, size_t)>& take) const {
    if (track < 0 || static_cast<size_t>(track) >= of_track_.size()) return;
    const auto [from, to] = of_track_[static_cast<size_t>(track)];
    const auto at = [this](size_t i) { return list_.begin() + static_cast<ptrdiff_t>(i); };
    const auto first_it =
        std::lower_bound(at(from), at(to), begin, [](const Launch& l, int64_t t) { return l.api_begin < t; });
    const auto last_it =
        std::upper_bound(first_it, at(to), end, [](int64_t t, const Launch& l) { return t < l.api_begin; });
    const auto first = static_cast<size_t>(first_it - list_.begin());
    auto last = static_cast<size_t>(last_it - list_.begin());
    // Calls that begin inside but end later are at the tail, and few: calls of a thread do not cross.
    size_t whole = last;
    while (whole > first && latest_end_[whole - 1] > end)
        --whole;
    if (whole > first) take(first, whole);
    for (size_t i = whole; i < last; ++i)
        if (list_[i].api_end <= end) take(i, i + 1);
}

std::pair<int64_t, int64_t> Launches::extent(size_t first, size_t last) const {
    int64_t least = kNever, most = -kNever;
    const size_t n = list_.size();
    for (size_t a = first + n, b = last + n; a < b; a /= 2, b /= 2) {
        if (a & 1) {
            least = std::min(least, least_[a]);
            most = std::max(most, most_[a++]);
        }
        if (b & 1) {
            least = std::min(least, least_[--b]);
            most = std::max(most, most_[b]);
        }
    }
    return {least, most};
}

Result<Launches> load_launches(duck::Connection& connection, bool kernels_only) {
    std::vector<Launch> list;
    const Status done =
        connection.scan(duck::Statement(sql::launch_columns).set("kernels_only", kernels_only),
                        [&list](const duck::Batch& batch) {
                            for (size_t i = 0; i < batch.size(); ++i)
                                list.push_back({batch.column<int64_t>(0)[i], batch.column<int64_t>(1)[i],
                                                batch.column<int64_t>(2)[i], batch.column<int64_t>(3)[i],
                                                batch.column<int64_t>(4)[i], batch.column<int32_t>(5)[i],
                                                batch.column<int32_t>(6)[i]});
                        });
    OPSIGHT_TRY(done);
    return Launches(std::move(list));
}

std::vector<Projected> project(const Ranges& ranges, const Launches& launches) {
    std::vector<Projected> list;
    for (uint32_t i = 0; i < ranges.size(); ++i) {
        Projected p{i, INT64_MAX, INT64_MIN, 0};
        launches.inside(ranges.track[i], ranges.begin[i], ranges.end[i], [&](size_t first, size_t last) {
            const auto [begin, end] = launches.extent(first, last);
            p.begin = std::min(p.begin, begin);
            p.end = std::max(p.end, end);
            p.work += static_cast<int64_t>(last - first);
        });
        if (p.work > 0) list.push_back(p);
    }
    return list;
}

Status make_innermost_ranges(Source& source) {
    OPSIGHT_ASSIGN(const Ranges ranges, load_ranges(source.connection()));
    OPSIGHT_ASSIGN(const Launches launches, load_launches(source.connection(), false));
    // Ranges come by rising begin, so the last one written around a launch began last: the innermost.
    std::vector<int32_t> innermost(launches.list().size(), -1);
    std::vector<uint8_t> found(launches.list().size(), 0);
    for (size_t i = 0; i < ranges.size(); ++i)
        launches.inside(ranges.track[i], ranges.begin[i], ranges.end[i], [&](size_t first, size_t last) {
            std::fill(innermost.begin() + static_cast<ptrdiff_t>(first),
                      innermost.begin() + static_cast<ptrdiff_t>(last), ranges.label[i]);
            std::fill(found.begin() + static_cast<ptrdiff_t>(first),
                      found.begin() + static_cast<ptrdiff_t>(last), uint8_t{1});
        });
    OPSIGHT_TRY(source.execute(sql::innermost_ranges));
    OPSIGHT_ASSIGN(auto appender, duck::Appender::create(source.connection(), "temp", "st_innermost",
                                                         {duck::Type::kBigint, duck::Type::kInteger}));
    size_t filled = 0;
    for (size_t i = 0; i < innermost.size(); ++i) {
        if (!found[i]) continue;
        appender.column<int64_t>(0)[filled] = launches.list()[i].rid;
        appender.column<int32_t>(1)[filled] = innermost[i];
        if (++filled == duck::Appender::kBatch) {
            OPSIGHT_TRY(appender.add(filled));
            filled = 0;
        }
    }
    if (filled > 0) OPSIGHT_TRY(appender.add(filled));
    return appender.close();
}

}  // namespace opsight::query
