/* What a process does to the files under one folder, written down call by call, so that a test can rebuild what a
 * power cut would have left; and a disk that fails when asked to. For tests only, loaded with LD_PRELOAD.
 *
 * BOARDREF_CUT_ROOT: the folder (no symbolic links in it). BOARDREF_CUT_LOG: the file to write down to, elsewhere.
 * While one of the files BOARDREF_CUT_EIO, _ROFS, _FULL exists, every write and sync under the folder fails with EIO,
 * EROFS or ENOSPC, as does every open for writing; while BOARDREF_CUT_GONE exists, reads and opens fail, too, and what
 * was open then stays dead.
 *
 * A record: op (1 byte), id of the file (4), offset (8), length (8), then two lengths (4 each) and two texts or the
 * data. An id names one file (one inode) as long as it is open or known by a name here; names are relative to the root.
 * Shared memory (-shm) is no state on a disk and is left out: SQLite maps it and never syncs it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FDS 4096

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char root[PATH_MAX], gone[PATH_MAX];
static struct { const char *name; int error; char flag[PATH_MAX]; } faults[] = {
    {"BOARDREF_CUT_EIO", EIO, ""}, {"BOARDREF_CUT_ROFS", EROFS, ""}, {"BOARDREF_CUT_FULL", ENOSPC, ""}};
static size_t root_length;
static int log_fd = -1;
static uint32_t ids[FDS]; /* of open files under the root; 0: none of ours */
static int dead[FDS];     /* opened before the disk went: never of use again, also when it has come back */
static int folders[FDS];  /* whether it is an open folder under the root */

__attribute__((constructor)) static void begin(void) {
    const char *where = getenv("BOARDREF_CUT_ROOT"), *log = getenv("BOARDREF_CUT_LOG");
    if (where == NULL || log == NULL || where[0] != '/') return;
    snprintf(root, sizeof root, "%s/", where);
    root_length = strlen(root);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const char *flag = getenv(faults[i].name);
        if (flag != NULL) snprintf(faults[i].flag, sizeof faults[i].flag, "%s", flag);
    }
    const char *lost = getenv("BOARDREF_CUT_GONE");
    if (lost != NULL) snprintf(gone, sizeof gone, "%s", lost);
    log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int there(const char *flag) { return flag[0] && syscall(SYS_faccessat, AT_FDCWD, flag, F_OK) == 0; }

/* Whether a file opened before the disk went is used. */
static int buried(int fd) {
    if (fd < 0 || fd >= FDS || !ids[fd]) return 0;
    if (there(gone))
        for (int i = 0; i < FDS; i++) dead[i] |= ids[i] != 0;
    if (dead[fd]) errno = EIO;
    return dead[fd];
}

/* Whether writing fails now; sets errno. */
static int failing(void) {
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (there(faults[i].flag)) { errno = faults[i].error; return 1; }
    if (!there(gone)) return 0;
    errno = EIO;
    return 1;
}

