#include "fleet/parquet/parquet_store.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json_writer.h"
#include "base/output_file.h"
#include "fleet/parquet/catalog.h"
#include "fleet/parquet/duckdb_dialect.h"
#include "fleet/parquet/layout.h"
#include "fleet/parquet/parquet_push.h"

namespace opsight::fleet::parquet {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLargestMark = 4096;

// While this is there its connection's statement ends where the asker goes away.
class Interruptible {
  public:
    Interruptible(CancellationToken* asker, duck::Connection& connection) : asker_(asker) {
        if (asker_) asker_->set_interrupt([&connection] { connection.interrupt(); });
    }
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;
    ~Interruptible() {
        if (asker_) asker_->set_interrupt({});
    }

  private:
    CancellationToken* asker_;
};

std::string mark_path(const std::string& folder) {
    return (fs::path(folder) / kMark).string();
}

class ParquetStore : public Store {
  public:
    ParquetStore(std::string name, std::string root, duck::Database database)
        : name_(std::move(name)), root_(std::move(root)), database_(std::move(database)) {}

    std::string name() const override { return name_; }
    std::string write_folder() const override { return root_; }
    const Dialect& dialect() const override { return dialect_; }

    Result<bool> holds(const PushId& id) override {
        if (!has_manifest(manifest_path(root_, id.run))) return false;
        const auto manifest = read_manifest(manifest_path(root_, id.run), id.run);
        return manifest && manifest->id.push == id.push && is_whole(*manifest);
    }

    Result<std::unique_ptr<Push>> begin(const PushId& id) override { return ParquetPush::begin(root_, id); }

    Result<Answer> ask(const duck::Statement& question, const std::optional<std::string>& run) override {
        OPSIGHT_ASSIGN(const std::string sql, written(question, dialect_));
        return answered(sql, run, INT64_MAX);
    }

    // What is no SELECT cannot stand in parentheses: so nothing can be written.
    Result<Answer> free_sql(const std::string& sql, int64_t most) override {
        const size_t end = sql.find_last_not_of("; \t\r\n");
        const std::string own = sql.substr(0, end == std::string::npos ? 0 : end + 1);
        return answered("FROM (" + own + "\n)", {}, most, own);
    }

  private:
    bool is_whole(const Manifest& manifest) const {
        for (const Table& table : tables())
            if (!view_of(table, root_, {manifest})) return false;
        return true;
    }

    // A push may take the place of another between the reading of its manifest and that of its files: then
    // once more.
    Result<Answer> answered(const std::string& sql, const std::optional<std::string>& run, int64_t most,
                            const std::string& own = {}) {
        constexpr int kTries = 3;
        for (int left = kTries; true; --left) {
            auto answer = read(sql, run, most, own);
            if (answer || asker_is_gone() || left == 1 || !is_superseded(run)) return answer;
        }
    }

    bool is_superseded(const std::optional<std::string>& run) const {
        const auto now = read_catalog(root_, run);
        if (!now) return true;
        std::vector<std::string> pushes;
        for (const Manifest& manifest : *now)
            pushes.push_back(manifest.id.push);
        return pushes != read_;
    }

    // `own`: the statement in the parentheses of `sql`, if somebody wrote it.
    Result<Answer> read(const std::string& sql, const std::optional<std::string>& run, int64_t most,
                        const std::string& own) {
        OPSIGHT_ASSIGN(const std::vector<Manifest> runs, read_catalog(root_, run));
        read_.clear();
        for (const Manifest& manifest : runs)
            read_.push_back(manifest.id.push);
        OPSIGHT_ASSIGN(duck::Connection connection, database_.connect());
        const Interruptible while_asked(asker(), connection);
        for (const std::string& name : tables_in(sql)) {
            if (asker_is_gone()) return fail(nobody_waits());
            OPSIGHT_ASSIGN(const std::string view, view_of(*find_table(name), root_, runs));
            OPSIGHT_TRY(named(connection.execute(view)));
        }
        const std::vector<std::string> names =
            own.empty() ? std::vector<std::string>() : names_of(connection, sql, own);
        if (asker_is_gone()) return fail(nobody_waits());
        auto cursor = connection.open_cursor(duck::Statement(sql));
        if (!cursor) return fail(explained(std::move(cursor).error()));
        Answer answer;
        answer.rows.columns = cursor->columns();
        for (size_t i = 0; i < names.size(); ++i)
            answer.rows.columns[i].name = names[i];
        for (bool more = true; more && std::ssize(answer.rows.rows) <= most;) {
            const auto got = cursor->read(answer.rows.rows);
            if (!got) return fail(explained(got.error()));
            more = *got;
        }
        answer.more = std::ssize(answer.rows.rows) > most;
        if (answer.more) answer.rows.rows.resize(static_cast<size_t>(most));
        return answer;
    }

