"""Stage two: finds candidates for a goal. RAGWorkflow, TwitterWorkflow, RetryWorkflow."""
