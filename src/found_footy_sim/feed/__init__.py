"""What the football API says about a scenario at a moment. Pure: a moment in, a payload out."""
