"""How the band plays every genre."""

from studio.band.repertoire.acoustic import ACOUSTIC
from studio.band.repertoire.ambient import AMBIENT
from studio.band.repertoire.ballad import BALLAD
from studio.band.repertoire.bossa import BOSSA
from studio.band.repertoire.edm import EDM
from studio.band.repertoire.hiphop import HIPHOP
from studio.band.repertoire.jazz import JAZZ
from studio.band.repertoire.pop import POP
from studio.band.repertoire.rock import ROCK
from studio.band.repertoire.trot import TROT

STYLES = {
    "pop": POP,
    "ballad": BALLAD,
    "edm": EDM,
    "rock": ROCK,
    "ambient": AMBIENT,
    "trot": TROT,
    "jazz": JAZZ,
    "hiphop": HIPHOP,
    "bossa": BOSSA,
    "acoustic": ACOUSTIC,
}
