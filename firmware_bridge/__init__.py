"""The lights: from a Scene to LEDs. Imports nothing of ours."""
