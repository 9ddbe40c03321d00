"""Stage notify: tells people and programs about the moments of a goal, once each, over the channels of the owner."""
