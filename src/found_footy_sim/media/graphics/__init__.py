"""What broadcasters draw over the picture: score bugs, panels, typefaces."""
