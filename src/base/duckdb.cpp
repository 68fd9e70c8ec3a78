#include "base/duckdb.h"

#include <duckdb.h>

#include <utility>

#include "base/duckdb_cells.h"
#include "base/duckdb_error.h"
#include "base/duckdb_log.h"

namespace opsight::duck {

namespace {

constexpr std::pair<Type, std::string_view> kTypeNames[] = {
    {Type::kBoolean, "BOOLEAN"},   {Type::kTinyint, "TINYINT"},     {Type::kUtinyint, "UTINYINT"},
    {Type::kSmallint, "SMALLINT"}, {Type::kUsmallint, "USMALLINT"}, {Type::kInteger, "INTEGER"},
    {Type::kUinteger, "UINTEGER"}, {Type::kBigint, "BIGINT"},       {Type::kDouble, "DOUBLE"},
    {Type::kVarchar, "VARCHAR"},
};

duckdb_type to_duckdb(Type type) {
    switch (type) {
        case Type::kBoolean:
            return DUCKDB_TYPE_BOOLEAN;
        case Type::kTinyint:
            return DUCKDB_TYPE_TINYINT;
        case Type::kUtinyint:
            return DUCKDB_TYPE_UTINYINT;
        case Type::kSmallint:
            return DUCKDB_TYPE_SMALLINT;
        case Type::kUsmallint:
            return DUCKDB_TYPE_USMALLINT;
        case Type::kInteger:
            return DUCKDB_TYPE_INTEGER;
        case Type::kUinteger:
            return DUCKDB_TYPE_UINTEGER;
        case Type::kBigint:
            return DUCKDB_TYPE_BIGINT;
        case Type::kDouble:
            return DUCKDB_TYPE_DOUBLE;
        case Type::kVarchar:
            return DUCKDB_TYPE_VARCHAR;
    }
    return DUCKDB_TYPE_INVALID;
}

struct ResultGuard {
    duckdb_result result{};
    ResultGuard() = default;
    ResultGuard(const ResultGuard&) = delete;
    ResultGuard& operator=(const ResultGuard&) = delete;
    ~ResultGuard() { duckdb_destroy_result(&result); }
};

struct StatementGuard {
    duckdb_prepared_statement statement = nullptr;
    StatementGuard() = default;
    StatementGuard(const StatementGuard&) = delete;
    StatementGuard& operator=(const StatementGuard&) = delete;
    ~StatementGuard() { duckdb_destroy_prepare(&statement); }
};

Status prepare(duckdb_connection connection, const Statement& statement, StatementGuard& guard) {
    duckdb_prepared_statement& prepared = guard.statement;
    if (duckdb_prepare(connection, statement.written().c_str(), &prepared) == DuckDBError)
        return fail(duckdb_error(duckdb_prepare_error(prepared)));
    return {};
}

}  // namespace

std::string_view type_name(Type type) {
    for (const auto& [known, name] : kTypeNames)
        if (known == type) return name;
    return "VARCHAR";
}

struct Database::Handle {
    duckdb_database database = nullptr;
    bool attached = false;  // names are looked up in the attached file
    ~Handle() { duckdb_close(&database); }
};
struct Connection::Handle {
    duckdb_connection connection = nullptr;
    // How many statements were begun. Each ends what a cursor has not read yet, without a word from DuckDB.
    std::shared_ptr<int64_t> begun = std::make_shared<int64_t>(0);
    ~Handle() { duckdb_disconnect(&connection); }
    duckdb_connection begin() {
        ++*begun;
        return connection;
    }
};
struct Appender::Handle {
    duckdb_appender appender = nullptr;
    duckdb_data_chunk chunk = nullptr;
    std::string table;
    std::shared_ptr<int64_t> begun;  // of the connection
    Handle() = default;
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        duckdb_destroy_data_chunk(&chunk);
        duckdb_appender_destroy(&appender);
    }
    Error error() const {
        const char* text = duckdb_appender_error(appender);
        Error error = duckdb_error(text);
        error.what = "cannot append to table " + table + ": " + error.what;
        return error;
    }
};

