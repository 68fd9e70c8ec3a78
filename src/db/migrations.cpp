// Steps from one schema version to the next. A step is never changed once it was released: it names its
// tables and columns itself. Views are made anew after the last one.
#include "db/reader.h"

namespace opsight::db {
namespace {

// 2: what Nsight Systems tells beyond PyTorch's traces.
constexpr const char* kToVersion2 = R"(
ALTER TABLE raw.devices ADD COLUMN memory_bandwidth BIGINT DEFAULT 0;
ALTER TABLE raw.devices ADD COLUMN clock_hz BIGINT DEFAULT 0;
ALTER TABLE raw.devices ADD COLUMN l2_bytes BIGINT DEFAULT 0;
ALTER TABLE raw.devices ADD COLUMN uuid VARCHAR DEFAULT '';
ALTER TABLE raw.devices ADD COLUMN bus_location VARCHAR DEFAULT '';
ALTER TABLE raw.devices ADD COLUMN chip VARCHAR DEFAULT '';
ALTER TABLE raw.tracks ADD COLUMN priority INTEGER DEFAULT -2147483648;
ALTER TABLE raw.launch_configs ADD COLUMN local_bytes_per_thread BIGINT DEFAULT -1;
ALTER TABLE raw.launch_configs ADD COLUMN shared_executed_bytes BIGINT DEFAULT -1;
ALTER TABLE raw.launch_configs ADD COLUMN cluster_x BIGINT DEFAULT -1;
ALTER TABLE raw.launch_configs ADD COLUMN cluster_y BIGINT DEFAULT -1;
ALTER TABLE raw.launch_configs ADD COLUMN cluster_z BIGINT DEFAULT -1;
ALTER TABLE raw.launch_configs ADD COLUMN launch_type BIGINT DEFAULT -1;
ALTER TABLE raw.kernel_names ADD COLUMN base_name VARCHAR DEFAULT '';
ALTER TABLE raw.kernel_names ADD COLUMN mangled_name VARCHAR DEFAULT '';
ALTER TABLE raw.api_calls ADD COLUMN result INTEGER DEFAULT -1;
ALTER TABLE raw.device_spans ADD COLUMN transfer INTEGER DEFAULT -1;
ALTER TABLE raw.memory_events ADD COLUMN kind TINYINT DEFAULT -1;
CREATE TABLE raw.transfers (id INTEGER, copy_kind TINYINT, from_kind TINYINT, to_kind TINYINT,
    from_device BIGINT, to_device BIGINT, from_context BIGINT, to_context BIGINT, value BIGINT,
    migration_cause BIGINT, copies BIGINT);
CREATE TABLE raw.contexts (rank INTEGER, context BIGINT, device BIGINT, parent BIGINT, green BOOLEAN);
CREATE TABLE raw.nvtx_attributes (id INTEGER, type TINYINT, domain BIGINT, domain_name VARCHAR,
    category BIGINT, category_name VARCHAR, color BIGINT);
CREATE TABLE raw.nvtx_ranges (id INTEGER, track INTEGER, end_track INTEGER, begin_ns BIGINT, dur_ns BIGINT,
    flags UTINYINT, text INTEGER, attributes INTEGER);
CREATE TABLE raw.nvtx_payloads (id INTEGER, type TINYINT, integer BIGINT, real DOUBLE, text VARCHAR);
CREATE TABLE raw.messages (id INTEGER, tag BIGINT, rank BIGINT, peer BIGINT, root BIGINT, bytes BIGINT,
    sent_bytes BIGINT, received_bytes BIGINT);
CREATE TABLE raw.device_extras (id INTEGER, graph BIGINT, graph_node BIGINT, green_context BIGINT,
    address BIGINT, event BIGINT);
CREATE TABLE raw.page_faults (time_ns BIGINT, dur_ns BIGINT, track INTEGER, device INTEGER, address BIGINT,
    count BIGINT, access VARCHAR))";

// 3: streams. What a file of an older version holds is not summed up again: the table stays empty.
constexpr const char* kToVersion3 = R"(
ALTER TABLE raw.launch_configs ADD COLUMN waves DOUBLE DEFAULT -1;
CREATE TABLE raw.stream_stats (stream INTEGER, iteration INTEGER, spans BIGINT, busy_ns BIGINT,
    host_wait_ns BIGINT, kernel_wait_ns BIGINT, other_wait_ns BIGINT, queued_ns BIGINT, queue_max BIGINT,
    occupancy_pct_ns DOUBLE, occupancy_known_ns BIGINT))";

