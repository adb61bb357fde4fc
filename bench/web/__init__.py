"""The pages under load: two hundred open desks, and how soon the first screen is there."""
