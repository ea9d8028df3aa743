// A writer stops in the middle of its file, and another one resumes it: the trace equals that of an uninterrupted writer.

#include "trace/encode/event_coder.hpp"
#include "trace/reader.hpp"
#include "trace/writer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace mallard::trace { namespace {

constexpr std::uint32_t threads = 3;
constexpr std::size_t chunks_per_thread = 6;
constexpr std::size_t events_per_chunk = 400;

using chunk = std::vector<std::byte>;

/// Writes chunks like a recorded process.
class recorded_thread {
public:
    explicit recorded_thread(std::uint32_t number)
        : number_(number), random_(number), ticks_(ticks_per_step * (1'000 + number)) {}

    chunk next_chunk() {
        chunk result(chunk_bytes);
        std::byte* to = result.data();
        *to++ = static_cast<std::byte>(record_kind::thread_begin);
        to = write_number(write_number(write_number(to, ticks_), number_), 4'000 + number_);
        to = write_number(to, begins_++);
        last_address_ = 0;
        for (std::size_t index = 0; index < events_per_chunk; ++index) {
            to = write_event(to, index == 0);
        }
        *to++ = std::byte{0};
        result.resize(static_cast<std::size_t>(to - result.data()));
        return result;
    }

private:
    std::byte* write_event(std::byte* to, bool full_stack) {
        const bool frees = !blocks_.empty() && random_() % 2 == 0;
        // Some levels are dropped, and a few added: mostly repeated ones, and sometimes new ones.
        const std::size_t kept = random_() % (stack_.size() + 1);
        stack_.resize(kept);
        for (std::size_t more = 1 + random_() % 5; more != 0; --more) {
            stack_.push_back(0x5000'0000 + random_() % (random_() % 16 == 0 ? 100'000 : 8));
        }
        const std::size_t first = full_stack ? 0 : kept;
        const std::uint64_t passed = ticks_per_step * (1 + random_() % 100);
        ticks_ += passed;
        *to++ = static_cast<std::byte>(frees ? record_kind::free : record_kind::malloc);
        to = write_number(write_number(write_number(to, passed), first), stack_.size() - first);
        if (first == 0) {
            *to++ = static_cast<std::byte>(stack_end::outermost);
        }
        for (std::size_t index = first; index < stack_.size(); ++index) {
            to = write_level(to, stack_[index]);
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
    std::vector<recorded_thread> recorded_threads;
    for (std::uint32_t number = 0; number < threads; ++number) {
        recorded_threads.emplace_back(number);
    }
    std::vector<chunk> chunks;
    for (std::size_t number = 0; number < chunks_per_thread; ++number) {
        for (recorded_thread& thread : recorded_threads) {
            chunks.push_back(thread.next_chunk());
        }
    }
    return chunks;
}

/// Each event as text, by thread, for comparison.
std::vector<std::vector<std::string>> read_events(const std::filesystem::path& file) {
    reader from(file);
    EXPECT_EQ(from.processes().size(), 1U);
    EXPECT_EQ(from.torn_bytes(), 0U);
    EXPECT_FALSE(from.processes().front().torn);
    std::vector<std::vector<std::string>> result(threads);
    from.begin(0);
    for (auto batch = from.next(); !batch.empty(); batch = from.next()) {
        for (const event& event : batch) {
            std::string text = std::to_string(static_cast<int>(event.kind)) + " " +
                               std::to_string(event.ticks) + " " + std::to_string(event.address) + " " +
                               std::to_string(event.bytes);
            const context_tree& contexts = from.contexts(0);
            for (context_id level = event.context; contexts[level].depth != 0;
                 level = contexts[level].parent) {
                text += " " + std::to_string(contexts[level].address);
            }
            result.at(event.thread).push_back(std::move(text));
        }
    }
    return result;
}

class resume : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "mallard-resume-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
        facts.number = 1;
        writer complete(folder / "whole", {});
        complete.add_process(facts);
        for (const chunk& records : chunks) {
            complete.add_chunk(0, records);
        }
        complete.end_process(0, facts);
        complete.finish();
        expected = read_events(folder / "whole");
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    /// Effects: leaves a file without an end, with the events of the first chunks.
    void interrupt_after(std::size_t count) {
        writer broken(folder / "x", {});
        broken.add_process(facts);
        for (std::size_t index = 0; index < count; ++index) {
            broken.add_chunk(0, chunks[index]);
            if (index % 4 == 3) {
                broken.flush();
            }
        }
        broken.flush();
    }

    void resume_from(std::size_t first) {
        const auto next = writer::resume(folder / "x", {});
        for (std::size_t index = first; index < chunks.size(); ++index) {
            next->add_chunk(0, chunks[index]);
        }
        next->end_process(0, facts);
        next->finish();
    }

    std::filesystem::path folder;
    process facts;
    const std::vector<chunk> chunks = record();
    std::vector<std::vector<std::string>> expected;
};

TEST_F(resume, continues_after_the_last_chunk) {
    for (std::size_t count = 0; count <= chunks.size(); ++count) {
        interrupt_after(count);
        resume_from(count);
        ASSERT_EQ(read_events(folder / "x"), expected) << count;
    }
}

TEST_F(resume, skips_events_in_the_file) {
    for (std::size_t count = 0; count <= chunks.size(); count += 3) {
        interrupt_after(count);
        resume_from(count / 2);
        ASSERT_EQ(read_events(folder / "x"), expected) << count;
    }
}

TEST_F(resume, accepts_a_torn_file) {
    std::minstd_rand random(1);
    for (int attempt = 0; attempt < 40; ++attempt) {
        interrupt_after(11);
        const auto bytes = std::filesystem::file_size(folder / "x");
        const std::size_t head = 200; // heads of the file and of the process
        std::filesystem::resize_file(folder / "x", head + random() % (bytes - head));
        resume_from(0);
        ASSERT_EQ(read_events(folder / "x"), expected) << attempt;
    }
}

TEST_F(resume, refuses_complete_and_foreign_files) {
    EXPECT_THROW((void)writer::resume(folder / "whole", {}), trace_error);
    EXPECT_THROW((void)writer::resume(folder / "none", {}), trace_error);
    std::filesystem::copy_file("/proc/self/exe", folder / "other");
    const auto bytes = std::filesystem::file_size(folder / "other");
    EXPECT_THROW((void)writer::resume(folder / "other", {}), trace_error);
    EXPECT_EQ(std::filesystem::file_size(folder / "other"), bytes);
}

}} // namespace mallard::trace
