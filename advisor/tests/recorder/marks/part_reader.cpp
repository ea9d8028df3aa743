#include "recorder/marks/part_reader.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace recorder_test {

namespace trace = mallard::trace;

namespace {

class chunk_bytes {
public:
    explicit chunk_bytes(const char* at, const char* end) : at_(at), end_(end) {}

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
        for (char& letter : letters) {
            letter = static_cast<char>(byte());
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
    chunk_reader(const char* at, const char* end, part& result) : from_(at, end), result_(result) {}

    void read() {
        while (!from_.at_end()) {
            read_record();
        }
    }

private:
    void read_record() {
        part_event event;
        event.kind = static_cast<record_kind>(from_.byte());
        const std::uint64_t passed = from_.number();
        event.ticks = ticks_ = event.kind == record_kind::thread_begin ? passed : ticks_ + passed;
        event.thread = thread_;
        if (trace::has_stack(event.kind)) {
            read_stack(event);
        }
        if (read_fields(event)) {
            result_.events.push_back(event);
        }
    }

    void read_stack(part_event& event) {
        event.kept = static_cast<unsigned>(from_.number());
        const std::uint64_t added = from_.number();
        if (event.kept > levels_.size()) {
            throw std::runtime_error("more levels are kept than exist");
        }
        if (event.kept == 0) {
            from_.byte();
            from_.number();
        }
        levels_.resize(event.kept);
        for (std::uint64_t count = 0; count < added; ++count) {
            levels_.push_back(from_.level());
        }
        event.levels = levels_;
    }

    /// Returns: true if the record is an event.
    bool read_fields(part_event& event) {
        if (trace::allocates(event.kind) || event.kind == record_kind::pool_allocated) {
            event.bytes = from_.number();
            event.address = from_.next_address(address_);
        } else if (trace::frees(event.kind) || event.kind == record_kind::realloc_failed ||
                   event.kind == record_kind::pool_freed) {
            event.address = from_.next_address(address_);
        } else if (event.kind == record_kind::pool_rolled_back) {
            event.bytes = from_.number();
        } else if (trace::is_of_function(event.kind)) {
            event.address = from_.next_address(function_);
            event.bytes = from_.next_address(frame_);
        } else if (trace::has_number(event.kind)) {
            event.address = from_.number();
        } else if (!trace::has_stack(event.kind)) {
            read_plain(event.kind);
            return false;
        }
        if (trace::is_of_pool(event.kind)) {
            event.pool = from_.number();
        }
        return true;
    }

    void read_plain(record_kind kind) {
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
            for (int count = 0; count < 3; ++count) {
                from_.number();
            }
            from_.text();
            result_.code.push_back(from_.text());
            return;
        case record_kind::name: {
            const std::uint64_t number = from_.number();
            result_.names[number] = from_.text();
            return;
        }
        case record_kind::time_inside:
            from_.number();
            from_.number();
            return;
        case record_kind::resident:
            from_.number();
            from_.next_address(address_);
            return;
        case record_kind::gap:
            from_.number();
            return;
        default:
            throw std::runtime_error("a record of kind " + std::to_string(static_cast<int>(kind)));
        }
    }

    chunk_bytes from_;
    part& result_;
    std::uint64_t ticks_ = 0;
    std::uint64_t thread_ = 0;
    std::uint64_t address_ = 0;
    std::uint64_t function_ = 0;
    std::uint64_t frame_ = 0;
    std::vector<std::uint64_t> levels_;
};

} // namespace

std::string part::name(const part_event& event) const {
    const bool by_name = event.kind >= record_kind::scope_begin && event.kind <= record_kind::progress;
    const auto match =
        names.find(by_name ? event.address
                           : trace::name_number(trace::is_of_pool(event.kind) ? event.pool : event.address));
    return match == names.end() ? "?" : match->second;
}

std::vector<part_event> part::marks() const {
    std::vector<part_event> result;
    std::copy_if(events.begin(), events.end(), std::back_inserter(result),
                 [](const part_event& event) { return event.kind >= record_kind::scope_begin; });
    return result;
}

part read_part(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string header(trace::header_bytes, 0);
    if (!in.read(header.data(), static_cast<std::streamsize>(header.size()))) {
        throw std::runtime_error(file.string() + " has no header");
    }
    const auto& header_facts = *reinterpret_cast<const trace::part_header*>(header.data());
    part result;
    result.process = header_facts.process;
    result.names_lost = header_facts.names_lost;
    result.nested_events = header_facts.nested_events;
    result.stopped = header_facts.stopped;
    result.threads = header_facts.threads;
    std::map<std::uint64_t, std::string> chunks; // by number: those of a thread are in order
    for (std::uint32_t count = 0; count < header_facts.used_chunks; ++count) {
        std::string chunk(trace::chunk_bytes, 0);
        if (!in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()))) {
            break;
        }
        trace::chunk_header head;
        std::memcpy(static_cast<void*>(&head), chunk.data(), sizeof head);
        chunks[head.number] = std::move(chunk);
    }
    for (const auto& [number, chunk] : chunks) {
        chunk_reader(chunk.data() + sizeof(trace::chunk_header), chunk.data() + chunk.size(), result).read();
    }
    std::stable_sort(
        result.events.begin(), result.events.end(),
        [](const part_event& first, const part_event& second) { return first.ticks < second.ticks; });
    return result;
}

} // namespace recorder_test
