"""Stage two: where are clips of this goal. RAGWorkflow, TwitterWorkflow."""
