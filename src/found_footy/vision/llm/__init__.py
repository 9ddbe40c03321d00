"""The reader that uses a vision model behind an OpenAI-compatible server: llama.cpp, Ollama, vLLM."""
