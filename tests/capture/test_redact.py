"""Redaction: every rule, every exemption, the host's second pass, and the properties of capture.md section 5."""

# ruff: noqa: E501 - one case is one line
import re
import string

import pytest
from cognition.capture.redact import redact
from hypothesis import given, settings
from hypothesis import strategies as st

A36 = "a1B2" * 9
MASKED = [
    # HR1
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----", "MIIabc"),
    ("x -----BEGIN PGP PRIVATE KEY BLOCK-----\nlQHYBF", "lQHYBF"),
    # HR2
    ("postgres://svc:hunter2@db/x", "hunter2"),
    ("redis://:p%40ss@cache:6379/0", "p%40ss"),
    ("https://api.example.com/v1?api_key=abcd1234&x=1", "abcd1234"),
    ("https://onetimesecret.com/secret/abc123", "abc123"),
    # HR3-HR5
    ("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "eyJzdWIiOiIx"),
    ("curl -H 'Authorization: Basic dXNlcjpwYXNz' https://x.example", "dXNlcjpwYXNz"),
    ("Proxy-Authorization: Digest abcdef0123", "abcdef0123"),
    ("Bearer abcdefgh12345678", "abcdefgh12345678"),
    # HR6-HR13
    ("sk-abcd1234efgh", "abcd1234efgh"),
    ("sk_live_abcd1234", "abcd1234"),
    ("AWS AKIA" + "Q7" * 8, "Q7Q7"),
    ("ghp_" + "a" * 36, "aaaa"),
    ("github_pat_" + A36, A36),
    ("glpat-abcd1234efgh", "abcd1234efgh"),
    ("xoxb-123456-abcdef", "123456-abcdef"),
    ("https://hooks.slack.com/services/T000/B000/abcdefgh", "abcdefgh"),
    ("AIza" + "b" * 35, "bbbb"),
    ("hf_abcdefgh1234", "abcdefgh1234"),
    ("npm_" + A36, A36),
    ("123456789:" + "AbC-_" * 7, "AbC-_AbC"),
    # HR14
    ("x-api-key: 12ab34cd", "12ab34cd"),
    ("Cookie: sid=98f7aa; theme=dark", "98f7aa"),
    # HR15
    ("csrf_token: 5d0c77ab19e24f6088bb3e1290fa6c41", "5d0c77ab"),
    ('"apiKey":"sk-ant-' + "b" * 40 + '"', "bbbb"),
    ("export DB_PASSWORD=x1", "x1"),
    ("--client-secret abcd", "abcd"),
    ("[auth]\nprivate_key = 'zz'", "zz"),
    ('password: str = "letmein"', "letmein"),
    ("env:\n  - name: API_TOKEN\n    value: abcd9876", "abcd9876"),
    # HR16
    ("nonce = 9fK2mQ7xW4vB8nR1tY6uP3sD5gH0jLzC", "9fK2mQ7x"),
    # said in a sentence, B056
    ("my password is swordfish", "swordfish"),
    ("the password for the guest network is BlueHorse7.", "BlueHorse7"),
    ("contraseña: hunter2", "hunter2"),
    ("pass phrase ist geheim42", "geheim42"),
    ("mein Passwort lautet geheim42", "geheim42"),
    ("mot de passe : soleil12", "soleil12"),
    ("a senha é segredo9", "segredo9"),
    ("数据库密码是 Tr0ub4dor&3", "Tr0ub4dor"),
    ("パスワードは hunter2 です", "hunter2"),
    ("my PIN is 4821", "4821"),
    ("seed phrase: lamp river stone cloud apple green horse wheel candy piano ocean brick", "lamp river"),
    ("quarrydb_live_x1y2k8", "x1y2k8"),
    # commands and cards
    ("curl -u bob:hunter2 https://x.example", "hunter2"),
    ("mysql -u root -phunter22 app", "hunter22"),
    ("card 4111 1111 1111 1111 exp 11/30", "4111 1111"),
]

LEFT = [
    "commit 9021a94e3fab834636d999ce86e4cfe54246ac06",
    "sha256:7888cbe06904e10890b702fd2ec71916fa3e9a61594e9919e885d8796dfb78ed",
    "id 9ccb0311-5dc4-4556-9ee7-7c3c2e0904b1",
    "token: expired",
    "The token is expired.",
    "my password is wrong",
    "password: ***",
    "password = os.environ['DB_PASSWORD']",
    "api_key = os.getenv('KEY')",
    "token=${GH_TOKEN}",
    "Authorization: Bearer $TOKEN",
    "secret: <your secret>",
    "PWD=/home/ada/src",
    "private_key: /etc/ssl/private/site.pem",
    "max_tokens=4096",
    "tokens used: 128",
    "def login(password: str, token: str = None): ...",
    "My PIN hint is the oak",
    "the secret to good bread is patience",
    "see ~/.cache/models/0fd8c99488d935df558b0184e6c33b85bedb27cf/config.json",
    "test_password_reset_email_is_sent",
    "How do I rotate an API key?",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "order 4111111111111112",
    "I prefer tabs.",
    "密码是什么？",
]


@pytest.mark.parametrize(("text", "secret"), MASKED)
def test_secrets_go_and_the_rest_stays(text: str, secret: str) -> None:
    """HA45, HR1-HR16, B007, B056."""
    masked = redact(text)
    assert secret not in masked
    assert "[REDACTED " in masked
    assert redact(masked) == masked


@pytest.mark.parametrize("text", LEFT)
def test_look_alikes_stay(text: str) -> None:
    """HA46, HA49, HD3."""
    assert redact(text) == text


@pytest.mark.parametrize(("text", "secret"), MASKED)
def test_the_placeholder_passes_the_servers_screen(text: str, secret: str) -> None:
    """D107: labels are free of the words and signs on which Memoria blocks."""
    labels = re.findall(r"\[REDACTED ([^\]]*)\]", redact(text))
    assert labels
    for label in labels:
        assert re.fullmatch(r"[a-z]{2,16}", label)
        assert not any(word in label for word in ("secret", "password", "bearer"))


def test_only_the_credential_of_a_header_is_masked() -> None:
    """HD4."""
    assert redact('curl -H "Authorization: Bearer abcdefgh1234" https://x.example -o out') == (
        'curl -H "Authorization: Bearer [REDACTED authorization]" https://x.example -o out'
    )


def test_key_separator_and_quotes_survive() -> None:
    """HR15."""
    assert redact('{"clientSecret": "zz"}') == '{"clientSecret": "[REDACTED credential]"}'


def test_the_hosts_shortened_form_is_masked_like_the_whole_token() -> None:
    """A row has one redacted form whether the host masked it or not (host.md 9.1)."""
    assert redact("key ghp_ab12...wxyz") == redact("key ghp_" + A36) == "key [REDACTED github]"


def test_the_hosts_pass_only_masks_more() -> None:
    """HR, second pass: its result is a hint; our placeholder stands in the text, everything else stays."""

    def host(text: str) -> str:
        return text.replace("zebra-code-42", "zeb...-42").replace("expired", "***")

    masked = redact("note zebra-code-42 here\ntoken: expired\npassword=abc1", host)
    assert masked == "note [REDACTED host] here\ntoken: expired\npassword=[REDACTED credential]"


def test_the_hosts_pass_never_sees_our_placeholders() -> None:
    seen: list[str] = []

    def host(text: str) -> str:
        seen.append(text)
        return text

    assert redact("a password=abc1 b", host) == "a password=[REDACTED credential] b"
    assert seen
    assert all("REDACTED" not in text for text in seen)


@pytest.mark.parametrize("answer", [None, 7, ""])
def test_an_odd_host_redactor_does_no_harm(answer: object) -> None:
    def broken(text: str) -> str:
        raise RuntimeError(text)

    assert redact("plain words", broken) == "plain words"
    masked = redact("plain words", lambda text: answer)  # type: ignore[arg-type, return-value]
    assert masked in ("plain words", "[REDACTED host] [REDACTED host]")


def test_lines_that_the_host_collapses_are_masked_as_a_block() -> None:
    assert (
        redact("one\ntwo\nthree\nfour", lambda text: text.replace("two\nthree", "***")) == "one\n[REDACTED host]\nfour"
    )


SNIPPETS = st.sampled_from(
    ["password", "=", ":", " ", "is", "token", '"', "'", "sk-", "abc12345", "://", "@", "u:p", "[REDACTED key]", "&", "?key=",
     "\n", "Bearer", "eyJ", ".", "-----BEGIN PRIVATE KEY-----", "密码", "是", "4111111111111111", "curl -u ", "Authorization:", "key"]
)  # fmt: skip


@given(st.lists(SNIPPETS, max_size=14).map("".join))
@settings(max_examples=250, deadline=None)
def test_redaction_is_idempotent_on_tricky_text(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_redaction_is_idempotent_on_any_text(text: str) -> None:
    """HA48; arbitrary input never raises (B052, B074)."""
    once = redact(text)
    assert redact(once) == once


@given(
    st.text(alphabet=string.ascii_letters + string.digits, min_size=8, max_size=40),
    st.sampled_from(["{}", "a {} b", "x\n{}"]),
)
@settings(max_examples=60, deadline=None)
def test_any_password_value_is_masked(value: str, frame: str) -> None:
    text = frame.format(f'"db_password": "{value}"')
    if value.lower() not in ("undefined", "redacted", "placeholder") and set(value.lower()) != {"x"}:
        assert f'"{value}"' not in redact(text)


def test_long_lines_are_worked_off() -> None:
    """HA52: no rule may run away on a megabyte of one character, nor on one of repeated openings."""
    for unit in ("a", "=", "eyJ", "sk-", "-", '"', "1", "password="):
        redact(unit * (300_000 // len(unit)))
    text = "word " * 40_000 + "password=abc1 " + "word " * 40_000
    assert "abc1" not in redact(text)
