// What glibc has since, for programs that run on 2.28, too (old_glibc.cmake).
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

char __libc_single_threaded = 0; /* 2.32: a hint. */

uint32_t arc4random(void) { /* 2.36 */
  uint32_t value;
  while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) {
  }
  return value;
}

int close_range(unsigned first, unsigned last, int flags) { /* 2.34 */
  return (int)syscall(436, first, last, flags);
}

const char* sigabbrev_np(int signal) { /* 2.32 */
  static const char* const names[] = {
      0, "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL",
      "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT",
      "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF",
      "WINCH", "POLL", "PWR", "SYS"};
  if (signal < 1 || signal >= (int)(sizeof names / sizeof *names)) return 0;
  return names[signal];
}

/* A time of that clock, by the one that all have.  If the latter is set
   meanwhile, the wait is as much shorter or longer. */
static struct timespec real_time(clockid_t clock, struct timespec until) {
  struct timespec now, real;
  if (clock == CLOCK_REALTIME) return until;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  real.tv_sec += until.tv_sec - now.tv_sec;
  real.tv_nsec += until.tv_nsec - now.tv_nsec;
  if (real.tv_nsec < 0) { real.tv_nsec += 1000000000; --real.tv_sec; }
  if (real.tv_nsec >= 1000000000) { real.tv_nsec -= 1000000000; ++real.tv_sec; }
  return real;
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           clockid_t clock, const struct timespec* until) {
  struct timespec real = real_time(clock, *until); /* 2.30 */
  return pthread_cond_timedwait(condition, mutex, &real);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const struct timespec* until) {
  struct timespec real = real_time(clock, *until); /* 2.30 */
  return pthread_mutex_timedlock(mutex, &real);
}

struct sought { uintptr_t pc; struct dl_find_object* found; };

static int look(struct dl_phdr_info* info, size_t size, void* data) {
  struct sought* sought = data;
  uintptr_t low = UINTPTR_MAX, high = 0;
  const ElfW(Phdr)* frame = 0;
  int is_in = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* header = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME) frame = header;
    if (header->p_type != PT_LOAD) continue;
    if (begin < low) low = begin;
    if (begin + header->p_memsz > high) high = begin + header->p_memsz;
    if (sought->pc >= begin && sought->pc < begin + header->p_memsz) is_in = 1;
  }
  if (!is_in || !frame) return 0;
  memset(sought->found, 0, sizeof *sought->found);
  sought->found->dlfo_map_start = (void*)low;
  sought->found->dlfo_map_end = (void*)high;
  sought->found->dlfo_eh_frame = (void*)(info->dlpi_addr + frame->p_vaddr);
  return 1;
}

int _dl_find_object(void* pc, struct dl_find_object* found) { /* 2.35 */
  struct sought sought = {(uintptr_t)pc, found};
  return dl_iterate_phdr(look, &sought) == 1 ? 0 : -1;
}

/* 2.34.  Those that are open now, and as many more for other threads; what
   coppice opens is closed on exec all the same. */
int posix_spawn_file_actions_addclosefrom_np(
    posix_spawn_file_actions_t* actions, int first) {
  int most = first + 64;
  DIR* open_now = opendir("/proc/self/fd");
  if (open_now) {
    struct dirent* entry;
    while ((entry = readdir(open_now))) {
      int number = atoi(entry->d_name);
      if (number + 64 > most) most = number + 64;
    }
    closedir(open_now);
  }
  for (int i = first; i < most; ++i) {
    int failed = posix_spawn_file_actions_addclose(actions, i);
    if (failed) return failed;
  }
  return 0;
}

pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); } /* 2.30 */

/* 2.36: system calls of Linux 5.2 and 5.12. */
int open_tree(int folder, const char* path, unsigned flags) {
  return (int)syscall(428, folder, path, flags);
}

int move_mount(int from, const char* from_path, int to, const char* to_path,
               unsigned flags) {
  return (int)syscall(429, from, from_path, to, to_path, flags);
}

int fsopen(const char* type, unsigned flags) {
  return (int)syscall(430, type, flags);
}

int fsconfig(int system, unsigned command, const char* key, const void* value,
             int more) {
  return (int)syscall(431, system, command, key, value, more);
}

int fsmount(int system, unsigned flags, unsigned attributes) {
  return (int)syscall(432, system, flags, attributes);
}

int mount_setattr(int folder, const char* path, unsigned flags,
                  struct mount_attr* attributes, size_t size) {
  return (int)syscall(442, folder, path, flags, attributes, size);
}

/* The stubs do not say that these are one variable, so the program would have
   one of its own. */
extern char** __environ;

__attribute__((constructor(101))) static void share_environment(void) {
  environ = __environ;
}
