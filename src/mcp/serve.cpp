#include "mcp/serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <new>

#include "base/periodic_task.h"
#include "base/task_group.h"
#include "mcp/message.h"

namespace opsight::mcp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLongestLine = size_t{1} << 20, kMostWaiting = 64;
constexpr double kLookEvery_s = 0.05;
// The newest comes first: it is offered to who asks for one that we do not know.
constexpr std::string_view kVersions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

constexpr const char* kInstructions =
    "Recorded runs of deep-learning programs. Ask 'summary' and 'findings' first, then 'top' for ops, "
    "kernels and "
    "layers, 'timeline' for a moment, 'sql' for what no other tool answers. Times are nanoseconds. null is "
    "what the "
    "recording does not tell, which is not 0; NAME_left_out counts rows that did not fit.";

// A line of the input, without its end.
enum class Read : uint8_t { kLine, kTooLong, kEnd };
Read read_text(std::istream& in, std::string& line) {
    line.clear();
    bool too_long = false;
    int c = 0;
    while ((c = in.rdbuf()->sbumpc()) != EOF && c != '\n') {
        if (line.size() < kLongestLine)
            line += static_cast<char>(c);
        else
            too_long = true;
    }
    if (too_long) return Read::kTooLong;
    return c == EOF && line.empty() ? Read::kEnd : Read::kLine;
}

std::string tool_result(std::string_view text, bool failed) {
    JsonWriter json;
    json.object([&] {
        json.list("content", [&] { json.object([&] { json.field("type", "text").field("text", text); }); });
        json.field("isError", failed);
    });
    return json.take();
}

// Answers one client.
class Server {
  public:
    explicit Server(const Serving& serving)
        : serving_(serving), tools_(make_tools(serving.files)), desk_(serving.files) {}
    Status run();

  private:
    // A call that runs, or that waits to.
    struct Asked {
        std::string id;
        std::shared_ptr<CancellationToken> token = std::make_shared<CancellationToken>();
        Clock::time_point until = Clock::time_point::max();
        bool late = false;
    };

    void read();
    void take(Line line);
    void work();
    void look();
    void withdraw(const nlohmann::json& params);
    void forget(const std::string& id);
    std::string answer(const Message& message);
    std::string initialize(const Message& message) const;
    std::string list(const Message& message) const;
    std::string call(const Message& message);
    std::string answer_of(const Tool& tool, const Message& message);
    void put(std::string text);

    const Serving& serving_;
    const std::vector<Tool> tools_;
    Desk desk_;
    std::mutex mutex_, output_;
    std::condition_variable wake_;
    std::deque<Line> waiting_;
    std::vector<std::string> pending_, withdrawn_;  // ids of calls that are not answered; of these
    std::optional<Asked> running_;
    bool ended_ = false;
    Status written_;
};

void Server::put(std::string text) {
    if (text.empty()) return;
    text += '\n';
    const std::lock_guard lock(output_);
    if (written_) written_ = serving_.print(text);
}

Status Server::run() {
    {
        TaskGroup beside;
        PeriodicTask watch(kLookEvery_s, [this] { look(); });
        if (!beside.start_beside([this] { work(); })) return fail("the system gives no thread to work on");
        read();
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        wake_.notify_one();
        beside.join();
    }
    return written_;
}

void Server::read() {
    std::string text;
    for (Read got = Read::kLine; (got = read_text(serving_.in, text)) != Read::kEnd;) {
        if (got == Read::kTooLong)
            put(error_text("null", Fault::kRequest,
                           fmt::format("a line has at most {} bytes", kLongestLine)));
        else if (text.find_first_not_of(" \t\r") != std::string::npos)
            take(read_line(text));
        const std::lock_guard lock(output_);
        if (!written_) return;
    }
}

// What takes no time is answered here, calls of tools by the other thread.
void Server::take(Line line) {
    bool quick = !line.batch;
    for (const Message& each : line.messages) {
        if (each.method == "notifications/cancelled") withdraw(each.params);
        quick = quick && (each.fault != Fault::kNone || each.method != "tools/call");
    }
    if (quick) return put(answer(line.messages.front()));
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() < kMostWaiting) {
            for (const Message& each : line.messages)
                if (each.is_request()) pending_.push_back(each.id);
            waiting_.push_back(std::move(line));
            wake_.notify_one();
            return;
        }
    }
    for (const Message& each : line.messages)
        if (each.is_request())
            put(error_text(each.id, Fault::kInternal,
                           fmt::format("{} questions wait already", kMostWaiting)));
}

void Server::withdraw(const nlohmann::json& params) {
    const auto id = params.find("requestId");
    if (id == params.end()) return;
    const std::lock_guard lock(mutex_);
    if (running_ && running_->id == id->dump())
        running_->token->cancel();
    else if (std::find(pending_.begin(), pending_.end(), id->dump()) != pending_.end())
        withdrawn_.push_back(id->dump());
}