/* The name under the root of a path, or NULL. */
static const char *ours(int dir, const char *path, char *whole) {
    if (log_fd < 0 || path == NULL) return NULL;
    if (path[0] == '/') {
        if (snprintf(whole, PATH_MAX, "%s", path) >= PATH_MAX) return NULL;
    } else {
        char link[64], base[PATH_MAX / 2];
        ssize_t n = -1;
        if (dir == AT_FDCWD) {
            if (syscall(SYS_getcwd, base, sizeof base) > 0) n = (ssize_t)strlen(base);
        } else {
            snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
            n = syscall(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
        }
        if (n <= 0) return NULL;
        base[n] = 0;
        if (snprintf(whole, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return NULL;
    }
    if (strncmp(whole, root, root_length) != 0 || whole[root_length] == 0) return NULL;
    size_t length = strlen(whole);
    if (length > 4 && strcmp(whole + length - 4, "-shm") == 0) return NULL;
    return whole + root_length;
}

static void note(char op, uint32_t id, uint64_t offset, const void *one, uint32_t n, const void *two, uint32_t m) {
    struct __attribute__((packed)) { char op; uint32_t id; uint64_t offset; uint32_t n, m; } head = {op, id, offset, n, m};
    struct iovec parts[3] = {{&head, sizeof head}, {(void *)one, n}, {(void *)two, m}};
    if (syscall(SYS_writev, log_fd, parts, 3) != (long)(sizeof head + n + m)) abort();
}

static uint32_t number_of(int fd, int fresh) { /* one id for one inode; a number used again names a fresh file */
    static struct { ino_t inode; dev_t device; } known[FDS];
    static uint32_t count = 0;
    struct stat at;
    if (syscall(SYS_fstat, fd, &at) != 0) return 0;
    for (uint32_t i = count; i-- > 0;)
        if (!fresh && known[i].inode == at.st_ino && known[i].device == at.st_dev) return i + 1;
    if (count == FDS) abort();
    known[count].inode = at.st_ino;
    known[count].device = at.st_dev;
    return ++count;
}

static int opened(int dir, const char *path, int flags, mode_t mode) {
    char whole[PATH_MAX];
    const char *name = ours(dir, path, whole);
    int writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
    if (log_fd >= 0 && path != NULL && (name != NULL || strncmp(path, root, root_length - 1) == 0)) {
        if (writes && failing()) return -1;
        if (there(gone)) { errno = EIO; return -1; }
    }
    if (name == NULL) {
        int fd = (int)syscall(SYS_openat, dir, path, flags, mode);
        if (fd >= 0 && fd < FDS && log_fd >= 0) {
            ids[fd] = 0;
            size_t n = path != NULL ? strlen(path) : 0;
            folders[fd] = n + 1 >= root_length && strncmp(path, root, root_length - 1) == 0;
        }
        return fd;
    }
    pthread_mutex_lock(&lock);
    int existed = syscall(SYS_faccessat, AT_FDCWD, whole, F_OK) == 0;
    int fd = (int)syscall(SYS_openat, dir, path, flags, mode);
    if (fd >= 0 && fd < FDS) {
        struct stat at;
        folders[fd] = syscall(SYS_fstat, fd, &at) == 0 && S_ISDIR(at.st_mode);
        ids[fd] = folders[fd] ? 0 : number_of(fd, !existed);
        if (ids[fd]) {
            if (!existed) note('c', ids[fd], 0, name, (uint32_t)strlen(name), NULL, 0);
            else note('o', ids[fd], 0, name, (uint32_t)strlen(name), NULL, 0);
            if (existed && (flags & O_TRUNC)) note('t', ids[fd], 0, NULL, 0, NULL, 0);
        }
    }
    pthread_mutex_unlock(&lock);
    return fd;
}

#define WITH_MODE(path)                                                    \
    mode_t mode = 0;                                                       \
    if (flags & (O_CREAT | O_TMPFILE)) {                                   \
        va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); \
    }

int open(const char *path, int flags, ...) { WITH_MODE(path) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { WITH_MODE(path) return opened(AT_FDCWD, path, flags, mode); }
int openat(int dir, const char *path, int flags, ...) { WITH_MODE(path) return opened(dir, path, flags, mode); }
int openat64(int dir, const char *path, int flags, ...) { WITH_MODE(path) return opened(dir, path, flags, mode); }
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

static uint32_t id_of(int fd) { return log_fd >= 0 && fd >= 0 && fd < FDS ? ids[fd] : 0; }

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at) {
    uint32_t id = id_of(fd);
    if (id && (buried(fd) || failing())) return -1;
    pthread_mutex_lock(&lock);
    ssize_t done = syscall(SYS_pwrite64, fd, data, n, at);
    if (id && done > 0) note('w', id, (uint64_t)at, data, (uint32_t)done, NULL, 0);
    pthread_mutex_unlock(&lock);
    return done;
}
ssize_t pwrite(int fd, const void *data, size_t n, off_t at) { return pwrite64(fd, data, n, at); }

ssize_t write(int fd, const void *data, size_t n) {
    uint32_t id = id_of(fd);
    if (!id) return syscall(SYS_write, fd, data, n);
    if (buried(fd) || failing()) return -1;
    pthread_mutex_lock(&lock);
    ssize_t done = syscall(SYS_write, fd, data, n);
    if (done > 0) {
        off_t after = syscall(SYS_lseek, fd, 0, SEEK_CUR);
        note('w', id, (uint64_t)(after - done), data, (uint32_t)done, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    if (!id_of(fd)) return syscall(SYS_writev, fd, parts, count);
    ssize_t total = 0;
    for (int i = 0; i < count; i++) {
        ssize_t done = write(fd, parts[i].iov_base, parts[i].iov_len);
        if (done < 0) return total ? total : -1;
        total += done;
        if ((size_t)done < parts[i].iov_len) break;
    }
    return total;
}

ssize_t read(int fd, void *data, size_t n) {
    if (id_of(fd) && buried(fd)) return -1;
    return syscall(SYS_read, fd, data, n);
}
ssize_t pread64(int fd, void *data, size_t n, off64_t at) {
    if (id_of(fd) && buried(fd)) return -1;
    return syscall(SYS_pread64, fd, data, n, at);
}
ssize_t pread(int fd, void *data, size_t n, off_t at) { return pread64(fd, data, n, at); }

int ftruncate64(int fd, off64_t length) {
    uint32_t id = id_of(fd);
    if (id && (buried(fd) || failing())) return -1;
    pthread_mutex_lock(&lock);
    int done = (int)syscall(SYS_ftruncate, fd, length);
    if (id && done == 0) note('t', id, (uint64_t)length, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return done;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int synced(int fd, long call) {
    uint32_t id = id_of(fd);
    int folder = log_fd >= 0 && fd >= 0 && fd < FDS && folders[fd];
    if ((id || folder) && (buried(fd) || failing())) return -1;
    if (!id && !folder) return (int)syscall(call, fd);
    char link[64], name[PATH_MAX] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = folder ? syscall(SYS_readlinkat, AT_FDCWD, link, name, sizeof name - 1) : 0;
    const char *inside = n > (ssize_t)root_length ? name + root_length : "";
    note(folder ? 'd' : 's', id, 0, inside, (uint32_t)strlen(inside), NULL, 0); /* the kernel's own sync is not needed: nobody pulls this plug */
    return 0;
}
int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

static int renamed(int from_dir, const char *from, int to_dir, const char *to, unsigned flags) {
    char one[PATH_MAX], two[PATH_MAX];
    const char *a = ours(from_dir, from, one), *b = ours(to_dir, to, two);
    if ((a || b) && failing()) return -1;
    pthread_mutex_lock(&lock);
    int done = (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
    if (done == 0 && a && b) note('r', 0, 0, a, (uint32_t)strlen(a), b, (uint32_t)strlen(b));
    pthread_mutex_unlock(&lock);
    return done;
}
int rename(const char *from, const char *to) { return renamed(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int f, const char *from, int t, const char *to) { return renamed(f, from, t, to, 0); }
int renameat2(int f, const char *from, int t, const char *to, unsigned flags) { return renamed(f, from, t, to, flags); }

static int linked(int from_dir, const char *from, int to_dir, const char *to, int flags) {
    char one[PATH_MAX], two[PATH_MAX];
    const char *a = ours(from_dir, from, one), *b = ours(to_dir, to, two);
    if ((a || b) && failing()) return -1;
    pthread_mutex_lock(&lock);
    int done = (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
    if (done == 0 && a && b) note('l', 0, 0, a, (uint32_t)strlen(a), b, (uint32_t)strlen(b));
    pthread_mutex_unlock(&lock);
    return done;
}
int link(const char *from, const char *to) { return linked(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int f, const char *from, int t, const char *to, int flags) { return linked(f, from, t, to, flags); }

static int unlinked(int dir, const char *path, int flags) {
    char whole[PATH_MAX];
    const char *name = ours(dir, path, whole);
    if (name && failing()) return -1;
    pthread_mutex_lock(&lock);
    int done = (int)syscall(SYS_unlinkat, dir, path, flags);
    if (done == 0 && name && !(flags & AT_REMOVEDIR)) note('u', 0, 0, name, (uint32_t)strlen(name), NULL, 0);
    pthread_mutex_unlock(&lock);
    return done;
}
int unlink(const char *path) { return unlinked(AT_FDCWD, path, 0); }
int unlinkat(int dir, const char *path, int flags) { return unlinked(dir, path, flags); }

ssize_t sendfile64(int out, int in, off64_t *offset, size_t n) {
    if (id_of(out)) { errno = ENOTSOCK; return -1; } /* the caller then reads and writes */
    return syscall(SYS_sendfile, out, in, offset, n);
}
ssize_t sendfile(int out, int in, off_t *offset, size_t n) { return sendfile64(out, in, offset, n); }

int close(int fd) {
    if (log_fd >= 0 && fd >= 0 && fd < FDS) ids[fd] = folders[fd] = dead[fd] = 0;
    return (int)syscall(SYS_close, fd);
}
