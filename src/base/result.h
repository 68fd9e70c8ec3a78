// Result<T>: a value or an Error. Rooms hand each other Results; exceptions stay inside a room.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace opsight {

// What programs decide by; what people read is in the words.
enum class ErrorCode : uint8_t {
    kOther,
    kNotFound,     // what was asked for is not there
    kNotAProfile,  // the file is something else
    kNewerSchema,  // written by a newer Opsight, or by a newer DuckDB than ours
    kOlderSchema,  // written by an Opsight so old that this one does not read it
    kLocked,       // another process writes the file
    kNoSpace,      // the disk, or the user's share of it, is full
    kWrongSort,    // a table has no such order
    kWrongFilter,  // a table has no such column to filter by, or it cannot hold that value
};

// What a user needs to act on a failure. Every field but `what` may be empty.
struct Error {
    std::string what;    // what went wrong and what was expected
    std::string file;    // the file it happened in
    std::string place;   // where in it: "byte 1234", "row 7", "line 3"
    std::string remedy;  // what to do about it
    int exit_code = 1;   // 1: the task failed, 2: the command was used wrongly
    ErrorCode code = ErrorCode::kOther;

    // "FILE: PLACE: WHAT (REMEDY)", leaving out what is empty.
    std::string message() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}
inline tl::unexpected<Error> fail(std::string what, std::string file = {}, std::string place = {},
                                  std::string remedy = {}) {
    return fail(Error{std::move(what), std::move(file), std::move(place), std::move(remedy)});
}

// Returns the error of a Result to the caller, or goes on.
#define OPSIGHT_TRY(expression)                                    \
    do {                                                           \
        if (auto try_result = (expression); !try_result)           \
            return ::opsight::fail(std::move(try_result).error()); \
    } while (false)
#define OPSIGHT_CONCAT_(a, b) a##b
#define OPSIGHT_CONCAT(a, b) OPSIGHT_CONCAT_(a, b)
// OPSIGHT_ASSIGN(auto x, f()): the value of f(), or its error to the caller.
#define OPSIGHT_ASSIGN(target, expression) \
    OPSIGHT_ASSIGN_(OPSIGHT_CONCAT(assign_result_, __LINE__), target, expression)
#define OPSIGHT_ASSIGN_(name, target, expression)               \
    auto name = (expression);                                   \
    if (!name) return ::opsight::fail(std::move(name).error()); \
    target = std::move(*name)

}  // namespace opsight
