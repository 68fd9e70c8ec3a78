#include "exports/timeline/walk.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>

#include "exports/sql.h"
#include "exports/timeline/tracks.h"
#include "query/session/cells.h"

namespace opsight::exports {
namespace {

using query::integer;
using query::text;

constexpr int64_t kMemory = int64_t{400} << 20;  // of DuckDB, which keeps what it has read

Result<int64_t> origin_of(duck::Connection& connection) {
    OPSIGHT_ASSIGN(const duck::Rows rows, connection.query(sql::origin));
    int64_t origin = 0;
    if (rows.rows.size() == 1) {
        const std::string value = text(rows.rows[0][0]);
        std::from_chars(value.data(), value.data() + value.size(), origin);
    }
    return origin;
}

class Walk {
  public:
    Walk(const Job& job, Texts& texts, TimelineWriter& writer, Output& output)
        : job_(job), texts_(texts), writer_(writer), output_(output) {}

    Result<std::string> run() {
        db::ReadOptions options;
        options.threads = 2;
        options.memory_limit_bytes = kMemory;
        OPSIGHT_ASSIGN(const db::OpenProfile profile, db::open_profile(job_.profile, options));
        OPSIGHT_ASSIGN(duck::Connection connection, db::connect(profile.database));
        OPSIGHT_TRY(check_scope(connection, job_));
        OPSIGHT_TRY(connection.execute(scoped(sql::chosen_tracks, job_.scope)));
        OPSIGHT_ASSIGN(const int64_t origin, origin_of(connection));
        writer_.begin(origin);
        OPSIGHT_ASSIGN(const std::vector<TrackFacts> tracks, read_tracks(connection));
        for (const TrackFacts& track : tracks) {
            writer_.track(track);
            groups_.try_emplace(track.rank, track.group);
        }
        OPSIGHT_TRY(slices(profile));
        OPSIGHT_TRY(counters(connection));
        OPSIGHT_TRY(memory(connection));
        writer_.end();
        OPSIGHT_TRY(output_.finish());
        return fmt::format("{} spans, {} launches, {} samples of counters", slices_, launches_, samples_);
    }

  private:
    Status slices(const db::OpenProfile& profile) {
        OPSIGHT_ASSIGN(SliceReader reader, SliceReader::open(profile, job_.scope, texts_));
        while (true) {
            OPSIGHT_ASSIGN(const Slice* slice, reader.next());
            if (!slice) return {};
            writer_.slice(*slice);
            ++slices_;
            if (slice->launched >= 0) ++launches_;
            OPSIGHT_TRY(output_.flush_some());
        }
    }

    template <class Take>
    Status each_row(duck::Connection& connection, const duck::Sql& sql, const Take& take) {
        OPSIGHT_ASSIGN(duck::Cursor cursor, connection.open_cursor(scoped(sql, job_.scope)));
        std::vector<std::vector<duck::Cell>> rows;
        for (bool more = true; more;) {
            rows.clear();
            OPSIGHT_ASSIGN(more, cursor.read(rows));
            for (const std::vector<duck::Cell>& row : rows)
                take(row);
            OPSIGHT_TRY(output_.flush_some());
        }
        return {};
    }

    void sample(const std::vector<int64_t>& key, const duck::Cell& rank, const std::string& name,
                std::string_view unit, int64_t time, double value) {
        const auto [found, fresh] = series_.try_emplace(key);
        if (fresh) {
            const int64_t number = std::ssize(series_) - 1;
            const auto group = groups_.find(integer(rank));
            found->second = {number, fmt::format("{} (rank {})", name, integer(rank)), std::string(unit),
                             group == groups_.end() ? 0 : group->second};
            writer_.series(found->second);
        }
        writer_.sample(found->second, time, value);
        ++samples_;
    }

    Status counters(duck::Connection& connection) {
        return each_row(connection, sql::counter_samples, [this](const std::vector<duck::Cell>& row) {
            sample({0, integer(row[0]), integer(row[1])}, row[3], text(row[2]), "", integer(row[4]),
                   query::real(row[5]));
        });
    }

    Status memory(duck::Connection& connection) {
        return each_row(connection, sql::memory_samples, [this](const std::vector<duck::Cell>& row) {
            const std::string place =
                integer(row[2]) < 0 ? text(row[3]) : fmt::format("{} {}", text(row[3]), integer(row[2]));
            for (const size_t sum : {size_t{0}, size_t{1}})
                if (row[6 + sum].index() != 0)
                    sample({1, integer(row[0]), integer(row[1]), integer(row[2]), static_cast<int64_t>(sum)},
                           row[4], fmt::format("{} memory {}", sum == 0 ? "Allocated" : "Reserved", place),
                           "bytes", integer(row[5]), query::real(row[6 + sum]));
        });
    }

    const Job& job_;
    Texts& texts_;
    TimelineWriter& writer_;
    Output& output_;
    std::map<std::vector<int64_t>, Series> series_;
    std::map<int64_t, int64_t> groups_;  // one of each rank
    int64_t slices_ = 0, launches_ = 0, samples_ = 0;
};

}  // namespace

Result<std::string> walk_timeline(const Job& job, Texts& texts, TimelineWriter& writer, Output& output) {
    return Walk(job, texts, writer, output).run();
}

}  // namespace opsight::exports
