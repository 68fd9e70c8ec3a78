#include "exports/dlprof/recorded_rows.h"

#include <algorithm>
#include <set>

#include "exports/dlprof/shape_texts.h"
#include "exports/sql.h"
#include "query/session/cells.h"

namespace opsight::exports {
namespace {

using query::dlprof::Details;
using query::dlprof::Instance;
using query::dlprof::Model;
using query::dlprof::Op;
using query::dlprof::Work;

// Of what a database says of ops, only this is known: which may use Tensor Cores.
constexpr int64_t kMayUseTensorCores = 0, kOther = 2;

sqlite::Value number_or_null(int64_t number, bool known) {
    return known ? sqlite::Value(number) : sqlite::Value(nullptr);
}

// Processes and threads. DLProf's have 24 bits; those that have more, that two ranks share, or that are no
// numbers get others.
class Threads {
  public:
    struct Place {
        int64_t process = 1, thread = 0;
    };

    // `device_of`: indices of devices, by id of raw.devices.
    Status load(query::Source& source, const std::vector<int32_t>& device_of) {
        OPSIGHT_ASSIGN(const duck::Rows rows, source.query(sql::dlprof_threads));
        for (const auto& row : rows.rows)
            pids_.insert(query::integer(row[2]));
        for (const auto& row : rows.rows) {
            const std::tuple process(query::integer(row[1]), query::integer(row[2]), query::text(row[4]));
            const auto [known, is_new] = processes_.try_emplace(process);
            if (is_new) known->second = free_number(query::integer(row[2]), used_, &pids_);
            std::set<int64_t>& threads = threads_[known->second];
            places_[static_cast<int32_t>(query::integer(row[0]))] = {
                known->second, free_number(query::integer(row[3]), threads, nullptr)};
            first_of_rank_.try_emplace(query::integer(row[1]), known->second);
        }
        OPSIGHT_ASSIGN(const duck::Rows devices, source.query(sql::dlprof_devices));
        for (const auto& row : devices.rows) {
            const auto id = static_cast<size_t>(query::integer(row[0]));
            const auto first = first_of_rank_.find(query::integer(row[1]));
            if (first != first_of_rank_.end() && id < device_of.size())
                first_of_device_.try_emplace(device_of[id], first->second);
        }
        return {};
    }

    Place of(int32_t track) const {
        const auto found = places_.find(track);
        if (found != places_.end()) return found->second;
        return {places_.empty() ? 1 : places_.begin()->second.process, 0};
    }

    // Of work whose call is not known: the first process of the rank that the device is of.
    Place of_device(int32_t device) const {
        const auto found = first_of_device_.find(device);
        return found != first_of_device_.end() ? Place{found->second, 0} : of(-1);
    }

  private:
    static constexpr int64_t kMost = 0xffffff;

    static int64_t free_number(int64_t wanted, std::set<int64_t>& used, const std::set<int64_t>* others) {
        if (wanted > 0 && wanted <= kMost && used.insert(wanted).second) return wanted;
        for (int64_t number = 1;; ++number)
            if (!(others && others->contains(number)) && used.insert(number).second) return number;
    }

    std::set<int64_t> pids_, used_;
    std::map<std::tuple<int64_t, int64_t, std::string>, int64_t> processes_;
    std::map<int64_t, std::set<int64_t>> threads_;
    std::map<int32_t, Place> places_;
    std::map<int64_t, int64_t> first_of_rank_;
    std::map<int32_t, int64_t> first_of_device_;  // by index of the device
};

class Recorder {
  public:
    Recorder(query::Source& source, const Model& model, const std::function<int64_t(int64_t)>& shown,
             sqlite::Writer& file, Dictionary& dictionary)
        : source_(source), model_(model), shown_(shown), file_(file), dictionary_(dictionary) {}

    Result<RecordedCounts> run() {
        OPSIGHT_TRY(threads_.load(source_, model_.recording.device_of));
        OPSIGHT_TRY(load_copies());
        OPSIGHT_TRY(find_letters());
        OPSIGHT_TRY(ops());
        OPSIGHT_TRY(instances());
        OPSIGHT_TRY(work());
        OPSIGHT_TRY(calls());
        return counts_;
    }

