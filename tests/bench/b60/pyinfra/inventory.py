"""The bench's nodes for pyinfra, from the file the runner wrote into the working folder."""

import json
from pathlib import Path

nodes = [(row["name"], row["data"]) for row in json.loads(Path("pyinfra-nodes.json").read_text())]
