"""How to reach a business, as its end card tells it. Pure but for the font."""

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from studio.camera.fonts import Font
from studio.camera.typesetting import drawn

LONGEST_ADDRESS = 40


@dataclass(frozen=True)
class Contact:
    """What is known of it; `hours` has a line for each of its rows, `link` is what the QR code opens."""

    phone: str = ""
    address: str = ""
    hours: str = ""
    link: str = ""

    @property
    def is_given(self) -> bool:
        """Whether there is anything to tell."""
        return any((self.phone, self.address, self.hours, self.link))

    def drawn(self, font: Font) -> "Contact":
        """The same in what the font has; the link stays as it is."""
        hours = "\n".join(filter(None, (drawn(line, font) for line in self.hours.splitlines())))
        return replace(
            self,
            phone=drawn(self.phone, font).replace(" ", "\u00a0"),
            address=drawn(self.address, font),
            hours=hours,
        )

    def web_address(self, font: Font) -> str:
        """The link as people read it: without what every link has, and its host alone where it is long."""
        if not self.link:
            return ""
        _, _, rest = self.link.partition("://")
        short = rest.removeprefix("www.").removesuffix("/")
        host = urlsplit(self.link).netloc.removeprefix("www.")
        return drawn(short if len(short) <= LONGEST_ADDRESS else host, font)


NO_CONTACT = Contact()
