#include "recorder/collect/recover.hpp"

#include "recorder/collect/failure.hpp"
#include "recorder/collect/parts/collection.hpp"
#include "recorder/collect/summary/summary.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace mallard::collect {

namespace {

/// A process's memory map identifies the recorded process, which another one with a reused ID does not match.
bool still_writes(const parts_folder::part_name& part) {
    std::ifstream maps("/proc/" + std::to_string(part.process) + "/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.ends_with(part.file.string())) {
            return true;
        }
    }
    return false;
}

} // namespace

int recover(const arguments& args) {
    parts_folder folder = parts_folder::open(args.file);
    for (const auto& part : folder.parts()) {
        if (still_writes(part)) {
            throw failure("process " + std::to_string(part.process) +
                          " of this recording is still running; wait for its end, or end it");
        }
    }
    collection::result summary;
    try {
        collection parts(folder, args.redact);
        parts.end_all();
        parts.finish();
        summary = parts.summary();
    } catch (const trace::trace_error& error) {
        summary.failed = error.what();
    }
    return conclude(args, folder, summary, 0);
}

} // namespace mallard::collect
