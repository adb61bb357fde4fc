from hypothesis import settings

# How long an example takes says nothing on a machine that is busy with other things.
settings.register_profile("studio", deadline=None)
settings.load_profile("studio")
