"""A suite is read whole or refused, with the place and the known names."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import InputError, UsageError, UserError
from assay.model.suite import GateRule, Suite
from assay.stores.goldsets import Source, open_suite, project_root, root_for, suites_in
from tests.unit.stores.small_suite import SHOWN, SUITE_YAML, small_suite

YAML = f"{SHOWN}/suite.yaml"


def refusal(root: Path, *overrides: str, name: str = "extraction", version: str | None = None) -> str:
    """What is said instead of opening the suite."""
    with pytest.raises(UserError) as caught:
        open_suite(root, name, version, overrides)
    return str(caught.value)


def declared(root: Path, text: str) -> str:
    """What is said about a declaration."""
    small_suite(root, text)
    return refusal(root)


def opened(root: Path, *overrides: str) -> Source:
    small_suite(root)
    return open_suite(root, "extraction", None, overrides)


def test_a_suite_is_read_with_all_its_files(tmp_path: Path) -> None:
    source = opened(tmp_path)
    assert (source.shown, source.suite.title) == (SHOWN, "Small")
    assert {role: name for role, (name, _) in source.files.items()} == {
        "conversations": "conversations.jsonl",
        "expected": "expected.jsonl",
    }
    assert source.files["expected"][1] == (source.folder / "expected.jsonl").read_bytes()
    assert (source.prompt, source.response_schema) == ("Extract.\n", '{"type":"object"}')
    assert source.contract_files == (f"{SHOWN}/prompt.md", f"{SHOWN}/schema.json")
    assert source.baseline is None


def test_the_baseline_is_read_where_there_is_one(tmp_path: Path) -> None:
    (small_suite(tmp_path) / "baseline.json").write_bytes(b"{}")
    assert open_suite(tmp_path, "extraction").baseline == b"{}"


KEYS, GATE_KEYS = (", ".join(sorted(model.model_fields)) for model in (Suite, GateRule))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("synthetic: true", "synthetic: true\ntitel: x"),
            f"{YAML}: titel: unknown key, got 'titel'; expected one of {KEYS}. Did you mean 'title'?",
        ),
        (
            ("metrics: [recall_macro]", "metrics: [recall_macro]\n  max_dorp_pp: 3"),
            f"{YAML}: gate.max_dorp_pp: unknown key, got 'max_dorp_pp'; "
            f"expected one of {GATE_KEYS}. Did you mean 'max_drop_pp'?",
        ),
        (("title: Small", "title: &t Small\n# the same\nkind: *t"), f"{YAML}:7: holds an alias; expected plain values."),
        (("title: Small", "title: Small\nkind: x"), f"{YAML}:6: the key 'kind' stands twice."),
        (("    model: m", "    model: m\n    model: n"), f"{YAML}:17: the key 'model' stands twice."),
        (("title: Small", "title: ["), f"{YAML}:7: is not YAML (expected ',' or ']', but got ':')."),
        (("title: Small\n", ""), f"{YAML}: title: is missing."),
        (
            ("format: 1", "format: 7"),
            f"{YAML}: unknown format version, got 7; expected format 1. It was written by another release of assay.",
        ),
        (("suite: extraction", "suite: other"), f"{YAML}: names another suite, got 'other v1'; expected extraction v1."),
        (("prompt: prompt.md", "prompt: none.md"), f"{SHOWN}/none.md: no such file."),
        (("expected: expected.jsonl", "expected: none.jsonl"), f"{SHOWN}/none.jsonl: no such file."),
        (("expected: expected.jsonl", "expected: ."), f"{SHOWN}/.: is a folder; expected a file."),
        (
            ("prompt: prompt.md", "prompt: ../../../etc/passwd"),
            f"{YAML}: contract.prompt: leads out of its folder, got '../../../etc/passwd'; expected a path below v1/.",
        ),
        (
            ("expected: expected.jsonl", "expected: /etc/passwd"),
            f"{YAML}: files.expected: leads out of its folder, got '/etc/passwd'; expected a path below v1/.",
        ),
    ],
)
def test_a_faulty_declaration_is_told_by_place_and_rule(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    assert change[0] in SUITE_YAML
    assert declared(tmp_path, SUITE_YAML.replace(*change)) == said


def test_an_unknown_key_of_a_provider_is_told_with_the_known_ones(tmp_path: Path) -> None:
    said = declared(tmp_path, SUITE_YAML.replace("    model: m", "    model: m\n    smapling: {}"))
    assert said.startswith(f"{YAML}: providers.openai.smapling: unknown key, got 'smapling'; expected one of ")
    assert said.endswith("Did you mean 'sampling'?")


@pytest.mark.parametrize(("text", "got"), [("", "'NoneType'"), ("- a\n", "'list'"), ("extraction\n", "'str'")])
def test_a_declaration_that_is_no_mapping_is_refused(tmp_path: Path, text: str, got: str) -> None:
    assert declared(tmp_path, text) == f"{YAML}: is not a mapping, got {got}; expected key: value lines."


@pytest.mark.parametrize(
    "line",
    ["? [a]\n: 1", "? {a: 1}\n: 1", 'x: !!int ""', 'x: !!float ""', "x: !!bool maybe", "x: !!timestamp soon", "x: 2026-13-45"],
)
def test_yaml_that_means_nothing_is_input_and_no_crash(tmp_path: Path, line: str) -> None:
    small_suite(tmp_path, f"{SUITE_YAML}{line}\n")
    with pytest.raises(InputError):
        open_suite(tmp_path, "extraction")


@pytest.mark.parametrize("deep", ["[" * 500, "[" * 500 + "]" * 500, "{a: " * 500 + "}" * 500, "\n  " + "- " * 500])
def test_absurdly_deep_yaml_is_input_and_no_crash(tmp_path: Path, deep: str) -> None:
    small_suite(tmp_path, f"{SUITE_YAML}options: {deep}")
    with pytest.raises(InputError):
        open_suite(tmp_path, "extraction")


@pytest.mark.parametrize("role", ["conversations.jsonl", "prompt.md", "schema.json"])
def test_a_file_that_is_a_link_out_of_the_suite_is_refused(tmp_path: Path, role: str) -> None:
    folder = small_suite(tmp_path)
    (tmp_path / "outside").write_bytes((folder / role).read_bytes())
    (folder / role).unlink()
    (folder / role).symlink_to(tmp_path / "outside")
    assert f"leads out of its folder, got {role!r}; expected a path below v1/." in refusal(tmp_path)


@pytest.mark.parametrize("text", ['{"maximum": 1e400}', '{"maximum": NaN}', "{", '{"a": 1, "a": 2}', "[" * 50_000])
def test_a_schema_that_is_not_json_is_refused(tmp_path: Path, text: str) -> None:
    (small_suite(tmp_path) / "schema.json").write_text(text, encoding="utf-8")
    assert refusal(tmp_path).startswith(f"{SHOWN}/schema.json")


def test_an_override_takes_the_place_of_a_value(tmp_path: Path) -> None:
    suite = opened(tmp_path, "gate.max_drop_pp=5", "providers.openai.sampling.seed=9", "title=Other").suite
    assert (suite.gate.max_drop_pp, suite.providers["openai"].sampling.seed, suite.title) == (5.0, 9, "Other")
    assert suite.gate.metrics == ("recall_macro",)


def test_of_two_overrides_of_one_key_the_last_counts(tmp_path: Path) -> None:
    assert opened(tmp_path, "title=a", "title=b").suite.title == "b"


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("title", "--set: is not KEY=VALUE, got 'title'; expected for example gate.max_drop_pp=5."),
        ("=5", "--set: is not KEY=VALUE, got '=5'; expected for example gate.max_drop_pp=5."),
        ("title.x=5", "--set: leads through a value that holds no keys, got 'title.x'; expected a key of suite.yaml."),
        (
            "gate.metrics.0=x",
            "--set: leads through a value that holds no keys, got 'gate.metrics.0'; expected a key of suite.yaml.",
        ),
        ("title=[", "--set: value is not YAML, got '['."),
        (
            "gate.max_drop=5",
            f"{YAML}: gate.max_drop: unknown key, got 'max_drop'; expected one of {GATE_KEYS}. Did you mean 'max_drop_pp'?",
        ),
        ("suite=other", f"{YAML}: names another suite, got 'other v1'; expected extraction v1."),
        (
            "files.expected=../../../x",
            f"{YAML}: files.expected: leads out of its folder, got '../../../x'; expected a path below v1/.",
        ),
    ],
)
def test_a_faulty_override_is_refused(tmp_path: Path, override: str, said: str) -> None:
    small_suite(tmp_path)
    assert refusal(tmp_path, override) == said


@pytest.mark.parametrize("value", ["2026-13-45", '!!int ""', "!!bool maybe", "[" * 500])
def test_an_override_that_means_nothing_is_usage_and_no_crash(tmp_path: Path, value: str) -> None:
    small_suite(tmp_path)
    with pytest.raises(UsageError):
        open_suite(tmp_path, "extraction", None, [f"title={value}"])


def test_the_newest_version_is_taken_by_number_and_any_other_by_name(tmp_path: Path) -> None:
    for version in ("v2", "v10", "v9"):
        small_suite(tmp_path, version=version)
    assert suites_in(tmp_path) == {"extraction": ["v2", "v9", "v10"]}
    assert open_suite(tmp_path, "extraction").suite.version == "v10"
    assert open_suite(tmp_path, "extraction", "v2").shown == "goldsets/extraction/v2"


def test_an_unknown_suite_or_version_is_told_with_the_known_ones(tmp_path: Path) -> None:
    small_suite(tmp_path)
    assert refusal(tmp_path, name="extractoin") == (
        "goldsets/: unknown suite, got 'extractoin'; expected one of extraction. Did you mean 'extraction'?"
    )
    assert refusal(tmp_path, version="v2") == "goldsets/extraction: unknown version, got 'v2'; expected one of v1."
    assert refusal(tmp_path / "goldsets") == "goldsets/: unknown suite, got 'extraction'; expected one of none."


@pytest.mark.parametrize("name", ["../extraction", "extraction/v1", "", ".", "a" * 300, "a\x00"])
def test_a_suite_name_is_never_a_path(tmp_path: Path, name: str) -> None:
    small_suite(tmp_path)
    assert refusal(tmp_path, name=name).startswith("goldsets/: unknown suite")


def test_the_project_is_found_from_any_folder_in_it(tmp_path: Path) -> None:
    folder = small_suite(tmp_path)
    assert project_root(folder) == project_root(tmp_path) == tmp_path


def test_no_project_is_a_usage_error_that_says_where(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        project_root(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: no goldsets/ folder here or above; expected the folder of a project with goldsets/."
    )


def foreign(root: Path, declaration: str = SUITE_YAML) -> Path:
    """The small suite in a folder outside any project."""
    folder = root / "elsewhere" / "mine"
    folder.parent.mkdir(parents=True, exist_ok=True)
    small_suite(root / "made", declaration).rename(folder)
    return folder


def test_a_suite_outside_the_project_is_read_with_its_recordings_inside_it(tmp_path: Path) -> None:
    folder = foreign(tmp_path)
    source = open_suite(tmp_path, "extraction", goldset=folder)
    assert (source.shown, source.folder, source.root) == ("mine", folder, folder.parent)
    assert source.files["expected"] == ("expected.jsonl", (folder / "expected.jsonl").read_bytes())
    place = source.place("openai")
    assert (place.shown, place.cassette) == ("mine/cassettes/openai.jsonl", folder / "cassettes" / "openai.jsonl")
    assert place.manifest == folder / "cassettes" / "openai.manifest.json"


def test_recordings_of_the_project_lie_beside_its_gold_sets(tmp_path: Path) -> None:
    place = opened(tmp_path).place("openai")
    assert place.shown == "cassettes/extraction/v1/openai.jsonl"
    assert place.shown_manifest == "cassettes/extraction/v1/openai.manifest.json"


def test_what_a_target_records_lies_under_its_own_suffix(tmp_path: Path) -> None:
    target = SUITE_YAML.replace("    model: m\n", "    model: m\n    target: shop.search:make\n    recorded_as: arrow\n")
    small_suite(tmp_path, target)
    place = open_suite(tmp_path, "extraction").place("openai")
    assert place.shown == "cassettes/extraction/v1/openai.arrow"
    assert place.shown_manifest == "cassettes/extraction/v1/openai.manifest.json"


def foreign_refusal(root: Path, folder: Path, name: str = "extraction", version: str | None = None) -> str:
    with pytest.raises(UserError) as caught:
        open_suite(root, name, version, goldset=folder)
    return str(caught.value)


def test_a_folder_without_a_suite_is_refused(tmp_path: Path) -> None:
    told = f"--goldset: holds no suite.yaml, got '{tmp_path}'; expected a suite's folder."
    assert foreign_refusal(tmp_path, tmp_path) == told
    assert "holds no suite.yaml" in foreign_refusal(tmp_path, tmp_path / "none")


def test_a_foreign_suite_must_be_the_one_that_was_asked_for(tmp_path: Path) -> None:
    folder = foreign(tmp_path)
    assert foreign_refusal(tmp_path, folder, "retrieval") == (
        "mine/suite.yaml: names another suite, got 'extraction v1'; expected retrieval."
    )
    assert foreign_refusal(tmp_path, folder, version="v2") == (
        "mine/suite.yaml: names another suite, got 'extraction v1'; expected extraction v2."
    )
    assert open_suite(tmp_path, "extraction", "v1", goldset=folder).suite.version == "v1"


def test_a_file_of_a_foreign_suite_may_not_lead_out_of_its_folder(tmp_path: Path) -> None:
    folder = foreign(tmp_path, SUITE_YAML.replace("expected: expected.jsonl", "expected: ../../made.jsonl"))
    assert "mine/suite.yaml: files.expected: leads out of its folder" in foreign_refusal(tmp_path, folder)


def test_an_override_reaches_a_foreign_suite(tmp_path: Path) -> None:
    found = open_suite(tmp_path, "extraction", None, ["title=Other"], goldset=foreign(tmp_path))
    assert found.suite.title == "Other"


NO_CONTRACT = SUITE_YAML[: SUITE_YAML.index("contract:")] + SUITE_YAML[SUITE_YAML.index("providers:") :]


def test_a_suite_that_sends_no_prompt_has_no_contract(tmp_path: Path) -> None:
    small_suite(tmp_path, NO_CONTRACT)
    source = open_suite(tmp_path, "extraction")
    assert (source.has_contract, source.prompt, source.response_schema, source.contract_files) == (False, "", "", ())
    assert opened(tmp_path / "other").has_contract


def test_calibrating_does_without_the_file_that_is_about_to_be_made(tmp_path: Path) -> None:
    small_suite(tmp_path, SUITE_YAML.replace("files:\n", "files:\n  calibration: calibration.json\n"))
    assert "calibration.json: no such file" in refusal(tmp_path)
    assert "calibration" not in open_suite(tmp_path, "extraction", calibrating=True).files


WITH_OPTIONS = (
    SUITE_YAML.replace("[recall_macro]", "[recall@k]") + "options:\n  top_k: 5\n  audit: {documents: 34}\n  title: x\n"
)


def with_options(root: Path, *overrides: str) -> Suite:
    small_suite(root, WITH_OPTIONS)
    return open_suite(root, "extraction", None, overrides).suite


def test_an_option_that_the_suite_sets_may_be_named_without_its_section(tmp_path: Path) -> None:
    assert with_options(tmp_path, "top_k=20") == with_options(tmp_path, "options.top_k=20")
    assert with_options(tmp_path, "top_k=20").options["top_k"] == 20


def test_a_key_of_the_suite_is_never_taken_for_an_option_of_the_same_name(tmp_path: Path) -> None:
    found = with_options(tmp_path, "title=y")
    assert (found.title, found.options["title"]) == ("y", "x")


def test_an_option_that_the_suite_does_not_set_needs_its_section(tmp_path: Path) -> None:
    small_suite(tmp_path, WITH_OPTIONS)
    assert "depth: unknown key" in refusal(tmp_path, "depth=3")
    assert with_options(tmp_path / "other", "options.depth=3").options["depth"] == 3


def test_a_part_of_an_option_may_be_named_without_its_section(tmp_path: Path) -> None:
    assert with_options(tmp_path, "options.audit.documents=12").options["audit"] == {"documents": 12}


def test_metrics_are_named_at_the_cutoff_that_was_set(tmp_path: Path) -> None:
    assert with_options(tmp_path).gate.metrics == ("recall@5",)
    assert with_options(tmp_path, "top_k=20").gate.metrics == ("recall@20",)


@pytest.mark.parametrize("options", ["5", "top_k", "[top_k]", "null"])
def test_options_that_are_no_mapping_are_input_and_no_crash(tmp_path: Path, options: str) -> None:
    small_suite(tmp_path, f"{SUITE_YAML}options: {options}\n")
    said = refusal(tmp_path, "top_k=3")
    assert said.startswith(f"{YAML}: ") or said.startswith("--set: ")


def test_a_suites_own_folder_needs_no_project_around_it(tmp_path: Path) -> None:
    assert root_for(tmp_path, "mine") == tmp_path
    with pytest.raises(UsageError, match="no goldsets/ folder here or above"):
        root_for(tmp_path, None)
    (tmp_path / "goldsets").mkdir()
    assert root_for(tmp_path, None) == root_for(tmp_path, "mine") == tmp_path
