#include "trace/recordings/random_recording.hpp"

#include <array>

namespace mallard::test {

void chunk_builder::add_number(std::uint64_t value) {
    std::array<std::byte, 10> image{};
    bytes.insert(bytes.end(), image.begin(),
                 image.begin() + (trace::write_number(image.data(), value) - image.data()));
}

void chunk_builder::add_address(std::uint64_t address, std::uint64_t& last) {
    add_number(trace::zigzag(static_cast<std::int64_t>(address - last)));
    last = address;
}

void chunk_builder::thread_begin(std::uint64_t ticks, std::uint32_t thread, std::uint64_t begins) {
    add_byte(static_cast<std::uint8_t>(trace::record_kind::thread_begin));
    add_number(ticks);
    add_number(thread);
    add_number(4711); // thread ID
    add_number(begins);
    last_address_ = last_function_ = last_frame_ = 0;
}

void chunk_builder::add(const expected_event& event, std::uint64_t passed, std::uint64_t kept,
                        const std::vector<level>& more, std::uint64_t repeated) {
    using trace::record_kind;
    const record_kind kind = event.fields.kind;
    add_byte(static_cast<std::uint8_t>(kind));
    add_number(passed);
    if (trace::has_stack(kind)) {
        std::uint64_t levels = 0;
        for (const level& entry : more) {
            levels += entry.omitted != 0 ? entry.omitted : 1;
        }
        add_number(kept);
        add_number(levels);
        if (kept == 0) {
            add_byte(static_cast<std::uint8_t>(event.end));
            add_number(repeated);
        }
        for (const level& entry : more) {
            std::array<std::byte, 16> image{};
            std::byte* to = trace::write_level(image.data(), entry.omitted != 0 ? 0 : entry.address);
            if (entry.omitted != 0) {
                to = trace::write_level(to, entry.omitted);
            }
            bytes.insert(bytes.end(), image.data(), to);
        }
    }
    if (trace::allocates(kind) || kind == record_kind::pool_allocated ||
        kind == record_kind::pool_rolled_back) {
        add_number(event.fields.bytes);
    }
    if (trace::allocates(kind) || trace::frees(kind) || kind == record_kind::realloc_failed ||
        kind == record_kind::pool_allocated || kind == record_kind::pool_freed) {
        add_address(event.fields.address, last_address_);
    }
    if (kind >= record_kind::scope_begin && kind <= record_kind::instance_leave) {
        add_number(event.fields.address);
    }
    if (trace::is_of_pool(kind)) {
        add_number(event.fields.pool);
    }
    if (trace::is_of_function(kind)) {
        add_address(event.fields.address, last_function_);
        add_address(event.fields.bytes, last_frame_);
    }
    if (kind == record_kind::gap || kind == record_kind::resident) {
        add_number(event.fields.bytes);
    }
    if (kind == record_kind::resident) {
        add_address(event.fields.address, last_address_);
    }
    if (event.fields.ticks_inside != 0) {
        add_byte(static_cast<std::uint8_t>(record_kind::time_inside));
        add_number(0);
        add_number(event.fields.ticks_inside);
        add_number(event.fields.ticks_recorder);
    }
}

} // namespace mallard::test
