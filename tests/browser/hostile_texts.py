"""Texts that would run as a script, break a page or hide what it says, if one place forgot to escape them."""

FLAG = "castadWasHere"
"""What each script of these would set on the window."""
FOREIGN = "elsewhere.example"
_RUN = f"{FLAG}=1"

SCRIPTS = (
    f"<script>{_RUN}</script>",
    f"<img src=x onerror={_RUN}>",
    f"\"><img src=//{FOREIGN}/x.png onerror='{_RUN}'>",
    f"'><svg onload={_RUN}>",
    f'" autofocus onfocus={_RUN} x="',
    f"</script><script>{_RUN}</script>",
    f"</title></textarea></style></template><body onload={_RUN}>",
    f"<a href=javascript:{_RUN}>tap</a>",
    f"javascript:{_RUN}",
    f"{{{{ {_RUN} }}}}{{% if 1 %}}${{{_RUN}}}<%={_RUN}%>#{{{_RUN}}}",
    f"<iframe srcdoc='<script>parent.{_RUN}</script>'></iframe>",
    f"<style>*{{display:none}}</style><link rel=stylesheet href=//{FOREIGN}/x.css>",
    f"<meta http-equiv=refresh content='0;url=//{FOREIGN}/'><base href=//{FOREIGN}/>",
    f"<form action=//{FOREIGN}/><input name=csrf>",
    f"<math><mtext></form><mglyph><style></math><img src onerror={_RUN}>",
    f"--><!-- ]]> &lt;script&gt;{_RUN}&lt;/script&gt; \\u003cscript\\u003e %3Cscript%3E",
)
SHAPES = (
    "W" * 500,
    "가" * 500,
    "\u202eright to left\u2066 זה שם \u200b\u200d\ufeff",
    "👩‍👩‍👧‍👦🏳️‍🌈" * 20,
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘",
    "line\nbreak\ttab\\ 'quote' \"double\" `tick`",
)
CORPUS = (*SCRIPTS, *SHAPES)
ALL_AT_ONCE = " ".join(SCRIPTS)
