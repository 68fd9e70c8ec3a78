// The tables and views of counted work: what ops had to do, what devices could do, and sums of both.
#include "db/schema.h"
#include "db/view_parts.h"

namespace opsight::db {
namespace {

using enum duck::Type;

constexpr std::string_view kKinds[] = {"free", "matrix", "vector", "move", "uncounted"};
constexpr std::string_view kPrecisions[] = {"fp64", "fp32", "tf32", "fp16", "bf16",
                                            "fp8",  "fp4",  "int8", "int4"};

template <size_t N>
std::string names_of(std::string_view column, const std::string_view (&names)[N]) {
    std::string out = fmt::format("CASE {}", column);
    for (size_t i = 0; i < N; ++i)
        out += fmt::format(" WHEN {} THEN '{}'", i, names[i]);
    return out + " END";
}

}  // namespace

std::string work_kind_text(std::string_view column) {
    return names_of(column, kKinds);
}
std::string precision_text(std::string_view column) {
    return names_of(column, kPrecisions);
}

std::vector<Table> work_tables() {
    return {
        {"works",
         "Distinct pieces of work: an op with its arguments on one device. Amounts are those of one share.",
         {{"id", kInteger, "", "row number"},
          {"name", kVarchar, "", "op whose formula it is; of copies and sets the kind of span"},
          {"device", kInteger, "", "devices.id; -1: the host"},
          {"kind", kTinyint, "", "1 matrix units can do its products, 2 ordinary units, 3 moves data"},
          {"macs", kDouble, "", "multiply-adds of products"},
          {"flops", kDouble, "", "a multiply-add counted as two"},
          {"matrix_flops", kDouble, "", "the part that matrix units do"},
          {"recomputed_flops", kDouble, "", "the part of matrix_flops that computes again what was not kept"},
          {"bytes_min", kDouble, "bytes", "each input and output once"},
          {"precision", kTinyint, "",
           "whose peak bounds the products: 0 fp64, 1 fp32, 2 tf32, 3 fp16, 4 bf16, 5 fp8, 6 fp4, 7 int8, 8 "
           "int4"},
          {"math_ns", kDouble, "ns", "FLOPs / peak; -1: no bound is known"},
          {"memory_ns", kDouble, "ns",
           "bytes / bandwidth, also of recorded times that beat it too far to be believed; -1: not known"},
          {"bound_ns", kDouble, "ns",
           "the longer of the two; -1: no bound is known, or the times are not believed"},
          {"estimate", kBoolean, "", "something was not told and assumed"},
          {"note", kVarchar, "", "what was assumed"}}},
        {"device_models",
         "What the devices can do at most.",
         {{"device", kInteger, "", "devices.id; -1: the processor"},
          {"source", kTinyint, "", "0 not known, 1 the device table, 2 derived"},
          {"model", kVarchar, "", "its name in the device table, or the profile's"},
          {"bandwidth", kDouble, "bytes/s", "of the memory; 0: not known"},
          {"l2_bytes", kDouble, "bytes", "last cache that all units share"},
          {"note", kVarchar, "", "how it was derived"},
          {"sources", kVarchar, "", "where its figures are from"}}},
        {"device_peaks",
         "Peak rates of the devices.",
         {{"device", kInteger, "", "devices.id; -1: the processor"},
          {"matrix", kBoolean, "", "of the matrix units; else of the ordinary ones"},
          {"precision", kTinyint, "", "as in works"},
          {"flops_per_s", kDouble, "1/s",
           "dense, products added up in whichever way is faster, a multiply-add counted as two"}}},
        {"work_stats",
         "Sums over device spans (over self times of ops where there are none), counted or not.",
         {{"rank", kInteger, "", "ranks.id"},
          {"op", kInteger, "", "op_identities.id"},
          {"kernel", kInteger, "", "kernel_names.id; -1: no kernel"},
          {"kind", kTinyint, "", "as device_spans.kind; -1: ops of the host"},
          {"iteration", kInteger, "", "iterations.number"},
          {"device", kInteger, "", "devices.id; -1: the host"},
          {"work", kInteger, "", "works.id; -1: not counted"},
          {"spans", kBigint, "", "number of spans"},
          {"time_ns", kBigint, "ns", "sum of their durations"},
          {"share", kDouble, "", "sum of their shares: multiplies the amounts in works"}}},
    };
}

std::string work_stats_sql(std::string_view device, std::string_view ops) {
    return fmt::format(
        "SELECT t.rank, d.op, CASE WHEN d.kind = 0 THEN d.name ELSE -1 END AS kernel, d.kind, d.iteration, "
        "t.device, d.work, count(*) AS spans, sum(d.dur_ns)::BIGINT AS time_ns, sum(d.share) AS share "
        "FROM {} d JOIN raw.tracks t ON t.id = d.track WHERE d.kind < 3 GROUP BY ALL UNION ALL "
        "SELECT t.rank, o.op, -1, -1, o.iteration, -1, o.work, count(*) FILTER (WHERE o.share > 0 OR o.work "
        "< 0), "
        "sum(o.self_ns)::BIGINT, sum(o.share) FROM {} o JOIN raw.tracks t ON t.id = o.track "
        "WHERE o.work <> -2 GROUP BY ALL",
        device, ops);
}

std::vector<View> work_views() {
    return {{"works",
             "Distinct pieces of counted work.",
             {{"id", kInteger, "", "number", "w.id"},
              {"name", kVarchar, "", "op whose formula it is, or kind of copy", "w.name"},
              {"device", kBigint, "", "device number in the source", "d.number"},
              {"kind", kVarchar, "", "matrix, vector or move", work_kind_text("w.kind")},
              {"macs", kDouble, "", "multiply-adds of products", "w.macs"},
              {"flops", kDouble, "", "a multiply-add counted as two", "w.flops"},
              {"matrix_flops", kDouble, "", "the part that matrix units do", "w.matrix_flops"},
              {"recomputed_flops", kDouble, "", "the part computed again", "w.recomputed_flops"},
              {"bytes_min", kDouble, "bytes", "each input and output once", "w.bytes_min"},
              {"precision", kVarchar, "", "whose peak bounds the products", precision_text("w.precision")},
              {"bound_ns", kDouble, "ns", "least time that the device needs", known("w.bound_ns")},
              {"estimate", kBoolean, "", "something was assumed", "w.estimate"},
              {"note", kVarchar, "", "what was assumed", filled("w.note")}},
             "raw.works w LEFT JOIN raw.devices d ON d.id = w.device"}};
}

}  // namespace opsight::db
