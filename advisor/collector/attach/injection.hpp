/// Starts a thread in another process, which loads the recorder.
///
/// A thread of the process is stopped and borrowed for three calls: mmap twice, and pthread_create. It is a thread that holds
/// nothing which these calls need: all its frames are known, and none is in a malloc, in the loader or behind a signal
/// handler. Each call returns to the
/// code of the C library that ends signal handlers, in front of a signal frame with the registers of the thread:
///
///     stack of the thread  | ... | red zone | vector registers | ucontext | return address |
///                                                                            -> mov $15, %rax; syscall (rt_sigreturn)
///
/// Invariant: from the first changed register on, the thread restores itself, without the collector, which may be killed at
/// any moment. The kernel then continues the thread, because no tracer is left. An interrupted system call is repeated from its
/// beginning. If the collector lives, it intercepts the thread before the rt_sigreturn, and restores the registers exactly as a
/// debugger does: the kernel resumes the system call with the remaining time.
#pragma once

#include "collector/attach/target.hpp"
#include "trace/attachment.hpp"

namespace mallard::collector {

/// The attachment in the memory of the process, which unmaps it after the recording.
class remote_attachment {
public:
    remote_attachment(pid_t process, address at);
    remote_attachment(const remote_attachment&) = delete;
    remote_attachment& operator=(const remote_attachment&) = delete;
    remote_attachment(remote_attachment&& other) noexcept;
    ~remote_attachment();

    /// Effects: has the thread unmap the attachment when its recording has ended. The borrowed thread has returned.
    void release() const noexcept;
    /// Returns: false if the process has unmapped the attachment, has ended or has executed another program; else stores the
    /// state. The program may have other data at the address by then, so the collector's process ID has to be there.
    bool read_state(trace::attachment_state& state) const noexcept;
    /// Effects: has the thread not attach, if it has not begun.
    void cancel() const noexcept;
    /// Returns: the message of the loader.
    [[nodiscard]] std::string error_text() const;

private:
    int memory_;
    address at_;
};

/// Effects: starts the thread, which records with these settings.
/// Throws: failure if the process may not be traced, if no thread is in a safe place for some seconds, or if the recorder
/// cannot be loaded.
remote_attachment attach(target& process, trace::attachment settings);

} // namespace mallard::collector
