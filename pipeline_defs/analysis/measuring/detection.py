"""Detect the language of a file by name, first line, extension and content, as GitHub does. Pure."""

import re
from collections.abc import Mapping, Sequence

from pipeline_defs.analysis.measuring.languages import Language, load_languages

UNDECIDED = "?"
"""The extension has one language only."""

_OBJECTIVE_C = (
    rb"^\s{0,200}(?:@(?:interface|class|protocol|property|end|selector|implementation)\b"
    rb"|#import\s.+\.h[\">])"
)
_CPP = (
    rb"^[ \t]*#[ \t]*include[ \t]*<(?:cstdint|string|vector|map|list|array|bitset|queue|stack|iostream)>"
    rb"|^[ \t]*template[ \t]*<|^[ \t]*(?:try|constexpr)\b|^[ \t]*catch[ \t]*\("
    rb"|^[ \t]*(?:class|(?:using[ \t]+)?namespace)[ \t]+\w+|^[ \t]*(?:private|public|protected):$"
    rb"|__has_cpp_attribute|__cplusplus >|std::\w"
)
_PLPGSQL = rb"(?i)^\\i\b|AS\s{1,9}\$\$|LANGUAGE\s{1,9}'?plpgsql'?|BEGIN(?:\s{1,9}WORK)?\s{0,9};"
_TSQL = (
    rb"(?i)^\s{0,99}GO\b|BEGIN\s{1,9}(?:TRY|CATCH)|OUTPUT\s{1,9}INSERTED|DECLARE\s{1,9}@|\[dbo\]"
)
_PLSQL = rb"(?i)\$\$PLSQL_|XMLTYPE|systimestamp|\.nextval|CONNECT\s{1,9}BY"

_PERL = rb"\buse\s{1,9}(?:strict\b|v?5\b)|^[ \t]*use\s{1,9}(?:constant|overload)\b|^[ \t]*package\s{1,9}\w+"
_RAKU = rb"^[ \t]*(?:use\s{1,9}v6\b|module\b|unit\b|(?:my[ \t]+)?class\b)"

_RULES: Mapping[str, Sequence[tuple[bytes, str]]] = {
    ".cls": [
        (rb"^[ \t]*\\(?:NeedsTeXFormat|ProvidesClass)", "TeX"),
        (rb"^VERSION\b|^Attribute VB_Name", "Visual Basic 6.0"),
        (rb"(?i)^[ \t]*(?:@\w+|public|private|global|virtual|abstract)\b[^\n]*", "Apex"),
        (b"", ""),
    ],
    ".frag": [(rb"\(function|\$\(|^[ \t]*var\b|window\.", "JavaScript"), (b"", "GLSL")],
    ".gs": [(rb"^#version\s", "GLSL"), (b"", "JavaScript")],
    ".h": [(_OBJECTIVE_C, "Objective-C"), (_CPP, "C++"), (b"", "C")],
    ".hh": [(rb"\A<\?hh", "Hack"), (b"", "C++")],
    ".l": [
        (rb"\(def(?:un|macro)\s", "Common Lisp"),
        (rb"\A[.'][A-Za-z\\]", "Roff"),
        (b"", "Lex"),
    ],
    ".m": [
        (_OBJECTIVE_C, "Objective-C"),
        (rb":- module|^: |^[ \t]*;|\*\)$|^\w+[ \t]*:[ \t]*module[ \t]*\{", ""),
        (b"", "MATLAB"),
    ],
    ".pm": [(_PERL, "Perl"), (_RAKU, "Raku"), (b"", "Perl")],
    ".re": [
        (rb"^[ \t]*#[ \t]*(?:if|define|pragma|include)\b|^[ \t]*template[ \t]*<", "C++"),
        (b"", "Reason"),
    ],
    ".sch": [(rb"\A(?:EESchema|\(kicad_sch)", ""), (rb"\A\s{0,99}<\?xml", "XML"), (b"", "Scheme")],
    ".shader": [(rb"^[ \t]*Shader[ \t]+\"", "ShaderLab"), (b"", "GLSL")],
    ".t": [(_PERL, "Perl"), (_RAKU, "Raku"), (b"", "Perl")],
    ".tpl": [(rb"\{\{", "Go Template"), (b"", "Smarty")],
    ".workflow": [(rb"\A\s{0,99}<", "XML"), (b"", "HCL")],
    ".yy": [(rb"\A\s{0,99}[{\[]", "JSON"), (b"", "Yacc")],
    ".ts": [(rb"\A\s{0,99}(?:<\?xml|<!DOCTYPE TS|<TS\b)", "XML"), (b"", "TypeScript")],
    ".pl": [(rb"^[^#\n]*:-", "Prolog"), (_PERL, "Perl"), (_RAKU, "Raku"), (b"", "Perl")],
    ".php": [(rb"\A\s{0,99}<\?hh", "Hack"), (b"", "PHP")],
    ".fs": [
        (rb"^[ \t]*(?:#version\b|precision\b|uniform\b|varying\b|void main\b)", "GLSL"),
        (b"", "F#"),
    ],
    ".inc": [(rb"<\?php", "PHP"), (b"", "")],
    ".d": [
        (rb"^(?:module|import)\s", "D"),
        (rb": \\$|^[\w /.-]+\.\w+[ \t]*:[ \t]", "Makefile"),
        (b"", "D"),
    ],
    ".pp": [(rb"^\s{0,99}end[.;]", "Pascal"), (b"", "Puppet")],
    ".spec": [
        (rb"\bAnalysis\(", "Python"),
        (rb"^\s{0,99}(?:describe|require)\b", "Ruby"),
        (b"", ""),
    ],
    ".v": [
        (rb"^(?:Proof|Qed|Require Import)\b", "Rocq Prover"),
        (rb"^(?:pub )?fn ", "V"),
        (b"", "Verilog"),
    ],
    ".sql": [(_PLPGSQL, "PLpgSQL"), (_TSQL, "TSQL"), (_PLSQL, "PLSQL"), (b"", "SQL")],
    **{f".{section}": [(rb"^[.'][A-Za-z\\]", "Roff"), (b"", "")] for section in range(1, 10)},
}
_COMPILED = {
    extension: [(re.compile(pattern, re.MULTILINE), name) for pattern, name in rules]
    for extension, rules in _RULES.items()
}


