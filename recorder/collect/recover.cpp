#include "recorder/collect/recover.hpp"

#include "recorder/collect/failure.hpp"
#include "recorder/collect/parts/collection.hpp"
#include "recorder/collect/summary/summary.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace mallard::collect {

namespace {

/// The system's list of a process's mapped files tells a process that records from another one with its number.
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

int recover(const arguments& how) {
    parts_folder folder = parts_folder::open(how.file);
    for (const auto& part : folder.parts()) {
        if (still_writes(part)) {
            throw failure("process " + std::to_string(part.process) +
                          " of this recording still runs; wait for its end, or end it");
        }
    }
    collection::result told;
    try {
        collection parts(folder, how.redact);
        parts.end_all();
        parts.finish();
        told = parts.told();
    } catch (const trace::trace_error& error) {
        told.failed = error.what();
    }
    return conclude(how, folder, told, 0);
}

} // namespace mallard::collect
