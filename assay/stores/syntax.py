"""One module's text taken apart: what it defines, what it imports, and what it does when it is imported."""

from __future__ import annotations

import ast
import importlib.util
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from assay.digest import sha256_hex

Reference = tuple[str, str | None]
"""A module, and a name in it; None for all of it."""


@dataclass(frozen=True)
class Piece:
    """A part of a module: the digest of its syntax without docstrings, and every name that it uses."""

    digest: str
    names: frozenset[str]


@dataclass(frozen=True)
class Module:
    """A module by its parts."""

    digest: str
    """Of all of it."""
    definitions: Mapping[str, Piece]
    """Functions, classes and assigned names at its top level."""
    initial: Piece
    """What else stands there, such as a call or a condition; its digest is empty where there is nothing."""
    imports: Mapping[str, tuple[Reference, ...]]
    """By the name that is bound, wherever in the module it is imported."""
    stars: tuple[str, ...]
    """The modules that all names are imported from."""


@lru_cache(maxsize=2048)
def module_of(data: bytes, package: str) -> Module | None:
    """The module with this text, in this package. None where it is no Python of this version."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return None
    _take_docstrings_from(tree)
    defined: dict[str, list[ast.stmt]] = defaultdict(list)
    rest: list[ast.stmt] = []
    for statement in tree.body:
        names = _defined_by(statement)
        for name in names:
            defined[name].append(statement)
        if not names and not isinstance(statement, ast.Import | ast.ImportFrom) and not _is_for_types(statement):
            rest.append(statement)
    bound = [found for node in ast.walk(tree) for found in _bound_by(node, package)]
    by_name: dict[str, list[Reference]] = defaultdict(list)
    for name, reference in bound:
        by_name[name].append(reference)
    return Module(
        digest=_piece(tree.body).digest,
        definitions={name: _piece(statements) for name, statements in defined.items()},
        initial=_piece(rest),
        imports={name: tuple(found) for name, found in by_name.items() if name != "*"},
        stars=tuple(module for module, _ in by_name.get("*", ())),
    )


def _take_docstrings_from(tree: ast.Module) -> None:
    """Remove every text at the beginning of a body."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                del node.body[0]


def _defined_by(statement: ast.stmt) -> list[str]:
    """The names that a statement at the top level defines."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return names if len(names) == len(targets) else []


def _is_for_types(statement: ast.stmt) -> bool:
    """Whether it is the block that only a type checker reads, or a text that describes the name above it."""
    if isinstance(statement, ast.If):
        return isinstance(statement.test, ast.Name) and statement.test.id == "TYPE_CHECKING"
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _bound_by(node: ast.AST, package: str) -> Iterator[tuple[str, Reference]]:
    """(name, where it comes from) for each name that an import binds."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0], (alias.name, None)
    elif isinstance(node, ast.ImportFrom):
        module = _absolute(node, package)
        for alias in node.names if module else ():
            yield alias.asname or alias.name, (module, None if alias.name == "*" else alias.name)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    try:
        return importlib.util.resolve_name("." * node.level + (node.module or ""), package)
    except ImportError:
        return ""


def _piece(statements: Iterable[ast.stmt]) -> Piece:
    text = "\n".join(ast.dump(statement) for statement in statements)
    names = _Names()
    for statement in statements:
        names.visit(statement)
    digest = sha256_hex(text.encode("utf-8", "surrogatepass")) if text else ""
    return Piece(digest, frozenset(names.used))


class _Names(ast.NodeVisitor):
    """Gathers names; the annotations of functions are for readers and lead nowhere."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        self.used.add(node.id)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        defaults = [default for default in node.args.kw_defaults if default is not None]
        for child in (*node.decorator_list, *node.args.defaults, *defaults, *node.body):
            self.visit(child)
