"""What a caller can be allowed to do. Which role may do what is decided in ``security``."""

from __future__ import annotations

from enum import StrEnum


class Permission(StrEnum):
    """Declared by every operation."""

    PUBLIC = "public"
    """Nobody has to say who he is."""
    PROFILE = "profile"
    """One's own profile, sessions and preferences; any signed-in user, with or without a team."""
    READ = "read"
    """The team's content; every role. Polls, estimates and read marks count as reading."""
    WORK = "work"
    """Content work and spending; all but viewers."""
    MANAGE = "manage"
    """Members and invitations; admins and owners."""
    EXPLAIN = "explain"
    """Explanations of bills; admins and owners for their team, platform administrators for every team."""
    OWN = "own"
    """Team settings, recharge, owners; owners."""
    PLATFORM = "platform"
    """The back office; platform administrators."""