constexpr const char* kToVersion4 = R"(
ALTER TABLE raw.ops ADD COLUMN caller_layer INTEGER DEFAULT -3;
UPDATE raw.ops SET caller_layer = c.layer FROM (SELECT o.id, coalesce(pi.layer, -2) AS layer FROM raw.ops o
    JOIN raw.op_identities i ON i.id = o.op LEFT JOIN raw.ops p ON p.id = o.parent_op
    LEFT JOIN raw.op_identities pi ON pi.id = p.op WHERE p.id IS NULL OR pi.layer <> i.layer) c
    WHERE c.id = raw.ops.id;
ALTER TABLE raw.device_spans ADD COLUMN launch_dur_ns BIGINT DEFAULT -1;
UPDATE raw.device_spans SET launch_dur_ns = a.dur_ns FROM raw.api_calls a WHERE a.id = launch)";

// 5: counted work. An older file has not kept what it is counted from in one place: its tables stay empty.
constexpr const char* kToVersion5 = R"(
ALTER TABLE raw.ops ADD COLUMN work INTEGER DEFAULT -2;
ALTER TABLE raw.ops ADD COLUMN share DOUBLE DEFAULT 0;
ALTER TABLE raw.device_spans ADD COLUMN work INTEGER DEFAULT -1;
ALTER TABLE raw.device_spans ADD COLUMN share DOUBLE DEFAULT 0;
CREATE TABLE raw.works (id INTEGER, name VARCHAR, device INTEGER, kind TINYINT, macs DOUBLE, flops DOUBLE,
    matrix_flops DOUBLE, recomputed_flops DOUBLE, bytes_min DOUBLE, precision TINYINT, math_ns DOUBLE,
    memory_ns DOUBLE, bound_ns DOUBLE, estimate BOOLEAN, note VARCHAR);
CREATE TABLE raw.device_models (device INTEGER, source TINYINT, model VARCHAR, bandwidth DOUBLE,
    l2_bytes DOUBLE, note VARCHAR, sources VARCHAR);
CREATE TABLE raw.device_peaks (device INTEGER, matrix BOOLEAN, precision TINYINT, flops_per_s DOUBLE);
CREATE TABLE raw.work_stats (rank INTEGER, op INTEGER, kernel INTEGER, kind TINYINT, iteration INTEGER,
    device INTEGER, work INTEGER, spans BIGINT, time_ns BIGINT, share DOUBLE))";

// 6: the network of a run.
constexpr const char* kToVersion6 = R"(
CREATE TABLE raw.models (name VARCHAR, format VARCHAR, producer VARCHAR, batch DOUBLE, precision VARCHAR,
    device VARCHAR, nodes BIGINT, matched BIGINT, notes VARCHAR);
CREATE TABLE raw.model_groups (id INTEGER, parent INTEGER, name VARCHAR, path VARCHAR, part BOOLEAN,
    layer INTEGER);
CREATE TABLE raw.model_nodes (id INTEGER, grp INTEGER, name VARCHAR, label VARCHAR, op_type VARCHAR,
    module VARCHAR, layer INTEGER, how TINYINT, output_shape VARCHAR, kind VARCHAR, macs DOUBLE, flops DOUBLE,
    bytes_min DOUBLE, parameters DOUBLE, bound_ns DOUBLE, limiter TINYINT, folded BOOLEAN);
CREATE TABLE raw.model_edges (from_node INTEGER, to_node INTEGER, shape VARCHAR);
CREATE TABLE raw.model_calls (node INTEGER, op INTEGER, backward BOOLEAN))";

