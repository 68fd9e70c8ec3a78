#include "import/snapshot/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <string>

namespace opsight::importer::snapshot {
namespace {

constexpr size_t kMostCells = size_t{1} << 27, kMostText = size_t{1} << 31;
constexpr size_t kMostKeys = 64;  // of a dict, that are looked at
constexpr size_t kLongestText = size_t{1} << 24, kLongestLine = 4096;

}  // namespace

// Opcodes are those of Python's pickletools, of the protocols 0 to 5.
class PickleReader {
  public:
    explicit PickleReader(ByteSource& source) : source_(source) {}

    Result<Pickle> run() {
        for (;;) {
            OPSIGHT_ASSIGN(const uint64_t opcode, little_endian(1));
            if (opcode == '.') break;
            auto done = step(static_cast<unsigned char>(opcode));
            if (!done) return fail(std::move(done).error());
            if (pickle_.cells_.size() > kMostCells || pickle_.texts_.size() > kMostText)
                return wrong("it holds more than Opsight reads of a pickle");
        }
        OPSIGHT_ASSIGN(pickle_.root_, pop());
        pickle_.bytes_ = before_ + used_;
        return std::move(pickle_);
    }

  private:
    using Value = Pickle::Value;
    using Kind = Pickle::Kind;

    Status step(unsigned char opcode) {
        for (const auto group : {&PickleReader::constants, &PickleReader::numbers, &PickleReader::texts,
                                 &PickleReader::containers, &PickleReader::stack_and_memo}) {
            OPSIGHT_ASSIGN(const bool known, (this->*group)(opcode));
            if (known) return {};
        }
        if (std::string_view("cRbio\x81\x82\x83\x84\x92\x93PQ\x97\x98").find(static_cast<char>(opcode)) !=
            std::string_view::npos)
            return wrong("it asks for a class or a call of Python, which a snapshot of memory has none of");
        return wrong(fmt::format("it has the unknown opcode 0x{:02x}", opcode));
    }

    Result<bool> constants(unsigned char opcode) {
        switch (opcode) {
            case 'N':
                push(Pickle::kNone);
                return true;
            case 0x88:
            case 0x89:
                push(cell(Kind::kBool, opcode == 0x88));
                return true;
            case 0x80: {  // the protocol
                OPSIGHT_ASSIGN(const uint64_t protocol, little_endian(1));
                if (protocol > 5) return wrong(fmt::format("its protocol {} is unknown", protocol));
                return true;
            }
            case 0x95:  // the length of a frame
                OPSIGHT_TRY(little_endian(8));
                return true;
            default:
                return false;
        }
    }

    Result<bool> numbers(unsigned char opcode) {
        switch (opcode) {
            case 'K':
            case 'M':
            case 'J': {
                OPSIGHT_ASSIGN(const uint64_t bytes, little_endian(opcode == 'K'   ? 1
                                                                   : opcode == 'M' ? 2
                                                                                   : 4));
                push(cell(Kind::kInteger,
                          opcode == 'J' ? static_cast<int32_t>(bytes) : static_cast<int64_t>(bytes)));
                return true;
            }
            case 0x8a:
            case 0x8b:
                return long_number(opcode == 0x8a ? 1 : 4);
            case 'I':
            case 'L':
                return number_line();
            case 'G': {
                OPSIGHT_ASSIGN(const std::string_view bytes, take(8));
                uint64_t bits = 0;
                for (const char c : bytes)
                    bits = bits << 8 | static_cast<unsigned char>(c);
                push(cell(Kind::kReal, static_cast<int64_t>(bits)));
                return true;
            }
            case 'F':
                OPSIGHT_TRY(line());
                push(cell(Kind::kReal, 0));  // of no use to us
                return true;
            default:
                return false;
        }
    }

    // Of two's complement, the lowest byte first. Addresses have 8 bytes, and one more where the highest bit
    // is set.
    Result<bool> long_number(size_t width) {
        OPSIGHT_ASSIGN(const uint64_t size, little_endian(width));
        if (size > kLongestText) return wrong("a number of it is too long");
        OPSIGHT_ASSIGN(const std::string_view bytes, take(size));
        if (size > 9 || (size == 9 && bytes[8] != 0)) {
            push(cell(Kind::kReal, 0));
            return true;
        }
        uint64_t number = 0;
        for (size_t i = 0; i < std::min<size_t>(size, 8); ++i)
            number |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
        if (size > 0 && size < 8 && (bytes[size - 1] & 0x80)) number |= ~uint64_t{0} << (8 * size);
        push(cell(Kind::kInteger, static_cast<int64_t>(number)));
        return true;
    }

