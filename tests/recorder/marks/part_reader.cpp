#include "recorder/marks/part_reader.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace recorder_test {

namespace trace = mallard::trace;

namespace {

class bytes_of_chunk {
public:
    explicit bytes_of_chunk(const char* at, const char* end) : at_(at), end_(end) {}

    std::uint8_t byte() {
        if (at_ == end_) {
            throw std::runtime_error("a record goes beyond its chunk");
        }
        return static_cast<std::uint8_t>(*at_++);
    }

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t next = byte();
            value |= std::uint64_t{next & 0x7fU} << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw std::runtime_error("a number has no end");
    }

    std::uint64_t next_address(std::uint64_t& last) {
        return last += static_cast<std::uint64_t>(trace::from_zigzag(number()));
    }

    std::uint64_t level() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 8 * trace::level_bytes; shift += 8) {
            value |= std::uint64_t{byte()} << shift;
        }
        return value;
    }

    std::string text() {
        std::string letters(number(), 0);
        for (char& each : letters) {
            each = static_cast<char>(byte());
        }
        return letters;
    }

    bool at_end() const { return at_ == end_ || *at_ == 0; }

private:
    const char* at_;
    const char* end_;
};

class chunk_reader {
public:
    chunk_reader(const char* at, const char* end, part& into) : from_(at, end), into_(into) {}

    void read() {
        while (!from_.at_end()) {
            read_record();
        }
    }

private:
    void read_record() {
        part_event now;
        now.kind = static_cast<record_kind>(from_.byte());
        const std::uint64_t passed = from_.number();
        now.ticks = ticks_ = now.kind == record_kind::thread_begin ? passed : ticks_ + passed;
        now.thread = thread_;
        if (trace::has_stack(now.kind)) {
            read_stack(now);
        }
        if (read_fields(now)) {
            into_.events.push_back(now);
        }
    }

    void read_stack(part_event& now) {
        now.kept = static_cast<unsigned>(from_.number());
        const std::uint64_t added = from_.number();
        if (now.kept > levels_.size()) {
            throw std::runtime_error("more levels are kept than there are");
        }
        if (now.kept == 0) {
            from_.byte();
            from_.number();
        }
        levels_.resize(now.kept);
        for (std::uint64_t each = 0; each < added; ++each) {
            levels_.push_back(from_.level());
        }
        now.levels = levels_;
    }

    /// Returns: true if the record is an event.
    bool read_fields(part_event& now) {
        if (trace::allocates(now.kind) || now.kind == record_kind::pool_allocated) {
            now.bytes = from_.number();
            now.address = from_.next_address(address_);
        } else if (trace::frees(now.kind) || now.kind == record_kind::realloc_failed ||
                   now.kind == record_kind::pool_freed) {
            now.address = from_.next_address(address_);
        } else if (now.kind == record_kind::pool_rolled_back) {
            now.bytes = from_.number();
        } else if (trace::is_of_function(now.kind)) {
            now.address = from_.next_address(function_);
            now.bytes = from_.next_address(frame_);
        } else if (trace::has_stack(now.kind) && !trace::is_of_pool(now.kind)) {
            now.address = from_.number();
        } else if (!trace::is_of_pool(now.kind)) {
            read_other(now.kind);
            return false;
        }
        if (trace::is_of_pool(now.kind)) {
            now.pool = from_.number();
        }
        return true;
    }

    void read_other(record_kind kind) {
        switch (kind) {
        case record_kind::thread_begin:
            thread_ = from_.number();
            from_.number();
            from_.number();
            levels_.clear();
            address_ = function_ = frame_ = 0;
            return;
        case record_kind::thread_end:
            return;
        case record_kind::code:
            for (int each = 0; each < 3; ++each) {
                from_.number();
            }
            from_.text();
            into_.code.push_back(from_.text());
            return;
        case record_kind::name: {
            const std::uint64_t number = from_.number();
            into_.names[number] = from_.text();
            return;
        }
        case record_kind::time_inside:
            from_.number();
            from_.number();
            return;
        case record_kind::gap:
            from_.number();
            return;
        default:
            throw std::runtime_error("a record of kind " + std::to_string(static_cast<int>(kind)));
        }
    }

    bytes_of_chunk from_;
    part& into_;
    std::uint64_t ticks_ = 0;
    std::uint64_t thread_ = 0;
    std::uint64_t address_ = 0;
    std::uint64_t function_ = 0;
    std::uint64_t frame_ = 0;
    std::vector<std::uint64_t> levels_;
};

} // namespace

std::string part::name(const part_event& of) const {
    const bool by_name = of.kind >= record_kind::scope_begin && of.kind <= record_kind::progress;
    const auto found =
        names.find(by_name ? of.address : trace::name_of(trace::is_of_pool(of.kind) ? of.pool : of.address));
    return found == names.end() ? "?" : found->second;
}

std::vector<part_event> part::marks() const {
    std::vector<part_event> found;
    std::copy_if(events.begin(), events.end(), std::back_inserter(found),
                 [](const part_event& each) { return each.kind >= record_kind::scope_begin; });
    return found;
}

part read_part(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string header(trace::header_bytes, 0);
    if (!in.read(header.data(), static_cast<std::streamsize>(header.size()))) {
        throw std::runtime_error(file.string() + " has no header");
    }
    const auto& told = *reinterpret_cast<const trace::part_header*>(header.data());
    part found;
    found.process = told.process;
    found.names_lost = told.names_lost;
    found.nested_events = told.nested_events;
    found.stopped = told.stopped;
    found.threads = told.threads;
    std::map<std::uint64_t, std::string> chunks; // by number: those of a thread come in their order
    for (std::uint32_t each = 0; each < told.used_chunks; ++each) {
        std::string chunk(trace::chunk_bytes, 0);
        if (!in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()))) {
            break;
        }
        trace::chunk_header head;
        std::memcpy(static_cast<void*>(&head), chunk.data(), sizeof head);
        chunks[head.number] = std::move(chunk);
    }
    for (const auto& [number, chunk] : chunks) {
        chunk_reader(chunk.data() + sizeof(trace::chunk_header), chunk.data() + chunk.size(), found).read();
    }
    std::stable_sort(found.events.begin(), found.events.end(),
                     [](const part_event& one, const part_event& other) { return one.ticks < other.ticks; });
    return found;
}

} // namespace recorder_test
