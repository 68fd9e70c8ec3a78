#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "hardware/tensor_cores.h"
#include "import/nsys/python_literal.h"
#include "query/dlprof/recording.h"

namespace opsight::dlprof {
namespace {

int64_t number(const Cell& cell) {
    const int64_t* value = std::get_if<int64_t>(&cell);
    return value ? *value : -1;
}
std::string text(const Cell& cell) {
    const std::string* value = std::get_if<std::string>(&cell);
    return value ? *value : std::string();
}
bool truth(const Cell& cell) {
    const bool* value = std::get_if<bool>(&cell);
    return value && *value;
}

template <class T>
void append(std::vector<T>& to, const duck::Batch& batch, size_t column) {
    const T* data = batch.column<T>(column);
    to.insert(to.end(), data, data + batch.size());
}

// Grows a list that is filled by id.
template <class T>
T& at(std::vector<T>& list, int64_t id) {
    if (id < 0 || id > INT32_MAX) throw std::out_of_range("id");
    if (static_cast<size_t>(id) >= list.size()) list.resize(static_cast<size_t>(id) + 1);
    return list[static_cast<size_t>(id)];
}

class Loader {
  public:
    explicit Loader(stats::Source& source) : source_(source) {}

    Result<Recording> run() {
        OPSIGHT_TRY(facts());
        OPSIGHT_TRY(ops());
        OPSIGHT_TRY(identities());
        OPSIGHT_TRY(calls());
        OPSIGHT_TRY(device_work());
        OPSIGHT_TRY(names());
        OPSIGHT_TRY(host_spans());
        OPSIGHT_TRY(r_.fact("producer").starts_with("DLProf") ? payloads() : marks());
        return std::move(r_);
    }

  private:
    Status each(const std::string& sql, auto&& take) {
        OPSIGHT_ASSIGN(const duck::Rows rows, source_.query(sql));
        for (const auto& row : rows.rows)
            take(row);
        return {};
    }
    Status scan(const std::string& sql, const std::function<void(const duck::Batch&)>& take) {
        return source_.connection().scan(sql, take);
    }

    Status facts() {
        OPSIGHT_TRY(each("SELECT key, value FROM raw.meta ORDER BY rowid",
                         [this](const auto& row) { r_.facts.emplace(text(row[0]), text(row[1])); }));
        r_.from_nsys = r_.fact("producer").starts_with("Nsight Systems");
        OPSIGHT_TRY(
            each("SELECT value::BIGINT FROM raw.meta WHERE key IN ('begin_ns', 'end_ns') ORDER BY key",
                 [this, end = false](const auto& row) mutable {
                     (end ? r_.end : r_.begin) = number(row[0]);
                     end = true;
                 }));
        OPSIGHT_TRY(each("SELECT begin_ns, end_ns FROM raw.iterations WHERE rank = 0 ORDER BY number",
                         [this](const auto& row) {
                             r_.stored_iterations.push_back({number(row[0]), number(row[1])});
                         }));
        return devices();
    }

    // A GPU that several processes see is one.
    Status devices() {
        std::map<std::pair<std::string, int64_t>, int32_t> known;
        return each(
            "SELECT d.id, d.name, d.number, d.compute_major, d.compute_minor, r.host FROM raw.devices d "
            "JOIN raw.ranks r ON r.id = d.rank ORDER BY r.host, d.number, d.id",
            [this, &known](const auto& row) {
                const auto [it, is_new] = known.try_emplace({text(row[5]), number(row[2])},
                                                            static_cast<int32_t>(r_.devices.size()));
                at(device_of_, number(row[0])) = it->second;
                if (is_new) r_.devices.emplace_back();
                Device& device = r_.devices[it->second];
                if (device.name.empty()) device.name = text(row[1]);
                device.number = number(row[2]);
                device.tensor_cores |= hardware::has_tensor_cores(
                    device.name, static_cast<int>(number(row[3])), static_cast<int>(number(row[4])));
            });
    }

    Status ops() {
        return scan(
            "SELECT id::INTEGER, track::INTEGER, op::INTEGER, parent_op::INTEGER, forward::INTEGER, "
            "iteration::INTEGER, begin_ns::BIGINT, (begin_ns + dur_ns)::BIGINT, sequence::BIGINT FROM "
            "raw.ops "
            "WHERE (flags & 2) = 0 ORDER BY id",
            [this](const duck::Batch& batch) {
                OpRows& o = r_.ops;
                size_t column = 0;
                for (auto* list : {&o.id, &o.track, &o.op, &o.parent, &o.forward, &o.iteration})
                    append(*list, batch, column++);
                append(o.begin, batch, column++);
                append(o.end, batch, column++);
                append(o.sequence, batch, column);
            });
    }

