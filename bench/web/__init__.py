"""The pages under load: two hundred open dashboards, and how soon the first screen is there."""
