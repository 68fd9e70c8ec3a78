#include "exports/timeline/slices.h"

#include <algorithm>
#include <tuple>

#include "exports/sql.h"
#include "model/spans.h"
#include "query/session/cells.h"

namespace opsight::exports {
namespace {

std::string_view module_category(int64_t) {
    return "python_function";
}
std::string_view op_category(int64_t) {
    return "cpu_op";
}
std::string_view api_category(int64_t driver) {
    return driver != 0 ? "cuda_driver" : "cuda_runtime";
}
std::string_view annotation_category(int64_t) {
    return "user_annotation";
}

std::string_view other_category(int64_t kind) {
    switch (static_cast<HostKind>(kind)) {
        case HostKind::kOverhead:
            return "overhead";
        case HostKind::kDataLoad:
            return "data_loading";
        case HostKind::kFileIo:
            return "file_io";
        case HostKind::kOsRuntime:
            return "os_runtime";
        case HostKind::kMessagePassing:
            return "message_passing";
        case HostKind::kLibrary:
            return "library";
        default:
            return "other";
    }
}

std::string_view device_category(int64_t kind) {
    switch (static_cast<DeviceKind>(kind)) {
        case DeviceKind::kKernel:
            return "kernel";
        case DeviceKind::kMemcpy:
            return "gpu_memcpy";
        case DeviceKind::kMemset:
            return "gpu_memset";
        case DeviceKind::kAnnotation:
            return "gpu_user_annotation";
        case DeviceKind::kSync:
            return "cuda_sync";
        case DeviceKind::kGraph:
            return "cuda_graph";
        case DeviceKind::kOther:
            break;
    }
    return "device_other";
}

// The time of each track that is wanted.
using Windows = absl::flat_hash_map<int64_t, std::pair<int64_t, int64_t>>;

// Outer ones before inner ones, as equal intervals nest. No statement joins tables: rows must come in their
// order.
constexpr struct {
    const duck::Sql* sql;
    std::string_view (*category)(int64_t kind);
} kSources[] = {{&sql::python_slices, module_category}, {&sql::annotation_slices, annotation_category},
                {&sql::module_slices, module_category}, {&sql::op_slices, op_category},
                {&sql::other_slices, other_category},   {&sql::api_slices, api_category},
                {&sql::device_slices, device_category}};

constexpr struct {
    std::string_view column;
    const duck::Sql* sql;
} kFacts[] = {{"@string", &sql::facts_string},        {"@op", &sql::facts_op},
              {"@for_op", &sql::facts_for_op},        {"@kernel", &sql::facts_kernel},
              {"@layer", &sql::facts_layer},          {"@category", &sql::facts_category},
              {"@signature", &sql::facts_signature},  {"@config", &sql::facts_config},
              {"@stream", &sql::facts_stream},        {"@transfer", &sql::facts_transfer},
              {"@collective", &sql::facts_collective}};

// Which work each call launched: (call, number of the launch), rising.
using Launches = std::vector<std::pair<int32_t, int32_t>>;

enum class Use : uint8_t { kArgument, kOfFacts, kLaunches, kLaunched };

struct ColumnUse {
    Use use = Use::kArgument;
    const Facts* facts = nullptr;
    uint32_t key = Texts::kEmpty;
};

// The spans of one table.
class Source {
  public:
    Source(duck::Connection connection, duck::Cursor cursor, std::vector<ColumnUse> uses,
           std::string_view (*category)(int64_t), const Windows& windows)
        : connection_(std::move(connection)),
          cursor_(std::move(cursor)),
          uses_(std::move(uses)),
          category_(category),
          windows_(windows) {}

    // Makes sure of a row that is wanted; false where there is none.
    Result<bool> fill() {
        while (at_ == rows_.size() || !wanted(rows_[at_])) {
            if (at_ < rows_.size()) {
                ++at_;
                continue;
            }
            if (over_) return false;
            rows_.clear();
            at_ = 0;
            OPSIGHT_ASSIGN(const bool more, cursor_.read(rows_));
            over_ = !more;
        }
        return true;
    }
    // Place in the order, but for the sources.
    std::tuple<int64_t, int64_t, int64_t> place() const {
        const std::vector<duck::Cell>& row = rows_[at_];
        return {query::integer(row[0]), query::integer(row[1]), -query::integer(row[2])};
    }

    void take(Slice& slice, const Launches& launches, Texts& texts) {
        const std::vector<duck::Cell>& row = rows_[at_++];
        slice.track = query::integer(row[0]);
        slice.begin = query::integer(row[1]);
        slice.dur = query::integer(row[2]);
        slice.category = category_(query::integer(row[3]));
        slice.name = Texts::kEmpty;
        slice.launched = -1;
        slice.arguments.clear();
        slice.launches.clear();
        for (size_t i = kFixed; i < row.size(); ++i)
            if (row[i].index() != 0) use(uses_[i], row[i], slice, launches, texts);
    }
    static constexpr size_t kFixed = 4;  // columns that all have: track, begin_ns, dur_ns, kind

