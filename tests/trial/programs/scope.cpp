// A program with one scope, `scope_of_the_trial`. Each scene does something to blocks of the scope, and says if all is well.

#include <mallard/record/scope.hpp>

#include <malloc.h>
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

/// Every size keeps its contents, whatever is allocated around it.
bool contents() {
    struct kept {
        unsigned char* block;
        std::size_t bytes;
    };
    std::vector<kept> all;
    bool well = true;
    for (std::size_t round = 0; round < 3; ++round) {
        for (std::size_t bytes = 0; bytes < 6000; bytes += bytes < 200 ? 1 : 97) {
            auto* const block = static_cast<unsigned char*>(std::malloc(bytes));
            std::memset(block, static_cast<int>(bytes % 251), bytes);
            well = well && is_aligned(block) && malloc_usable_size(block) >= bytes;
            all.push_back({block, bytes});
        }
        for (std::size_t each = 0; each < all.size(); ++each) {
            const kept& now = all[each];
            for (std::size_t byte = 0; byte < now.bytes; ++byte) {
                well = well && now.block[byte] == now.bytes % 251;
            }
            if (each % 2 == round % 2) {
                std::free(now.block);
            }
        }
        std::vector<kept> left;
        for (std::size_t each = 0; each < all.size(); ++each) {
            if (each % 2 != round % 2) {
                left.push_back(all[each]);
            }
        }
        all = left;
    }
    for (const kept& each : all) {
        std::free(each.block);
    }
    return well;
}

bool zeros() {
    bool well = true;
    for (int round = 0; round < 50; ++round) {
        void* const dirty = std::malloc(3000);
        std::memset(dirty, 0xff, 3000);
        std::free(dirty);
        auto* const clean = static_cast<unsigned char*>(std::calloc(30, 100));
        for (int byte = 0; byte < 3000; ++byte) {
            well = well && clean[byte] == 0;
        }
        std::free(clean);
    }
    // A product that wraps gets nothing.
    volatile std::size_t many = std::size_t{1} << 62;
    return well && std::calloc(many, 8) == nullptr;
}

bool reallocations() {
    bool well = true;
    auto* text = static_cast<char*>(std::malloc(1));
    text[0] = 0;
    for (std::size_t length = 1; length < 30'000; length += length / 3 + 1) {
        const std::size_t before = std::strlen(text);
        text = static_cast<char*>(std::realloc(text, length + 1));
        std::memset(text + before, 'a', length - before);
        text[length] = 0;
        well = well && std::strlen(text) == length;
    }
    text = static_cast<char*>(std::realloc(text, 10));
    well = well && std::memcmp(text, "aaaaaaaaaa", 10) == 0;
    return well && std::realloc(text, 0) == nullptr;
}

bool alignments() {
    bool well = true;
    for (std::size_t alignment = 8; alignment <= 4096; alignment *= 2) {
        void* block = nullptr;
        well = well && posix_memalign(&block, alignment, 100) == 0 &&
               reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
        std::free(block);
        struct alignas(128) wide {
            std::array<char, 128> bytes;
        };
        well = well && reinterpret_cast<std::uintptr_t>(std::make_unique<wide>().get()) % 128 == 0;
    }
    return well;
}

std::vector<std::string> handed_over;

/// Blocks that outlive the scope, and that another thread frees.
bool other_threads() {
    for (int round = 0; round < 20; ++round) {
        std::vector<std::string> texts;
        for (int each = 0; each < 100; ++each) {
            texts.push_back("a text that is too long for the string itself " + std::to_string(each));
        }
        std::thread([gone = std::move(texts)]() mutable { gone.clear(); }).join();
    }
    handed_over.assign(50, std::string(60, 'x'));
    return true;
}