  private:
    // Of copies and sets, in their order.
    Status load_copies() {
        return source_.connection().scan(sql::dlprof_copies, [this](const duck::Batch& batch) {
            const auto* bytes = batch.column<int64_t>(0);
            const auto* kind = batch.column<int8_t>(1);
            for (size_t i = 0; i < batch.size(); ++i) {
                bytes_.push_back(bytes[i]);
                copy_kinds_.push_back(kind[i]);
            }
        });
    }

    // Letters stand beside the op: those of the first of its calls that has any.
    Status find_letters() {
        letters_.resize(model_.ops.size());
        texts_.resize(model_.details.size());
        for (size_t i = 0; i < model_.details.size(); ++i) {
            const Details& details = model_.details[i];
            const std::string* shown[] = {&details.shapes, &details.outputs, &details.parameters};
            for (size_t k = 0; k < std::size(shown); ++k) {
                const ShapeTexts texts = shape_texts(*shown[k]);
                OPSIGHT_ASSIGN(texts_[i].json[k], dictionary_.number(texts.json));
                OPSIGHT_ASSIGN(texts_[i].letters[k], dictionary_.number(texts.letters));
                texts_[i].has_letters[k] = !texts.letters.empty();
            }
        }
        OPSIGHT_ASSIGN(empty_, dictionary_.number(""));
        OPSIGHT_ASSIGN(untold_, dictionary_.number("null\n"));
        for (auto& letters : letters_)
            letters.fill(empty_);
        for (const Instance& instance : model_.instances) {
            if (instance.details < 0) continue;
            const Texts& texts = texts_[static_cast<size_t>(instance.details)];
            for (size_t k = 0; k < 3; ++k)
                if (int64_t& letters = letters_[static_cast<size_t>(instance.op)][k];
                    letters == empty_ && texts.has_letters[k])
                    letters = texts.letters[k];
        }
        return {};
    }

    Status ops() {
        OPSIGHT_ASSIGN(
            const size_t row,
            file_.prepare("INSERT INTO read_only_ops VALUES (?, NULL, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?)"));
        for (size_t i = 0; i < model_.ops.size(); ++i) {
            const Op& op = model_.ops[i];
            const auto& kind = model_.kind_of(op);
            OPSIGHT_ASSIGN(const int64_t id, dictionary_.number(op.id));
            OPSIGHT_ASSIGN(const int64_t type, dictionary_.number(kind.type));
            OPSIGHT_ASSIGN(const int64_t data_type, dictionary_.number(op.data_type));
            OPSIGHT_ASSIGN(const int64_t direction, dictionary_.number(kind.direction));
            OPSIGHT_TRY(
                file_.add(row, {number_of(i), id, kind.name, type, op.eligible ? kMayUseTensorCores : kOther,
                                data_type, letters_[i][0], letters_[i][1], letters_[i][2], direction,
                                op.stack.empty() ? sqlite::Value(nullptr) : sqlite::Value(op.stack)}));
            ++counts_.ops;
        }
        return {};
    }

    Status instances() {
        OPSIGHT_ASSIGN(
            const size_t row,
            file_.prepare(
                "INSERT INTO read_only_op_instances VALUES (?, ?, ?, ?, ?, ?, NULL, ?, NULL, ?, ?)"));
        for (size_t i = 0; i < model_.instances.size(); ++i) {
            const Instance& instance = model_.instances[i];
            if (instance.track < 0) continue;
            const Threads::Place place = threads_.of(instance.track);
            const Texts* texts =
                instance.details < 0 ? nullptr : &texts_[static_cast<size_t>(instance.details)];
            const auto text = [&](size_t k) { return texts ? texts->json[k] : untold_; };
            OPSIGHT_TRY(file_.add(
                row, {number_of(i), number_of(static_cast<size_t>(instance.op)), shown_(instance.begin),
                      shown_(instance.end), place.process, place.thread, text(0), text(1), text(2)}));
            ++counts_.calls;
        }
        return {};
    }

    // What kernels, copies, sets, waits and other calls have in common.
    struct Shared {
        int64_t op = 0, instance = 0, api_begin = 0, api_end = 0, name = 0, device = 0;
        bool has_call = false, has_device = false;
        Threads::Place place;
        sqlite::Value call() const { return number_or_null(instance, has_call); }
        sqlite::Value begin() const { return number_or_null(api_begin, has_call); }
        sqlite::Value end() const { return number_or_null(api_end, has_call); }
        sqlite::Value on() const { return number_or_null(device, has_device); }
    };

