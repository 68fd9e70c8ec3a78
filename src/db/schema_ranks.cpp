// The tables and views of ranks together: their clocks, process groups, and collectives.
#include <fmt/format.h>

#include <array>

#include "analyze/ranks/facts.h"
#include "db/schema.h"
#include "db/view_parts.h"

namespace opsight::db {
namespace {

using enum duck::Type;

template <class Words>
std::string words_of(std::string_view column, const Words& words) {
    std::string sql = fmt::format("CASE {}", column);
    for (size_t i = 0; i < words.size(); ++i)
        if (!words[i].empty()) sql += fmt::format(" WHEN {} THEN '{}'", i, words[i]);
    return sql + " END";
}

std::vector<Column> clock_columns() {
    return {{"corrected", kBoolean, "", "times of this rank were moved"},
            {"offset_ns", kBigint, "ns", "what was added to them at time 0"},
            {"drift_ppm", kDouble, "ppm", "and for each million ns since"},
            {"error_ns", kBigint, "ns",
             "at most so far from the clock of the first rank that its collectives lead to; -1: nothing "
             "bounds it"},
            {"collectives", kBigint, "", "collectives that the clock was compared by"},
            {"broken_before", kBigint, "", "of them: as recorded, one member ended before the last began"},
            {"broken_after", kBigint, "", "of them: so after the correction"}};
}

View clocks_view() {
    std::vector<Column> columns = {{"rank", kBigint, "", "rank in its job", "r.number"},
                                   {"clock", kInteger, "", "ranks of one number share a clock"}};
    for (Column column : clock_columns()) {
        if (column.name == "error_ns") column.expression = known("error_ns");
        columns.push_back(std::move(column));
    }
    return {"rank_clocks", "The clocks of ranks, and how they were corrected.", columns,
            "raw.rank_clocks JOIN raw.ranks r ON r.id = rank"};
}

View groups_view() {
    return {"comm_groups",
            "Process groups, and where none are told the collectives that stand together.",
            {{"id", kInteger, "", "row number"},
             {"name", kVarchar, "", "name of the group", filled("name")},
             {"description", kVarchar, "", "what the program says of it", filled("description")},
             {"ranks", kVarchar, "", "its ranks, as the source lists them", filled("ranks")},
             {"collective", kVarchar, "", "where no group is told: the collectives that are taken together",
              filled("collective")},
             {"size", kBigint, "", "ranks in the group", known("size")},
             {"recorded", kBigint, "", "of them: with calls in the profile"},
             {"kind", kVarchar, "", "what it is for, guessed", group_kind_text("kind")},
             {"evidence", kVarchar, "", "on what grounds"},
             {"on_host", kBoolean, "", "of a backend that works on the host"},
             {"link", kVarchar, "", "between its devices", filled("link")},
             {"link_bytes_per_s", kDouble, "bytes/s", "peak of it, one direction, of a device",
              "nullif(link_bytes_per_s, 0)"}},
            "raw.comm_groups"};
}

View calls_view() {
    return {
        "collective_calls",
        "Collectives, each with the calls of all ranks that belong together.",
        {{"id", kInteger, "", "row number", "c.id"},
         {"comm_group", kInteger, "", "comm_groups.id"},
         {"name", kVarchar, "", "collective, else its kernel or range", "c.name"},
         {"bytes", kBigint, "bytes", "the larger of what a rank gives and takes", known("bytes")},
         {"ranks", kBigint, "", "ranks of the group", known("ranks")},
         {"members", kInteger, "", "calls that were recorded"},
         {"state", kVarchar, "", "matched, or why it is not", match_state_text("state")},
         {"first_begin_ns", kBigint, "ns", "begin of the first member"},
         {"last_begin_ns", kBigint, "ns", "begin of the last one"},
         {"end_ns", kBigint, "ns", "last end"},
         {"transfer_ns", kBigint, "ns", "from the last arrival; of matched ones", known("transfer_ns")},
         {"waiting_ns", kBigint, "ns", "before it, added over the members", known("waiting_ns")},
         {"last_rank", kBigint, "", "rank that came last", "r.number"},
         {"cause", kVarchar, "", "what took most of its time meanwhile", cause_text("cause")},
         {"cause_ns", kBigint, "ns", "how much"},
         {"cause_op", kVarchar, "", "op of it", "o.name"}},
        "raw.collective_calls c LEFT JOIN raw.ranks r ON r.id = c.last_rank LEFT JOIN raw.op_identities o ON "
        "o.id = c.cause_op"};
}

View pauses_view() {
    return {"recording_pauses",
            "When ranks were not recorded, in the middle of their recording.",
            {{"rank", kBigint, "", "rank in its job", "r.number"},
             {"begin_ns", kBigint, "ns", "last end of what was recorded before"},
             {"end_ns", kBigint, "ns", "first begin of what was recorded after"}},
            "raw.recording_pauses LEFT JOIN raw.ranks r ON r.id = rank"};
}

Table pauses_table() {
    return {"recording_pauses",
            "When ranks were not recorded, in the middle of their recording; by rank and begin.",
            {{"rank", kInteger, "", "ranks.id"},
             {"begin_ns", kBigint, "ns", "last end of what was recorded before"},
             {"end_ns", kBigint, "ns", "first begin of what was recorded after"}}};
}

View members_view() {
    return {"collective_members",
            "Calls of ranks, each a part of a collective.",
            {{"call", kInteger, "", "collective_calls.id"},
             {"rank", kBigint, "", "rank in its job", "r.number"},
             {"track", kInteger, "", "tracks.id"},
             {"device_span", kInteger, "", "kernels.id", known("device_span")},
             {"host_span", kInteger, "", "annotations.id", known("host_span")},
             {"begin_ns", kBigint, "ns", "begin"},
             {"dur_ns", kBigint, "ns", "duration"},
             {"waiting_ns", kBigint, "ns", "before the last rank came", known("waiting_ns")},
             {"exposed_ns", kBigint, "ns", "without a compute kernel beside it", known("exposed_ns")},
             {"exposed_waiting_ns", kBigint, "ns", "the part of waiting_ns that is",
              known("exposed_waiting_ns")}},
            "raw.collective_members JOIN raw.ranks r ON r.id = rank"};
}

}  // namespace

std::string group_kind_text(std::string_view column) {
    constexpr std::array<std::string_view, static_cast<size_t>(analyze::GroupKind::kCount)> words = {
        "unknown",
        "data parallel",
        "sharded data parallel",
        "tensor parallel",
        "pipeline parallel",
        "experts or embeddings",
        "setup"};
    return words_of(column, words);
}

std::string match_state_text(std::string_view column) {
    std::array<std::string_view, static_cast<size_t>(analyze::MatchState::kCount)> words;
    for (size_t i = 0; i < words.size(); ++i)
        words[i] = analyze::state_word(static_cast<analyze::MatchState>(i));
    return words_of(column, words);
}

// By analyze::Resource; all kernels that compute are one cause.
std::string cause_text(std::string_view column) {
    constexpr std::array<std::string_view, static_cast<size_t>(analyze::Resource::kCount)> words = {
        "",         "computing", "communicating", "copying", "loading data",
        "file I/O", "CPU ops",   "not recorded",  "",        "Python and other host"};
    return words_of(column, words);
}

std::vector<Table> rank_tables() {
    std::vector<Column> clocks = {{"rank", kInteger, "", "ranks.id"},
                                  {"clock", kInteger, "", "ranks of one number share a clock"}};
    for (Column& column : clock_columns())
        clocks.push_back(std::move(column));
    return {
        {"rank_clocks", "The clocks of ranks, and how they were corrected.", clocks},
        {"comm_groups",
         "Process groups, and where none are told the collectives that stand together.",
         {{"id", kInteger, "", "row number"},
          {"name", kVarchar, "", "name of the group"},
          {"description", kVarchar, "", "what the program says of it"},
          {"ranks", kVarchar, "", "its ranks, as the source lists them"},
          {"collective", kVarchar, "", "where no group is told: the collectives that are taken together"},
          {"size", kBigint, "", "ranks in the group"},
          {"recorded", kBigint, "", "of them: with calls in the profile"},
          {"kind", kTinyint, "",
           "0 unknown, 1 data, 2 sharded data, 3 tensor, 4 pipeline, 5 expert parallel, 6 setup"},
          {"evidence", kVarchar, "", "on what grounds"},
          {"on_host", kBoolean, "", "of a backend that works on the host"},
          {"link", kVarchar, "", "between its devices"},
          {"link_bytes_per_s", kDouble, "bytes/s", "peak of it, one direction, of a device; 0: not known"}}},
        {"collective_calls",
         "Collectives, by first begin. Times of waiting are of matched ones.",
         {{"id", kInteger, "", "row number"},
          {"comm_group", kInteger, "", "comm_groups.id"},
          {"name", kVarchar, "", "collective, else its kernel or range"},
          {"kernel", kInteger, "", "kernel_names.id; -1: on the host"},
          {"collective", kInteger, "", "collectives.id, of one member"},
          {"bytes", kBigint, "bytes", "the larger of what a rank gives and takes"},
          {"ranks", kBigint, "", "ranks of the group"},
          {"members", kInteger, "", "calls that were recorded"},
          {"state", kTinyint, "",
           "0 matched, 1 ranks not recorded, 2 counts differ, 3 calls differ, 4 peers not told"},
          {"first_begin_ns", kBigint, "ns", "begin of the first member"},
          {"last_begin_ns", kBigint, "ns", "begin of the last one"},
          {"end_ns", kBigint, "ns", "last end"},
          {"transfer_ns", kBigint, "ns", "from the last arrival"},
          {"waiting_ns", kBigint, "ns", "before it, added over the members"},
          {"last_rank", kInteger, "", "ranks.id of who came last"},
          {"cause", kTinyint, "",
           "resource_segments.resource that took most of its time meanwhile; 1: any compute "
           "kernel"},
          {"cause_ns", kBigint, "ns", "how much"},
          {"cause_op", kInteger, "", "op_identities.id of it"}}},
        {"collective_members",
         "Calls of ranks, each a part of a collective, by call and rank.",
         {{"call", kInteger, "", "collective_calls.id"},
          {"rank", kInteger, "", "ranks.id"},
          {"track", kInteger, "", "tracks.id"},
          {"device_span", kInteger, "", "row number of the device span"},
          {"host_span", kInteger, "", "annotations.id"},
          {"begin_ns", kBigint, "ns", "begin"},
          {"dur_ns", kBigint, "ns", "duration"},
          {"waiting_ns", kBigint, "ns", "before the last rank came"},
          {"exposed_ns", kBigint, "ns", "without a compute kernel beside it"},
          {"exposed_waiting_ns", kBigint, "ns", "the part of waiting_ns that is"}}},
        pauses_table()};
}

std::vector<View> rank_views() {
    return {clocks_view(), groups_view(), calls_view(), members_view(), pauses_view()};
}

}  // namespace opsight::db
