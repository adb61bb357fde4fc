"""The catalogue of characters that scans win, its database, and its command."""
