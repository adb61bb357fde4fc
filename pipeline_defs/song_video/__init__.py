"""The song_video pipeline: lyric, song and video of an advertisement for a local business."""
