"""The words of a song: lines from `studio/data/lyrics`, chosen and filled for one business."""
