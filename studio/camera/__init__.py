"""The camera: from a song and its timeline to a film.

`film` makes one. What it shows: `scouting` chooses scenes, `scenes/` paints them, `photos` and `graphics` fit
customers' pictures. How: `shots` and `moving` plan cuts and movement, `pictures` and `frames` draw. What it says:
`text`, `fonts` and `staging` decide once what stands where, `subtitles` writes it. `palettes` has the
colours.
"""