def decide(extension: str, head: bytes) -> str:
    """Return the language's name, "" for none, or UNDECIDED if the extension has only one language."""
    for pattern, name in _COMPILED.get(extension, ()):
        if pattern.search(head):
            return name
    return UNDECIDED


_HEAD_BYTES = 50 * 1024
_SHEBANG = re.compile(rb"#![ \t]*(\S+)(?:[ \t]+([^\n]*))?")
_VERSION = "0123456789."


def detect_language(path: str, content: bytes) -> Language | None:
    """Return the language of the file at `path`; None if no sign shows one."""
    name = path.rpartition("/")[2]
    known = load_languages()
    named = known.names.get(name, ())
    if len(named) == 1:
        return named[0]
    head = content[:_HEAD_BYTES]
    by_shebang = known.interpreters.get(_find_interpreter(head), ())
    if len(by_shebang) == 1:
        return by_shebang[0]
    extension, by_extension = _find_by_extension(name)
    candidates = [each for each in by_extension if each in by_shebang] or list(by_extension)
    chosen = decide(extension, head)
    if chosen is not UNDECIDED and candidates:
        return known.by_name[chosen.lower()] if chosen else None
    return next(iter(candidates or by_shebang), None)


def _find_by_extension(name: str) -> tuple[str, tuple[Language, ...]]:
    """Return the longest known extension and its languages."""
    name, known = name.lower(), load_languages().extensions
    dot = name.find(".")
    while dot >= 0:
        if name[dot:] in known:
            return name[dot:], known[name[dot:]]
        dot = name.find(".", dot + 1)
    return "", ()


def _find_interpreter(head: bytes) -> str:
    """Return the name of the program in a first line `#!`, without its version."""
    shebang = _SHEBANG.match(head)
    if shebang is None:
        return ""
    program, rest = shebang[1].rpartition(b"/")[2], (shebang[2] or b"").split()
    if program == b"env":
        words = [word for word in rest if not word.startswith(b"-") and b"=" not in word]
        program = words[0].rpartition(b"/")[2] if words else b""
    name = program.decode("utf-8", "replace")
    return name if name in load_languages().interpreters else name.rstrip(_VERSION)
