#include "advisor/export/block_counts.hpp"
#include "advisor/export/durations.hpp"
#include "advisor/export/exports.hpp"
#include "advisor/export/frame_table.hpp"
#include "advisor/export/output_file.hpp"
#include "advisor/export/printable.hpp"
#include "advisor/symbols/hexadecimal.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace mallard::advisor {

namespace {

/// How the file counts time: in microseconds, or in ticks if the trace does not say how long one is.
struct time_unit {
    const char* name = "ticks";
    const char* million = "Mticks";
    double ticks = 1;

    explicit time_unit(double ticks_per_second) {
        if (ticks_per_second > 0) {
            *this = time_unit("µs", "s", ticks_per_second / 1e6);
        }
    }
    [[nodiscard]] std::uint64_t of(std::uint64_t number) const noexcept { return units_of(number, ticks); }

private:
    time_unit(const char* one, const char* many, double ticks_of_one)
        : name(one), million(many), ticks(ticks_of_one) {}
};

/// The texts of frames, each with its number. Number 0 is the root.
class frame_texts {
public:
    frame_texts(const trace::context_tree& contexts, code_map& code, std::size_t files)
        : frames_(contexts, code, files) {
        static_cast<void>(number_of("[root]"));
    }

    /// Returns: the frames that the context ends with, the innermost one first.
    const std::vector<std::uint32_t>& of(trace::context_id context) {
        const auto level = frames_.level_of(context);
        return level ? of_level(*level) : none_;
    }
    const std::vector<std::uint32_t>& of_no_stack() { return of_level(frames_.no_stack()); }

    [[nodiscard]] const std::vector<const std::string*>& texts() const noexcept { return texts_; }

private:
    const std::vector<std::uint32_t>& of_level(std::uint32_t level) {
        while (of_level_.size() <= level) {
            add(static_cast<std::uint32_t>(of_level_.size()));
        }
        return of_level_[level];
    }

    void add(std::uint32_t which) {
        const frame_table::level& level = frames_[which];
        std::vector<std::uint32_t> numbers;
        for (const place& each : level.places) {
            std::string text = each.short_name;
            if (level.instruction != 0) {
                text = hex_number(level.instruction) + ": " + text;
            }
            if (each.line != 0) {
                text += " (" + each.file + ':' + std::to_string(each.line) + ')';
            } else if (!level.object.empty()) {
                text += " (in " + level.object + ')';
            }
            numbers.push_back(number_of(text));
        }
        of_level_.push_back(std::move(numbers));
    }

    std::uint32_t number_of(const std::string& text) {
        const auto [known, is_new] = numbers_.try_emplace(text, static_cast<std::uint32_t>(numbers_.size()));
        if (is_new) {
            texts_.push_back(&known->first);
        }
        return known->second;
    }

    frame_table frames_;
    std::vector<std::vector<std::uint32_t>> of_level_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<const std::string*> texts_;
    std::vector<std::uint32_t> none_;
};

/// Adds the counts of a stack to those of another stack with the same frames.
void add(block_counts& to, const block_counts& more) {
    for (blocks_and_bytes block_counts::* const each :
         {&block_counts::allocated, &block_counts::alive, &block_counts::at_peak, &block_counts::most}) {
        (to.*each).blocks += (more.*each).blocks;
        (to.*each).bytes += (more.*each).bytes;
    }
    to.ticks += more.ticks;
}

void write_head(output_file& to, const trace::process& about, const heap_history& history,
                const time_unit& unit) {
    std::string command;
    for (const std::string& each : about.command) {
        command += (command.empty() ? "" : " ") + each;
    }
    if (command.empty()) {
        command = about.executable.empty() ? "(left out of the trace)" : about.executable;
    }
    std::string text = R"({"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":false)";
    text += ",\"tu\":" + json_string(unit.name) + ",\"Mtu\":" + json_string(unit.million);
    text += ",\"tuth\":500,\"cmd\":" + json_string(printable(command));
    text += ",\"pid\":" + std::to_string(about.number);
    text += ",\"tg\":" + std::to_string(unit.of(history.ticks_at_peak()));
    // Readers divide by it.
    text +=
        ",\"te\":" + std::to_string(std::max<std::uint64_t>(unit.of(history.ticks()), 1)) + ",\n\"pps\":[";
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
    field("tl", unit.of(counts.ticks));
    field("mb", counts.most.bytes);
    field("mbk", counts.most.blocks);
    field("gb", counts.at_peak.bytes);
    field("gbk", counts.at_peak.blocks);
    field("eb", counts.alive.bytes);
    field("ebk", counts.alive.blocks);
    text += ",\"fs\":[";
    for (const std::uint32_t& each : frames) {
        text += std::to_string(each);
        text += &each == &frames.back() ? "" : ",";
    }
    to.write(text + "]}");
}

} // namespace

void write_dhat(trace::reader& trace, std::size_t process, code_map& code, const std::filesystem::path& to) {
    const trace::context_tree& contexts = trace.contexts(process);
    const trace::process& about = trace.processes()[process];
    const heap_history history(trace, process);
    const time_unit unit(about.ticks_per_second);
    frame_texts texts(contexts, code, trace.code(process).size());
    // Readers refuse a file with two points of the same frames.
    std::map<std::vector<std::uint32_t>, block_counts> points;
    for (trace::context_id each = 0; each < contexts.size(); ++each) {
        if (history.contexts()[each].allocated.blocks == 0) {
            continue;
        }
        std::vector<std::uint32_t> frames;
        for (trace::context_id at = each;; at = contexts[at].parent) {
            const std::vector<std::uint32_t>& more = texts.of(at);
            frames.insert(frames.end(), more.begin(), more.end());
            if (at < trace::stack_ends) {
                break;
            }
        }
        if (frames.empty()) {
            frames = texts.of_no_stack();
        }
        add(points[std::move(frames)], history.contexts()[each]);
    }
    output_file file(to);
    write_head(file, about, history, unit);
    const char* before = "\n";
    for (const auto& [frames, counts] : points) {
        file.write(before);
        write_point(file, frames, counts, unit);
        before = ",\n";
    }
    file.write("],\n\"ftbl\":[");
    before = "\n";
    for (const std::string* const text : texts.texts()) {
        file.write(before + json_string(*text));
        before = ",\n";
    }
    file.write("]}\n");
    file.commit();
}

} // namespace mallard::advisor
