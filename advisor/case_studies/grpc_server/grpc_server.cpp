// A gRPC server: two clients in the same process send orders, the server answers each with a receipt. gRPC's own switch
// for the memory of messages is a message allocator: PROGRAM ITEMS CALLS.
#include "advisor/case_studies/program/build.hpp"
#include "advisor/case_studies/protobuf/orders.hpp"

#include <google/protobuf/arena.h>
#include <grpc_server/orders.grpc.pb.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/message_allocator.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using namespace case_studies;
using google::protobuf::Arena;

constexpr unsigned long clients = 2;
constexpr std::size_t block_bytes = std::size_t{1} << 16;

[[gnu::noinline]] void handle(const Order& order, Receipt& receipt) {
    receipt.set_sum(order_checksum(order).value());
    for (const Item& item : order.items()) {
        receipt.add_names(item.name());
    }
}

class orders_service final : public Orders::CallbackService {
    grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context, const Order* order,
                                    Receipt* receipt) override {
        handle(*order, *receipt);
        grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
        reactor->Finish(grpc::Status::OK);
        return reactor;
    }
};

/// The messages of one call. Without an arena they are on the heap, which shows the cost of the change itself.
class call_messages final : public grpc::MessageHolder<Order, Receipt> {
public:
    call_messages() : arena_(options(first_block_.get())) { make(); }

    /// Effects: resets the arena, and creates new messages in its memory.
    void make_again() {
        arena_.Reset();
        make();
    }
    void Release() override;

private:
    static std::unique_ptr<char[]> first_block() {
        return is_build<library_pool_reused> ? std::make_unique<char[]>(block_bytes) : nullptr;
    }
    static google::protobuf::ArenaOptions options(char* block) {
        google::protobuf::ArenaOptions arena_options;
        arena_options.initial_block = block;
        arena_options.initial_block_size = block == nullptr ? 0 : block_bytes;
        return arena_options;
    }
    void make() {
        Arena* const arena = is_build<null_build> ? nullptr : &arena_;
        set_request(Arena::CreateMessage<Order>(arena));
        set_response(Arena::CreateMessage<Receipt>(arena));
    }

    std::unique_ptr<char[]> first_block_ = first_block();
    Arena arena_;
};

class message_allocator final : public grpc::MessageAllocator<Order, Receipt> {
public:
    grpc::MessageHolder<Order, Receipt>* AllocateMessages() override {
        if constexpr (is_build<library_pool_reused>) {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!unused_.empty()) {
                std::unique_ptr<call_messages> messages = std::move(unused_.back());
                unused_.pop_back();
                messages->make_again();
                return messages.release();
            }
        }
        return new call_messages;
    }
    void take_back(call_messages* messages) {
        std::unique_ptr<call_messages> owned(messages);
        if constexpr (is_build<library_pool_reused>) {
            const std::lock_guard<std::mutex> lock(mutex_);
            unused_.push_back(std::move(owned));
        }
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<call_messages>> unused_;
};

message_allocator& messages() {
    static message_allocator allocator;
    return allocator;
}

void call_messages::Release() {
    if constexpr (is_build<null_build>) {
        delete request();
        delete response();
    }
    messages().take_back(this);
}

std::uint64_t ask(Orders::Stub& server, const std::vector<Order>& orders, unsigned long calls) {
    std::uint64_t sum = 0;
    for (unsigned long call = 0; call != calls; ++call) {
        grpc::ClientContext context;
        Receipt receipt;
        if (!server.Check(&context, orders[call % orders.size()], &receipt).ok()) {
            std::abort();
        }
        sum += receipt.sum() + static_cast<std::uint64_t>(receipt.names_size());
    }
    return sum;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s ITEMS CALLS\n", argv[0]);
        return 2;
    }
    const unsigned long items = std::strtoul(argv[1], nullptr, 10);
    const unsigned long calls = std::strtoul(argv[2], nullptr, 10);
    std::mt19937 draw(42);
    std::vector<Order> orders(50);
    for (Order& order : orders) {
        order = make_order(draw, items);
    }
    orders_service service;
    if constexpr (!is_build<before>) {
        service.SetMessageAllocatorFor_Check(&messages());
    }
    grpc::ServerBuilder builder;
    builder.RegisterService(&service);
    const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    std::atomic<std::uint64_t> sum{0};
    {
        std::vector<std::jthread> threads;
        for (unsigned long client = 0; client != clients; ++client) {
            threads.emplace_back([&] {
                const std::unique_ptr<Orders::Stub> stub = Orders::NewStub(server->InProcessChannel({}));
                sum += ask(*stub, orders, calls);
            });
        }
    }
    server->Shutdown();
    std::printf("%016llx\n", static_cast<unsigned long long>(sum.load()));
    return 0;
}
