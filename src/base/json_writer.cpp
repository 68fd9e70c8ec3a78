#include "base/json_writer.h"

#include <fmt/format.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/utf8.h"

namespace opsight {
namespace {

// Where RapidJSON writes to. It asks for room once for each value, and puts commas one by one.
class Text {
  public:
    using Ch = char;

    void Put(char c) {
        const bool breaks = breaks_ && c != ',' && c != ':';
        make_room(1);
        if (breaks) break_line();
        *at_++ = c;
    }
    void reserve(size_t bytes) {
        make_room(bytes);
        if (breaks_) break_line();
    }
    void put_reserved(char c) { *at_++ = c; }
    void Flush() {}

    void break_before_next(unsigned blanks) {
        breaks_ = true;
        blanks_ = blanks;
    }
    std::string take() {
        text_.resize(static_cast<size_t>(at_ - text_.data()));
        std::string taken = std::exchange(text_, std::string());
        at_ = end_ = text_.data();
        return taken;
    }

  private:
    void make_room(size_t bytes) {
        bytes += breaks_ ? blanks_ + 1 : 0;
        if (static_cast<size_t>(end_ - at_) >= bytes) return;
        const auto used = static_cast<size_t>(at_ - text_.data());
        text_.resize(std::max(used + bytes, std::max<size_t>(256, text_.size() * 2)));
        at_ = text_.data() + used;
        end_ = text_.data() + text_.size();
    }
    void break_line() {
        *at_++ = '\n';
        at_ = std::fill_n(at_, blanks_, ' ');
        breaks_ = false;
    }

    std::string text_;
    char* at_ = text_.data();
    char* end_ = text_.data();
    unsigned blanks_ = 0;
    bool breaks_ = false;
};

// Found by RapidJSON's writers, by the type of their stream.
void PutReserve(Text& text, size_t bytes) {
    text.reserve(bytes);
}
void PutUnsafe(Text& text, char c) {
    text.put_reserved(c);
}

size_t first_not_valid(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
        const Utf8Step step = read_utf8(text.substr(i));
        if (!step.valid) return i;
        i += step.bytes;
    }
    return text.npos;
}

std::string repaired(std::string_view text, size_t bad) {
    std::string out(text.substr(0, bad));
    for (text.remove_prefix(bad); !text.empty();) {
        const Utf8Step step = read_utf8(text);
        out += step.valid ? text.substr(0, step.bytes) : std::string_view("\xEF\xBF\xBD");
        text.remove_prefix(step.bytes);
    }
    return out;
}

}  // namespace

struct JsonWriter::State {
    explicit State(unsigned indent) : dense(text), indented(text), pretty(indent > 0) {
        indented.SetIndent(' ', indent);
    }

    template <class Write>
    void write(Write&& step) {
        [[maybe_unused]] const bool written = pretty ? step(indented) : step(dense);
    }
    void write_text(std::string_view what, bool is_key) {
        if (const size_t bad = first_not_valid(what); bad != what.npos)
            return write_text(repaired(what, bad), is_key);
        const char* const begin = what.empty() ? "" : what.data();
        const auto size = static_cast<rapidjson::SizeType>(what.size());
        write([&](auto& to) { return is_key ? to.Key(begin, size) : to.String(begin, size); });
    }

    Text text;
    rapidjson::Writer<Text> dense;
    rapidjson::PrettyWriter<Text> indented;
    bool pretty;
};

JsonWriter::JsonWriter(unsigned indent) : state_(std::make_unique<State>(indent)) {}
JsonWriter::~JsonWriter() = default;
JsonWriter::JsonWriter(JsonWriter&&) noexcept = default;
JsonWriter& JsonWriter::operator=(JsonWriter&&) noexcept = default;

JsonWriter& JsonWriter::begin_object() {
    state_->write([](auto& to) { return to.StartObject(); });
    return *this;
}
JsonWriter& JsonWriter::end_object() {
    state_->write([](auto& to) { return to.EndObject(); });
    return *this;
}
JsonWriter& JsonWriter::begin_list() {
    state_->write([](auto& to) { return to.StartArray(); });
    return *this;
}
JsonWriter& JsonWriter::end_list() {
    state_->write([](auto& to) { return to.EndArray(); });
    return *this;
}
JsonWriter& JsonWriter::key(std::string_view name) {
    state_->write_text(name, true);
    return *this;
}
JsonWriter& JsonWriter::null() {
    state_->write([](auto& to) { return to.Null(); });
    return *this;
}
JsonWriter& JsonWriter::boolean(bool what) {
    state_->write([&](auto& to) { return to.Bool(what); });
    return *this;
}
JsonWriter& JsonWriter::whole(int64_t what) {
    state_->write([&](auto& to) { return to.Int64(what); });
    return *this;
}
JsonWriter& JsonWriter::positive(uint64_t what) {
    state_->write([&](auto& to) { return to.Uint64(what); });
    return *this;
}

// RapidJSON's own digits are not always the fewest. A whole one keeps its ".0": readers that tell integers
// from doubles see that it is none.
JsonWriter& JsonWriter::real(double what) {
    if (!std::isfinite(what)) return null();
    char digits[40];
    char* end = fmt::format_to(digits, "{}", what);
    if (std::none_of(digits, end, [](char c) { return c == '.' || c == 'e'; }))
        end = std::copy_n(".0", 2, end);
    const auto size = static_cast<size_t>(end - digits);
    state_->write([&](auto& to) { return to.RawValue(digits, size, rapidjson::kNumberType); });
    return *this;
}

JsonWriter& JsonWriter::text(std::string_view what) {
    state_->write_text(what, false);
    return *this;
}
JsonWriter& JsonWriter::raw(std::string_view json) {
    state_->write([&](auto& to) { return to.RawValue(json.data(), json.size(), rapidjson::kObjectType); });
    return *this;
}
JsonWriter& JsonWriter::line(unsigned blanks) {
    state_->text.break_before_next(blanks);
    return *this;
}
std::string JsonWriter::take() {
    return state_->text.take();
}

}  // namespace opsight