void Server::look() {
    const std::lock_guard lock(mutex_);
    if (!running_) return;
    running_->late = running_->late || Clock::now() > running_->until;
    // Again and again: an interrupt that falls between two statements is lost.
    if (running_->late || running_->token->cancelled()) running_->token->cancel();
}

void Server::work() {
    for (;;) {
        Line line;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            line = std::move(waiting_.front());
            waiting_.pop_front();
        }
        std::string answers;
        for (const Message& each : line.messages) {
            const std::string text = answer(each);
            forget(each.id);
            if (!text.empty()) answers += (answers.empty() ? "" : ",") + text;
        }
        put(line.batch && !answers.empty() ? "[" + answers + "]" : answers);
    }
}

void Server::forget(const std::string& id) {
    const std::lock_guard lock(mutex_);
    if (const auto found = std::find(pending_.begin(), pending_.end(), id); found != pending_.end())
        pending_.erase(found);
    std::erase(withdrawn_, id);
}

std::string Server::answer(const Message& message) {
    if (message.fault != Fault::kNone) return error_text(message.id, message.fault, message.problem);
    if (!message.is_request()) return {};
    if (message.method == "initialize") return initialize(message);
    if (message.method == "ping") return result_text(message.id, "{}");
    if (message.method == "tools/list") return list(message);
    if (message.method == "tools/call") return call(message);
    return error_text(message.id, Fault::kMethod,
                      fmt::format("there is no method '{}'", message.method.substr(0, 100)));
}

std::string Server::initialize(const Message& message) const {
    const auto wanted = message.params.find("protocolVersion");
    if (wanted == message.params.end() || !wanted->is_string())
        return error_text(message.id, Fault::kParameters, "'protocolVersion' must be a text");
    std::string_view version = kVersions[0];
    for (const std::string_view known : kVersions)
        if (known == wanted->get_ref<const std::string&>()) version = known;
    JsonWriter json;
    json.object([&] {
        json.field("protocolVersion", version);
        json.object("capabilities", [&] { json.object("tools", [] {}); });
        json.object("serverInfo", [&] {
            json.field("name", "opsight").field("title", "Opsight").field("version", OPSIGHT_VERSION);
        });
        json.field("instructions", kInstructions);
    });
    return result_text(message.id, json.take());
}

std::string Server::list(const Message& message) const {
    if (message.params.contains("cursor"))
        return error_text(message.id, Fault::kParameters,
                          "there is no such 'cursor': all tools are on one page");
    JsonWriter json;
    json.object([&] {
        json.list("tools", [&] {
            for (const Tool& each : tools_)
                json.object([&] { put_tool(json, each); });
        });
    });
    return result_text(message.id, json.take());
}

std::string Server::call(const Message& message) {
    const auto name = message.params.find("name");
    if (name == message.params.end() || !name->is_string())
        return error_text(message.id, Fault::kParameters, "'name' must be that of a tool");
    for (const Tool& tool : tools_)
        if (tool.name == name->get_ref<const std::string&>()) return answer_of(tool, message);
    return error_text(message.id, Fault::kParameters,
                      fmt::format("there is no tool '{}'", name->get<std::string>().substr(0, 100)));
}

std::string Server::answer_of(const Tool& tool, const Message& message) {
    Asked asked{.id = message.id};
    asked.until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(serving_.time_limit_s));
    desk_.serve(asked.token);
    {
        const std::lock_guard lock(mutex_);
        if (std::erase(withdrawn_, message.id) > 0) return {};
        running_ = asked;
    }
    Result<std::string> made = fail("memory is short");
    try {
        const auto given = message.params.find("arguments");
        const bool none = given == message.params.end() || given->is_null();
        const auto arguments =
            none || given->is_object()
                ? Arguments::read(none ? nlohmann::json::object() : *given, tool.parameters)
                : Result<Arguments>(fail("'arguments' must be an object"));
        made = arguments ? tool.call(desk_, *arguments) : Result<std::string>(fail(arguments.error()));
    } catch (const std::bad_alloc&) {
        // As it stands.
    } catch (const std::exception& problem) {
        made = fail(fmt::format("internal error: {}", problem.what()));
    }
    const std::lock_guard lock(mutex_);
    const bool late = running_->late, withdrawn = !late && asked.token->cancelled();
    running_.reset();
    if (withdrawn) return {};
    if (made) return result_text(message.id, tool_result(*made, false));
    if (late)
        made =
            fail(Error{.what = fmt::format("the answer would take longer than {:g} s", serving_.time_limit_s),
                       .remedy = "ask for less: fewer iterations, a smaller window, a simpler statement"});
    return result_text(message.id, tool_result(made.error().message(), true));
}

}  // namespace

Status serve(const Serving& serving) {
    return Server(serving).run();
}

}  // namespace opsight::mcp
