#include "hardware/cubin.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace opsight::hardware {
namespace {

constexpr uint64_t kInstructionBytes = 16;

// `forms`: the upper 3 of the 12 bits that count; bit n stands for form n.
struct Opcode {
    std::string_view name;
    uint16_t code;
    uint8_t forms;
    int first_sm, last_sm;
};

constexpr uint8_t kAnyForm = 0xff, kRegisters = 1 << 1;

constexpr Opcode kOpcodes[] = {
    {"HMMA", 0x036, kRegisters, 70, 75},  // 8x8x4; later devices run that shape on their ordinary units
    {"HMMA", 0x03c, kAnyForm, 75, 129},    {"IMMA", 0x037, kAnyForm, 72, 129},
    {"BMMA", 0x03d, kAnyForm, 75, 99},  // later devices compute it with IMMA
    {"DMMA", 0x03f, kAnyForm, 80, 129},    {"QMMA", 0x07a, kAnyForm, 89, 89},
    {"QMMA", 0x07a, kAnyForm, 120, 129},   {"OMMA", 0x07f, kAnyForm, 120, 129},
    {"HGMMA", 0x1f0, kAnyForm, 90, 99},    {"IGMMA", 0x1f1, kAnyForm, 90, 99},
    {"BGMMA", 0x1f2, kAnyForm, 90, 99},    {"QGMMA", 0x1f3, kAnyForm, 90, 99},
    {"UTCMMA", 0x1ea, kAnyForm, 100, 119},
};

// Of the ELF files of 64 bits that cubins are.
struct FileHead {
    char ident[16];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, program_offset, section_offset;
    uint32_t flags;
    uint16_t head_bytes, program_bytes, programs, section_bytes, sections, names;
};
static_assert(sizeof(FileHead) == 64);

struct Section {
    uint32_t name, type;
    uint64_t flags, address, offset, bytes;
    uint32_t link, info;
    uint64_t alignment, entry_bytes;
};
static_assert(sizeof(Section) == 64);

struct Symbol {
    uint32_t name;
    uint8_t info, other;
    uint16_t section;
    uint64_t value, bytes;
};
static_assert(sizeof(Symbol) == 24);

constexpr uint16_t kCudaMachine = 190;
constexpr uint32_t kSymbolTable = 2, kNoBytes = 8;
constexpr uint8_t kFunction = 2, kKernel = 0x10;

class Reader {
  public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    Result<Cubin> run() {
        OPSIGHT_TRY(read_head());
        OPSIGHT_TRY(read_sections());
        read_symbols();
        read_calls();
        spread_to_callers();
        return collect();
    }

  private:
    template <class T>
    std::optional<T> at(uint64_t offset) const {
        if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }
    std::optional<std::string_view> content(const Section& section) const {
        if (section.type == kNoBytes) return std::string_view();
        if (section.offset > bytes_.size() || section.bytes > bytes_.size() - section.offset)
            return std::nullopt;
        return bytes_.substr(section.offset, section.bytes);
    }
    static std::string_view text_at(std::string_view texts, uint64_t offset) {
        if (offset >= texts.size()) return {};
        const size_t end = texts.find('\0', offset);
        return end == std::string_view::npos ? std::string_view() : texts.substr(offset, end - offset);
    }

    Status read_head() {
        const auto head = at<FileHead>(0);
        if (!head || std::memcmp(head->ident,
                                 "\x7f"
                                 "ELF\x02\x01",
                                 6) != 0)
            return fail("not a cubin: it does not begin as a 64-bit little-endian ELF file");
        if (head->machine != kCudaMachine)
            return fail(fmt::format("not a cubin: ELF machine {}, expected {}", head->machine, kCudaMachine));
        head_ = *head;
        constexpr char kNewAbi = 0x41;  // since CUDA 13
        sm_ = static_cast<int>(head->ident[7] == kNewAbi ? head->flags >> 8 & 0xff : head->flags & 0xff);
        if (sm_ < 70 || sm_ > 129)
            return fail(fmt::format("code for sm_{}: instructions are known from sm_70 to sm_129", sm_));
        return {};
    }

