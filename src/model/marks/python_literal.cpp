#include "model/marks/python_literal.h"

#include <cstdint>

namespace opsight::marks {
namespace {

constexpr int kMostDepth = 32;
constexpr size_t kMostValues = 100'000;

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '+' || c == '-';
}

class Parser {
  public:
    explicit Parser(std::string_view text) : rest_(text) {}

    std::optional<PythonValue> run() {
        PythonValue value;
        if (!parse(value, 0)) return std::nullopt;
        skip_space();
        if (!rest_.empty()) return std::nullopt;
        return value;
    }

  private:
    void skip_space() {
        while (!rest_.empty() &&
               (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t' || rest_[0] == '\r'))
            rest_.remove_prefix(1);
    }
    bool take(char c) {
        skip_space();
        if (rest_.empty() || rest_[0] != c) return false;
        rest_.remove_prefix(1);
        return true;
    }

    bool parse(PythonValue& value, int depth) {
        if (depth > kMostDepth || ++values_ > kMostValues) return false;
        skip_space();
        if (rest_.empty()) return false;
        switch (rest_[0]) {
            case '{':
                return parse_dict(value, depth);
            case '[':
                return parse_list(value, depth, ']');
            case '(':
                return parse_list(value, depth, ')');
            case '\'':
            case '"':
                value.kind = PythonValue::Kind::kText;
                return parse_text(value.text);
            default:
                return parse_word(value);
        }
    }

    bool parse_dict(PythonValue& value, int depth) {
        value.kind = PythonValue::Kind::kDict;
        rest_.remove_prefix(1);
        while (!take('}')) {
            PythonValue key, entry;
            if (!parse(key, depth + 1) || !take(':') || !parse(entry, depth + 1)) return false;
            value.keys.push_back(std::move(key.text));
            value.items.push_back(std::move(entry));
            if (!take(',') && !next_is('}')) return false;
        }
        return true;
    }

    bool parse_list(PythonValue& value, int depth, char close) {
        value.kind = PythonValue::Kind::kList;
        rest_.remove_prefix(1);
        while (!take(close)) {
            if (!parse(value.items.emplace_back(), depth + 1)) return false;
            if (!take(',') && !next_is(close)) return false;
        }
        return true;
    }

    bool next_is(char c) {
        skip_space();
        return !rest_.empty() && rest_[0] == c;
    }

    bool parse_text(std::string& text) {
        const char quote = rest_[0];
        rest_.remove_prefix(1);
        while (!rest_.empty()) {
            char c = rest_[0];
            rest_.remove_prefix(1);
            if (c == quote) return true;
            if (c == '\\' && !rest_.empty()) {
                c = rest_[0] == 'n' || rest_[0] == 't' || rest_[0] == 'r' ? ' ' : rest_[0];
                rest_.remove_prefix(1);
            }
            text += c;
        }
        return false;
    }

    bool parse_word(PythonValue& value) {
        size_t end = 0;
        while (end < rest_.size() && is_word(rest_[end]))
            ++end;
        if (end == 0) return false;
        value.text = rest_.substr(0, end);
        rest_.remove_prefix(end);
        const char first = value.text[0];
        if (value.text == "None")
            value.kind = PythonValue::Kind::kNone;
        else if (value.text == "True" || value.text == "False")
            value.kind = PythonValue::Kind::kBool;
        else if ((first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.' ||
                 value.text == "inf" || value.text == "nan")
            value.kind = PythonValue::Kind::kNumber;
        else
            return false;
        return true;
    }

    std::string_view rest_;
    size_t values_ = 0;
};

void append_json_text(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<uint8_t>(c) < 0x20 ? ' ' : c;
    }
    out += '"';
}

void append_json(std::string& out, const PythonValue& value) {
    switch (value.kind) {
        case PythonValue::Kind::kNone:
            out += "null";
            return;
        case PythonValue::Kind::kBool:
            out += value.text == "True" ? "true" : "false";
            return;
        case PythonValue::Kind::kNumber:
            out += value.text;
            return;
        case PythonValue::Kind::kText:
            return append_json_text(out, value.text);
        case PythonValue::Kind::kList:
            out += '[';
            for (size_t i = 0; i < value.items.size(); ++i) {
                if (i > 0) out += ", ";
                append_json(out, value.items[i]);
            }
            out += ']';
            return;
        case PythonValue::Kind::kDict:
            out += '{';
            for (size_t i = 0; i < value.items.size(); ++i) {
                if (i > 0) out += ", ";
                append_json_text(out, value.keys[i]);
                out += ": ";
                append_json(out, value.items[i]);
            }
            out += '}';
    }
}

}  // namespace

const PythonValue* PythonValue::find(std::string_view key) const {
    for (size_t i = 0; i < keys.size(); ++i)
        if (keys[i] == key) return &items[i];
    return nullptr;
}

std::string_view PythonValue::text_of(std::string_view key) const {
    const PythonValue* value = find(key);
    return value && value->kind == Kind::kText ? std::string_view(value->text) : std::string_view();
}

std::string PythonValue::lines() const {
    std::string joined;
    for (const PythonValue& line : items)
        joined.append(joined.empty() ? "" : "\n").append(line.text);
    return joined;
}

std::string PythonValue::json() const {
    std::string out;
    append_json(out, *this);
    return out;
}

std::optional<PythonValue> parse_python_literal(std::string_view text) {
    return Parser(text).run();
}

}  // namespace opsight::marks
