#include "trace/recordings/random_recording.hpp"

#include <algorithm>

namespace mallard::test {

namespace {

using trace::record_kind;

constexpr std::uint64_t first_ticks = 1'000'000;

std::uint64_t recorded_levels(const std::vector<level>& stack, std::size_t count) {
    std::uint64_t levels = 0;
    for (std::size_t index = 0; index < count; ++index) {
        levels += stack[index].omitted != 0 ? stack[index].omitted : 1;
    }
    return levels;
}

/// One thread, from start to end.
class random_thread {
public:
    random_thread(std::uint64_t seed, std::uint32_t number, random_recording::options settings)
        : random_(seed), options_(settings), number_(number), ticks_(first_ticks + below(1000)) {}

    void run() {
        begin_chunk();
        expect(record_kind::thread_begin);
        for (std::size_t count = 0; count < options_.events; ++count) {
            if (in_chunk_ == options_.events_per_chunk) {
                begin_chunk();
            }
            add_event();
            ++in_chunk_;
        }
        add_plain(record_kind::thread_end);
        chunks.push_back(chunk_.bytes);
    }

    std::vector<std::vector<std::byte>> chunks;
    std::vector<expected_event> events;

private:
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    bool one_in(std::uint64_t count) { return below(count) == 0; }
    std::uint64_t any() { return random_() >> below(64); }

    expected_event& expect(record_kind kind) {
        expected_event& result = events.emplace_back();
        result.fields.kind = kind;
        result.fields.ticks = ticks_;
        result.fields.thread = number_;
        return result;
    }

    void begin_chunk() {
        if (!chunk_.bytes.empty()) {
            if (one_in(2)) {
                chunk_.add_byte(0);
            }
            chunks.push_back(chunk_.bytes);
        }
        chunk_ = chunk_builder();
        chunk_.thread_begin(ticks_, number_, begins_++);
        in_chunk_ = 0;
        full_stack_ = true;
    }

