"""Cameras: recordings and live ones behind two small protocols. `source.open_source` opens any of them."""
