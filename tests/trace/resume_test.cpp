// A writer that ended in the middle of its file, and another one that goes on: the trace is that of one which was not disturbed.

#include "trace/encode/event_encoder.hpp"
#include "trace/reader.hpp"
#include "trace/writer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace mallard::trace {
namespace {

constexpr std::uint32_t threads = 3;
constexpr std::size_t chunks_of_thread = 6;
constexpr std::size_t events_of_chunk = 400;

using chunk = std::vector<std::byte>;

/// Writes chunks as a recorded process does.
class recorded_thread {
public:
    explicit recorded_thread(std::uint32_t number)
        : number_(number), random_(number), ticks_(ticks_of_step * (1'000 + number)) {}

    chunk next_chunk() {
        chunk made(chunk_bytes);
        std::byte* to = made.data();
        *to++ = static_cast<std::byte>(record_kind::thread_begin);
        to = write_number(write_number(write_number(to, ticks_), number_), 4'000 + number_);
        to = write_number(to, begins_++);
        last_address_ = 0;
        for (std::size_t each = 0; each < events_of_chunk; ++each) {
            to = write_event(to, each == 0);
        }
        *to++ = std::byte{0};
        made.resize(static_cast<std::size_t>(to - made.data()));
        return made;
    }

private:
    std::byte* write_event(std::byte* to, bool whole) {
        const bool frees = !blocks_.empty() && random_() % 2 == 0;
        // Some levels go, and a few come: the same ones again and again, and sometimes new ones.
        const std::size_t kept = random_() % (stack_.size() + 1);
        stack_.resize(kept);
        for (std::size_t more = 1 + random_() % 5; more != 0; --more) {
            stack_.push_back(0x5000'0000 + random_() % (random_() % 16 == 0 ? 100'000 : 8));
        }
        const std::size_t first = whole ? 0 : kept;
        const std::uint64_t passed = ticks_of_step * (1 + random_() % 100);
        ticks_ += passed;
        *to++ = static_cast<std::byte>(frees ? record_kind::free : record_kind::malloc);
        to = write_number(write_number(write_number(to, passed), first), stack_.size() - first);
        if (first == 0) {
            *to++ = static_cast<std::byte>(stack_end::outermost);
        }
        for (std::size_t each = first; each < stack_.size(); ++each) {
            to = write_level(to, stack_[each]);
        }
        if (frees) {
            to = write_address(to, blocks_.back());
            blocks_.pop_back();
            return to;
        }
        blocks_.push_back(0x7000'0000 + 16 * (random_() % 10'000) + 0x100'0000 * number_);
        return write_address(write_number(to, 16 + random_() % 64), blocks_.back());
    }

    std::byte* write_address(std::byte* to, std::uint64_t address) {
        to = write_number(to, zigzag(static_cast<std::int64_t>(address - last_address_)));
        last_address_ = address;
        return to;
    }

    std::uint32_t number_;
    std::minstd_rand random_;
    std::uint64_t ticks_;
    std::uint64_t begins_ = 0;
    std::uint64_t last_address_ = 0;
    std::vector<std::uint64_t> stack_{0x5000'0000};
    std::vector<std::uint64_t> blocks_;
};

std::vector<chunk> record() {
    std::vector<recorded_thread> all;
    for (std::uint32_t each = 0; each < threads; ++each) {
        all.emplace_back(each);
    }
    std::vector<chunk> chunks;
    for (std::size_t each = 0; each < chunks_of_thread; ++each) {
        for (recorded_thread& thread : all) {
            chunks.push_back(thread.next_chunk());
        }
    }
    return chunks;
}

/// Each event in words, by thread, for comparison.
std::vector<std::vector<std::string>> events_of(const std::filesystem::path& file) {
    reader from(file);
    EXPECT_EQ(from.processes().size(), 1U);
    EXPECT_EQ(from.torn_bytes(), 0U);
    EXPECT_FALSE(from.processes().front().torn);
    std::vector<std::vector<std::string>> found(threads);
    from.begin(0);
    for (auto some = from.next(); !some.empty(); some = from.next()) {
        for (const event& each : some) {
            std::string text = std::to_string(static_cast<int>(each.kind)) + " " +
                               std::to_string(each.ticks) + " " + std::to_string(each.address) + " " +
                               std::to_string(each.bytes);
            const context_tree& contexts = from.contexts(0);
            for (context_id level = each.context; contexts[level].depth != 0;
                 level = contexts[level].parent) {
                text += " " + std::to_string(contexts[level].address);
            }
            found.at(each.thread).push_back(std::move(text));
        }
    }
    return found;
}

class resume : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "mallard-resume-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
        about.number = 1;
        writer whole(folder / "whole", {});
        whole.add_process(about);
        for (const chunk& each : chunks) {
            whole.add_chunk(0, each);
        }
        whole.end_process(0, about);
        whole.finish();
        expected = events_of(folder / "whole");
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    /// Effects: leaves a file without an end, with the events of the first chunks.
    void break_off_after(std::size_t count) {
        writer broken(folder / "x", {});
        broken.add_process(about);
        for (std::size_t each = 0; each < count; ++each) {
            broken.add_chunk(0, chunks[each]);
            if (each % 4 == 3) {
                broken.flush();
            }
        }
        broken.flush();
    }

    void go_on_from(std::size_t first) {
        const auto next = writer::resume(folder / "x", {});
        for (std::size_t each = first; each < chunks.size(); ++each) {
            next->add_chunk(0, chunks[each]);
        }
        next->end_process(0, about);
        next->finish();
    }

    std::filesystem::path folder;
    process about;
    const std::vector<chunk> chunks = record();
    std::vector<std::vector<std::string>> expected;
};

TEST_F(resume, goes_on_behind_the_last_chunk) {
    for (std::size_t count = 0; count <= chunks.size(); ++count) {
        break_off_after(count);
        go_on_from(count);
        ASSERT_EQ(events_of(folder / "x"), expected) << count;
    }
}

TEST_F(resume, leaves_out_events_that_are_there) {
    for (std::size_t count = 0; count <= chunks.size(); count += 3) {
        break_off_after(count);
        go_on_from(count / 2);
        ASSERT_EQ(events_of(folder / "x"), expected) << count;
    }
}

TEST_F(resume, takes_a_torn_file) {
    std::minstd_rand random(1);
    for (int each = 0; each < 40; ++each) {
        break_off_after(11);
        const auto bytes = std::filesystem::file_size(folder / "x");
        const std::size_t head = 200; // of the file, and the process
        std::filesystem::resize_file(folder / "x", head + random() % (bytes - head));
        go_on_from(0);
        ASSERT_EQ(events_of(folder / "x"), expected) << each;
    }
}

TEST_F(resume, refuses_a_file_with_an_end_and_other_files) {
    EXPECT_THROW((void)writer::resume(folder / "whole", {}), trace_error);
    EXPECT_THROW((void)writer::resume(folder / "none", {}), trace_error);
    std::filesystem::copy_file("/proc/self/exe", folder / "other");
    const auto bytes = std::filesystem::file_size(folder / "other");
    EXPECT_THROW((void)writer::resume(folder / "other", {}), trace_error);
    EXPECT_EQ(std::filesystem::file_size(folder / "other"), bytes);
}

} // namespace
} // namespace mallard::trace