Database::Database(std::shared_ptr<Handle> handle) : handle_(std::move(handle)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

namespace {

struct Configuration {
    duckdb_config config = nullptr;
    Configuration() = default;
    Configuration(const Configuration&) = delete;
    ~Configuration() { duckdb_destroy_config(&config); }
    void set(const char* name, const std::string& value) { duckdb_set_config(config, name, value.c_str()); }
};

}  // namespace

Result<std::shared_ptr<Database::Handle>> Database::make(const std::string& path,
                                                         const OpenOptions& options) {
    Configuration how;
    if (duckdb_create_config(&how.config) == DuckDBError) return fail("DuckDB gives no configuration", path);
    how.set("access_mode", options.read_only ? "READ_ONLY" : "READ_WRITE");
    how.set("autoinstall_known_extensions", "false");
    how.set("autoload_known_extensions", "false");
    // How many rows a join by the last time before will have is guessed, and where few are it compares every
    // one with all of the other side: that took minutes where the guess was wrong (docs/decisions/0028).
    how.set("asof_loop_join_threshold", "0");
    if (options.threads > 0) how.set("threads", std::to_string(options.threads));
    if (options.block_bytes > 0) how.set("default_block_size", std::to_string(options.block_bytes));
    if (options.memory_limit_bytes > 0)
        how.set("memory_limit", std::to_string(options.memory_limit_bytes / 1024) + "KiB");
    auto handle = std::make_shared<Handle>();
    char* problem = nullptr;
    if (duckdb_open_ext(path.c_str(), &handle->database, how.config, &problem) == DuckDBError) {
        Error error = duckdb_error(problem ? problem : "DuckDB cannot open the file");
        error.file = path;
        duckdb_free(problem);
        return fail(std::move(error));
    }
    return handle;
}

Result<Database> Database::open(const std::string& path, const OpenOptions& options) {
    OPSIGHT_ASSIGN(std::shared_ptr<Handle> handle, make(path, options));
    return Database(std::move(handle));
}

// What a file brings with it (a log of changes, too) is read only after all doors are shut.
Result<Database> Database::attach(const std::string& path, const OpenOptions& options, const Check& check) {
    OPSIGHT_TRY(check_log(path));
    OpenOptions memory = options;
    memory.read_only = false;
    OPSIGHT_ASSIGN(std::shared_ptr<Handle> handle, make(":memory:", memory));
    Database database(handle);
    OPSIGHT_ASSIGN(Connection connection, database.connect());
    OPSIGHT_TRY(
        connection.execute("SET temp_directory = " + quote_text(path + ".tmp") + "; SET allowed_paths = [" +
                           quote_text(path) + ", " + quote_text(log_beside(path)) + "]" +
                           (options.write_folder.empty()
                                ? std::string()
                                : "; SET allowed_directories = [" + quote_text(options.write_folder) + "]") +
                           "; SET enable_external_access = false; SET lock_configuration = true"));
    OPSIGHT_TRY(connection.execute("ATTACH " + quote_text(path) + " AS " + kAttached +
                                   (options.read_only ? " (READ_ONLY)" : "")));
    OPSIGHT_TRY(check(database, connection));
    handle->attached = true;
    return database;
}

Result<Connection> Database::connect() const {
    auto handle = std::make_unique<Connection::Handle>();
    if (duckdb_connect(handle_->database, &handle->connection) == DuckDBError)
        return fail("DuckDB refuses a connection");
    Connection connection(std::move(handle));
    if (handle_->attached) OPSIGHT_TRY(connection.execute(std::string("USE ") + kAttached));
    return connection;
}

Connection::Connection(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;
Connection::~Connection() = default;

Status Connection::execute(const std::string& sql) {
    ResultGuard guard;
    if (duckdb_query(handle_->begin(), sql.c_str(), &guard.result) == DuckDBError) {
        return fail(duckdb_error(duckdb_result_error(&guard.result)));
    }
    return {};
}

namespace {

using Function = std::function<int64_t(int64_t, int64_t)>;

// DuckDB hands over flat vectors, and sees to NULL itself.
void call_function(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    const Function& function = *static_cast<const Function*>(duckdb_scalar_function_get_extra_info(info));
    const auto column = [&](idx_t index) {
        return static_cast<const int64_t*>(
            duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, index)));
    };
    const int64_t *first = column(0), *second = column(1);
    auto* out = static_cast<int64_t*>(duckdb_vector_get_data(output));
    for (idx_t i = 0; i < duckdb_data_chunk_get_size(input); ++i)
        out[i] = function(first[i], second[i]);
}

}  // namespace