    std::uint64_t pass_time() {
        std::uint64_t passed = one_in(20) ? below(100'000) : below(300);
        if (options_.extreme && one_in(200)) {
            passed = std::uint64_t{1} << below(54);
        }
        ticks_ += passed;
        return passed;
    }

    void add_plain(record_kind kind) {
        const std::uint64_t passed = pass_time();
        expected_event& expected = expect(kind);
        if (trace::is_of_function(kind)) {
            expected.fields.address = options_.extreme ? any() : 0x40'0000 + below(20) * 64;
            expected.fields.bytes = options_.extreme ? any() : 0x7ffd'0000 - below(50) * 16;
        }
        if (kind == record_kind::gap || kind == record_kind::resident) {
            expected.fields.bytes = any();
        }
        if (kind == record_kind::resident) {
            expected.fields.address = any();
        }
        chunk_.add(expected, passed, 0, {});
    }

    level new_level() {
        if (options_.extreme && one_in(30)) {
            return {0, 1 + below(1U << 20)};
        }
        const std::uint64_t limit = options_.extreme && one_in(3) ? std::uint64_t{1} << 48 : 40;
        return {1 + below(limit), 0};
    }

    void add_event() {
        constexpr record_kind kinds[] = {record_kind::malloc,
                                         record_kind::calloc,
                                         record_kind::realloc,
                                         record_kind::aligned,
                                         record_kind::new_object,
                                         record_kind::aligned_new_array,
                                         record_kind::free,
                                         record_kind::free,
                                         record_kind::delete_object,
                                         record_kind::delete_array,
                                         record_kind::realloc_old,
                                         record_kind::realloc_failed,
                                         record_kind::scope_begin,
                                         record_kind::scope_end,
                                         record_kind::progress,
                                         record_kind::instance_begin,
                                         record_kind::instance_leave,
                                         record_kind::pool_allocated,
                                         record_kind::pool_freed,
                                         record_kind::pool_released,
                                         record_kind::pool_rolled_back,
                                         record_kind::malloc_trim,
                                         record_kind::mallopt,
                                         record_kind::function_enter,
                                         record_kind::function_exit,
                                         record_kind::gap,
                                         record_kind::resident};
        const record_kind kind = one_in(2)   ? kinds[below(std::size(kinds))]
                                 : one_in(2) ? record_kind::malloc
                                             : record_kind::free;
        if (!trace::has_stack(kind)) {
            add_plain(kind);
            return;
        }
        const std::uint64_t passed = pass_time();
        std::size_t kept =
            std::min(stack_.size(), stack_.size() - std::min<std::size_t>(stack_.size(), below(4)));
        if (one_in(50)) {
            kept = 0;
        }
        stack_.resize(kept);
        if (kept == 0) {
            end_ = static_cast<trace::stack_end>(below(trace::stack_ends));
        }
        for (std::uint64_t more = below(4); more != 0; --more) {
            stack_.push_back(new_level());
        }
        expected_event& expected = expect(kind);
        fill_fields(expected.fields);
        expected.stack = stack_;
        expected.end = end_;
        expected.fields.kept = static_cast<std::uint32_t>(kept);
        const std::uint64_t repeated = recorded_levels(stack_, kept);
        if (full_stack_) {
            kept = 0;
        }
        std::vector<level> written(stack_.begin() + static_cast<std::ptrdiff_t>(kept), stack_.end());
        if (kept == 0 && expected.fields.kept > 2 && begins_ % 2 == 0) {
            // The preceding chunk has these levels.
            written.erase(written.begin() + 1, written.begin() + expected.fields.kept - 1);
            written.insert(written.begin() + 1,
                           {0, repeated - recorded_levels({stack_.front()}, 1) -
                                   recorded_levels({stack_[expected.fields.kept - 1]}, 1)});
        }
        chunk_.add(expected, passed, recorded_levels(stack_, kept), written, repeated);
        full_stack_ = false;
    }

    void fill_fields(trace::event& event) {
        const record_kind kind = event.kind;
        if (trace::allocates(kind) || kind == record_kind::pool_allocated ||
            kind == record_kind::pool_rolled_back) {
            event.bytes = options_.extreme ? any() : below(10) * 8;
        }
        if (trace::allocates(kind) || kind == record_kind::pool_allocated) {
            event.address = options_.extreme && one_in(2) ? any() : 0x5500'0000 + below(500) * 16;
            blocks_.push_back(event.address);
        } else if (trace::frees(kind) || kind == record_kind::realloc_failed ||
                   kind == record_kind::pool_freed) {
            event.address = any();
            if (!blocks_.empty() && !one_in(10)) {
                const std::size_t index = one_in(2) ? blocks_.size() - 1 : below(blocks_.size());
                event.address = blocks_[index];
                if (!one_in(10)) { // some are freed twice
                    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(index));
                }
            }
        } else if (kind >= record_kind::scope_begin && kind <= record_kind::instance_leave) {
            event.address = options_.extreme ? any() : below(5);
        }
        if (trace::is_of_pool(kind)) {
            event.pool = options_.extreme ? any() : below(4);
        }
        if (one_in(10)) {
            event.ticks_inside = 1 + (options_.extreme ? any() / 2 : below(1000));
        }
        if (event.ticks_inside != 0) {
            event.ticks_recorder = options_.extreme ? any() / 2 : below(300);
        }
    }

    std::mt19937_64 random_;
    random_recording::options options_;
    std::uint32_t number_;
    std::uint64_t ticks_;
    chunk_builder chunk_;
    std::size_t in_chunk_ = 0;
    std::uint64_t begins_ = 0;
    bool full_stack_ = true;
    trace::stack_end end_ = trace::stack_end::outermost;
    std::vector<level> stack_;
    std::vector<std::uint64_t> blocks_;
};

} // namespace

random_recording::random_recording(std::uint64_t seed, options settings) {
    std::mt19937_64 random(seed);
    std::vector<std::vector<std::vector<std::byte>>> waiting;
    for (std::uint32_t number = 0; number < settings.threads; ++number) {
        random_thread thread(random(), number, settings);
        thread.run();
        std::reverse(thread.chunks.begin(), thread.chunks.end());
        waiting.push_back(std::move(thread.chunks));
        threads[number] = std::move(thread.events);
    }
    while (!waiting.empty()) {
        const std::size_t index = random() % waiting.size();
        chunks.push_back(std::move(waiting[index].back()));
        waiting[index].pop_back();
        if (waiting[index].empty()) {
            waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(index));
        }
    }
    facts.number = 4711;
    facts.threads = settings.threads;
    facts.first_ticks = first_ticks;
    facts.executable = "/bin/program";
    facts.command = {"program", "argument"};
    facts.ticks_per_second = 2.5e9;
}

void random_recording::add_to(trace::writer& to) const {
    const std::size_t process = to.add_process(facts);
    for (const auto& chunk : chunks) {
        to.add_chunk(process, chunk);
    }
    to.end_process(process, facts);
}

} // namespace mallard::test