    Result<Shared> shared_of_call(int32_t call, int32_t instance) {
        const auto& calls = model_.recording.calls;
        Shared s;
        s.op = number_of(static_cast<size_t>(model_.instances[static_cast<size_t>(instance)].op));
        s.instance = number_of(static_cast<size_t>(instance));
        s.name = empty_;
        s.has_call = call >= 0;
        s.place = threads_.of(s.has_call ? calls.track[static_cast<size_t>(call)] : -1);
        if (!s.has_call) return s;
        const auto row = static_cast<size_t>(call);
        s.api_begin = shown_(calls.begin[row]);
        s.api_end = shown_(calls.end[row]);
        OPSIGHT_ASSIGN(s.name, name_of_call(calls.name[row]));
        return s;
    }

    // Each name is looked up once.
    Result<int64_t> name_of_call(int32_t name) {
        const auto [known, is_new] = call_names_.try_emplace(name, empty_);
        if (!is_new) return known->second;
        const auto found = model_.recording.call_names.find(name);
        if (found == model_.recording.call_names.end()) return known->second;
        OPSIGHT_ASSIGN(known->second, dictionary_.number(found->second));
        return known->second;
    }

    Result<std::pair<int64_t, int64_t>> names_of_kernel(int32_t kernel) {
        const auto [known, is_new] = kernel_names_.try_emplace(kernel);
        if (!is_new) return known->second;
        const auto& name = model_.recording.kernels.at(static_cast<size_t>(kernel));
        OPSIGHT_ASSIGN(known->second.first, dictionary_.number(name.base));
        OPSIGHT_ASSIGN(known->second.second, dictionary_.number(name.name));
        return known->second;
    }

