"""The advice for an application that is only described: its time on each platform, and the best choice."""