    Status identities() {
        OPSIGHT_TRY(
            each("SELECT i.id, i.name, i.type, l.path, i.dtypes, i.shapes, i.direction, i.tc_eligible FROM "
                 "raw.op_identities i LEFT JOIN raw.layers l ON l.id = i.layer",
                 [this](const auto& row) {
                     at(r_.identities, number(row[0])) = {text(row[1]),        text(row[2]), text(row[3]),
                                                          text(row[4]),        text(row[5]), {},
                                                          number(row[6]) == 1, truth(row[7])};
                 }));
        return each(
            "SELECT o.op, min(e.stack) FROM raw.op_extras e JOIN raw.ops o ON o.id = e.id WHERE e.stack <> "
            "'' "
            "GROUP BY o.op",
            [this](const auto& row) { at(r_.identities, number(row[0])).stack = text(row[1]); });
    }

    // A call inside another one is part of it.
    Status calls() {
        int32_t row = -1;
        return scan(
            "SELECT id::INTEGER, track::INTEGER, name::INTEGER, iteration::INTEGER, begin_ns::BIGINT, "
            "(begin_ns + dur_ns)::BIGINT FROM raw.api_calls ORDER BY id",
            [this, row](const duck::Batch& batch) mutable {
                Calls& c = r_.calls;
                const auto *id = batch.column<int32_t>(0), *track = batch.column<int32_t>(1),
                           *name = batch.column<int32_t>(2), *iteration = batch.column<int32_t>(3);
                const auto *begin = batch.column<int64_t>(4), *end = batch.column<int64_t>(5);
                for (size_t i = 0; i < batch.size(); ++i) {
                    const bool inside = row >= 0 && c.track.back() == track[i] && begin[i] < c.end.back();
                    if (!inside) {
                        ++row;
                        c.track.push_back(track[i]);
                        c.name.push_back(name[i]);
                        c.iteration.push_back(iteration[i]);
                        c.begin.push_back(begin[i]);
                        c.end.push_back(end[i]);
                    }
                    c.by_id.emplace_back(id[i], row);
                }
            });
    }

    Status device_work() {
        return scan(
            "SELECT d.launch::INTEGER, t.device::INTEGER, d.name::INTEGER, d.config::INTEGER, "
            "d.iteration::INTEGER, d.begin_ns::BIGINT, (d.begin_ns + d.dur_ns)::BIGINT, d.kind::TINYINT "
            "FROM raw.device_spans d JOIN raw.tracks t ON t.id = d.track WHERE d.kind < 3 ORDER BY "
            "d.begin_ns, "
            "d.rowid",
            [this](const duck::Batch& batch) {
                DeviceRows& d = r_.device;
                size_t column = 0;
                for (auto* list : {&d.launch, &d.device, &d.name, &d.config, &d.iteration})
                    append(*list, batch, column++);
                append(d.begin, batch, column++);
                append(d.end, batch, column++);
                append(d.kind, batch, column);
                for (size_t i = d.size() - batch.size(); i < d.size(); ++i)
                    if (d.device[i] >= 0) d.device[i] = device_of_.at(d.device[i]);
            });
    }

    Status names() {
        OPSIGHT_TRY(
            each("SELECT id, name, coalesce(nullif(base_name, ''), short_name), uses_tc FROM "
                 "raw.kernel_names",
                 [this](const auto& row) {
                     at(r_.kernels, number(row[0])) = {text(row[1]), text(row[2]), number(row[3]) == 1};
                 }));
        OPSIGHT_TRY(
            each("SELECT id, grid_x, grid_y, grid_z, block_x, block_y, block_z FROM raw.launch_configs",
                 [this](const auto& row) {
                     auto& sizes = at(r_.configs, number(row[0]));
                     for (size_t i = 0; i < sizes.size(); ++i)
                         sizes[i] = number(row[i + 1]);
                 }));
        return each("SELECT id, text FROM raw.strings WHERE id IN (SELECT name FROM raw.api_calls)",
                    [this](const auto& row) {
                        r_.call_names.emplace(static_cast<int32_t>(number(row[0])), text(row[1]));
                    });
    }

    // Data loading; and file I/O, which the operating system's calls tell where they were recorded.
    Status host_spans() {
        return each(
            "SELECT s.begin_ns, s.begin_ns + s.dur_ns, s.kind = 7 FROM raw.other_spans s "
            "LEFT JOIN raw.strings x ON x.id = s.name WHERE s.kind IN (7, 8) OR (s.kind = 10 AND x.text IN "
            "('read', 'write', 'pread', 'pread64', 'pwrite', 'pwrite64', 'readv', 'writev', 'preadv', "
            "'pwritev', 'fread', 'fwrite', 'fgets', 'fputs', 'fgetc', 'fputc', 'fflush', 'fsync'))",
            [this](const auto& row) {
                (truth(row[2]) ? r_.loading : r_.file_io).emplace_back(number(row[0]), number(row[1]));
            });
    }

