// A program with one scope, `scope_of_the_trial`. Each scene works on blocks of the scope, and returns true on
// success.

#include <mallard/record/scope.hpp>

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define OWN_FRAME __attribute__((noinline))

namespace {

using scene = bool (*)();

volatile int work = 0;

bool is_aligned(const void* block) {
    return reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t) == 0;
}

/// Blocks of every size keep their contents.
bool contents() {
    struct filled_block {
        unsigned char* block;
        std::size_t bytes;
    };
    std::vector<filled_block> all;
    bool passed = true;
    for (std::size_t round = 0; round < 3; ++round) {
        for (std::size_t bytes = 0; bytes < 6000; bytes += bytes < 200 ? 1 : 97) {
            auto* const block = static_cast<unsigned char*>(std::malloc(bytes));
            std::memset(block, static_cast<int>(bytes % 251), bytes);
            passed = passed && is_aligned(block) && malloc_usable_size(block) >= bytes;
            all.push_back({block, bytes});
        }
        for (std::size_t index = 0; index < all.size(); ++index) {
            const filled_block& block_of_round = all[index];
            for (std::size_t byte = 0; byte < block_of_round.bytes; ++byte) {
                passed = passed && block_of_round.block[byte] == block_of_round.bytes % 251;
            }
            if (index % 2 == round % 2) {
                std::free(block_of_round.block);
            }
        }
        std::vector<filled_block> remaining;
        for (std::size_t index = 0; index < all.size(); ++index) {
            if (index % 2 != round % 2) {
                remaining.push_back(all[index]);
            }
        }
        all = remaining;
    }
    for (const filled_block& entry : all) {
        std::free(entry.block);
    }
    return passed;
}

bool zeros() {
    bool passed = true;
    for (int round = 0; round < 50; ++round) {
        void* const dirty = std::malloc(3000);
        std::memset(dirty, 0xff, 3000);
        std::free(dirty);
        auto* const clean = static_cast<unsigned char*>(std::calloc(30, 100));
        for (int byte = 0; byte < 3000; ++byte) {
            passed = passed && clean[byte] == 0;
        }
        std::free(clean);
    }
    // A product that overflows returns null.
    volatile std::size_t many = std::size_t{1} << 62;
    return passed && std::calloc(many, 8) == nullptr;
}

bool reallocations() {
    bool passed = true;
    auto* text = static_cast<char*>(std::malloc(1));
    text[0] = 0;
    for (std::size_t length = 1; length < 30'000; length += length / 3 + 1) {
        const std::size_t old_length = std::strlen(text);
        text = static_cast<char*>(std::realloc(text, length + 1));
        std::memset(text + old_length, 'a', length - old_length);
        text[length] = 0;
        passed = passed && std::strlen(text) == length;
    }
    text = static_cast<char*>(std::realloc(text, 10));
    passed = passed && std::memcmp(text, "aaaaaaaaaa", 10) == 0;
    return passed && std::realloc(text, 0) == nullptr;
}

bool alignments() {
    bool passed = true;
    for (std::size_t alignment = 8; alignment <= 4096; alignment *= 2) {
        void* block = nullptr;
        passed = passed && posix_memalign(&block, alignment, 100) == 0 &&
                 reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
        std::free(block);
        struct alignas(128) wide {
            std::array<char, 128> bytes;
        };
        passed = passed && reinterpret_cast<std::uintptr_t>(std::make_unique<wide>().get()) % 128 == 0;
    }
    return passed;
}

std::vector<std::string> handed_over;

/// Blocks that outlive the scope, and that another thread frees.
bool remote_frees() {
    for (int round = 0; round < 20; ++round) {
        std::vector<std::string> texts;
        for (int index = 0; index < 100; ++index) {
            texts.push_back("a text that is too long for the string itself " + std::to_string(index));
        }
        std::thread([moved = std::move(texts)]() mutable { moved.clear(); }).join();
    }
    handed_over.assign(50, std::string(60, 'x'));
    return true;
}

