"""The embedded model: `gguf/smollm2`, or any GGUF file as `gguf/PATH`, run inside this process.

weights   a model's name → the file that holds it
servers   the file → llama.cpp, one copy for each request that may run at a time
wire      Inspect's messages and settings → llama.cpp's request; its response → Inspect's output
provider  the three together, as an Inspect model API
told      errors that Inspect's command line prints as one message
register  the name `gguf`, for Inspect's entry point
"""

from __future__ import annotations

from otherwords.runs.gguf.weights import EMBEDDED, require_embedded_model, weights_path

__all__ = ["EMBEDDED", "require_embedded_model", "weights_path"]
