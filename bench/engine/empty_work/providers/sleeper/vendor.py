"""The vendor that sleeps, as a folder of vendors beside castad's own."""

from bench.engine.empty_work.sleeping import SleepingProvider
from resources.providers.vendor import Vendor

VENDOR = Vendor("sleeper", {"nap": lambda settings: SleepingProvider()})