    Status work() {
        OPSIGHT_ASSIGN(
            kernel_row_,
            file_.prepare(
                "INSERT INTO read_only_kernels VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
        OPSIGHT_ASSIGN(
            copy_row_,
            file_.prepare("INSERT INTO read_only_memcpys VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
        OPSIGHT_ASSIGN(
            set_row_,
            file_.prepare("INSERT INTO read_only_memsets VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
        OPSIGHT_ASSIGN(size_row_, file_.prepare("INSERT INTO read_only_grid_block VALUES (?, ?, ?, ?)"));
        launched_.assign(model_.recording.calls.size(), false);
        // Copies and sets were loaded in the order of all device rows, of which the model may lack some.
        size_t copy = 0, row = 0;
        const auto& kinds = model_.recording.device.kind;
        for (const Work& w : model_.work) {
            for (; row < static_cast<size_t>(w.row); ++row)
                copy += kinds[row] != 0;
            OPSIGHT_ASSIGN(Shared shared, shared_of_call(w.call, w.instance));
            if (w.call >= 0)
                launched_[static_cast<size_t>(w.call)] = true;
            else
                shared.place = threads_.of_device(w.device);
            shared.has_device = w.device >= 0;
            if (shared.has_device)
                shared.device = model_.recording.devices[static_cast<size_t>(w.device)].number;
            OPSIGHT_TRY(w.kind == 0 ? kernel(w, shared) : transfer(w, shared, copy));
            ++counts_.work;
        }
        counts_.left_out += std::ssize(kinds) - counts_.work;
        return {};
    }

    Status kernel(const Work& w, const Shared& s) {
        OPSIGHT_ASSIGN(const auto names, names_of_kernel(w.kernel));
        OPSIGHT_ASSIGN(const sqlite::Value grid, size_of(w.config, 0));
        OPSIGHT_ASSIGN(const sqlite::Value block, size_of(w.config, 3));
        return file_.add(kernel_row_, {s.op, s.call(), names.first, names.second, int64_t{model_.uses_tc(w)},
                                       s.begin(), s.end(), shown_(w.begin), shown_(w.end), grid, block,
                                       s.on(), s.place.process, s.place.thread});
    }

    Status transfer(const Work& w, const Shared& s, size_t copy) {
        const int64_t bytes = bytes_.at(copy), kind = copy_kinds_.at(copy);
        const sqlite::Value size = number_or_null(bytes, bytes >= 0);
        if (w.kind == 1)
            return file_.add(
                copy_row_, {s.op, s.call(), s.name, s.begin(), s.end(), shown_(w.begin), shown_(w.end),
                            s.on(), s.place.process, s.place.thread, size, number_or_null(kind, kind >= 0)});
        return file_.add(set_row_, {s.op, s.call(), s.name, s.begin(), s.end(), shown_(w.begin),
                                    shown_(w.end), s.on(), s.place.process, s.place.thread, size});
    }

    // The number of a grid or block, `part` of the six sizes of a launch.
    Result<sqlite::Value> size_of(int32_t config, size_t part) {
        const auto& configs = model_.recording.configs;
        if (config < 0 || static_cast<size_t>(config) >= configs.size()) return sqlite::Value(nullptr);
        const auto& all = configs[static_cast<size_t>(config)];
        const std::array<int64_t, 3> size = {all[part], all[part + 1], all[part + 2]};
        if (size[0] < 0) return sqlite::Value(nullptr);
        const auto [found, is_new] = sizes_.try_emplace(size, std::ssize(sizes_) + 1);
        if (is_new) OPSIGHT_TRY(file_.add(size_row_, {found->second, size[0], size[1], size[2]}));
        return sqlite::Value(found->second);
    }

    // Calls that launched nothing. Of waits the time on the device is not known, which zeros say.
    Status calls() {
        OPSIGHT_ASSIGN(const size_t other,
                       file_.prepare("INSERT INTO read_only_cuda_calls VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"));
        OPSIGHT_ASSIGN(const size_t wait, file_.prepare("INSERT INTO read_only_cuda_syncs VALUES (NULL, ?, "
                                                        "?, ?, ?, ?, 0, 0, NULL, ?, ?, NULL, NULL)"));
        const auto& calls = model_.recording.calls;
        for (size_t i = 0; i < calls.size(); ++i) {
            const int32_t instance = model_.instance_of_call[i];
            counts_.left_out += instance < 0;
            if (instance < 0 || launched_[i]) continue;
            OPSIGHT_ASSIGN(const Shared s, shared_of_call(static_cast<int32_t>(i), instance));
            const auto name = model_.recording.call_names.find(calls.name[i]);
            const bool waits = name != model_.recording.call_names.end() &&
                               name->second.find("Synchronize") != std::string::npos;
            OPSIGHT_TRY(file_.add(waits ? wait : other, {s.op, s.call(), s.name, s.begin(), s.end(),
                                                         s.place.process, s.place.thread}));
        }
        return {};
    }

    static int64_t number_of(size_t index) { return static_cast<int64_t>(index) + 1; }

    // Shapes, outputs and parameters.
    struct Texts {
        std::array<int64_t, 3> json{}, letters{};
        std::array<bool, 3> has_letters{};
    };

    query::Source& source_;
    const Model& model_;
    const std::function<int64_t(int64_t)>& shown_;
    sqlite::Writer& file_;
    Dictionary& dictionary_;
    Threads threads_;
    RecordedCounts counts_;
    std::vector<int64_t> bytes_;
    std::vector<int8_t> copy_kinds_;
    std::vector<Texts> texts_;                     // beside Model::details
    std::vector<std::array<int64_t, 3>> letters_;  // beside Model::ops
    std::map<std::array<int64_t, 3>, int64_t> sizes_;
    absl::flat_hash_map<int32_t, int64_t> call_names_;
    absl::flat_hash_map<int32_t, std::pair<int64_t, int64_t>> kernel_names_;
    std::vector<bool> launched_;
    int64_t empty_ = 0, untold_ = 0;
    size_t kernel_row_ = 0, copy_row_ = 0, set_row_ = 0, size_row_ = 0;
};

}  // namespace

Result<Dictionary> Dictionary::create(sqlite::Writer& file) {
    OPSIGHT_ASSIGN(const size_t statement, file.prepare("INSERT INTO dictionary VALUES (?, ?)"));
    return Dictionary(file, statement);
}

Result<int64_t> Dictionary::number(std::string_view text) {
    const auto [found, is_new] = numbers_.try_emplace(std::string(text), std::ssize(numbers_) + 1);
    if (is_new) OPSIGHT_TRY(file_.add(statement_, {found->second, text}));
    return found->second;
}

Result<RecordedCounts> write_recorded(query::Source& source, const Model& model,
                                      const std::function<int64_t(int64_t)>& shown, sqlite::Writer& file,
                                      Dictionary& dictionary) {
    return Recorder(source, model, shown, file, dictionary).run();
}

}  // namespace opsight::exports
