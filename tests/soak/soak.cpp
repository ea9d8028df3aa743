// Random operations on every allocator, for as long as the command line says.
#include "model/turn.hpp"
#include "soak/account.hpp"
#include "soak/build.hpp"
#include "soak/options.hpp"

#include <mallard/core/sanitizer.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#ifdef MALLARD_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace {

using clock_type = std::chrono::steady_clock;

std::atomic<bool> interrupted = false;

/// The current operation, printed if the program crashes.
char place[256] = "";

void say_place() {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, place, std::char_traits<char>::length(place));
}

void die(int number) {
    say_place();
    std::signal(number, SIG_DFL);
    std::raise(number);
}

void watch_signals() {
    std::signal(SIGINT, [](int) { interrupted = true; });
    std::signal(SIGTERM, [](int) { interrupted = true; });
#ifdef MALLARD_ASAN
    __sanitizer_set_death_callback(say_place);
#else
    std::signal(SIGSEGV, die);
    std::signal(SIGBUS, die);
#endif
    std::signal(SIGABRT, die);
}

std::string to_repeat(std::uint64_t seed, std::uint64_t turn, const std::string& allocator) {
    return "mallard_soak --seed " + std::to_string(seed) + " --turn " + std::to_string(turn) +
           (allocator.empty() ? "" : " --allocator " + allocator);
}

int list() {
    for (const model::kind& k : model::kinds()) {
        std::printf("%s\n", k.name().c_str());
    }
    return std::fflush(stdout) == 0 ? 0 : 2;
}

int refuse(const std::string& why) {
    std::fprintf(stderr, "mallard_soak: %s\n%s", why.c_str(), soak::usage());
    return 2;
}

/// Returns: the chosen kinds, allocators by themselves first, so that a short soak reaches each of them.
std::vector<model::kind> chosen_kinds(const std::string& allocator) {
    const auto choose = [&allocator](bool alone) {
        return model::kinds_if([&](const model::kind& k) {
            return soak::chooses(allocator, k.name()) &&
                   alone == (k.adaptor == "plain" && k.binding == "direct");
        });
    };
    std::vector<model::kind> chosen = choose(true);
    const std::vector<model::kind> others = choose(false);
    chosen.insert(chosen.end(), others.begin(), others.end());
    return chosen;
}

double seconds_since(clock_type::time_point start) {
    return std::chrono::duration<double>(clock_type::now() - start).count();
}

int run(const soak::options& options, const std::vector<model::kind>& kinds) {
    soak::account done{.seed = options.seed ? *options.seed : std::random_device()()};
    const std::uint64_t goal = options.operations.value_or(std::numeric_limits<std::uint64_t>::max());
    const double most_seconds = options.seconds.value_or(std::numeric_limits<double>::infinity());
    const auto start = clock_type::now();
    double reported_at = 0;
    std::fprintf(stderr, "%zu kinds of allocators, seed %ju\n", kinds.size(), std::uintmax_t{done.seed});
    std::uint64_t turn = options.turn.value_or(0);
    while (done.operations < goal && done.seconds < most_seconds && !interrupted) {
        const model::kind& k = kinds[turn % kinds.size()];
        const std::string repeat = to_repeat(done.seed, turn, options.allocator);
        std::snprintf(place, sizeof(place), "died in %s\nto repeat: %s\n", k.name().c_str(), repeat.c_str());
        const auto one = model::play_turn(k, model::mixed(done.seed) + turn, goal - done.operations);
        done.operations += one.operations;
        done.by_allocator[k.allocator] += one.operations;
        ++done.turns;
        ++turn;
        done.seconds = seconds_since(start);
        if (!one.fault.empty()) {
            std::fprintf(stderr, "%s\nfault in %s: %s\nto repeat: %s --operations %zu\n",
                         soak::format_line(done).c_str(), k.name().c_str(), one.fault.c_str(), repeat.c_str(),
                         one.operations);
            return 1;
        }
        if (done.seconds >= reported_at + 10) {
            reported_at = done.seconds;
            std::fprintf(stderr, "%s\n", soak::format_line(done).c_str());
        }
        if (options.turn) {
            break;
        }
    }
    std::fprintf(stderr, "nothing wrong: %s\n", soak::format_line(done).c_str());
    std::printf("%s\n", soak::format_json(done, soak::this_build).c_str());
    if (std::fflush(stdout) != 0) {
        std::perror("mallard_soak: the last line is not written");
        return 2;
    }
    const bool has_goal = options.operations || options.seconds || options.turn;
    return interrupted && has_goal ? 130 : 0;
}

} // namespace

int main(int count, char** words) {
    const soak::options options =
        soak::read_options({words + 1, static_cast<std::size_t>(std::max(count, 1) - 1)});
    if (!options.wrong.empty()) {
        return refuse(options.wrong);
    }
    if (options.help) {
        std::fputs(soak::usage(), stdout);
        return 0;
    }
    if (options.list) {
        return list();
    }
    const auto kinds = chosen_kinds(options.allocator);
    if (kinds.empty()) {
        return refuse("there is no allocator \"" + options.allocator + "\"; --list says which there are");
    }
    watch_signals();
    return run(options, kinds);
}
