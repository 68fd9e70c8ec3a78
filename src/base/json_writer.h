// JsonWriter: JSON as a stream of objects, lists and values; the only place that writes it (see
// docs/decisions/0020). Whole numbers are exact, doubles have the fewest digits that give them back, and what
// JSON has no word for (NaN, infinity) is null. Bytes that are not UTF-8 become U+FFFD.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace opsight {

class JsonWriter {
  public:
    // On one line, or with `indent` blanks for each level.
    explicit JsonWriter(unsigned indent = 0);
    ~JsonWriter();
    JsonWriter(JsonWriter&&) noexcept;
    JsonWriter& operator=(JsonWriter&&) noexcept;

    // `body` writes what is inside.
    template <class Body>
    JsonWriter& object(Body&& body) {
        begin_object();
        body();
        return end_object();
    }
    template <class Body>
    JsonWriter& list(Body&& body) {
        begin_list();
        body();
        return end_list();
    }
    template <class Body>
    JsonWriter& object(std::string_view name, Body&& body) {
        return key(name).object(std::forward<Body>(body));
    }
    template <class Body>
    JsonWriter& list(std::string_view name, Body&& body) {
        return key(name).list(std::forward<Body>(body));
    }
    JsonWriter& begin_object();
    JsonWriter& end_object();
    JsonWriter& begin_list();
    JsonWriter& end_list();

    JsonWriter& key(std::string_view name);
    template <class T>
    JsonWriter& field(std::string_view name, const T& what) {
        return key(name).value(what);
    }

    // A number, text, bool, nullptr, an optional of these (null where empty), or a range of them.
    template <class T>
    JsonWriter& value(const T& what) {
        if constexpr (std::is_same_v<T, std::nullptr_t> || std::is_same_v<T, std::nullopt_t>) {
            return null();
        } else if constexpr (std::is_same_v<T, bool>) {
            return boolean(what);
        } else if constexpr (std::signed_integral<T>) {
            return whole(what);
        } else if constexpr (std::unsigned_integral<T>) {
            return positive(what);
        } else if constexpr (std::floating_point<T>) {
            return real(what);
        } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
            return text(what);
        } else if constexpr (requires { what.has_value(); }) {
            return what ? value(*what) : null();
        } else {
            begin_list();
            for (const auto& each : what)
                value(static_cast<const std::ranges::range_value_t<T>&>(each));
            return end_list();
        }
    }
    // JSON that was written elsewhere, as it is.
    JsonWriter& raw(std::string_view json);

    // What comes next, also an end, stands on a line of its own after `blanks`. For lists of rows.
    JsonWriter& line(unsigned blanks = 0);

    // What was written since the last time; the stream may go on.
    std::string take();

  private:
    JsonWriter& null();
    JsonWriter& boolean(bool what);
    JsonWriter& whole(int64_t what);
    JsonWriter& positive(uint64_t what);
    JsonWriter& real(double what);
    JsonWriter& text(std::string_view what);

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace opsight
