// Marks for `mallard record`: a server whose requests are served by several threads, one step at a time.
//
// The program runs as without marks. `mallard record ./example_marked_requests` and `mallard profile` then show the memory
// of each request, of the parser, and of the cache that the program's own pool serves.
#include <mallard/mallard.hpp>

#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using cache_pool = mallard::recorded<mallard::multipool<>>;

struct request {
    explicit request(std::string sentence) : text(std::move(sentence)) {}

    std::string text;
    std::vector<std::string> words;
    mallard::record::scope scope{"request"}; // no thread owns it
};

void parse(request& one) {
    MALLARD_SCOPE("parse"); // ends with the block, on the thread on which it began
    std::string word;
    for (const char letter : one.text + " ") {
        if (letter == ' ') {
            one.words.push_back(std::exchange(word, ""));
        } else {
            word += letter;
        }
    }
}

std::size_t answer(const request& one, cache_pool& cache) {
    void* const kept = cache.allocate(64); // recorded as a block of the pool "cache"
    cache.deallocate(kept, 64);
    return one.words.size();
}

} // namespace

int main() {
    cache_pool cache("cache");
    std::size_t words = 0;
    for (int number = 0; number != 100; ++number) {
        request one("a request of " + std::to_string(number) + " words, more or less");
        std::thread([&] {
            const auto entered = one.scope.enter(); // this block works for the request
            parse(one);
        }).join();
        {
            const auto entered = one.scope.enter(); // and so does this one, on another thread
            words += answer(one, cache);
        }
        MALLARD_PROGRESS("answered");
    }
    std::cout << "100 requests, " << words << " words\n";
}
