"""Things that scenes are made of: every public `draw_x` is the thing `x` of a scene."""
