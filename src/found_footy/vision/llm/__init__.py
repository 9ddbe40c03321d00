"""The reader that asks a vision model behind any OpenAI-compatible server: llama.cpp, Ollama, vLLM."""
