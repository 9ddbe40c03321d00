"""Intake: what stores tell about objects, as one event, through a durable queue, to the organization's agent."""
