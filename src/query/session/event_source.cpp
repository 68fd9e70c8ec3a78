#include "query/session/event_source.h"

#include <fmt/format.h>

#include <charconv>

#include "query/session/cells.h"
#include "query/session/sql.h"

namespace opsight::query {
namespace {

namespace sql = session::sql;

}  // namespace

std::string_view data_name(Data data) {
    switch (data) {
        case Data::kApi:
            return "CUDA trace";
        case Data::kKernels:
            return "CUDA kernel";
        case Data::kMemory:
        case Data::kCopies:
        case Data::kSets:
            return "GPU memory";
        case Data::kNvtx:
            return "NV Tools Extension (NVTX)";
        case Data::kOsRuntime:
            return "OS Runtime trace";
        case Data::kSyscalls:
            return "syscall";
        case Data::kMpi:
            return "MPI event";
        case Data::kPageFaults:
            return "CUDA Unified Memory CPU page faults";
    }
    return "";
}

Result<duck::Rows> Source::query(const duck::Statement& statement) {
    auto rows = profile_.connection.query(statement);
    if (rows) return rows;
    Error error = std::move(rows).error();
    error.file = path_;
    return fail(std::move(error));
}

Status Source::execute(const std::string& sql) {
    Status done = profile_.connection.execute(sql);
    if (done) return done;
    Error error = std::move(done).error();
    error.file = path_;
    return fail(std::move(error));
}

Result<Source> Source::open(const std::string& path, const Filter& filter, const db::ReadOptions& read,
                            const std::string& made_of) {
    OPSIGHT_ASSIGN(db::OpenProfile profile, db::open_profile(path, read));
    Source source(made_of.empty() ? path : made_of, std::move(profile));
    OPSIGHT_TRY(source.look());
    OPSIGHT_TRY(make_range_views(source.connection(), Instead::kAllNamed));
    OPSIGHT_TRY(source.apply(filter));
    OPSIGHT_TRY(source.make_relations());
    return source;
}

// Reports print times as the source counted them, from the start of its session. Where that is not known, or
// several sources had one each, the times are those of the profile.
Status Source::look() {
    OPSIGHT_ASSIGN(const duck::Rows rows, query(sql::source_offset));
    offset_ = integer(rows.rows.at(0)[0]);
    return {};
}

Status Source::apply(const Filter& filter) {
    if (!filter.nvtx.empty()) OPSIGHT_TRY(choose_range(filter.nvtx));
    if (filter.begin) window_begin_ = *filter.begin - offset_;
    if (filter.end) window_end_ = *filter.end - offset_;
    if (window_begin_ && window_end_ && *window_begin_ > *window_end_)
        return fail(Error{"the filter ends before it begins", {}, {}, "give START/END", 2});
    return {};
}

Status Source::choose_range(const std::string& wanted) {
    std::string name = wanted, domain;
    int64_t index = 0;
    if (const size_t slash = name.rfind('/'); slash != std::string::npos) {
        const char* end = name.data() + name.size();
        const auto read = std::from_chars(name.data() + slash + 1, end, index);
        if (read.ec == std::errc() && read.ptr == end && index >= 0)
            name.resize(slash);
        else
            index = 0;  // the slash is part of the name
    }
    if (const size_t at = name.rfind('@'); at != std::string::npos) {
        domain = name.substr(at + 1);
        name.resize(at);
    }
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        query(duck::Statement(sql::range_of_label).set("label", domain + ":" + name).set("index", index)));
    if (rows.rows.empty())
        return fail(
            Error{fmt::format("no NVTX range fits the filter '{}'", wanted),
                  path_,
                  {},
                  "a range is chosen by NAME[@DOMAIN][/INDEX]; 'opsight stats NAME -r nvtx_sum' lists "
                  "the ranges"});
    window_begin_ = integer(rows.rows[0][0]);
    window_end_ = integer(rows.rows[0][1]);
    return {};
}

Status Source::make_relations() {
    OPSIGHT_TRY(make_work_views(connection(), {window_begin_, window_end_}));
    OPSIGHT_TRY(execute(sql::copy_labels));
    return execute(sql::source_views);
}

Result<bool> Source::has(Data data) {
    if (data_.empty()) {
        OPSIGHT_ASSIGN(const duck::Rows rows, query(sql::source_data));
        data_ = rows.rows.at(0);
    }
    return flag(data_.at(static_cast<size_t>(data)));
}

}  // namespace opsight::query