    // "5", "5L", and of the first protocol "00" and "01" for the truths.
    Result<bool> number_line() {
        OPSIGHT_ASSIGN(const std::string whole_line, line());
        const std::string_view text = whole_line;
        if (text == "00" || text == "01") {
            push(cell(Kind::kBool, text == "01"));
            return true;
        }
        int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool whole = error == std::errc() && (end == text.data() + text.size() || *end == 'L');
        if (!whole) return wrong("it has a number that cannot be read");
        push(cell(Kind::kInteger, number));
        return true;
    }

    Result<bool> texts(unsigned char opcode) {
        switch (opcode) {
            case 0x8c:
            case 'U':
            case 'C':
                return text(1);
            case 'X':
            case 'T':
            case 'B':
                return text(4);
            case 0x8d:
            case 0x8e:
            case 0x96:
                return text(8);
            case 'V':
            case 'S': {
                OPSIGHT_ASSIGN(const std::string written, line());
                push(cell_of_text(written));
                return true;
            }
            default:
                return false;
        }
    }

    Result<bool> text(size_t width) {
        OPSIGHT_ASSIGN(const uint64_t size, little_endian(width));
        if (size > kLongestText) return wrong("a text of it is too long");
        OPSIGHT_ASSIGN(const std::string_view bytes, take(size));
        push(cell_of_text(bytes));
        return true;
    }

    Result<bool> containers(unsigned char opcode) {
        switch (opcode) {
            case ']':
            case ')':
            case 0x8f:
                push(list(Kind::kList));
                return true;
            case '}':
                push(list(Kind::kDict));
                return true;
            case 'l':
            case 't':
            case 0x91:
                return make_of_marked(Kind::kList);
            case 'd':
                return make_of_marked(Kind::kDict);
            case 0x85:
            case 0x86:
            case 0x87:
                return make(opcode - 0x84, Kind::kList);
            case 'a':
                return extend(1, Kind::kList);
            case 's':
                return extend(2, Kind::kDict);
            case 'e':
            case 0x90: {
                OPSIGHT_ASSIGN(const size_t count, marked());
                return extend(count, Kind::kList);
            }
            case 'u': {
                OPSIGHT_ASSIGN(const size_t count, marked());
                return extend(count, Kind::kDict);
            }
            default:
                return false;
        }
    }

    Result<bool> make_of_marked(Kind kind) {
        OPSIGHT_ASSIGN(const size_t count, marked());
        return make(count, kind);
    }

    Result<bool> make(size_t count, Kind kind) {
        if (count > stack_.size() - floor()) return wrong("its stack is too short");
        const Value made = list(kind);
        move_to(made, count);
        push(made);
        return true;
    }

    Result<bool> extend(size_t count, Kind kind) {
        if (count + 1 > stack_.size() - floor()) return wrong("its stack is too short");
        const Value to = stack_[stack_.size() - count - 1];
        if (pickle_.cells_[to].kind != kind || (kind == Kind::kDict && count % 2 != 0))
            return wrong("it fills a value that holds no others");
        move_to(to, count);
        return true;
    }

