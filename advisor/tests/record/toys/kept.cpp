// kept SCENE COUNT: lines whose blocks come and go. A trial that keeps them for the next request changes no result.

#include <sys/prctl.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#define APART __attribute__((noinline))

namespace {

/// A buffer above glibc's largest threshold of mmap is made for each frame: few requests, and all page faults.
APART std::size_t frame(int number) {
    std::vector<unsigned char> pixels(std::size_t{33} << 20); // line: frame
    pixels[static_cast<std::size_t>(number)] = 1;
    std::size_t sum = 0;
    for (std::size_t at = 0; at < pixels.size(); at += 4096) {
        sum += pixels[at];
    }
    return sum;
}

APART std::size_t label(int number) {
    return std::string(static_cast<std::size_t>(40 + number % 20), 'l').size();
}

std::size_t frames(int count) {
    std::size_t sum = 0;
    for (int number = 0; number < count; ++number) {
        sum += frame(number);
        for (int index = 0; index < 100; ++index) {
            sum += label(index);
        }
    }
    return sum;
}

/// Strings of many lengths are filled once each, and none grows.
APART std::size_t batch(int number) {
    std::deque<std::string> texts;
    for (int index = 0; index < 100; ++index) {
        const int length = 40 + (number * 31 + index * 7) % 400;
        std::string& text = texts.emplace_back();
        text.assign(static_cast<std::size_t>(length), 'm'); // line: assign
    }
    return texts.size();
}

std::size_t assigned(int count) {
    std::size_t sum = 0;
    for (int number = 0; number < count; ++number) {
        sum += batch(number);
    }
    return sum;
}

/// One thread makes messages, and another one frees them, which begins when many are there.
std::size_t queue(int count) {
    const auto many = static_cast<std::size_t>(std::min(count, 1000));
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::unique_ptr<std::string>> messages;
    std::size_t sum = 0;
    std::thread consumer([&] {
        std::unique_lock begin(mutex);
        changed.wait(begin, [&] { return messages.size() >= many; });
        begin.unlock();
        for (int number = 0; number < count; ++number) {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return !messages.empty(); });
            const std::unique_ptr<std::string> message = std::move(messages.front());
            messages.pop_front();
            lock.unlock();
            sum += message->size() + static_cast<unsigned char>(message->back());
        }
    });
    for (int number = 0; number < count; ++number) {
        auto message =
            std::make_unique<std::string>(static_cast<std::size_t>(40 + number % 100), 'q'); // line: queue
        const std::lock_guard lock(mutex);
        messages.push_back(std::move(message));
        changed.notify_one();
    }
    consumer.join();
    return sum;
}

/// A chain of operator+ makes temporaries, of which two are live at a time.
APART std::size_t temporaries(int count) {
    const std::string name(30, 'n');
    std::size_t sum = 0;
    for (int number = 0; number < count; ++number) {
        sum += (name + std::to_string(number) + name + name + name + name).size(); // line: temporary
    }
    return sum;
}

} // namespace

int main(int words, char** arguments) {
    ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); // a huge page is one page fault
    const std::string scene = words > 1 ? arguments[1] : "";
    const int count = words > 2 ? std::atoi(arguments[2]) : 0;
    const std::size_t sum = scene == "frame"    ? frames(count)
                            : scene == "assign" ? assigned(count)
                            : scene == "queue"  ? queue(count)
                                                : temporaries(count);
    std::printf("%zu\n", sum);
}
