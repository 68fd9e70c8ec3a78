#include "query/reports/device_words.h"

#include <algorithm>
#include <cctype>

#include "query/reports/matrix_units.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_capital(char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0;
}

bool begins_sentence(std::string_view before) {
    return before.empty() || before.ends_with(". ");
}

// Whose words have capitals: the next one has.
bool is_header(std::string_view after) {
    const size_t word = after.find_first_not_of("s ");
    return word != after.npos && word > 0 && is_capital(after[word]) && word + 1 < after.size() &&
           std::islower(static_cast<unsigned char>(after[word + 1])) != 0;
}

std::string capitalized(std::string_view words, bool all) {
    std::string out(words);
    bool first = true;
    for (char& c : out) {
        if (first) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        first = all && c == ' ';
    }
    return out;
}

void replace(std::string& text, std::string_view here, std::string_view there) {
    if (here == there) return;
    for (size_t at = text.find(here); at != text.npos; at = text.find(here, at)) {
        const std::string_view before = std::string_view(text).substr(0, at),
                               after = std::string_view(text).substr(at + here.size());
        const bool part_of_word = !before.empty() && (is_letter(before.back()) || before.back() == '_');
        if (part_of_word) {
            at += here.size();
            continue;
        }
        std::string with(there);
        if (is_header(after) || begins_sentence(before)) with = capitalized(there, is_header(after));
        size_t from = at, length = here.size();
        constexpr std::string_view kArticle = "a ";  // "a GPU", "an accelerator"
        const bool vowel = there.starts_with('a');
        const bool capital = before.ends_with("A ");
        if (vowel && (capital || before.ends_with(kArticle)) &&
            (before.size() == 2 || !is_letter(before[before.size() - 3]))) {
            with = (capital ? "An " : "an ") + with;
            from -= kArticle.size();
            length += kArticle.size();
        }
        text.replace(from, length, with);
        at = from + with.size();
    }
}

std::string device_of(const std::string& name) {
    if (name.find("TPU") != name.npos) return "TPU";
    const bool gpu = name.find("GPU") != name.npos || name.find("Arc") != name.npos;
    return gpu ? "GPU" : "accelerator";
}

}  // namespace

Result<DeviceWords> device_words(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::worked_devices));
    OPSIGHT_ASSIGN(const duck::Rows timed, session.query(reports::sql::ops_timed_by_host));
    DeviceWords words;
    for (const auto& row : rows.rows) {
        const std::string name = text(row[0]);
        const Vendor vendor = vendor_of(name, static_cast<int>(integer(row[1])), integer(row[3]));
        DeviceWords own;
        if (vendor == Vendor::kAmd) own = {"GPU", "Matrix Core", "HIP", "compute unit"};
        if (vendor == Vendor::kOther) own = {device_of(name), "matrix unit", "runtime", "core"};
        if (&row == &rows.rows.front()) {
            words = own;
        } else if (words != own) {
            words = DeviceWords();
            break;
        }
    }
    if (std::get<bool>(timed.rows.at(0)[0])) words.clock = "Host";
    if (rows.rows.empty() && std::get<bool>(timed.rows[0][1])) words.device = "device";
    return words;
}

std::string said(std::string_view text, const DeviceWords& words) {
    std::string out(text);
    const DeviceWords usual;
    replace(out, usual.matrix_unit, words.matrix_unit);
    replace(out, usual.device, words.device);
    replace(out, usual.multiprocessor, words.multiprocessor);
    if (words.api != usual.api) replace(out, "CUDA's API", words.api + "'s API");
    replace(out, "CUDA API", words.api + " API");
    if (words.clock != usual.clock) {
        replace(out, "CPU Time", words.clock + " Time");
        replace(out, "CPU time", "host time");
    }
    return out;
}

void say_helps(ResultTable& diagnostics, const DeviceWords& words) {
    for (size_t i = 0; i < diagnostics.columns.size(); ++i)
        if (diagnostics.columns[i].key == "help")
            for (std::vector<Cell>& row : diagnostics.rows)
                if (auto* help = std::get_if<std::string>(&row[i])) *help = said(*help, words);
}

void say(Report& report, const DeviceWords& words) {
    if (words == DeviceWords()) return;
    bool abbreviated = false;
    const auto change = [&words](std::string& text) { text = said(text, words); };
    change(report.title);
    std::for_each(report.notes.begin(), report.notes.end(), change);
    for (Section& section : report.sections) {
        ResultTable& table = section.table;
        change(table.title);
        std::for_each(table.notes.begin(), table.notes.end(), change);
        if (table.name == "diagnostics") say_helps(table, words);
        for (Column& column : table.columns) {
            change(column.header);
            abbreviated |= (" " + column.header + " ").find(" TC ") != std::string::npos;
        }
    }
    if (abbreviated && words.matrix_unit != DeviceWords().matrix_unit)
        report.notes.push_back(words.matrix_unit == "Matrix Core"
                                   ? "TC: Matrix Cores, AMD's counterpart of Tensor Cores"
                                   : "TC: " + words.matrix_unit +
                                         "s, the counterpart of NVIDIA's Tensor Cores");
}

}  // namespace opsight::query
