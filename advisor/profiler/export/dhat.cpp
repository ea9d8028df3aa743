#include "profiler/export/block_counts.hpp"
#include "profiler/export/exports.hpp"
#include "profiler/export/frame_table.hpp"
#include "profiler/export/output_file.hpp"
#include "profiler/symbols/hexadecimal.hpp"
#include "trace/printable.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace mallard::advisor {

namespace {

/// The unit of time in the file: microseconds, or ticks if the trace does not have their frequency.
struct time_unit {
    const char* name = "ticks";
    const char* million = "Mticks";
    double ticks = 1;

    explicit time_unit(double ticks_per_second) {
        if (ticks_per_second > 0) {
            *this = time_unit("µs", "s", ticks_per_second / 1e6);
        }
    }
    [[nodiscard]] std::uint64_t convert(std::uint64_t number) const noexcept {
        return to_units(number, ticks);
    }

private:
    time_unit(const char* singular, const char* plural, double ticks_per_unit)
        : name(singular), million(plural), ticks(ticks_per_unit) {}
};

/// The texts of frames with their numbers. Number 0 is the root.
class frame_texts {
public:
    frame_texts(const trace::context_tree& contexts, code_map& code, std::size_t files)
        : frames_(contexts, code, files) {
        static_cast<void>(text_index("[root]"));
    }

    /// Returns: the frames of the context's innermost level, the innermost frame first.
    const std::vector<std::uint32_t>& frames(trace::context_id context) {
        const auto level = frames_.find_level(context);
        return level ? level_frames(*level) : no_frames_;
    }
    const std::vector<std::uint32_t>& no_stack_frames() { return level_frames(frames_.no_stack()); }

    [[nodiscard]] const std::vector<const std::string*>& texts() const noexcept { return texts_; }

private:
    const std::vector<std::uint32_t>& level_frames(std::uint32_t level) {
        while (frames_by_level_.size() <= level) {
            add(static_cast<std::uint32_t>(frames_by_level_.size()));
        }
        return frames_by_level_[level];
    }

    void add(std::uint32_t index) {
        const frame_table::level& level = frames_[index];
        std::vector<std::uint32_t> numbers;
        for (const place& function : level.places) {
            std::string text = function.short_name;
            if (level.instruction != 0) {
                text.insert(0, hex_number(level.instruction) + ": ");
            }
            if (function.line != 0) {
                text += " (" + function.file + ':' + std::to_string(function.line) + ')';
            } else if (!level.object.empty()) {
                text += " (in " + level.object + ')';
            }
            numbers.push_back(text_index(text));
        }
        frames_by_level_.push_back(std::move(numbers));
    }

    std::uint32_t text_index(const std::string& text) {
        const auto [known, is_new] = numbers_.try_emplace(text, static_cast<std::uint32_t>(numbers_.size()));
        if (is_new) {
            texts_.push_back(&known->first);
        }
        return known->second;
    }

    frame_table frames_;
    std::vector<std::vector<std::uint32_t>> frames_by_level_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<const std::string*> texts_;
    std::vector<std::uint32_t> no_frames_;
};

/// Adds the counts of a stack to the counts of another stack with the same frames.
void add(block_counts& to, const block_counts& other) {
    for (blocks_and_bytes block_counts::* const field :
         {&block_counts::allocated, &block_counts::alive, &block_counts::at_peak, &block_counts::most}) {
        (to.*field).blocks += (other.*field).blocks;
        (to.*field).bytes += (other.*field).bytes;
    }
    to.ticks += other.ticks;
}

void write_head(output_file& to, const trace::process& process, const heap_history& history,
                const time_unit& unit) {
    std::string command;
    for (const std::string& argument : process.command) {
        command += (command.empty() ? "" : " ") + argument;
    }
    if (command.empty()) {
        command = process.executable.empty() ? "(left out of the trace)" : process.executable;
    }
    std::string text = R"({"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":false)";
    text += ",\"tu\":" + trace::json_string(unit.name) + ",\"Mtu\":" + trace::json_string(unit.million);
    text += R"(,"tuth":500,"cmd":)" + trace::json_string(trace::printable(command));
    text += ",\"pid\":" + std::to_string(process.number);
    text += ",\"tg\":" + std::to_string(unit.convert(history.ticks_at_peak()));
    // Readers divide by it.
    text += ",\"te\":" + std::to_string(std::max<std::uint64_t>(unit.convert(history.ticks()), 1)) +
            ",\n\"pps\":[";
    to.write(text);
}

void write_point(output_file& to, const std::vector<std::uint32_t>& frames, const block_counts& counts,
                 const time_unit& unit) {
    std::string text = "{\"tb\":" + std::to_string(counts.allocated.bytes);
    const auto field = [&](const char* name, std::uint64_t value) {
        text += ",\"";
        text += name;
        text += "\":" + std::to_string(value);
    };
    field("tbk", counts.allocated.blocks);
    field("tl", unit.convert(counts.ticks));
    field("mb", counts.most.bytes);
    field("mbk", counts.most.blocks);
    field("gb", counts.at_peak.bytes);
    field("gbk", counts.at_peak.blocks);
    field("eb", counts.alive.bytes);
    field("ebk", counts.alive.blocks);
    text += ",\"fs\":[";
    for (const std::uint32_t& frame : frames) {
        text += std::to_string(frame);
        text += &frame == &frames.back() ? "" : ",";
    }
    to.write(text + "]}");
}

} // namespace

void write_dhat(trace::reader& trace, std::size_t process, code_map& code, const std::filesystem::path& to) {
    const trace::context_tree& contexts = trace.contexts(process);
    const trace::process& info = trace.processes()[process];
    const heap_history history(trace, process);
    const time_unit unit(info.ticks_per_second);
    frame_texts texts(contexts, code, trace.code(process).size());
    // Readers refuse a file with two points of the same frames.
    std::map<std::vector<std::uint32_t>, block_counts> points;
    for (trace::context_id context = 0; context < contexts.size(); ++context) {
        if (history.contexts()[context].allocated.blocks == 0) {
            continue;
        }
        std::vector<std::uint32_t> frames;
        for (trace::context_id at = context;; at = contexts.parent(at)) {
            const std::vector<std::uint32_t>& level_frames = texts.frames(at);
            frames.insert(frames.end(), level_frames.begin(), level_frames.end());
            if (at < trace::stack_ends) {
                break;
            }
        }
        if (frames.empty()) {
            frames = texts.no_stack_frames();
        }
        add(points[std::move(frames)], history.contexts()[context]);
    }
    output_file file(to);
    write_head(file, info, history, unit);
    const char* separator = "\n";
    for (const auto& [frames, counts] : points) {
        file.write(separator);
        write_point(file, frames, counts, unit);
        separator = ",\n";
    }
    file.write("],\n\"ftbl\":[");
    separator = "\n";
    for (const std::string* const text : texts.texts()) {
        file.write(separator + trace::json_string(*text));
        separator = ",\n";
    }
    file.write("]}\n");
    file.commit();
}

} // namespace mallard::advisor
