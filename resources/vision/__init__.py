"""An OpenAI-compatible vision endpoint: llama.cpp, vLLM or any hosted one."""
