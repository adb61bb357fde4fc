import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.analysis.measuring.languages import (
    detect_language,
    find_language_by_name,
    load_languages,
)
from tests.tables import rows_beside


@pytest.mark.parametrize(
    ("path", "content", "name"),
    [
        ("a.py", b"", "Python"),
        ("a/B.TSX", b"", "TSX"),
        ("Makefile", b"", "Makefile"),
        ("go.mod", b"", "Go Module"),
        ("a.html.erb", b"", "HTML+ERB"),
        ("view.blade.php", b"", "Blade"),
        ("run", b"#!/usr/bin/env python3.11\n", "Python"),
        ("run", b"#!/usr/bin/env -S FOO=1 node --x\n", "JavaScript"),
        ("run", b"#! /bin/sh\n", "Shell"),
        ("run", b"#!/usr/local/bin/python3.12\n", "Python"),
        ("tool.ts", b"#!/usr/bin/env node\n", "TypeScript"),
        ("odd.txt", b"#!/bin/bash\n", "Shell"),
        ("a.h", b"int f(void);\n", "C"),
        ("a.h", b"#include <vector>\n", "C++"),
        ("a.h", b"@interface A : NSObject\n", "Objective-C"),
        ("a.m", b"@implementation A\n", "Objective-C"),
        ("a.m", b"% a comment\nx = 1;\n", "MATLAB"),
        ("a.ts", b"<?xml version='1.0'?>\n<TS>", "XML"),
        ("a.pl", b"father(X) :- parent(X).\n", "Prolog"),
        ("a.pl", b"use strict;\n", "Perl"),
        ("a.sql", b"SELECT 1;\n", "SQL"),
        ("a.sql", b"CREATE FUNCTION f() AS $$ ... LANGUAGE plpgsql\n", "PLpgSQL"),
        ("page.1", b".TH A 1\n", "Roff"),
        ("a.cls", b"\\NeedsTeXFormat{LaTeX2e}\n", "TeX"),
        ("a.cls", b"public with sharing class A {\n", "Apex"),
        ("a.t", b"use v6;\n", "Raku"),
        ("a.t", b"use strict;\n", "Perl"),
        ("_helpers.tpl", b"{{- define }}\n", "Go Template"),
        ("a.tpl", b"{$name}\n", "Smarty"),
    ],
)
def test_language_is_found_by_its_signs(path, content, name):
    found = detect_language(path, content)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.unknown", b"x"),
        ("noextension", b"x"),
        ("v1.2", b"plain"),
        ("a.inc", b"x"),
        ("a.m", b":- module a.\n"),
        ("x", b"#!"),
        ("x", b"#!/bin/odd\n"),
    ],
)
def test_file_without_a_sign_has_no_language(path, content):
    assert detect_language(path, content) is None


@given(st.text(max_size=60), st.binary(max_size=300))
def test_any_name_and_content_has_a_language_or_none(path, content):
    found = detect_language(path, content)
    assert found is None or found.name.lower() in load_languages().by_name


@rows_beside
def test_language_is_known_by_its_name_with_dashes_and_by_its_extension(given, name):
    found = find_language_by_name(given)
    assert found is not None
    assert found.name == name


def test_every_language_is_counted_under_one_that_is_known():
    known = load_languages().by_name
    assert [each.name for each in known.values() if each.group.lower() not in known] == []