    void tell(const Cell& op, const std::string& name, const std::string& payload) {
        const auto [it, is_new] = told_.try_emplace({name, payload}, static_cast<int32_t>(r_.told.size()));
        if (is_new) r_.told.emplace_back(name, payload);
        r_.told_of.emplace(static_cast<int32_t>(number(op)), it->second);
    }

    Status payloads() {
        r_.origin = Origin::kRecorded;
        return each(
            "SELECT r.id, x.text, p.text FROM raw.nvtx_ranges r JOIN raw.nvtx_payloads p ON p.id = r.id "
            "JOIN raw.strings x ON x.id = r.text WHERE p.type = 2",
            [this](const auto& row) { tell(row[0], text(row[1]), text(row[2])); });
    }

    Status marks() {
        OPSIGHT_TRY(
            each("SELECT id, text FROM raw.strings WHERE starts_with(text, '{') AND id IN (SELECT text "
                 "FROM raw.nvtx_ranges)",
                 [this](const auto& row) { understand(number(row[0]), text(row[1])); }));
        const bool marked =
            std::any_of(r_.marks.begin(), r_.marks.end(), [](const auto& mark) { return mark.second.is_op; });
        if (!marked) return scope_names();
        r_.origin = Origin::kMarked;
        return scan(
            "SELECT r.id::INTEGER, r.track::INTEGER, r.text::INTEGER, r.begin_ns::BIGINT, (r.begin_ns + "
            "r.dur_ns)::BIGINT FROM raw.nvtx_ranges r JOIN raw.nvtx_attributes a ON a.id = r.attributes "
            "WHERE a.type = 0 ORDER BY r.track, r.begin_ns, r.dur_ns DESC, r.id",
            [this](const duck::Batch& batch) {
                for (size_t i = 0; i < batch.size(); ++i)
                    if (const int32_t said = batch.column<int32_t>(2)[i]; r_.marks.contains(said))
                        r_.ranges.push_back({batch.column<int32_t>(0)[i], batch.column<int32_t>(1)[i], said,
                                             batch.column<int64_t>(3)[i], batch.column<int64_t>(4)[i]});
            });
    }

    void understand(int64_t id, const std::string& said) {
        const auto value = nsys::parse_python_literal(said);
        if (!value || value->kind != nsys::PythonValue::Kind::kDict) return;
        Mark mark;
        mark.text = value->text_of("op");
        mark.is_op = !mark.text.empty();
        if (!mark.is_op) {
            mark.text = value->text_of("funcStack");
            if (const nsys::PythonValue* lines = value->find("traceMarker"))
                for (const nsys::PythonValue& line : lines->items)
                    mark.stack += (mark.stack.empty() ? "" : ", ") + line.text;
            if (mark.text.empty() && mark.stack.empty()) return;
        } else if (const nsys::PythonValue* args = value->find("args")) {
            arguments(*args, mark);
        }
        r_.marks.emplace(static_cast<int32_t>(id), std::move(mark));
    }

    // Types and shapes of the tensors among the arguments.
    static void arguments(const nsys::PythonValue& args, Mark& mark) {
        for (const nsys::PythonValue& arg : args.items) {
            const nsys::PythonValue* shape = arg.find("shape");
            if (!shape) continue;
            const std::string dtype(arg.text_of("dtype"));
            if (mark.dtype.empty()) mark.dtype = dtype;
            mark.dtypes += (mark.dtypes.empty() ? "" : ", ") + dtype;
            mark.shapes += (mark.shapes.empty() ? "[" : ", ") + shape->json();
        }
        if (!mark.shapes.empty()) mark.shapes += ']';
    }

    // "MatMul: model/dense/MatMul": what TensorFlow's ranges say after their type is the whole name of the
    // op.
    Status scope_names() {
        return each(
            "SELECT r.id, x.text FROM raw.nvtx_ranges r SEMI JOIN raw.ops o ON o.id = r.id "
            "JOIN raw.strings x ON x.id = r.text JOIN raw.nvtx_attributes a ON a.id = r.attributes "
            "WHERE (a.domain_name ILIKE 'tensorflow%' OR a.domain_name = 'tf') AND contains(x.text, ': ')",
            [this](const auto& row) {
                const std::string said = text(row[1]);
                tell(row[0], said.substr(said.find(": ") + 2), {});
            });
    }

    stats::Source& source_;
    Recording r_;
    std::vector<int32_t> device_of_;  // by id of raw.devices
    std::map<std::pair<std::string, std::string>, int32_t> told_;
};

}  // namespace

Result<Recording> load_recording(stats::Source& source) {
    return Loader(source).run();
}

}  // namespace opsight::dlprof
