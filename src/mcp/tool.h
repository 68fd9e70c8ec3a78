// A tool that a client of the Model Context Protocol may call: what it is told of it, and its work. One file
// for each group of them; tools.cpp lists them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation_token.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "query/session/session.h"
#include "query/timeline/timeline.h"

namespace opsight::mcp {

// A file that was named on the command line; nothing else can be asked.
struct Given {
    std::string name;  // by which clients call it: no path
    std::string path;
};
struct Files {
    std::vector<Given> runs;    // profiles
    std::vector<Given> models;  // networks for `estimate`
};

struct Parameter {
    enum class Kind : uint8_t { kText, kWhole, kYesNo };
    std::string name, description;
    Kind kind = Kind::kText;
    bool needed = false;
    std::vector<std::string> choices = {};  // of a text; empty: any
    int64_t least = 0, most = INT64_MAX;    // of a whole number
};

// The arguments of one call, which have the types and limits that the parameters tell.
class Arguments {
  public:
    // The error says which is wrong, and what would be right.
    static Result<Arguments> read(const nlohmann::json& given, const std::vector<Parameter>& parameters);
    std::string text(std::string_view name, std::string_view otherwise = {}) const;
    std::optional<int64_t> number(std::string_view name) const;
    int64_t number(std::string_view name, int64_t otherwise) const {
        return number(name).value_or(otherwise);
    }
    bool flag(std::string_view name) const;

  private:
    std::map<std::string, nlohmann::json, std::less<>> values_;
};

// What a call works with.
class Desk {
  public:
    explicit Desk(const Files& files) : files_(files) {}
    const Files& files() const { return files_; }
    // The run or model of that name; without a name the only one, or the first.
    const Given& run(const std::string& name) const { return named(files_.runs, name); }
    const Given& model(const std::string& name) const { return named(files_.models, name); }
    void serve(std::shared_ptr<CancellationToken> token) { token_ = std::move(token); }
    CancellationToken& token() const { return *token_; }
    // Opened for the one question, so that a file that was written anew is read anew. It stops with the
    // token.
    Result<query::Session> open(const Given& run, const query::RangeOptions& range) const;
    // The last one stays in memory until its file changes.
    Result<const query::Timeline*> timeline(const Given& run);

  private:
    static const Given& named(const std::vector<Given>& files, const std::string& name);
    const Files& files_;
    std::shared_ptr<CancellationToken> token_ = std::make_shared<CancellationToken>();
    std::string timeline_of_;  // path, size and time of its file
    std::optional<query::Timeline> timeline_;
};

// What interrupts the work under way, as long as this stands.
class Interruptible {
  public:
    template <class Work>
    Interruptible(const Desk& desk, Work& work) : token_(desk.token()) {
        token_.set_interrupt([&work] { work.interrupt(); });
    }
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;
    ~Interruptible() { token_.set_interrupt({}); }

  private:
    CancellationToken& token_;
};

struct Tool {
    std::string name, title, description;
    std::vector<Parameter> parameters;
    // The answer, as JSON.
    Result<std::string> (*call)(Desk& desk, const Arguments& arguments);
};

// Those that the files allow: `compare` needs two runs, `estimate` a model.
std::vector<Tool> make_tools(const Files& files);
// {"name", "title", "description", "inputSchema", "annotations"}
void put_tool(JsonWriter& json, const Tool& tool);

// Parameters that several tools take.
Parameter run_parameter(const Files& files, std::string name = "run", bool needed = false);
Parameter limit_parameter(int64_t otherwise, int64_t most);
// The first and last iteration.
void add_range(std::vector<Parameter>& parameters);
query::RangeOptions range_of(const Arguments& arguments);

// The groups, one file each.
std::vector<Tool> report_tools(const Files& files);
std::vector<Tool> sql_tools(const Files& files);
std::vector<Tool> timeline_tools(const Files& files);
std::vector<Tool> compare_tools(const Files& files);
std::vector<Tool> estimate_tools(const Files& files);

}  // namespace opsight::mcp
