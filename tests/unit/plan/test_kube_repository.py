"""Where pinned packages come from: files for apt and dnf, and nothing where nothing is pinned."""

from __future__ import annotations

from raceway.model.kube_binaries import KubeBinariesDesired, Pin
from raceway.plan.kube_repository import APT_PIN, APT_SOURCE, DNF_KEY, DNF_REPO, texts

KEY = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME\n-----END PGP PUBLIC KEY BLOCK-----\n"
DESIRED = KubeBinariesDesired(
    "1.35.4", (), (Pin("kubelet", "1.35.4"), Pin("runc")), "https://pkgs.k8s.io/core:/stable:/v1.35/deb/", KEY
)


def test_apt_gets_a_source_with_the_key_inside_and_a_pin_for_what_has_a_version() -> None:
    rows = texts(DESIRED, "apt")
    assert list(rows) == [APT_SOURCE, APT_PIN]
    assert rows[APT_SOURCE].splitlines()[1:7] == [
        "Types: deb",
        "URIs: https://pkgs.k8s.io/core:/stable:/v1.35/deb/",
        "Suites: /",
        "Signed-By:",
        " -----BEGIN PGP PUBLIC KEY BLOCK-----",
        " .",
    ]
    assert "Package: kubelet\nPin: version 1.35.4[-+~]*\nPin-Priority: 1001" in rows[APT_PIN]
    assert "runc" not in rows[APT_PIN]


def test_dnf_gets_a_repository_and_the_key_in_a_file_of_its_own() -> None:
    rows = texts(DESIRED, "dnf")
    assert f"gpgkey=file://{DNF_KEY}" in rows[DNF_REPO] and rows[DNF_KEY] == KEY


def test_nothing_is_written_where_nothing_is_pinned_or_no_manager_is_known() -> None:
    assert texts(KubeBinariesDesired("1.35.4"), "apt") == {} and texts(DESIRED, "") == {}