    // Within parentheses columns of one name are numbered: as the statement has them, once it is known to be
    // one that may stand there.
    static std::vector<std::string> names_of(duck::Connection& connection, const std::string& sql,
                                             const std::string& own) {
        const auto numbered = connection.column_names(sql);
        if (!numbered) return {};
        auto names = connection.column_names(own);
        return names && names->size() == numbered->size() ? std::move(*names) : std::vector<std::string>();
    }

    Status named(Status done) const {
        if (done) return done;
        return fail(explained(std::move(done).error()));
    }
    Error explained(Error error) const {
        error.file = name_;
        if (error.remedy.empty()) error.remedy = "'opsight fleet schema' lists the tables and their columns";
        return error;
    }

    std::string name_, root_;
    duck::Database database_;
    DuckDbDialect dialect_;
    std::vector<std::string> read_;  // pushes that the last answer was made of
};

// In memory, for files of anybody: SQL can reach no file outside of the folder, and no setting can be
// changed.
Result<duck::Database> database_of(const std::string& folder) {
    OPSIGHT_ASSIGN(duck::Database database, duck::Database::open(":memory:", {}));
    OPSIGHT_ASSIGN(duck::Connection connection, database.connect());
    OPSIGHT_TRY(connection.execute("SET temp_directory = ''; SET allowed_directories = [" +
                                   duck::quote_text(folder) +
                                   "]; SET enable_external_access = false; SET lock_configuration = true"));
    return database;
}

Status check_mark(const std::string& path) {
    OPSIGHT_ASSIGN(const std::string text, read_small_file(mark_path(path), kLargestMark));
    const auto mark = nlohmann::json::parse(text, nullptr, false);
    const bool ours =
        mark.is_object() && mark.contains("store_version") && mark["store_version"].is_number_integer();
    if (!ours) return fail("is not the mark of a store", mark_path(path), {}, "choose another folder");
    if (const auto version = mark["store_version"].get<int64_t>(); version != kStoreVersion)
        return fail(
            Error{fmt::format("is of version {}; this Opsight reads version {}", version, kStoreVersion),
                  path,
                  {},
                  "use the Opsight that made it",
                  1,
                  ErrorCode::kNewerSchema});
    return {};
}

// What a folder may hold that becomes a store: a disk's own, and the mark that another process writes now.
bool is_of_new_store(const std::string& name) {
    return name == "lost+found" || is_being_written(name, kMark);
}

Status make_store(const std::string& path) {
    std::error_code problem;
    fs::create_directories(path, problem);
    if (problem) return fail("cannot be made: " + problem.message(), path);
    const bool empty =
        std::all_of(fs::directory_iterator(path, problem), fs::directory_iterator(),
                    [](const fs::directory_entry& each) { return is_of_new_store(each.path().filename()); });
    if (problem) return fail("cannot be read: " + problem.message(), path);
    // Another process may make it a store at this moment.
    if (!empty && !is_store(path))
        return fail("is a folder that holds other things, and no store", path, {},
                    "give a new or an empty folder, or one that 'opsight fleet push' has made");
    JsonWriter json;
    json.object([&] { json.field("store_version", kStoreVersion); });
    OPSIGHT_ASSIGN(OutputFile file, OutputFile::create(mark_path(path), true));
    OPSIGHT_TRY(file.write(json.take() + "\n"));
    OPSIGHT_TRY(file.commit());
    for (const char* folder : {"_runs", "_locks", "_staging"})
        fs::create_directories(fs::path(path) / folder, problem);
    if (problem) return fail("cannot be made: " + problem.message(), path);
    return {};
}

}  // namespace

bool is_store(const std::string& path) {
    std::error_code problem;
    return fs::is_regular_file(mark_path(path), problem);
}

Result<std::unique_ptr<Store>> open_folder(const std::string& path, bool to_push) {
    std::error_code problem;
    if (!fs::is_regular_file(mark_path(path), problem) && problem == std::errc::permission_denied)
        return fail("cannot be read: permission denied", path);
    if (!is_store(path)) {
        if (!to_push)
            return fail(Error{fs::exists(path, problem) ? "is not a store: it has no " + std::string(kMark)
                                                        : "no such folder",
                              path,
                              {},
                              "'opsight fleet push RUN --to " + path + "' makes one",
                              1,
                              ErrorCode::kNotFound});
        OPSIGHT_TRY(make_store(path));
    }
    OPSIGHT_TRY(check_mark(path));
    const fs::path root = fs::canonical(path, problem);
    if (problem) return fail("cannot be found: " + problem.message(), path);
    const std::string folder = root.string() == "/" ? "/" : root.string() + "/";
    auto database = database_of(folder);
    if (!database) return fail(std::move(database).error());
    return std::unique_ptr<Store>(std::make_unique<ParquetStore>(path, folder, std::move(*database)));
}

}  // namespace opsight::fleet::parquet
