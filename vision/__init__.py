"""The eyes: from an image to what stands where. Knows geometry and light, knows no rules."""

import ctypes
import os

# Small matrix products are ten times slower with a thread pool; must be set before numpy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")


def _keep_pages() -> None:
    """Let freed memory be used again at once: handing pictures' pages back to the kernel, and fetching them again for
    the next picture, costs as much as looking at them. And let threads share two heaps: with one for each, every thread
    keeps pages that only it may use, and a table grows by 20 MB while it is played on. Only where the C library is
    glibc, which has these switches.
    """
    trim_threshold, mmap_threshold, arena_max = -1, -3, -8  # glibc's malloc.h
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(mmap_threshold, 8 << 20)
    mallopt(trim_threshold, 12 << 20)
    mallopt(arena_max, 2)


_keep_pages()