// 7: waits of streams by what they were for; an older file's waits after a launch hold those whose launch is
// not known. Its classes of time do not part unknown kernels from others, nor the host from what is not
// recorded. Samples of CPUs; labels of kernels, which an older file tells apart by nothing but their full
// names.
constexpr const char* kToVersion7 = R"(
ALTER TABLE raw.stream_stats RENAME COLUMN kernel_wait_ns TO queued_wait_ns;
UPDATE raw.stream_stats SET queued_wait_ns = queued_wait_ns + other_wait_ns, other_wait_ns = 0;
INSERT INTO raw.meta VALUES ('time_classes', 'few');
ALTER TABLE raw.kernel_names ADD COLUMN label VARCHAR DEFAULT '';
UPDATE raw.kernel_names SET label = short_name;
CREATE TABLE raw.cpu_samples (time_ns BIGINT, track INTEGER, cpu INTEGER, stack INTEGER))";

// 8: what called a call.
constexpr const char* kToVersion8 = R"(
CREATE TABLE raw.call_chains (id INTEGER, stack INTEGER))";

// 9: ranks together, and who asked for memory. Ranks of an older file are not matched anew: its tables stay
// empty.
constexpr const char* kToVersion9 = R"(
ALTER TABLE raw.memory_events ADD COLUMN stack INTEGER DEFAULT 0;
CREATE TABLE raw.rank_clocks (rank INTEGER, clock INTEGER, corrected BOOLEAN, offset_ns BIGINT, drift_ppm DOUBLE,
    error_ns BIGINT, collectives BIGINT, broken_before BIGINT, broken_after BIGINT);
CREATE TABLE raw.comm_groups (id INTEGER, name VARCHAR, description VARCHAR, ranks VARCHAR, collective VARCHAR,
    size BIGINT, recorded BIGINT, kind TINYINT, evidence VARCHAR, on_host BOOLEAN, link VARCHAR,
    link_bytes_per_s DOUBLE);
CREATE TABLE raw.collective_calls (id INTEGER, comm_group INTEGER, name VARCHAR, kernel INTEGER, collective INTEGER,
    bytes BIGINT, ranks BIGINT, members INTEGER, state TINYINT, first_begin_ns BIGINT, last_begin_ns BIGINT,
    end_ns BIGINT, transfer_ns BIGINT, waiting_ns BIGINT, last_rank INTEGER, cause TINYINT, cause_ns BIGINT,
    cause_op INTEGER);
CREATE TABLE raw.collective_members (call INTEGER, rank INTEGER, track INTEGER, device_span INTEGER,
    host_span INTEGER, begin_ns BIGINT, dur_ns BIGINT, waiting_ns BIGINT, exposed_ns BIGINT,
    exposed_waiting_ns BIGINT))";

// 10: counters of the processor around ops. An older file has none.
constexpr const char* kToVersion10 = R"(
CREATE TABLE raw.op_counters (id INTEGER, task_clock_ns BIGINT, page_faults BIGINT, context_switches BIGINT,
    cycles BIGINT, instructions BIGINT, stalled_frontend_cycles BIGINT, stalled_backend_cycles BIGINT,
    l1_loads BIGINT, l1_load_misses BIGINT, l1_stores BIGINT, llc_loads BIGINT, llc_load_misses BIGINT,
    branches BIGINT, branch_misses BIGINT, core_enabled_ns BIGINT, core_running_ns BIGINT, l1_enabled_ns BIGINT,
    l1_running_ns BIGINT, llc_enabled_ns BIGINT, llc_running_ns BIGINT, branch_enabled_ns BIGINT,
    branch_running_ns BIGINT))";

// 11: pauses of recordings. Those of an older file are not looked for: its wall clock holds them.
constexpr const char* kToVersion11 = R"(
CREATE TABLE raw.recording_pauses (rank INTEGER, begin_ns BIGINT, end_ns BIGINT))";

// 12: views alone, which each step makes anew.
constexpr const char* kToVersion12 = "";

}  // namespace

const std::vector<Migration>& migrations() {
    static const std::vector<Migration> steps = {{1, kToVersion2},   {2, kToVersion3},  {3, kToVersion4},
                                                 {4, kToVersion5},   {5, kToVersion6},  {6, kToVersion7},
                                                 {7, kToVersion8},   {8, kToVersion9},  {9, kToVersion10},
                                                 {10, kToVersion11}, {11, kToVersion12}};
    return steps;
}

std::string_view former_name(std::string_view table, std::string_view column) {
    return table == "stream_stats" && column == "queued_wait_ns" ? "kernel_wait_ns" : "";
}

}  // namespace opsight::db
