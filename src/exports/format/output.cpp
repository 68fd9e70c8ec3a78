#include "exports/format/output.h"

#include <filesystem>

namespace opsight::exports {

Result<Output> Output::create(const Job& job) {
    if (job.output == "-") return Output(std::nullopt, job.print);
    OPSIGHT_ASSIGN(OutputFile file, OutputFile::create(job.output, job.replace));
    return Output(std::move(file), {});
}

Status Output::flush() {
    const Status done = file_ ? file_->write(buffer_) : print_(buffer_);
    buffer_.clear();
    return done;
}

Status Output::finish() {
    OPSIGHT_TRY(flush());
    return file_ ? file_->commit() : Status();
}

Status make_folder(const std::string& path) {
    std::error_code problem;
    std::filesystem::create_directories(path, problem);
    if (problem) return fail("cannot make the folder: " + problem.message(), path);
    return {};
}

}  // namespace opsight::exports