    Status read_sections() {
        const auto first = at<Section>(head_.section_offset);
        if (head_.section_bytes != sizeof(Section) || !first)
            return fail("damaged cubin: its table of sections is not in it");
        const uint64_t count = head_.sections ? head_.sections : first->bytes;
        const uint64_t names = head_.names == 0xffff ? first->link : head_.names;
        if (count > (bytes_.size() - head_.section_offset) / sizeof(Section) || names >= count)
            return fail("damaged cubin: its table of sections is cut");
        for (uint64_t i = 0; i < count; ++i)
            sections_.push_back(*at<Section>(head_.section_offset + i * sizeof(Section)));
        const auto texts = content(sections_[names]);
        if (!texts) return fail("damaged cubin: the names of its sections are not in it");
        code_.resize(count);
        uint64_t scanned = 0;
        for (uint64_t i = 0; i < count; ++i) {
            constexpr std::string_view kCode = ".text.";
            const std::string_view name = text_at(*texts, sections_[i].name);
            if (name.substr(0, kCode.size()) == kCode) {
                const auto code = content(sections_[i]);
                // Sections of one cubin do not overlap.
                if (!code || code->size() > bytes_.size() - scanned)
                    return fail(fmt::format("damaged cubin: {} is not in it", name));
                scanned += code->size();
                code_[i] = {name.substr(kCode.size()), scan(*code), true, false};
            } else if (name == ".nv.callgraph") {
                calls_ = content(sections_[i]).value_or(std::string_view());
            }
        }
        return {};
    }

    std::string_view scan(std::string_view code) const {
        for (size_t i = 0; i + kInstructionBytes <= code.size(); i += kInstructionBytes) {
            uint64_t low = 0;
            std::memcpy(&low, code.data() + i, sizeof low);
            const std::string_view found = matrix_instruction(sm_, low);
            if (!found.empty()) return found;
        }
        return {};
    }

    void read_symbols() {
        for (const Section& section : sections_) {
            if (section.type != kSymbolTable || section.link >= sections_.size()) continue;
            const auto table = content(section);
            const auto texts = content(sections_[section.link]);
            if (!table || !texts) continue;
            symbols_.resize(table->size() / sizeof(Symbol));
            if (symbols_.empty()) return;
            std::memcpy(symbols_.data(), table->data(), symbols_.size() * sizeof(Symbol));
            for (const Symbol& symbol : symbols_) {
                if ((symbol.info & 0xf) != kFunction || (symbol.other & kKernel) == 0) continue;
                // The section of a kernel bears its name; the number does where there are too many.
                if (symbol.section < code_.size() && code_[symbol.section].is_code &&
                    code_[symbol.section].name == text_at(*texts, symbol.name))
                    code_[symbol.section].is_kernel = true;
            }
            return;
        }
    }

    // Pairs of symbols: the caller, and what it calls. Other entries have negative numbers.
    void read_calls() {
        callers_.resize(code_.size());
        for (size_t i = 0; i + 8 <= calls_.size(); i += 8) {
            uint32_t pair[2];
            std::memcpy(pair, calls_.data() + i, sizeof pair);
            if (pair[0] >= symbols_.size() || pair[1] >= symbols_.size()) continue;
            const size_t caller = symbols_[pair[0]].section, called = symbols_[pair[1]].section;
            const bool both = caller < code_.size() && called < code_.size() && caller != called &&
                              code_[caller].is_code && code_[called].is_code;
            if (both) callers_[called].push_back(caller);
        }
    }

    void spread_to_callers() {
        std::vector<size_t> open;
        for (size_t i = 0; i < code_.size(); ++i) {
            if (code_[i].instruction.empty()) continue;
            // A function that nobody calls by its name may be called by its address.
            if (!code_[i].is_kernel && callers_[i].empty()) by_address_ = true;
            open.push_back(i);
        }
        while (!open.empty()) {
            const size_t called = open.back();
            open.pop_back();
            for (const size_t caller : callers_[called])
                if (code_[caller].instruction.empty()) {
                    code_[caller].instruction = code_[called].instruction;
                    open.push_back(caller);
                }
        }
    }

    Cubin collect() const {
        Cubin cubin;
        cubin.sm = sm_;
        for (const Code& code : code_)
            if (code.is_kernel)
                cubin.kernels.push_back(
                    {code.name, !code.instruction.empty() || !by_address_, code.instruction});
        return cubin;
    }

    struct Code {
        std::string_view name, instruction;
        bool is_code = false, is_kernel = false;
    };

    const std::string_view bytes_;
    FileHead head_{};
    int sm_ = 0;
    std::vector<Section> sections_;
    std::vector<Code> code_;  // beside sections_
    std::vector<Symbol> symbols_;
    std::string_view calls_;
    std::vector<std::vector<size_t>> callers_;
    bool by_address_ = false;
};

}  // namespace

std::string_view matrix_instruction(int sm, uint64_t low) {
    const uint64_t code = low & 0x1ff, form = low >> 9 & 7;
    for (const Opcode& opcode : kOpcodes)
        if (opcode.code == code && (opcode.forms >> form & 1) != 0 && sm >= opcode.first_sm &&
            sm <= opcode.last_sm)
            return opcode.name;
    return {};
}

Result<Cubin> read_cubin(std::string_view bytes) {
    return Reader(bytes).run();
}

}  // namespace opsight::hardware
