"""The embedded model: `gguf/smollm2`, or any GGUF file as `gguf/PATH`, run by llama.cpp inside this process.

servers   a model's name → its weights → llama.cpp servers, one for each request that may run at a time
provider  Inspect's model API `gguf`: messages and settings → llama.cpp's request → Inspect's output
"""

from __future__ import annotations

from otherwords.runs.gguf.servers import EMBEDDED, require_embedded_model, weights_path

__all__ = ["EMBEDDED", "require_embedded_model", "weights_path"]
