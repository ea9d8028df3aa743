// Writes a trace of an imaginary program, with the given number of events.
//
//     make_trace TRACE EVENTS [SEED]
//
// The program is a graph of functions with call sites. Between two events it moves a few levels up and down, so there are
// many different stacks, and an event has few new levels. Blocks are freed in three ways: soon after, with the call that
// allocated them, and at random much later. They come from free lists by size, as in an allocator.
#include "trace/recordings/random_recording.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace mallard::test;
namespace trace = mallard::trace;

constexpr std::uint32_t functions = 3000;
constexpr std::size_t most_depth = 40;
constexpr std::size_t chunk_bytes = std::size_t{250} << 10;
constexpr std::size_t most_old_blocks = 300'000;

struct block {
    std::uint64_t address = 0;
    std::uint32_t size_class = 0;
};

struct call {
    std::uint32_t function = 0;
    std::uint64_t address = 0;
    std::vector<block> blocks; ///< freed when the call returns
};

class program {
public:
    explicit program(std::uint64_t seed) : random_(seed) { calls_.push_back({0, 0x40'1000, {}}); }

    void write(trace::writer& to, std::uint64_t events) {
        trace::process facts;
        facts.number = 1;
        facts.threads = 1;
        facts.executable = "/nowhere/program";
        facts.first_ticks = ticks_;
        facts.ticks_per_second = 2e9;
        facts.timed_one_in = 64;
        const std::size_t process_index = to.add_process(facts);
        begin_chunk();
        while (written_events_ < events) {
            walk();
            if (chunk_.bytes.size() > chunk_bytes) {
                to.add_chunk(process_index, chunk_.bytes);
                begin_chunk();
            }
        }
        to.add_chunk(process_index, chunk_.bytes);
        facts.last_ticks = ticks_;
        to.end_process(process_index, facts);
    }

private:
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

    void begin_chunk() {
        chunk_ = chunk_builder();
        chunk_.thread_begin(ticks_, 0, begins_++);
        needs_full_stack_ = true;
    }

    void walk() {
        for (std::uint64_t up = below(3); up != 0 && calls_.size() > 8; --up) {
            leave();
        }
        for (std::uint64_t down = below(calls_.size() < most_depth ? 4 : 1); down != 0; --down) {
            enter();
        }
        allocate();
        if (below(3) == 0) {
            add(trace::record_kind::free, take_any(last_));
        }
        if (!old_.empty() && (below(4) == 0 || old_.size() > most_old_blocks)) {
            add(trace::record_kind::free, take_any(old_));
        }
    }

    /// A function has four sites, the first of which is taken most often.
    void enter() {
        const std::uint32_t outer = calls_.back().function;
        const std::uint64_t site = below(4) < 3 ? 0 : 1 + below(3);
        const auto inner = static_cast<std::uint32_t>((outer * 7 + site * 131 + 1) % functions);
        calls_.push_back({inner, 0x40'1000 + std::uint64_t{outer} * 256 + site * 16 + 5, {}});
    }

    void leave() {
        std::vector<block> blocks;
        blocks.swap(calls_.back().blocks);
        for (const block& owned : blocks) {
            add(trace::record_kind::free, owned);
        }
        calls_.pop_back();
        kept_ = std::min(kept_, calls_.size());
    }

    block take_any(std::vector<block>& from) {
        if (from.empty()) {
            return take(0);
        }
        std::swap(from[below(from.size())], from.back());
        const block taken = from.back();
        from.pop_back();
        return taken;
    }

    block take(std::uint32_t size_class) {
        std::vector<block>& free = free_[size_class];
        if (!free.empty()) {
            const block reused = free.back();
            free.pop_back();
            return reused;
        }
        const block fresh{top_, size_class};
        top_ += 16 * (size_class + 1);
        return fresh;
    }

    void allocate() {
        const std::uint32_t function = calls_.back().function;
        const auto size_class = static_cast<std::uint32_t>(function % 7 + (below(8) == 0 ? below(24) : 0));
        const block allocated = take(size_class);
        add(trace::record_kind::malloc, allocated);
        switch (below(8)) {
        case 0:
            old_.push_back(allocated);
            break;
        case 1:
        case 2:
        case 3:
            last_.push_back(allocated);
            break;
        default:
            calls_.back().blocks.push_back(allocated);
        }
    }

    void add(trace::record_kind kind, const block& target) {
        expected_event event;
        event.fields.kind = kind;
        event.fields.address = target.address;
        if (kind == trace::record_kind::malloc) {
            event.fields.bytes = 16 * (target.size_class + std::uint64_t{1});
        } else {
            free_[target.size_class].push_back(target);
        }
        if (below(64) == 0) {
            event.fields.ticks_inside = 40 + below(100);
            event.fields.ticks_recorder = 30 + below(20);
        }
        const std::uint64_t passed = 80 + below(100);
        ticks_ += passed;
        const std::size_t kept = needs_full_stack_ ? 0 : kept_;
        std::vector<level> more;
        for (std::size_t index = kept; index < calls_.size(); ++index) {
            more.push_back({calls_[index].address, 0});
        }
        chunk_.add(event, passed, kept, more, kept_);
        needs_full_stack_ = false;
        kept_ = calls_.size();
        ++written_events_;
    }

    std::mt19937_64 random_;
    std::uint64_t written_events_ = 0;
    std::uint64_t begins_ = 0;
    std::uint64_t ticks_ = 1'000'000;
    std::uint64_t top_ = 0x5555'0000'0000;
    chunk_builder chunk_;
    bool needs_full_stack_ = true;
    std::size_t kept_ = 0; ///< calls of the preceding event that are still active
    std::vector<call> calls_;
    std::vector<block> last_;
    std::vector<block> old_;
    std::array<std::vector<block>, 32> free_;
};

} // namespace

int main(int count, char** words) {
    if (count < 3) {
        std::fputs("usage: make_trace TRACE EVENTS [SEED]\n", stderr);
        return 2;
    }
    program imaginary(count > 3 ? std::strtoull(words[3], nullptr, 10) : 1);
    trace::writer to(words[1], {});
    imaginary.write(to, std::strtoull(words[2], nullptr, 10));
    to.finish();
    std::printf("%llu events, %.3f bytes an event\n", static_cast<unsigned long long>(to.events()),
                static_cast<double>(to.bytes()) / static_cast<double>(to.events()));
}
