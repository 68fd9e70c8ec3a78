#include "server/http.h"

#include <exception>
#include <new>

#include "base/utf8.h"

namespace opsight::server {
namespace {

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool is_text(std::string_view bytes) {
    while (!bytes.empty()) {
        const Utf8Step step = read_utf8(bytes);
        if (!step.valid || step.code == 0) return false;
        bytes.remove_prefix(step.bytes);
    }
    return true;
}

Result<std::string> decoded(std::string_view text, bool plus_is_blank) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
            const int low = high >= 0 ? digit_of(text[i + 2]) : -1;
            if (low < 0) return fail("the URL has a broken escape");
            out += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            out += plus_is_blank && text[i] == '+' ? ' ' : text[i];
        }
    }
    if (!is_text(out)) return fail("the URL is not text in UTF-8");
    return out;
}

int status_of(const Error& error) {
    if (error.code == ErrorCode::kNotFound) return 404;
    return error.exit_code == 2 ? 400 : 500;
}

const char* code_of(const Error& error) {
    switch (error.code) {
        case ErrorCode::kNotFound:
            return "not_found";
        case ErrorCode::kNotAProfile:
            return "not_a_profile";
        case ErrorCode::kNewerSchema:
            return "newer_schema";
        case ErrorCode::kOlderSchema:
            return "older_schema";
        case ErrorCode::kWrongSort:
            return "wrong_sort";
        case ErrorCode::kWrongFilter:
            return "wrong_filter";
        case ErrorCode::kOther:
        case ErrorCode::kLocked:
        case ErrorCode::kNoSpace:
            break;
    }
    return error.exit_code == 2 ? "bad_request" : "failed";
}

}  // namespace

std::string_view Request::header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

Problem::Problem(int status_, std::string code_, std::string message_, std::string remedy_)
    : status(status_), code(std::move(code_)), message(std::move(message_)), remedy(std::move(remedy_)) {}

Problem::Problem(const Error& error)
    : status(status_of(error)), code(code_of(error)), message(error.what), remedy(error.remedy) {}

std::string Problem::text() const {
    return file.empty() ? message : file + " " + message;
}

void put_problem(JsonWriter& json, const Problem& problem) {
    json.object([&] {
        json.field("code", problem.code).field("message", problem.text()).field("remedy", problem.remedy);
    });
}

Response to_response(const Problem& problem) {
    JsonWriter json;
    json.object([&] { put_problem(json.key("error"), problem); });
    Response response;
    response.status = problem.status;
    response.body = json.take();
    return response;
}

Problem problem_thrown() {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return {500, "out_of_memory", "there is not enough memory for this answer",
                "ask for less at once, or close other programs"};
    } catch (const std::exception& problem) {
        return {500, "internal", std::string("this cannot be answered: ") + problem.what(),
                "the profile may be damaged: import the trace again"};
    } catch (...) {
        return {500, "internal", "this cannot be answered",
                "the profile may be damaged: import the trace again"};
    }
}

Status parse_target(std::string_view target, Request& request) {
    const size_t mark = target.find('?');
    OPSIGHT_ASSIGN(request.path, decoded(target.substr(0, mark), false));
    if (mark == std::string_view::npos) return {};
    std::string_view rest = target.substr(mark + 1);
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        if (part.empty()) continue;
        const size_t equals = part.find('=');
        OPSIGHT_ASSIGN(std::string name, decoded(part.substr(0, equals), true));
        OPSIGHT_ASSIGN(std::string value,
                       decoded(equals == part.npos ? std::string_view() : part.substr(equals + 1), true));
        request.query.emplace_back(std::move(name), std::move(value));
    }
    return {};
}

}  // namespace opsight::server