Status Connection::add_function(const std::string& name, Function function) {
    duckdb_scalar_function made = duckdb_create_scalar_function();
    duckdb_logical_type bigint = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
    duckdb_scalar_function_set_name(made, name.c_str());
    duckdb_scalar_function_add_parameter(made, bigint);
    duckdb_scalar_function_add_parameter(made, bigint);
    duckdb_scalar_function_set_return_type(made, bigint);
    duckdb_scalar_function_set_extra_info(made, new Function(std::move(function)),
                                          [](void* owned) { delete static_cast<Function*>(owned); });
    duckdb_scalar_function_set_function(made, &call_function);
    const duckdb_state state = duckdb_register_scalar_function(handle_->begin(), made);
    duckdb_destroy_logical_type(&bigint);
    duckdb_destroy_scalar_function(&made);
    if (state == DuckDBError) return fail("DuckDB does not take the function " + name);
    return {};
}

struct Cursor::Handle {
    StatementGuard prepared;
    ResultGuard answer;
    std::vector<duckdb_type> types;
    bool streaming = false;
    std::shared_ptr<const int64_t> begun;  // of the connection
    int64_t own = 0;                       // the statement that it reads from
};

Cursor::Cursor(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Cursor::Cursor(Cursor&&) noexcept = default;
Cursor& Cursor::operator=(Cursor&&) noexcept = default;
Cursor::~Cursor() = default;

Result<bool> Cursor::read(std::vector<std::vector<Cell>>& rows) {
    if (handle_->streaming && *handle_->begun != handle_->own)
        return fail("rows were lost: another statement ran on the connection that they were read from");
    duckdb_data_chunk chunk = duckdb_fetch_chunk(handle_->answer.result);
    if (!chunk) {
        const char* problem = handle_->streaming ? duckdb_result_error(&handle_->answer.result) : nullptr;
        if (problem && *problem) return fail(duckdb_error(problem));
        return false;
    }
    append_chunk(rows, handle_->types, chunk);
    duckdb_destroy_data_chunk(&chunk);
    return true;
}

Result<Cursor> Connection::start(const Statement& statement, bool streaming) {
    auto handle = std::make_unique<Cursor::Handle>();
    OPSIGHT_TRY(prepare(handle_->begin(), statement, handle->prepared));
    duckdb_prepared_statement& prepared = handle->prepared.statement;
    duckdb_result& result = handle->answer.result;
    handle->streaming = streaming;
    handle->begun = handle_->begun;
    handle->own = *handle_->begun;
    const duckdb_state state = streaming ? duckdb_execute_prepared_streaming(prepared, &result)
                                         : duckdb_execute_prepared(prepared, &result);
    if (state == DuckDBError) {
        return fail(duckdb_error(duckdb_result_error(&result)));
    }
    std::vector<ResultColumn> columns;
    std::string casts;
    for (idx_t i = 0; i < duckdb_column_count(&result); ++i) {
        const duckdb_type type = duckdb_column_type(&result, i);
        const std::string name = duckdb_column_name(&result, i);
        if (!readable(type)) {
            const std::string_view as = type == DUCKDB_TYPE_DECIMAL ? " AS DOUBLE" : " AS VARCHAR";
            casts += (casts.empty() ? "" : ", ") + ("CAST(" + quote_name(name)) + std::string(as) + ") AS " +
                     quote_name(name);
        }
        handle->types.push_back(type);
        columns.push_back({name, cell_type(type)});
    }
    if (!casts.empty()) {  // dates, lists, structs: DuckDB turns them into text, decimals into DOUBLE
        handle.reset();    // a statement that streams would hold its connection
        Statement cast = statement;
        const size_t end = cast.text.find_last_not_of("; \t\r\n");
        cast.text = "SELECT * REPLACE (" + casts + ") FROM (" + cast.text.substr(0, end + 1) + "\n)";
        return start(cast, streaming);
    }
    Cursor cursor(std::move(handle));
    cursor.columns_ = std::move(columns);
    return cursor;
}

Result<Rows> Connection::query(const Statement& statement) {
    OPSIGHT_ASSIGN(Cursor cursor, start(statement, false));
    Rows out{cursor.columns(), {}};
    while (true) {
        OPSIGHT_ASSIGN(const bool more, cursor.read(out.rows));
        if (!more) return out;
    }
}

Result<std::vector<std::string>> Connection::column_names(const std::string& sql) {
    StatementGuard prepared;
    OPSIGHT_TRY(prepare(handle_->begin(), Statement(sql), prepared));
    std::vector<std::string> names;
    for (idx_t i = 0; i < duckdb_prepared_statement_column_count(prepared.statement); ++i) {
        const char* name = duckdb_prepared_statement_column_name(prepared.statement, i);
        names.emplace_back(name);
        duckdb_free(const_cast<char*>(name));
    }
    return names;
}

Result<Cursor> Connection::open_cursor(const Statement& statement) {
    return start(statement, true);
}

void Connection::interrupt() {
    duckdb_interrupt(handle_->connection);
}

Status Connection::scan(const Statement& statement, const std::function<void(const Batch&)>& take) {
    StatementGuard prepared;
    OPSIGHT_TRY(prepare(handle_->begin(), statement, prepared));
    ResultGuard guard;
    if (duckdb_execute_prepared_streaming(prepared.statement, &guard.result) == DuckDBError) {
        return fail(duckdb_error(duckdb_result_error(&guard.result)));
    }
    Batch batch;
    batch.data_.resize(duckdb_column_count(&guard.result));
    batch.valid_.resize(batch.data_.size());
    while (duckdb_data_chunk chunk = duckdb_fetch_chunk(guard.result)) {
        batch.size_ = duckdb_data_chunk_get_size(chunk);
        for (size_t i = 0; i < batch.data_.size(); ++i) {
            duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, i);
            batch.data_[i] = duckdb_vector_get_data(vector);
            batch.valid_[i] = duckdb_vector_get_validity(vector);
        }
        take(batch);
        duckdb_destroy_data_chunk(&chunk);
    }
    const char* problem = duckdb_result_error(&guard.result);
    if (problem && *problem) return fail(duckdb_error(problem));
    return {};
}

