"""The only room that opens files, lists folders and starts programs; everything else is given a Host."""

from .ledger import Ledger
from .machine import FileStat, Host, Result

__all__ = ["FileStat", "Host", "Ledger", "Result"]
