"""What looks like a secret is told by line and kind, and is never part of what is said."""

import pytest

from fiche.kernel.secrets import replaced, suspects, warnings

PLANTED = {
    "HF_TOKEN=hf_abcdefghijklmnopqrstuv": "a Hugging Face token",
    "remote: ghp_" + "a" * 36: "a GitHub token",
    "github_pat_" + "A1" * 20: "a GitHub token",
    "glpat-abcdefghij0123456789": "a GitLab token",
    "key sk-proj-abc123def456ghi7": "an API key",
    "AKIAABCDEFGHIJKLMNOP": "an AWS access key",
    "AIza" + "B" * 35: "a Google API key",
    "xoxb-123456789012-abc": "a Slack token",
    "nvapi-" + "x" * 40: "an NVIDIA API key",
    "eyJhbGciOiJI.eyJzdWIiOiIx.abc_def": "a JSON web token",
    "Authorization: Bearer abc.def-123": "an authorization header",
    "-H 'authorization: Basic dXNlcjpwYXNz'": "an authorization header",
    "https://bob:pw@hub.example/x": "a password in a URL",
    "wandb login " + "0a" * 20: "a W&B key",
    "WANDB_API_KEY=" + "0a" * 20: "an API key",
    "api_key='abc123def4'": "an API key",
    "api_key=['abc123456']": "an API key",
    r"{\"api_key\": \"abcdefgh\"}": "an API key",
    "aws_secret_access_key = abcd/efgh+1234": "an API key",
    '"token": "abcd1234efgh"': "a token",
    "--api-key mysecret123": "a secret on a command line",
    "PASSWORD: hunter2": "a password",
    "db_password = 'x y'": "a password",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----": "a private key",
    "-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----": "a private key",
}
HARMLESS = (
    "eos_token=</s> pad_token_id: 128001 next_token: abcdefgh",
    "#tokens: 92144, max_num_batched_tokens=8192, token: 5, tokens/s: 12.5",
    "hf_token=None, api_key=None, password=None, token=null",
    "time_per_token=12.3abcdefg",
    "PWD=/home/a",
    "sk-learn-contrib-package-x task-abcdefghijklmnopqrst",
    "tokenizer='meta-llama/Llama-3.1-8B-Instruct'",
    "revision 0e9e39f249a16976918f6564b8830bc894c89659 sha256:" + "0a" * 32,
    "the password for it is, bearer of news, secret scanning, http://a:8000/x@y",
    "GPU 0 has a total capacity of 15.67 GiB of which 97.19 MiB is free.",
)


@pytest.mark.parametrize("text", PLANTED)
def test_a_secret_is_suspected_by_its_shape(text):
    assert PLANTED[text] in {one.word for one in suspects(text.encode())}


@pytest.mark.parametrize("text", HARMLESS)
def test_what_programs_print_of_tokens_and_keys_is_no_secret(text):
    assert list(suspects(text.encode())) == []


def test_the_warning_says_line_and_kind_and_never_the_secret():
    (told,) = warnings(b"step 1\n\nHF_TOKEN=hf_abcdefghijklmnopqrstuv\r\npassword=hunter2\n")
    assert told.startswith("secret_in_file: ")
    assert "line 3: a Hugging Face token, line 4: a password" in told
    assert "hunter2" not in told
    assert "abcdefghij" not in told


def test_many_are_counted():
    (told,) = warnings(b"password=x\n" * 9)
    assert "line 5: a password, and 4 more lines" in told


def test_a_clean_text_warns_of_nothing():
    assert warnings(b"CUDA out of memory. Tried to allocate 2.00 GiB\n" * 100) == ()


@pytest.mark.parametrize(
    ("line", "kept", "count"),
    [
        (b"python t.py --hf-token hf_" + b"aB3" * 12, b"python t.py --hf-token <secret>", 1),
        (b"t.py --password hunter2hunter2 -v", b"t.py --password <secret> -v", 1),
        (
            b"WANDB_API_KEY=" + b"0123456789abcdef" * 2 + b"01234567 python t.py",
            b"WANDB_API_KEY=<secret> python t.py",
            1,
        ),
        (b"curl -H 'Authorization: Bearer abcdefghijklmnop12345'", b"Bearer <secret>'", 1),
        (
            b"python t.py --max_tokens 4096 --eos_token_id 2",
            b"--max_tokens 4096 --eos_token_id 2",
            0,
        ),
        (b"t.py --password <secret>", b"t.py --password <secret>", 0),
    ],
)
def test_only_what_looks_like_a_secret_is_replaced(line, kept, count):
    """A command line stays readable; what was replaced before is no secret any more."""
    text, replaced_count = replaced(line)
    assert text.endswith(kept)
    assert replaced_count == count
