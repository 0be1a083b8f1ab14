"""The 60-setting baseline: one declaration, and each tool's way of saying it."""
