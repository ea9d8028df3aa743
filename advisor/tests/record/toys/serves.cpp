// serves PATH [HOW]: handles 100 requests for each connection to the Unix socket PATH. SIGTERM ends it by its default action, or
// (HOW = exits) by exit(0) in a handler, or not at all (ignores). A daemon goes to the background in a session of its own.
// serves PATH ask N: connects N times, and prints the number of answers. serves PATH kill: ends the server by SIGKILL.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

extern "C" void end(int) {
    exit(0); // NOLINT: not safe in general, but the handler interrupts only accept
}

static int ask(const sockaddr_un& address, int connections) {
    int answered = 0;
    for (int connection = 0; connection != connections; ++connection) {
        const int client = socket(AF_UNIX, SOCK_STREAM, 0);
        char answer = 0;
        if (connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
            read(client, &answer, 1) == 1) {
            ++answered;
        }
        close(client);
    }
    std::printf("%d answers\n", answered);
    return answered == connections ? 0 : 1;
}

static int kill_server(const sockaddr_un& address) {
    const int client = socket(AF_UNIX, SOCK_STREAM, 0);
    ucred server{};
    socklen_t bytes = sizeof server;
    return connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
           getsockopt(client, SOL_SOCKET, SO_PEERCRED, &server, &bytes) != 0 ||
           kill(server.pid, SIGKILL) != 0;
}

int main(int count, char** words) {
    const std::string mode = count > 2 ? words[2] : "";
    sockaddr_un address{AF_UNIX, {}};
    std::strncpy(address.sun_path, words[1], sizeof address.sun_path - 1);
    if (mode == "ask") {
        return ask(address, std::atoi(words[3]));
    }
    if (mode == "kill") {
        return kill_server(address);
    }
    if (mode == "daemon") {
        static_cast<void>(!daemon(1, 1));
    } else if (mode == "exits") {
        std::signal(SIGTERM, end);
    } else if (mode == "ignores") {
        std::signal(SIGTERM, SIG_IGN);
    }
    const int server = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink(words[1]);
    if (bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(server, 100) != 0) {
        std::perror("serves");
        return 1;
    }
    for (;;) {
        const int client = accept(server, nullptr, nullptr);
        for (int request = 0; request != 100; ++request) {
            handle(request);
        }
        static_cast<void>(!write(client, "+", 1));
        close(client);
    }
}