    void move_to(Value to, size_t count) {
        std::vector<Value>& items = pickle_.lists_[static_cast<size_t>(pickle_.cells_[to].number)];
        items.insert(items.end(), stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
        stack_.resize(stack_.size() - count);
    }

    Result<bool> stack_and_memo(unsigned char opcode) {
        switch (opcode) {
            case '(':
                if (marks_.size() > kLongestText) return wrong("it is nested too deep");
                marks_.push_back(stack_.size());
                return true;
            case '0':
                OPSIGHT_TRY(pop());
                return true;
            case '1': {
                OPSIGHT_ASSIGN(const size_t count, marked());
                stack_.resize(stack_.size() - count);
                return true;
            }
            case '2':
                if (stack_.size() == floor()) return wrong("its stack is too short");
                push(stack_.back());
                return true;
            case 0x94:
                return keep(memo_.size());
            case 'q':
            case 'r': {
                OPSIGHT_ASSIGN(const uint64_t place, little_endian(opcode == 'q' ? 1 : 4));
                return keep(place);
            }
            case 'h':
            case 'j': {
                OPSIGHT_ASSIGN(const uint64_t place, little_endian(opcode == 'h' ? 1 : 4));
                return fetch(place);
            }
            case 'p':
            case 'g': {
                OPSIGHT_TRY(number_line());
                OPSIGHT_ASSIGN(const Value number, pop());
                const auto place = static_cast<uint64_t>(pickle_.cells_[number].number);
                return opcode == 'p' ? keep(place) : fetch(place);
            }
            default:
                return false;
        }
    }

    // Places are given in order, or nearly so.
    Result<bool> keep(uint64_t place) {
        if (stack_.size() == floor()) return wrong("its stack is too short");
        if (place > memo_.size() + 65536) return wrong("it remembers a value in an odd place");
        if (place >= memo_.size()) memo_.resize(place + 1, kNothing);
        memo_[place] = stack_.back();
        return true;
    }

    Result<bool> fetch(uint64_t place) {
        if (place >= memo_.size() || memo_[place] == kNothing)
            return wrong("it recalls what it did not remember");
        push(memo_[place]);
        return true;
    }

    size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

    // How many values stand above the last mark, which goes.
    Result<size_t> marked() {
        if (marks_.empty()) return wrong("a mark of it is missing");
        const size_t count = stack_.size() - marks_.back();
        marks_.pop_back();
        return count;
    }

    void push(Value value) { stack_.push_back(value); }

    Result<Value> pop() {
        if (stack_.size() <= floor()) return wrong("its stack is too short");
        const Value value = stack_.back();
        stack_.pop_back();
        return value;
    }

    Value cell(Kind kind, int64_t number) {
        pickle_.cells_.push_back({kind, 0, number});
        return static_cast<Value>(pickle_.cells_.size() - 1);
    }

    Value cell_of_text(std::string_view text) {
        const Value value = cell(Kind::kText, static_cast<int64_t>(pickle_.texts_.size()));
        pickle_.cells_[value].length = static_cast<uint32_t>(text.size());
        pickle_.texts_.insert(pickle_.texts_.end(), text.begin(), text.end());
        return value;
    }

    Value list(Kind kind) {
        pickle_.lists_.emplace_back();
        return cell(kind, static_cast<int64_t>(pickle_.lists_.size() - 1));
    }

    // Valid until more is taken. What a length claims is believed as far as there are bytes.
    Result<std::string_view> take(size_t size) {
        if (used_ + size > have_) OPSIGHT_TRY(fill(size));
        const std::string_view bytes(window_.data() + used_, size);
        used_ += size;
        return bytes;
    }

    Status fill(size_t size) {
        window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(used_));
        before_ += used_;
        have_ -= used_;
        used_ = 0;
        while (have_ < size) {
            window_.resize(have_ + kStep);
            OPSIGHT_ASSIGN(const size_t got, source_.read(window_.data() + have_, kStep));
            if (got == 0) {
                const std::string damage = source_.damage();
                return wrong(damage.empty() ? "it breaks off" : damage);
            }
            have_ += got;
        }
        return {};
    }

    Result<uint64_t> little_endian(size_t width) {
        OPSIGHT_ASSIGN(const std::string_view bytes, take(width));
        uint64_t number = 0;
        for (size_t i = 0; i < width; ++i)
            number |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
        return number;
    }

    Result<std::string> line() {
        std::string text;
        for (;;) {
            OPSIGHT_ASSIGN(const std::string_view byte, take(1));
            if (byte[0] == '\n') return text;
            text += byte[0];
            if (text.size() > kLongestLine) return wrong("a line of it is too long");
        }
    }

    tl::unexpected<Error> wrong(std::string_view what) const {
        return fail("is a pickle that cannot be read: " + std::string(what), {},
                    fmt::format("byte {}", before_ + used_),
                    "write it again with torch.cuda.memory._dump_snapshot()");
    }

    static constexpr size_t kStep = size_t{1} << 16;
    static constexpr Value kNothing = UINT32_MAX;

    ByteSource& source_;
    Pickle pickle_;
    std::vector<Value> stack_, memo_;
    std::vector<size_t> marks_;
    std::vector<char> window_;
    size_t used_ = 0, have_ = 0;
    uint64_t before_ = 0;
};

Result<Pickle> Pickle::read(ByteSource& source) {
    return PickleReader(source).run();
}

int64_t Pickle::integer(Value value, int64_t otherwise) const {
    const Cell& cell = cells_[value];
    return cell.kind == Kind::kInteger || cell.kind == Kind::kBool ? cell.number : otherwise;
}

std::string_view Pickle::text(Value value) const {
    const Cell& cell = cells_[value];
    if (cell.kind != Kind::kText) return {};
    return {texts_.data() + cell.number, cell.length};
}

std::span<const Pickle::Value> Pickle::items(Value value) const {
    const Cell& cell = cells_[value];
    if (cell.kind != Kind::kList) return {};
    return lists_[static_cast<size_t>(cell.number)];
}

Pickle::Value Pickle::at(Value dict, std::string_view key) const {
    const Cell& cell = cells_[dict];
    if (cell.kind != Kind::kDict) return kNone;
    const std::vector<Value>& items = lists_[static_cast<size_t>(cell.number)];
    // A snapshot's have some 20; one with millions, in the place of each entry, would take for ever.
    const size_t end = std::min(items.size(), 2 * kMostKeys);
    for (size_t i = 0; i + 1 < end; i += 2)
        if (cells_[items[i]].kind == Kind::kText && text(items[i]) == key) return items[i + 1];
    return kNone;
}

}  // namespace opsight::importer::snapshot
