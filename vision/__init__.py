"""The eyes: from an image to what stands where. Knows geometry and light, knows no rules."""

import os

# Small matrix products are ten times slower with a thread pool; must be set before numpy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
