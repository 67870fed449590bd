"""Cameras: recordings and live ones behind two small protocols; `open_source` opens any of them."""

from vision.camera.frame import Camera, CameraStatus, Frame, Recording
from vision.camera.source import open_source

__all__ = ["Camera", "CameraStatus", "Frame", "Recording", "open_source"]
