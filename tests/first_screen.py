"""What a browser has to fetch before a page is whole: the page, its styles, its scripts and what they import."""

import re
from urllib.parse import urljoin

import httpx

_REFERENCES = re.compile(r'<(?:link|script|img)\b[^>]*?\b(?:href|src)="([^"]+)"')
_IMPORTS = re.compile(r'\bfrom "(\.[^"]+)"')


def fetched(client: httpx.Client, path: str) -> dict[str, int]:
    """The number of bytes of each file as it was sent, by its address."""
    page = client.get(path)
    assert page.status_code == 200, page.text
    sizes = {path: page.num_bytes_downloaded}
    wanted = _REFERENCES.findall(page.text)
    while wanted:
        address = wanted.pop()
        if address in sizes:
            continue
        answer = client.get(address)
        assert answer.status_code == 200, address
        sizes[address] = answer.num_bytes_downloaded
        if address.endswith(".js"):
            wanted += [urljoin(address, each) for each in _IMPORTS.findall(answer.text)]
    return sizes
