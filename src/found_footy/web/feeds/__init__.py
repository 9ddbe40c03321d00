"""Feeds of goals (RSS, Atom, JSON Feed) and calendars of matches, of all, of a league, a team or a player."""
