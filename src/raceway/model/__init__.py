"""The shared vocabulary: frozen dataclasses that every stage speaks. It deliberately holds no I/O."""