  private:
    bool wanted(const std::vector<duck::Cell>& row) const {
        const auto found = windows_.find(query::integer(row[0]));
        const int64_t begin = query::integer(row[1]);
        return found != windows_.end() && begin >= found->second.first && begin <= found->second.second;
    }
    static void use(const ColumnUse& how, const duck::Cell& cell, Slice& slice, const Launches& launches,
                    Texts& texts) {
        const int64_t number = query::integer(cell);
        if (how.use == Use::kArgument) {
            slice.arguments.push_back({how.key, value_of(cell, texts)});
        } else if (how.use == Use::kLaunched) {
            slice.launched = number;
        } else if (how.use == Use::kLaunches) {
            const auto call = static_cast<int32_t>(number);
            for (auto at = std::lower_bound(launches.begin(), launches.end(), std::pair(call, 0));
                 at != launches.end() && at->first == call; ++at)
                slice.launches.push_back(at->second);
        } else if (const Facts::Entry* facts = how.facts->find(number)) {
            if (facts->name != Texts::kEmpty) slice.name = facts->name;
            slice.arguments.insert(slice.arguments.end(), facts->arguments.begin(), facts->arguments.end());
        }
    }

    duck::Connection connection_;
    duck::Cursor cursor_;
    std::vector<ColumnUse> uses_;
    std::string_view (*category_)(int64_t);
    const Windows& windows_;
    std::vector<std::vector<duck::Cell>> rows_;
    size_t at_ = 0;
    bool over_ = false;
};

}  // namespace

struct SliceReader::State {
    Texts& texts;
    std::map<std::string_view, Facts> facts;
    Launches launches;
    Windows windows;  // of spans that have no iteration
    Windows all;      // of those that have one
    std::vector<Source> sources;
    Slice slice;

    Status load(duck::Connection& connection, const Scope& scope) {
        for (const auto& each : kFacts) {
            OPSIGHT_ASSIGN(facts[each.column], Facts::load(connection, *each.sql, texts));
        }
        OPSIGHT_TRY(connection.scan(scoped(sql::launches, scope), [this](const duck::Batch& batch) {
            const auto *call = batch.column<int64_t>(0), *place = batch.column<int64_t>(1);
            for (size_t i = 0; i < batch.size(); ++i)
                launches.emplace_back(static_cast<int32_t>(call[i]), static_cast<int32_t>(place[i]));
        }));
        std::sort(launches.begin(), launches.end());
        OPSIGHT_ASSIGN(const duck::Rows chosen, connection.query(sql::wanted_times));
        for (const std::vector<duck::Cell>& row : chosen.rows) {
            windows[query::integer(row[0])] = {query::integer(row[1]), query::integer(row[2])};
            all[query::integer(row[0])] = {INT64_MIN, INT64_MAX};
        }
        return {};
    }

    ColumnUse use_of(const std::string& column) {
        if (column == "@launches") return {Use::kLaunches};
        if (column == "@launched") return {Use::kLaunched};
        const auto found = facts.find(column);
        if (found != facts.end()) return {Use::kOfFacts, &found->second};
        return {Use::kArgument, nullptr, texts.add(column)};
    }
};

duck::Statement scoped(const duck::Sql& sql, const Scope& scope) {
    const auto cell = [](const std::optional<int64_t>& value) {
        return value ? duck::Cell(*value) : duck::Cell();
    };
    return duck::Statement(sql)
        .set("rank", cell(scope.rank))
        .set("start", cell(scope.start))
        .set("stop", cell(scope.stop));
}

SliceReader::SliceReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
SliceReader::SliceReader(SliceReader&&) noexcept = default;
SliceReader::~SliceReader() = default;

Result<SliceReader> SliceReader::open(const db::OpenProfile& profile, const Scope& scope, Texts& texts) {
    auto state = std::unique_ptr<State>(new State{texts, {}, {}, {}, {}, {}, {}});
    OPSIGHT_ASSIGN(duck::Connection first, db::connect(profile.database));
    OPSIGHT_TRY(first.execute(scoped(sql::chosen_tracks, scope)));
    OPSIGHT_TRY(state->load(first, scope));
    for (const auto& source : kSources) {
        OPSIGHT_ASSIGN(duck::Connection connection, db::connect(profile.database));
        OPSIGHT_ASSIGN(duck::Cursor cursor, connection.open_cursor(scoped(*source.sql, scope)));
        std::vector<ColumnUse> uses;
        for (const duck::ResultColumn& column : cursor.columns())
            uses.push_back(state->use_of(column.name));
        state->sources.emplace_back(std::move(connection), std::move(cursor), std::move(uses),
                                    source.category,
                                    source.sql == &sql::python_slices ? state->windows : state->all);
    }
    return SliceReader(std::move(state));
}

Result<const Slice*> SliceReader::next() {
    Source* first = nullptr;
    for (Source& source : state_->sources) {
        OPSIGHT_ASSIGN(const bool any, source.fill());
        if (any && (!first || source.place() < first->place())) first = &source;
    }
    if (!first) return nullptr;
    first->take(state_->slice, state_->launches, state_->texts);
    return &state_->slice;
}

}  // namespace opsight::exports
