"""HTTP endpoints: the football API, the search service, the video host, and the controls of the simulator."""
