"""What people do to a video before they post it."""
