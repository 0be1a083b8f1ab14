"""raceway: one description makes accelerator nodes right and lays out the cluster on top of them."""

__version__ = "0.1.0"
