"""`python -m postern`: tells where the program is that explains refused requests."""

import sys

WHERE = (
    "postern: to explain a refused request, install postern-explain, the gateway's own program for it (Node 20 or "
    "later): https://github.com/postern-gateway/postern/tree/main/clients/explain"
)

if __name__ == "__main__":
    sys.exit(WHERE if sys.argv[1:2] == ["explain"] else f"usage: python -m postern explain\n{WHERE}")
