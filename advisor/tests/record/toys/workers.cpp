// workers HOW:N ...: forks a child for each pair, one after the other, which handles N requests and ends with _exit (HOW = ends) or
// by SIGKILL (killed), or leaks N blocks (leaks).
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

[[gnu::noinline]] static std::size_t handle(int request) {
    std::vector<std::string> texts;
    for (int text = 0; text != 20; ++text) {
        texts.emplace_back("a text that is too long for the inside of a string, number " +
                           std::to_string(request));
    }
    return texts.size();
}

[[gnu::noinline]] static void work(const std::string& how, int count) {
    for (int request = 0; request != count; ++request) {
        if (how == "leaks") {
            static_cast<void>(!std::malloc(100));
        } else {
            handle(request);
        }
    }
    if (how == "killed") {
        raise(SIGKILL);
    }
    _exit(0);
}

int main(int count, char** words) {
    for (int word = 1; word != count; ++word) {
        const std::string pair = words[word];
        const std::size_t colon = pair.find(':');
        const pid_t child = fork();
        if (child == 0) {
            work(pair.substr(0, colon), std::atoi(pair.c_str() + colon + 1));
        }
        waitpid(child, nullptr, 0);
    }
}