bool forks() {
    std::map<int, std::string> blocks;
    for (int index = 0; index < 100; ++index) {
        blocks[index] = std::string(50, 'b');
    }
    const pid_t child = fork();
    if (child == 0) {
        blocks.clear();
        const std::vector<std::string> strings(100, std::string(50, 'a'));
        _exit(strings.back() == std::string(50, 'a') ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status == 0;
}

bool exceptions() {
    int caught = 0;
    for (int attempt = 0; attempt < 100; ++attempt) {
        try {
            const std::vector<std::string> texts(10, std::string(40, 't'));
            throw std::runtime_error(texts.back());
        } catch (const std::exception&) {
            ++caught;
        }
    }
    return caught == 100;
}

/// More concurrent threads than the trial has arenas.
bool many_threads() {
    constexpr int threads = 1100;
    std::atomic<int> waiting{0};
    std::vector<std::thread> all;
    for (int index = 0; index < threads; ++index) {
        all.emplace_back([&] {
            const auto text = std::make_unique<std::string>(60, 'x');
            ++waiting;
            while (waiting.load() < threads) {
                std::this_thread::yield();
            }
        });
    }
    for (std::thread& thread : all) {
        thread.join();
    }
    return waiting == threads;
}

/// Returns: the number of mappings of the process.
long mappings() {
    std::ifstream lines("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(lines), {}, '\n');
}

/// Short threads leave no mappings behind.
bool short_threads() {
    long initial = 0;
    for (int index = 0; index < 600; ++index) {
        std::thread([] { const auto text = std::make_unique<std::string>(60, 'x'); }).join();
        initial = index == 10 ? mappings() : initial;
    }
    return mappings() <= initial + 10;
}

/// Memory that is never freed while the scope runs, so that a region only grows.
bool hoards() {
    static std::vector<std::unique_ptr<char[]>> kept;
    for (int index = 0; index < 2000; ++index) {
        kept.push_back(std::make_unique<char[]>(20'000));
        kept.back()[0] = 'x';
    }
    return true;
}

constexpr std::size_t frame_bytes = std::size_t{40} << 20;

/// A large buffer is made for each frame, and every second one has to be zero.
bool frames() {
    bool passed = true;
    for (int frame = 0; frame < 2; ++frame) {
        auto* const buffer = static_cast<unsigned char*>(frame % 2 == 0 ? std::malloc(frame_bytes)
                                                                        : std::calloc(frame_bytes / 8, 8));
        passed = passed && malloc_usable_size(buffer) < 2 * frame_bytes;
        for (std::size_t at = 0; at < frame_bytes; at += 4096) {
            passed = passed && (frame % 2 == 0 || buffer[at] == 0);
            buffer[at] = 0xff;
        }
        buffer[frame_bytes - 1] = 0xff;
        std::free(buffer);
    }
    return passed;
}

/// An array grows by an eighth at a time, shrinks and grows again; its end is on another thread.
bool grows() {
    bool passed = true;
    for (int array = 0; array < 5; ++array) {
        std::size_t capacity = 1;
        auto* numbers = static_cast<std::uint32_t*>(std::malloc(sizeof(std::uint32_t)));
        const auto resize = [&](std::size_t wanted) {
            numbers = static_cast<std::uint32_t*>(std::realloc(numbers, wanted * sizeof(std::uint32_t)));
            capacity = wanted;
            passed = passed && malloc_usable_size(numbers) >= wanted * sizeof(std::uint32_t);
        };
        for (std::uint32_t number = 0; number < 50'000; ++number) {
            if (number == capacity) {
                resize(capacity + 1 + capacity / 8);
            }
            numbers[number] = number;
        }
        resize(1000);
        resize(2000);
        for (std::uint32_t number = 0; number < 1000; ++number) {
            passed = passed && numbers[number] == number;
        }
        std::thread([&] {
            resize(3000);
            passed = passed && numbers[999] == 999;
            std::free(numbers);
        }).join();
    }
    return passed;
}

/// A large block comes and goes before each small one that stays.
bool large_and_small() {
    static std::vector<std::unique_ptr<char[]>> kept;
    for (int index = 0; index < 20; ++index) {
        const std::unique_ptr<char[]> large{new char[4 << 20]};
        std::memset(large.get(), 'x', 4 << 20);
        kept.push_back(std::make_unique<char[]>(100));
    }
    return true;
}

/// Returns: a block that the compiler cannot optimise away.
void* seen_block() {
    void* block = std::malloc(40);
    asm volatile("" : "+r"(block) : : "memory");
    return block;
}

/// A longjmp leaves the scope's calls without their ends.
bool jumps() {
    static std::jmp_buf place;
    static volatile int remaining = 0;
    remaining = 100;
    static_cast<void>(setjmp(place));
    if (remaining > 0) {
        remaining = remaining - 1;
        std::free(seen_block());
        std::longjmp(place, 1);
    }
    return true;
}

bool frees_twice() {
    void* block = seen_block();
    void* again = block;
    asm volatile("" : "+r"(block), "+r"(again)); // hides the double free from the compiler
    std::free(seen_block());
    std::free(block);
    std::free(again);
    return true;
}

/// The second free is on another thread, where blocks are queued for their owner.
bool frees_twice_elsewhere() {
    void* block = seen_block();
    void* again = block;
    asm volatile("" : "+r"(block), "+r"(again));
    std::free(block);
    std::thread([again] { std::free(again); }).join();
    return true;
}

std::vector<void*> remembered;

/// Allocates a block that outlives the scope.
extern "C" OWN_FRAME void keep_a_block();
extern "C" OWN_FRAME void keep_a_block() {
    remembered.push_back(seen_block());
    work = work + 1;
}

/// Of each ten blocks, one is freed outside of the scope.
bool keeps() {
    for (int index = 0; index < 100; ++index) {
        for (int inner = 0; inner < 9; ++inner) {
            std::free(seen_block());
        }
        keep_a_block();
    }
    return true;
}

#define TEN_TIMES(text) text text text text text text text text text text

/// In a mark with a name of 300 bytes, of which a recording keeps 255.
bool long_name() {
    MALLARD_SCOPE(TEN_TIMES("a part of the name of 30 bytes"));
    std::free(seen_block());
    return true;
}

bool nothing() {
    return true;
}

/// libc's table of exit handlers grows inside of the scope, for as long as the process lives.
bool exit_handlers() {
    bool passed = true;
    for (int count = 0; count < 100; ++count) {
        passed = passed && std::atexit([] {}) == 0;
    }
    return passed;
}

/// Prints where malloc puts a block, from the beginning of its heap.
bool heap_offset() {
    const std::unique_ptr<char[]> block{new char[40]};
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.ends_with("[heap]")) {
            std::printf("%zu\n", reinterpret_cast<std::uintptr_t>(block.get()) -
                                     static_cast<std::uintptr_t>(std::stoull(line, nullptr, 16)));
            return true;
        }
    }
    return false;
}

struct named {
    const char* name;
    scene run;
};

constexpr std::array scenes{named{"contents", &contents},
                            named{"zeros", &zeros},
                            named{"reallocations", &reallocations},
                            named{"alignments", &alignments},
                            named{"remote_frees", &remote_frees},
                            named{"forks", &forks},
                            named{"exceptions", &exceptions},
                            named{"many_threads", &many_threads},
                            named{"short_threads", &short_threads},
                            named{"jumps", &jumps},
                            named{"exit_handlers", &exit_handlers},
                            named{"heap_offset", &heap_offset},
                            named{"hoards", &hoards},
                            named{"frames", &frames},
                            named{"grows", &grows},
                            named{"large_and_small", &large_and_small},
                            named{"keeps", &keeps},
                            named{"long_name", &long_name},
                            named{"frees_twice", &frees_twice},
                            named{"frees_twice_elsewhere", &frees_twice_elsewhere},
                            named{"nothing", &nothing}};

OWN_FRAME void outside(int rounds) {
    for (int index = 0; index < rounds; ++index) {
        delete new int(index);
    }
    work = work + 1;
}

} // namespace

extern "C" bool scope_of_the_trial(scene run, int rounds);

extern "C" OWN_FRAME bool scope_of_the_trial(scene run, int rounds) {
    MALLARD_SCOPE("scope of the trial");
    bool passed = true;
    for (int round = 0; round < rounds; ++round) {
        passed = run() && passed;
    }
    work = work + 1;
    return passed;
}

int main(int count, char* arguments[]) {
    ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); // a huge page is one page fault
    for (const named& entry : scenes) {
        if (count == 2 && std::strcmp(entry.name, arguments[1]) == 0) {
            outside(1000);
            bool passed = scope_of_the_trial(entry.run, 3);
            handed_over.clear();
            std::for_each(remembered.begin(), remembered.end(), [](void* block) { std::free(block); });
            remembered.clear();
            outside(1000);
            passed = scope_of_the_trial(entry.run, 2) && passed;
            return passed ? 0 : 1;
        }
    }
    return 2;
}
