"""What a picture of waste shows: a network in numpy, and the classes of its things."""