bool forks() {
    std::map<int, std::string> before;
    for (int each = 0; each < 100; ++each) {
        before[each] = std::string(50, 'b');
    }
    const pid_t child = fork();
    if (child == 0) {
        before.clear();
        const std::vector<std::string> after(100, std::string(50, 'a'));
        _exit(after.back() == std::string(50, 'a') ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status == 0;
}

bool exceptions() {
    int caught = 0;
    for (int each = 0; each < 100; ++each) {
        try {
            const std::vector<std::string> texts(10, std::string(40, 't'));
            throw std::runtime_error(texts.back());
        } catch (const std::exception&) {
            ++caught;
        }
    }
    return caught == 100;
}

/// More threads at the same time than the trial has servers.
bool many_threads() {
    constexpr int threads = 1100;
    std::atomic<int> waiting{0};
    std::vector<std::thread> all;
    for (int each = 0; each < threads; ++each) {
        all.emplace_back([&] {
            const auto text = std::make_unique<std::string>(60, 'x');
            ++waiting;
            while (waiting.load() < threads) {
                std::this_thread::yield();
            }
        });
    }
    for (std::thread& each : all) {
        each.join();
    }
    return waiting == threads;
}

/// The addresses that the process has mapped.
long mappings() {
    std::ifstream lines("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(lines), {}, '\n');
}

/// Threads that come and go leave nothing behind.
bool short_threads() {
    long before = 0;
    for (int each = 0; each < 600; ++each) {
        std::thread([] { const auto text = std::make_unique<std::string>(60, 'x'); }).join();
        before = each == 10 ? mappings() : before;
    }
    return mappings() <= before + 10;
}

/// Memory that is never free at once, so that a region only grows.
bool hoards() {
    static std::vector<std::unique_ptr<char[]>> kept;
    for (int each = 0; each < 2000; ++each) {
        kept.push_back(std::make_unique<char[]>(20'000));
        kept.back()[0] = 'x';
    }
    return true;
}

/// A block that the compiler cannot leave out.
void* seen_block() {
    void* block = std::malloc(40);
    asm volatile("" : "+r"(block) : : "memory");
    return block;
}

/// A longjmp leaves the scope's calls without their ends.
bool jumps() {
    static std::jmp_buf place;
    static volatile int left = 0;
    left = 100;
    static_cast<void>(setjmp(place));
    if (left > 0) {
        left = left - 1;
        std::free(seen_block());
        std::longjmp(place, 1);
    }
    return true;
}

bool frees_twice() {
    void* block = seen_block();
    void* again = block;
    asm volatile("" : "+r"(block), "+r"(again)); // so that the compiler does not see it either
    std::free(seen_block());
    std::free(block);
    std::free(again);
    return true;
}

/// The second deallocation on another thread, where blocks wait for their owner.
bool frees_twice_elsewhere() {
    void* block = seen_block();
    void* again = block;
    asm volatile("" : "+r"(block), "+r"(again));
    std::free(block);
    std::thread([again] { std::free(again); }).join();
    return true;
}

std::vector<void*> remembered;

/// Its blocks outlive the scope.
extern "C" OWN_FRAME void keep_a_block();
extern "C" OWN_FRAME void keep_a_block() {
    remembered.push_back(seen_block());
    work = work + 1;
}

/// Of each ten blocks, one is freed outside of the scope.
bool keeps() {
    for (int each = 0; each < 100; ++each) {
        for (int other = 0; other < 9; ++other) {
            std::free(seen_block());
        }
        keep_a_block();
    }
    return true;
}

bool nothing() {
    return true;
}

struct named {
    const char* name;
    scene run;
};
constexpr std::array scenes{named{"contents", &contents},
                            named{"zeros", &zeros},
                            named{"reallocations", &reallocations},
                            named{"alignments", &alignments},
                            named{"other_threads", &other_threads},
                            named{"forks", &forks},
                            named{"exceptions", &exceptions},
                            named{"many_threads", &many_threads},
                            named{"short_threads", &short_threads},
                            named{"jumps", &jumps},
                            named{"hoards", &hoards},
                            named{"keeps", &keeps},
                            named{"frees_twice", &frees_twice},
                            named{"frees_twice_elsewhere", &frees_twice_elsewhere},
                            named{"nothing", &nothing}};

OWN_FRAME void outside(int rounds) {
    for (int each = 0; each < rounds; ++each) {
        delete new int(each);
    }
    work = work + 1;
}

} // namespace

extern "C" bool scope_of_the_trial(scene run, int rounds);

extern "C" OWN_FRAME bool scope_of_the_trial(scene run, int rounds) {
    MALLARD_SCOPE("scope of the trial");
    bool well = true;
    for (int each = 0; each < rounds; ++each) {
        well = run() && well;
    }
    work = work + 1;
    return well;
}

int main(int count, char* arguments[]) {
    for (const named& each : scenes) {
        if (count == 2 && std::strcmp(each.name, arguments[1]) == 0) {
            outside(1000);
            bool well = scope_of_the_trial(each.run, 3);
            handed_over.clear();
            std::for_each(remembered.begin(), remembered.end(), [](void* block) { std::free(block); });
            remembered.clear();
            outside(1000);
            well = scope_of_the_trial(each.run, 2) && well;
            return well ? 0 : 1;
        }
    }
    return 2;
}
