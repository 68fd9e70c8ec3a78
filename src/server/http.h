// Requests and answers of the viewer's server, free of any library's types.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cancellation_token.h"
#include "base/json_writer.h"
#include "base/result.h"

namespace opsight::server {

struct Request {
    std::string method;                                      // "GET"
    std::string path;                                        // decoded, "/api/v1/profiles"
    std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
    std::map<std::string, std::string> headers;              // names in lower case
    std::string body;
    std::shared_ptr<CancellationToken> cancellation = std::make_shared<CancellationToken>();

    // Empty where there is no such header.
    std::string_view header(const std::string& name) const;
};

struct Response {
    int status = 200;
    std::string type = "application/json";
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers;
    // For bodies of any size: gives the next part until one is empty. Called by one thread at a time.
    std::function<Result<std::string>()> more;
};

// An error with its place in HTTP. An Error of another room that gets here is the client's mistake if it is
// one of usage, else ours.
struct Problem {
    int status = 500;
    std::string code;  // "not_found"
    std::string message, remedy;
    std::string file;  // where the message is about one and goes on from its name: "is empty"

    Problem(int status_, std::string code_, std::string message_, std::string remedy_ = {});
    Problem(const Error& error);  // NOLINT(google-explicit-constructor): lets OPSIGHT_TRY pass errors on
    std::string text() const;     // the message, after the name of its file
};
// What its answer and the list of profiles say of it.
void put_problem(JsonWriter& json, const Problem& problem);
Response to_response(const Problem& problem);
// Of the exception that is being handled.
Problem problem_thrown();

template <class T>
using Expected = tl::expected<T, Problem>;

// Splits "/a%20b?c=d" into path and query; an error where an escape is broken or a byte is none of text.
Status parse_target(std::string_view target, Request& request);

}  // namespace opsight::server

namespace opsight {
inline tl::unexpected<server::Problem> fail(server::Problem problem) {
    return tl::unexpected<server::Problem>(std::move(problem));
}
}  // namespace opsight