Appender::Appender(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Appender::Appender(Appender&&) noexcept = default;
Appender& Appender::operator=(Appender&&) noexcept = default;
Appender::~Appender() = default;

Result<Appender> Appender::create(Connection& connection, const std::string& schema, const std::string& table,
                                  const std::vector<Type>& types) {
    auto handle = std::make_unique<Handle>();
    handle->table = table;
    handle->begun = connection.handle_->begun;
    // "temp" is the catalog of temporary tables.
    const bool temporary = schema == "temp";
    if (duckdb_appender_create_ext(connection.handle_->begin(), temporary ? "temp" : nullptr,
                                   temporary ? "main" : schema.c_str(), table.c_str(),
                                   &handle->appender) == DuckDBError)
        return fail(handle->error());
    std::vector<duckdb_logical_type> logical;
    for (const Type type : types)
        logical.push_back(duckdb_create_logical_type(to_duckdb(type)));
    handle->chunk = duckdb_create_data_chunk(logical.data(), logical.size());
    for (duckdb_logical_type& type : logical)
        duckdb_destroy_logical_type(&type);
    Appender appender(std::move(handle));
    appender.data_.resize(types.size());
    appender.refresh();
    return appender;
}

void Appender::refresh() {
    for (size_t i = 0; i < data_.size(); ++i)
        data_[i] = duckdb_vector_get_data(duckdb_data_chunk_get_vector(handle_->chunk, i));
}

void Appender::set_text(size_t column, size_t row, std::string_view text) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(handle_->chunk, column);
    duckdb_vector_assign_string_element_len(vector, row, text.data(), text.size());
}

Status Appender::add(size_t rows) {
    ++*handle_->begun;
    duckdb_data_chunk_set_size(handle_->chunk, rows);
    if (duckdb_append_data_chunk(handle_->appender, handle_->chunk) == DuckDBError)
        return fail(handle_->error());
    duckdb_data_chunk_reset(handle_->chunk);
    refresh();
    return {};
}

Status Appender::close() {
    ++*handle_->begun;
    if (duckdb_appender_close(handle_->appender) == DuckDBError) return fail(handle_->error());
    return {};
}

}  // namespace opsight::duck
