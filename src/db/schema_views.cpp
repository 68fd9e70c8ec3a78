// The views of a profile file: plain names for people and scripts.
#include <fmt/format.h>

#include "db/view_parts.h"

namespace opsight::db {
namespace {

using enum duck::Type;

// Columns of device work; `s` device_spans, `t` track, `d` device, `o` and `i` the op at the launch.
std::vector<Column> device_columns() {
    return {
        {"id", kBigint, "", "row number of the device span", "s.rowid"},
        {"rank", kBigint, "", "rank in its job", "r.number"},
        {"device", kBigint, "", "device number in the source", "d.number"},
        {"context", kBigint, "", "device context", "t.context"},
        {"stream", kBigint, "", "stream or queue", "t.stream"},
        {"track", kInteger, "", "tracks.id", "s.track"},
        {"begin_ns", kBigint, "ns", "begin", "s.begin_ns"},
        {"dur_ns", kBigint, "ns", "duration", "s.dur_ns"},
        {"end_ns", kBigint, "ns", "end", "s.begin_ns + s.dur_ns"},
    };
}
std::vector<Column> launch_columns() {
    return {
        {"iteration", kInteger, "", "iteration that launched it", known("s.iteration")},
        {"launch_id", kInteger, "", "api_calls.id of the launching call", known("s.launch")},
        {"launch_ns", kBigint, "ns", "begin of the launching call; its own begin where none is known",
         "s.host_ns"},
        {"op_span", kInteger, "", "ops.id of the innermost op at the launch", known("s.op_span")},
        {"op_id", kInteger, "", "op_identities.id that it counts for; a pseudo-op where no op was open",
         "s.op"},
        {"op_name", kVarchar, "", "its name", "i.name"},
        {"layer", kVarchar, "", "path of the layer", "l.path"},
        {"direction", kVarchar, "", "fprop, bprop, optimizer, dataload or other",
         direction_text("i.direction")},
        {"correlation", kBigint, "", "correlation id", known("s.correlation")},
        {"external_id", kBigint, "", "id of the op in the source", known("s.external_id")},
    };
}
// What is joined to device spans `s`.
const std::string kDeviceJoins =
    " JOIN raw.tracks t ON t.id = s.track LEFT JOIN raw.devices d ON d.id = t.device "
    "LEFT JOIN raw.ranks r ON r.id = t.rank LEFT JOIN raw.op_identities i ON i.id = s.op "
    "LEFT JOIN raw.layers l ON l.id = i.layer";

View kernels() {
    const std::vector<Column> own = {
        {"name", kVarchar, "", "full name as recorded", "k.name"},
        {"short_name", kVarchar, "", "name without templates and arguments", "k.short_name"},
        {"label", kVarchar, "", "short name, with what tells kernels apart that share it", "k.label"},
        {"class", kVarchar, "", "compute or communication",
         "CASE k.class WHEN 0 THEN 'compute' ELSE 'communication' END"},
        {"uses_tc", kVarchar, "", "uses Tensor Cores: yes, no or unknown", tensor_core_use_text("k.uses_tc")},
        {"tc_evidence", kVarchar, "", "how that is known: counter, sass, name or none",
         evidence_text("k.tc_evidence")},
        {"tc_pattern", kVarchar, "", "part of the name that told, or the matrix instruction",
         filled("k.tc_pattern")},
        {"mangled_name", kVarchar, "", "raw name, where the source tells it", filled("k.mangled_name")},
        {"in_tc_eligible_op", kBoolean, "",
         "launched inside an op that could run on Tensor Cores; no kernel without a product by its name "
         "where "
         "the op was only seen to",
         "(s.flags & 128) <> 0"},
    };
    std::vector<Column> launch;
    for (const std::string_view name : {"grid_x", "grid_y", "grid_z"})
        launch.push_back({name, kBigint, "blocks", "grid", known("c." + std::string(name))});
    for (const std::string_view name : {"block_x", "block_y", "block_z"})
        launch.push_back({name, kBigint, "threads", "block", known("c." + std::string(name))});
    launch.push_back({"registers_per_thread", kBigint, "", "registers", known("c.registers_per_thread")});
    launch.push_back({"static_shared_bytes", kBigint, "bytes",
                      "shared memory; all of it where the source does not part it",
                      known("c.static_shared_bytes")});
    launch.push_back({"dynamic_shared_bytes", kBigint, "bytes", "shared memory asked for at launch",
                      known("c.dynamic_shared_bytes")});
    launch.push_back({"occupancy_pct", kDouble, "%", "theoretical occupancy", known("c.occupancy_pct")});
    launch.push_back(
        {"waves", kDouble, "", "blocks / blocks that the device holds at once", known("c.waves")});
    launch.push_back({"tail_pct", kDouble, "%", "share of the waves that the last one leaves empty",
                      "CASE WHEN c.waves > 0 THEN 100.0 * (1 - c.waves / ceil(c.waves)) END"});
    launch.push_back(
        {"source_occupancy_pct", kDouble, "%", "the source's own estimate", known("c.source_occupancy_pct")});
    launch.push_back(
        {"source_blocks_per_sm", kDouble, "", "the source's own figure", known("c.source_blocks_per_sm")});
    launch.push_back(
        {"source_warps_per_sm", kDouble, "", "the source's own figure", known("c.source_warps_per_sm")});
    const std::vector<Column> collective = {
        {"collective", kVarchar, "", "collective call", filled("v.name")},
        {"collective_dtype", kVarchar, "", "its element type", filled("v.dtype")},
        {"collective_group", kVarchar, "", "its process group", filled("v.group_name")},
        {"collective_group_size", kBigint, "", "ranks in the group", known("v.group_size")},
        {"collective_in_elements", kBigint, "", "elements sent", known("v.in_elements")},
        {"collective_out_elements", kBigint, "", "elements received", known("v.out_elements")},
        {"graph", kBigint, "", "CUDA graph", known("y.graph")},
        {"graph_node", kBigint, "", "node of a CUDA graph", known("y.graph_node")},
    };
    return {"kernels", "Kernels that ran on devices.",
            join({device_columns(), own, launch_columns(), launch, collective}),
            "(SELECT rowid, * FROM raw.device_spans WHERE kind = 0) s" + kDeviceJoins +
                " LEFT JOIN raw.kernel_names k ON k.id = s.name LEFT JOIN raw.launch_configs c ON c.id = "
                "s.config "
                "LEFT JOIN raw.collectives v ON v.id = s.collective LEFT JOIN raw.device_extras y ON y.id = "
                "s.rowid"};
}

std::vector<Column> transfer_columns() {
    return {
        {"copy_kind", kVarchar, "", "HtoD, DtoH, DtoD, ...; NULL: a set, or not told",
         copy_kind_text("m.copy_kind")},
        {"from_kind", kVarchar, "", "memory that is read: Pageable, Pinned, Device, ...",
         memory_kind_text("m.from_kind")},
        {"to_kind", kVarchar, "", "memory that is written", memory_kind_text("m.to_kind")},
        {"from_device", kBigint, "", "device number", known("m.from_device")},
        {"to_device", kBigint, "", "device number", known("m.to_device")},
        {"value", kBigint, "", "that a set writes", known("m.value")},
        {"migration_cause", kBigint, "", "of unified memory, as in the source", known("m.migration_cause")},
    };
}

View device_view(std::string_view name, std::string_view doc, std::string_view condition, bool with_bytes) {
    std::vector<Column> own = {{"name", kVarchar, "", "name", "x.text"}};
    if (with_bytes) {
        own.push_back({"bytes", kBigint, "bytes", "size", known("s.bytes")});
        own.push_back(
            {"bytes_per_s", kDouble, "bytes/s", "rate", known("s.bytes") + " * 1e9 / nullif(s.dur_ns, 0)"});
        for (Column& column : transfer_columns())
            own.push_back(std::move(column));
    } else {
        own.push_back(
            {"kind", kVarchar, "", "annotation, wait, graph or other",
             "CASE s.kind WHEN 3 THEN 'annotation' WHEN 4 THEN 'wait' WHEN 6 THEN 'graph' ELSE 'other' END"});
    }
    return {
        name, doc, join({device_columns(), own, launch_columns()}),
        fmt::format(
            "(SELECT rowid, * FROM raw.device_spans WHERE {}) s{} LEFT JOIN raw.strings x ON x.id = s.name{}",
            condition, kDeviceJoins, with_bytes ? " LEFT JOIN raw.transfers m ON m.id = s.transfer" : "")};
}

View api_calls() {
    return {"api_calls", "Driver and runtime calls of host threads.",
            join({{{"id", kInteger, "", "span number among all host spans", "s.id"}},
                  host_columns(),
                  {{"name", kVarchar, "", "function", "x.text"},
                   {"kind", kVarchar, "", "runtime or driver",
                    "CASE WHEN s.driver THEN 'driver' ELSE 'runtime' END"},
                   {"correlation", kBigint, "", "correlation id", known("s.correlation")},
                   {"op_span", kInteger, "", "ops.id of the innermost enclosing op", known("s.op_span")},
                   {"op_id", kInteger, "", "op_identities.id of that op", "o.op"},
                   {"op_name", kVarchar, "", "its name", "i.name"},
                   {"layer", kVarchar, "", "path of its layer", "l.path"},
                   {"direction", kVarchar, "", "fprop, bprop, optimizer, dataload or other",
                    direction_text("i.direction")},
                   kIterationColumn,
                   {"result", kInteger, "", "what the call returned, 0 for success", known("s.result")},
                   kUnfinishedColumn,
                   kCallChain}}),
            host_source("api_calls") +
                " LEFT JOIN raw.strings x ON x.id = s.name LEFT JOIN raw.ops o ON o.id = s.op_span "
                "LEFT JOIN raw.op_identities i ON i.id = o.op LEFT JOIN raw.layers l ON l.id = i.layer" +
                kChainSource};
}

std::vector<Column> op_facts() {
    return {
        {"op_id", kInteger, "", "op_identities.id", "s.op"},
        {"name", kVarchar, "", "name", "i.name"},
        {"type", kVarchar, "", "name without what tells instances apart", "i.type"},
        {"layer", kVarchar, "", "path of the layer", "l.path"},
        {"direction", kVarchar, "", "fprop, bprop, optimizer, dataload or other",
         direction_text("i.direction")},
        kIterationColumn,
        {"self_ns", kBigint, "ns", "duration minus child ops", "s.self_ns"},
        {"parent_op", kInteger, "", "ops.id of the innermost enclosing op", known("s.parent_op")},
        {"shapes", kVarchar, "", "input shapes", filled("coalesce(g.shapes, i.shapes)")},
        {"dtypes", kVarchar, "", "input types", filled("coalesce(g.dtypes, i.dtypes)")},
        {"concrete_inputs", kVarchar, "", "values of scalar arguments", filled("g.concrete")},
        {"strides", kVarchar, "", "input strides", filled("g.strides")},
        {"sequence", kBigint, "", "autograd sequence number", known("s.sequence")},
        {"forward_op", kInteger, "", "ops.id of the forward op of a backward op", known("s.forward")},
        {"forward_thread", kBigint, "", "thread of the forward op, as the source tells it",
         known("s.forward_thread")},
        {"external_id", kBigint, "", "id in the source", known("s.external_id")},
        {"tc_eligible", kBoolean, "", "could run on Tensor Cores", "i.tc_eligible"},
        {"uses_tc", kVarchar, "", "ran Tensor Core kernels: yes, no or unknown",
         "CASE WHEN w.tc_kernels > 0 THEN 'yes' WHEN w.unknown_tc_kernels > 0 THEN 'unknown' ELSE 'no' END"},
    };
}
std::vector<Column> op_work_columns() {
    const auto zero = [](std::string_view column) { return fmt::format("coalesce(w.{}, 0)", column); };
    std::vector<Column> out = {
        {"api_ns", kBigint, "ns", "driver and runtime calls under the op", zero("api_ns")},
        {"gpu_ns", kBigint, "ns", "union of its device spans", zero("gpu_ns")},
        {"gpu_idle_ns", kBigint, "ns", "from first device begin to last end, minus gpu_ns",
         zero("gpu_idle_ns")},
        {"self_gpu_ns", kBigint, "ns", "union of device spans launched with this op innermost",
         zero("self_gpu_ns")},
        {"kernel_ns", kBigint, "ns", "sum of its kernels", zero("kernel_ns")},
        {"tc_kernel_ns", kBigint, "ns", "sum of its Tensor Core kernels", zero("tc_kernel_ns")},
        {"kernels", kInteger, "", "kernels", zero("kernels")},
        {"tc_kernels", kInteger, "", "Tensor Core kernels", zero("tc_kernels")},
        {"memcpys", kInteger, "", "copies", zero("memcpys")},
        {"memsets", kInteger, "", "sets", zero("memsets")},
        {"device", kBigint, "", "device that it used; NULL: none or several", "d.number"},
        {"module_path", kVarchar, "", "module hierarchy told by the source", filled("e.module_path")},
        {"stack", kVarchar, "", "call stack told by the source", filled("e.stack")},
        {"collective", kVarchar, "", "collective call", filled("v.name")},
        {"collective_group", kVarchar, "", "its process group", filled("v.group_name")},
        kUnfinishedColumn,
    };
    return out;
}

View ops() {
    return {"ops", "Op instances. GPU columns cover the op and everything that it calls.",
            join({{{"id", kInteger, "", "span number among all host spans", "s.id"}},
                  host_columns(),
                  op_facts(),
                  op_work_columns()}),
            host_source("ops") +
                " LEFT JOIN raw.op_identities i ON i.id = s.op LEFT JOIN raw.layers l ON l.id = i.layer "
                "LEFT JOIN raw.signatures g ON g.id = s.signature LEFT JOIN raw.op_work w ON w.id = s.id "
                "LEFT JOIN raw.devices d ON d.id = w.device LEFT JOIN raw.op_extras e ON e.id = s.id "
                "LEFT JOIN raw.collectives v ON v.id = e.collective"};
}

std::vector<View> span_views() {
    return {
        kernels(),
        device_view("memcpys", "Copies from, to and between devices.", "kind = 1", true),
        device_view("memsets", "Device memory sets.", "kind = 2", true),
        device_view("device_other", "What else the source shows on streams: projected annotations, waits.",
                    "kind > 2", false),
        api_calls(),
        ops(),
        {"annotations", "User annotations and step markers of host threads.",
         join({{{"id", kInteger, "", "span number among all host spans", "s.id"}},
               host_columns(),
               {{"name", kVarchar, "", "text", "x.text"}, kIterationColumn, kUnfinishedColumn}}),
         host_source("annotations") + " LEFT JOIN raw.strings x ON x.id = s.name"},
        {"python_frames", "Calls of Python functions.",
         join({host_columns(), {{"name", kVarchar, "", "file, line and function", "x.text"}}}),
         host_source("python_frames") + " LEFT JOIN raw.strings x ON x.id = s.name"},
        {"module_calls", "Calls of modules.",
         join({{{"id", kInteger, "", "span number among all host spans", "s.id"}},
               host_columns(),
               {{"name", kVarchar, "", "name in the source", "x.text"},
                {"layer", kVarchar, "", "path of the layer", "l.path"},
                kIterationColumn}}),
         host_source("module_calls") +
             " LEFT JOIN raw.strings x ON x.id = s.name LEFT JOIN raw.layers l ON l.id = s.layer"},
        {"other_spans",
         "Profiler overhead, data loading, file I/O, calls of the system, of message passing and of "
         "libraries, and categories that Opsight does not know.",
         join({{{"id", kInteger, "", "span number among all host spans", "s.id"}},
               host_columns(),
               {{"name", kVarchar, "", "name", "x.text"},
                {"kind", kVarchar, "", "overhead, dataload, file_io, os_runtime, message, library or other",
                 "CASE s.kind WHEN 6 THEN 'overhead' WHEN 7 THEN 'dataload' WHEN 8 THEN 'file_io' "
                 "WHEN 10 THEN 'os_runtime' WHEN 11 THEN 'message' WHEN 12 THEN 'library' ELSE 'other' END"},
                {"category", kVarchar, "", "category in the source", "y.text"},
                kIterationColumn,
                kUnfinishedColumn,
                kCallChain}}),
         host_source("other_spans") +
             " LEFT JOIN raw.strings x ON x.id = s.name LEFT JOIN raw.strings y ON y.id = s.category" +
             kChainSource},
    };
}

std::vector<View> entity_views() {
    return {
        {"op_identities",
         "Distinct ops: name, layer, direction, input shapes and types.",
         {{"id", kInteger, "", "op id", "i.id"},
          {"name", kVarchar, "", "name", "i.name"},
          {"type", kVarchar, "", "name without what tells instances apart", "i.type"},
          {"layer", kVarchar, "", "path of the layer", "l.path"},
          {"direction", kVarchar, "", "fprop, bprop, optimizer, dataload or other",
           direction_text("i.direction")},
          {"shapes", kVarchar, "", "input shapes", filled("i.shapes")},
          {"dtypes", kVarchar, "", "input types", filled("i.dtypes")},
          {"tc_eligible", kBoolean, "", "could run on Tensor Cores", "i.tc_eligible"}},
         "raw.op_identities i LEFT JOIN raw.layers l ON l.id = i.layer"},
        {"layers",
         "Module tree; parents before children.",
         {{"id", kInteger, "", "layer id"},
          {"name", kVarchar, "", "last part of the path"},
          {"path", kVarchar, "", "path from the root"},
          {"parent", kInteger, "", "id of the enclosing layer", known("parent")},
          {"depth", kSmallint, "", "0 at the root"}},
         "raw.layers"},
        {"iterations",
         "Iterations (steps) of each rank.",
         {{"rank", kBigint, "", "rank in its job", "r.number"},
          {"iteration", kInteger, "", "0, 1, ... within the rank", "s.number"},
          {"begin_ns", kBigint, "ns", "begin on the host", "s.begin_ns"},
          {"end_ns", kBigint, "ns", "end on the host", "s.end_ns"},
          {"dur_ns", kBigint, "ns", "duration", "s.end_ns - s.begin_ns"},
          {"name", kVarchar, "", "name of its marker", filled("s.name")},
          {"warmup", kBoolean, "", "left out of the default range", "s.warmup"},
          {"warmup_reason", kVarchar, "", "why", filled("s.warmup_reason")}},
         "raw.iterations s LEFT JOIN raw.ranks r ON r.id = s.rank"},
        {"ranks",
         "Process group members.",
         {{"id", kInteger, "", "row number"},
          {"rank", kBigint, "", "rank in its job", "number"},
          {"rank_known", kBoolean, "", "the source names it", "number_known"},
          {"world_size", kBigint, "", "ranks in the job", known("world_size")},
          {"source", kVarchar, "", "file that it was read from"},
          {"host", kVarchar, "", "host name", filled("host")},
          {"backend", kVarchar, "", "communication library", filled("backend")}},
         "raw.ranks"},
        {"devices",
         "Accelerators as each rank sees them.",
         {{"id", kInteger, "", "row number", "d.id"},
          {"rank", kBigint, "", "rank in its job", "r.number"},
          {"device", kBigint, "", "device number in the source", "d.number"},
          {"name", kVarchar, "", "product name", filled("d.name")},
          {"compute_capability", kVarchar, "", "major.minor",
           "CASE WHEN d.compute_major > 0 THEN d.compute_major || '.' || d.compute_minor END"},
          {"sm_count", kBigint, "", "streaming multiprocessors", "nullif(d.sm_count, 0)"},
          {"memory_bytes", kBigint, "bytes", "device memory", "nullif(d.memory_bytes, 0)"},
          {"warp_size", kBigint, "", "threads of a warp", "nullif(d.warp_size, 0)"},
          {"declared", kBoolean, "", "named in the header of the source", "d.declared"},
          {"memory_bandwidth", kBigint, "bytes/s", "peak of the device memory",
           "nullif(d.memory_bandwidth, 0)"},
          {"clock_hz", kBigint, "Hz", "clock", "nullif(d.clock_hz, 0)"},
          {"l2_bytes", kBigint, "bytes", "level 2 cache", "nullif(d.l2_bytes, 0)"},
          {"uuid", kVarchar, "", "identity of the board", filled("d.uuid")},
          {"bus_location", kVarchar, "", "PCI address", filled("d.bus_location")},
          {"chip", kVarchar, "", "name of the chip", filled("d.chip")}},
         "raw.devices d LEFT JOIN raw.ranks r ON r.id = d.rank"},
        {"tracks",
         "Rows of the timeline.",
         {{"id", kInteger, "", "row number", "t.id"},
          {"kind", kVarchar, "", "thread, stream, stream_annotation or other",
           "CASE t.kind WHEN 0 THEN 'thread' WHEN 1 THEN 'stream' WHEN 2 THEN 'stream_annotation' ELSE "
           "'other' END"},
          {"rank", kBigint, "", "rank in its job", "r.number"},
          {"pid", kBigint, "", "process id", "t.pid"},
          {"tid", kBigint, "", "thread id", "t.tid"},
          {"device", kBigint, "", "device number", "d.number"},
          {"context", kBigint, "", "device context", "t.context"},
          {"stream", kBigint, "", "stream or queue", "t.stream"},
          {"name", kVarchar, "", "name in the source", filled("t.name")},
          {"process_name", kVarchar, "", "process name", filled("t.process_name")},
          {"priority", kInteger, "", "of a thread or stream", "nullif(t.priority, -2147483648)"}},
         "raw.tracks t LEFT JOIN raw.ranks r ON r.id = t.rank LEFT JOIN raw.devices d ON d.id = t.device"},
        {"memory_events",
         "Changes of allocated memory.",
         {{"time_ns", kBigint, "ns", "time", "s.time_ns"},
          {"rank", kBigint, "", "rank in its job", "r.number"},
          {"tid", kBigint, "", "thread id", "t.tid"},
          {"device_type", kInteger, "", "0 CPU, 1 CUDA, 6 HIP, ... as in c10::DeviceType", "s.device_type"},
          {"device", kInteger, "", "device number", known("s.device")},
          {"address", kBigint, "", "address", "s.address"},
          {"bytes", kBigint, "bytes", "size; negative: freed", "s.bytes"},
          {"total_allocated", kBigint, "bytes", "after the event", known("s.total_allocated")},
          {"total_reserved", kBigint, "bytes", "after the event", known("s.total_reserved")},
          {"kind", kVarchar, "", "kind of memory: Device, Pinned, ...", memory_kind_text("s.kind")},
          {"stack", kVarchar, "", "functions from the one that asked outwards, one a line",
           filled("x.text")}},
         host_source("memory_events") + " LEFT JOIN raw.strings x ON x.id = s.stack"},
        {"counters",
         "Samples of counters.",
         {{"time_ns", kBigint, "ns", "time", "s.time_ns"},
          {"rank", kBigint, "", "rank in its job", "r.number"},
          {"device", kBigint, "", "device number; NULL: of no device", "d.number"},
          {"subject", kVarchar, "", "what was measured: a GPU, a network card", filled("t.pid_text")},
          {"name", kVarchar, "", "counter", "x.text"},
          {"value", kDouble, "", "value", "s.value"}},
         host_source("counters") +
             " LEFT JOIN raw.devices d ON d.id = t.device LEFT JOIN raw.strings x ON x.id = s.name"},
        {"cpu_samples",
         "What threads ran on CPUs when a timer of the profiler asked.",
         {{"time_ns", kBigint, "ns", "time", "s.time_ns"},
          {"rank", kBigint, "", "rank in its job", "r.number"},
          {"pid", kBigint, "", "process id", "t.pid"},
          {"tid", kBigint, "", "thread", "t.tid"},
          {"cpu", kInteger, "", "CPU", "nullif(s.cpu, -1)"},
          {"function", kVarchar, "", "that ran", "split_part(x.text, chr(10), 1)"},
          {"stack", kVarchar, "", "functions from the one that ran outwards, one a line", "x.text"}},
         host_source("cpu_samples") + " LEFT JOIN raw.strings x ON x.id = s.stack"},
        {"diagnostics",
         "Kinds of oddities that were met, and what they mean.",
         {{"key", kVarchar, "", "kind"},
          {"severity", kVarchar, "", "info, notice, data_loss or error"},
          {"count", kBigint, "", "occurrences"},
          {"help", kVarchar, "", "what it means and what to do"}},
         "raw.diagnostics"},
        {"diagnostic_places",
         "The first occurrences of each kind of oddity.",
         {{"key", kVarchar, "", "kind"},
          {"file", kVarchar, "", "source file", filled("file")},
          {"byte_offset", kBigint, "bytes", "place in the uncompressed source", known("byte_offset")},
          {"time_ns", kBigint, "ns", "time of the event", known("time_ns")},
          {"text", kVarchar, "", "the odd value", filled("text")}},
         "raw.diagnostic_places"},
        {"meta",
         "Facts about the file and the run. `rules` is a sum over what the program that wrote it judges by: "
         "where it is not "
         "this program's, the notes of a report say so.",
         {{"key", kVarchar, "", "name of the fact"}, {"value", kVarchar, "", "its value"}},
         "raw.meta"},
    };
}

View op_stats() {
    std::vector<Column> columns = {
        {"rank", kBigint, "", "rank in its job", "r.number"},
        {"op_id", kInteger, "", "op_identities.id", "s.op"},
        {"name", kVarchar, "", "name", "i.name"},
        {"type", kVarchar, "", "name without what tells instances apart", "i.type"},
        {"layer", kVarchar, "", "path of the layer", "l.path"},
        {"direction", kVarchar, "", "fprop, bprop, optimizer, dataload or other",
         direction_text("i.direction")},
        {"tc_eligible", kBoolean, "", "could run on Tensor Cores", "i.tc_eligible"},
        kIterationColumn,
    };
    for (const Column& column : table("op_stats").columns) {
        if (column.name == "rank" || column.name == "op" || column.name == "iteration" ||
            column.name == "device")
            continue;
        Column copy = column;
        copy.expression = "s." + std::string(column.name);
        columns.push_back(copy);
    }
    columns.push_back({"device", kBigint, "", "device number; NULL: none or several", "d.number"});
    return {
        "op_stats", "Sums over op instances, by op, iteration, rank and device: any range is a sum of rows.",
        std::move(columns),
        "raw.op_stats s LEFT JOIN raw.ranks r ON r.id = s.rank LEFT JOIN raw.devices d ON d.id = s.device "
        "LEFT JOIN raw.op_identities i ON i.id = s.op LEFT JOIN raw.layers l ON l.id = i.layer"};
}

}  // namespace

const std::vector<View>& views() {
    static const std::vector<View> all = [] {
        std::vector<View> list = span_views();
        list.push_back(op_stats());
        for (View& view : work_views())
            list.push_back(std::move(view));
        for (View& view : stream_views())
            list.push_back(std::move(view));
        for (View& view : source_views())
            list.push_back(std::move(view));
        for (View& view : rank_views())
            list.push_back(std::move(view));
        for (View& view : counter_views())
            list.push_back(std::move(view));
        for (View& view : model_views())
            list.push_back(std::move(view));
        for (View& view : entity_views())
            list.push_back(std::move(view));
        return list;
    }();
    return all;
}

}  // namespace opsight::db
