"""Parsers: text in, frozen dataclass out. They deliberately take no path and open nothing."""
