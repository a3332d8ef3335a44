"""Secrets and look-alikes, all made up here: values come from a seeded generator, so no real token stands in the sources.

`SECRETS` is (text, secret) with every kind in every form of capture.md section 2 and sentences of eleven languages;
`LOOK_ALIKES` is text in which nothing may be touched.
"""

# ruff: noqa: E501 - one case is one line
import random
import string

_RANDOM = random.Random(20260204)
_ALNUM = string.ascii_letters + string.digits
_UPPER = string.ascii_uppercase + string.digits
_URL_SAFE = _ALNUM + "-_"
_HEX = "0123456789abcdef"


def _run(chars: str, size: int) -> str:
    """A run of letters and digits with both in it."""
    while True:
        text = "".join(_RANDOM.choice(chars) for _ in range(size))
        if any(char.isdigit() for char in text) and any(char.isalpha() for char in text) and text[-1] not in "-_":
            return text


# Vendor tokens by kind: the whole token is the secret.
VENDORS = {
    "openai": "sk-" + _run(_ALNUM, 48),
    "openai project": "sk-proj-" + _run(_URL_SAFE, 64),
    "anthropic": "sk-ant-api03-" + _run(_URL_SAFE, 60),
    "openrouter": "sk-or-v1-" + _run(_HEX, 64),
    "stripe live": "sk_live_" + _run(_ALNUM, 24),
    "stripe test": "sk_test_" + _run(_ALNUM, 24),
    "stripe restricted": "rk_live_" + _run(_ALNUM, 24),
    "stripe webhook": "whsec_" + _run(_ALNUM, 32),
    "aws": "AKIA" + _run(_UPPER, 16),
    "aws session": "ASIA" + _run(_UPPER, 16),
    "github": "ghp_" + _run(_ALNUM, 36),
    "github app": "ghs_" + _run(_ALNUM, 36),
    "github oauth": "gho_" + _run(_ALNUM, 36),
    "github refresh": "ghr_" + _run(_ALNUM, 36),
    "github fine": "github_pat_" + _run(_ALNUM, 22) + "_" + _run(_ALNUM, 59),
    "gitlab": "glpat-" + _run(_URL_SAFE, 20),
    "gitlab runner": "glrt-" + _run(_URL_SAFE, 20),
    "gitlab deploy": "gldt-" + _run(_URL_SAFE, 20),
    "gitlab oauth": "gloas-" + _run(_HEX, 64),
    "slack bot": "xoxb-" + _run(string.digits + "a", 12) + "-" + _run(_ALNUM, 24),
    "slack app": "xapp-1-" + _run(_UPPER, 11) + "-" + _run(_HEX, 32),
    "google": "AIza" + _run(_URL_SAFE, 35),
    "google oauth": "GOCSPX-" + _run(_URL_SAFE, 28),
    "google access": "ya29." + _run(_URL_SAFE, 60),
    "hugging face": "hf_" + _run(_ALNUM, 34),
    "npm": "npm_" + _run(_ALNUM, 36),
    "pypi": "pypi-" + _run(_URL_SAFE, 60),
    "digitalocean": "dop_v1_" + _run(_HEX, 64),
    "shopify": "shpat_" + _run(_HEX, 32),
    "sendgrid": "SG." + _run(_URL_SAFE, 22) + "." + _run(_URL_SAFE, 43),
    "telegram": "714523980:" + _run(_ALNUM, 35),
    "jwt": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiI" + _run(_ALNUM, 20) + "." + _run(_URL_SAFE, 43),
    "atlassian": "ATATT3" + _run(_ALNUM, 60),
    "databricks": "dapi" + _run(_HEX, 32),
    "groq": "gsk_" + _run(_ALNUM, 52),
    "xai": "xai-" + _run(_ALNUM, 80),
    "perplexity": "pplx-" + _run(_ALNUM, 48),
    "tavily": "tvly-" + _run(_ALNUM, 32),
    "replicate": "r8_" + _run(_ALNUM, 37),
    "nvidia": "nvapi-" + _run(_URL_SAFE, 64),
    "sentry": "sntrys_" + _run(_ALNUM, 60),
    "linear": "lin_api_" + _run(_ALNUM, 40),
    "notion": "ntn_" + _run(_ALNUM, 46),
    "figma": "figd_" + _run(_URL_SAFE, 40),
    "grafana": "glsa_" + _run(_ALNUM, 32) + "_" + _run(_HEX, 8),
    "vault": "hvs." + _run(_URL_SAFE, 90),
    "docker": "dckr_pat_" + _run(_URL_SAFE, 27),
    "tailscale": "tskey-auth-" + _run(_ALNUM, 17) + "-" + _run(_ALNUM, 32),
    "supabase": "sbp_" + _run(_HEX, 40),
    "planetscale": "pscale_tkn_" + _run(_URL_SAFE, 43),
    "pulumi": "pul-" + _run(_HEX, 40),
    "rubygems": "rubygems_" + _run(_HEX, 48),
    "new relic": "NRAK-" + _run(_UPPER, 27),
    "doppler": "dp.pt." + _run(_ALNUM, 43),
    "square": "sq0atp-" + _run(_URL_SAFE, 22),
    "postman": "PMAK-" + _run(_HEX, 24) + "-" + _run(_HEX, 34),
    "alibaba": "LTAI" + _run(_ALNUM, 20),
    "tencent": "AKID" + _run(_ALNUM, 32),
    "mailgun": "key-" + _run(_HEX, 32),
    "posthog": "phx_" + _run(_ALNUM, 43),
    "age": "AGE-SECRET-KEY-1" + _run(_UPPER, 58),
    "cloudflare": "v1.0-" + _run(_HEX, 24) + "-" + _run(_HEX, 146),
    "fly": "fo1_" + _run(_URL_SAFE, 43),
    "airtable": "pat" + _run(_ALNUM, 14) + "." + _run(_HEX, 64),
    "heroku": "HRKU-AA" + _run(_URL_SAFE, 58),
    "cohere-like": "co_" + "live_" + _run(_ALNUM, 30),
    "langsmith": "lsv2_pt_" + _run(_HEX, 32) + "_" + _run(_HEX, 10),
    "render": "rnd_" + _run(_ALNUM, 28),
    "elevenlabs": "sk_" + _run(_HEX, 48),
    "firecrawl": "fc-" + _run(_HEX, 32),
    "dynatrace": "dt0c01." + _run(_UPPER, 24) + "." + _run(_UPPER, 64),
    "flutterwave": "FLWSECK_TEST-" + _run(_HEX, 32) + "-X",
    "hashicorp": _run(_ALNUM, 14) + ".atlasv1." + _run(_ALNUM, 67),
    "azure ad": _run(_ALNUM, 3) + "8Q~" + _run(_ALNUM, 34),
    "1password": "ops_eyJ" + _run(_ALNUM, 250),
    "sentry user": "sntryu_" + _run(_HEX, 64),
    "circleci": "CCIPAT_" + _run(_ALNUM, 22) + "_" + _run(_HEX, 40),
    "buildkite": "bkua_" + _run(_HEX, 40),
    "netlify": "nfp_" + _run(_ALNUM, 36),
    "vercel": "vcp_" + _run(_ALNUM, 56),
    "sourcegraph": "sgp_" + _run(_HEX, 40),
    "readme": "rdme_" + _run("abcdefghij0123456789", 70),
    "prefect": "pnu_" + _run("abcdefghij0123456789", 36),
    "infracost": "ico-" + _run(_ALNUM, 32),
    "typeform": "tfp_" + _run(_URL_SAFE, 59),
    "contentful": "CFPAT-" + _run(_URL_SAFE, 43),
    "easypost": "EZAK" + _run(_ALNUM, 54),
    "duffel": "duffel_live_" + _run(_URL_SAFE, 43),
    "shippo": "shippo_live_" + _run(_HEX, 40),
    "brevo": "xkeysib-" + _run(_HEX, 64) + "-" + _run(_ALNUM, 16),
    "adafruit": "aio_" + _run(_ALNUM, 28),
    "ionic": "ion_" + _run("abcdefghij0123456789", 42),
    "polar": "polar_oat_" + _run(_ALNUM, 40),
    "resend": "re_" + _run(_ALNUM, 8) + "_" + _run(_ALNUM, 24),
}  # fmt: skip
VENDOR_FORMS = {
    "prose": "Use {} for the deploy job, please.",
    "quoted": 'The value is "{}".',
    "shell": "export SERVICE_CREDS='{}' && ./run.sh",
    "json": '{{"value": "{}", "retries": 3}}',
    "yaml": "service:\n  value: {}\n  retries: 3",
    "toml": "[service]\nvalue = '{}'",
    "header": "X-Thing: {}",
    "url": "https://api.example.com/v1/items?x={}&page=2",
    "code": "`{}`",
    "chinese": "请使用{}来部署。",
}

# Values without a form of their own: only the key says what they are.
KEYED_FORMS = {
    "shell": "export {upper}={value}",
    "shell quoted": '{upper}="{value}" ./run.sh',
    "flag": "tool --{dashed} {value} --verbose",
    "flag equals": "tool --{dashed}={value}",
    "json": '{{"{camel}": "{value}", "user": "ada"}}',
    "json in a string": '{{\\"{snake}\\": \\"{value}\\"}}',
    "yaml": "db:\n  {snake}: {value}\n  port: 5432",
    "yaml quoted": "  {snake}: '{value}'",
    "toml": '[db]\n{snake} = "{value}"',
    "ini": "{snake}={value}",
    "python": "{snake} = '{value}'",
    "ruby": ":{snake} => '{value}'",
    "url": "https://api.example.com/v1?{snake}={value}&page=2",
    "prefixed": "MY_APP_{upper}={value}",
}
KEYS = (
    "api_key", "password", "passwd", "passphrase", "token", "secret", "credential", "private_key", "access_key", "client_secret", "auth_token",
)  # fmt: skip


def _keyed(key: str, form: str, value: str) -> str:
    head, *rest = key.split("_")
    return form.format(
        upper=key.upper(),
        dashed=key.replace("_", "-"),
        snake=key,
        camel=head + "".join(map(str.title, rest)),
        value=value,
    )


_PASSWORD = ("Tr0ub4dor&3", "hunter2", "BlueHorse7!", "geheim42", "s3gredo9", "Qw8$mnP2", "kaffee-Tasse9")
SENTENCES = [
    ("my password is {}", "en"), ("the wifi password is {}.", "en"), ("Password for the staging box: {}", "en"), ("I changed my password to {}", "en"), ("log in with ada / {}", "en"),
    ("the passphrase for the backup is {}", "en"), ("my new passcode is {}", "en"), ("user ada, password {}", "en"), ("use the password {} for now", "en"), ("his pw is {}", "en"),
    ("The credentials are ada:{}", "en"), ("the root password was set to {}", "en"), ("sign in as ada with password {}", "en"), ("the database password remains {}", "en"),
    ("mein Passwort ist {}", "de"), ("das Passwort lautet {}", "de"), ("Kennwort: {}", "de"), ("Das WLAN-Passwort ist {}.", "de"), ("Zugangsdaten: ada / {}", "de"), ("das Passwort für den Server ist {}", "de"),
    ("mi contraseña es {}", "es"), ("contraseña: {}", "es"), ("la contraseña del wifi es {}", "es"), ("la clave del wifi es {}", "es"), ("usa la contraseña {}", "es"),
    ("mon mot de passe est {}", "fr"), ("mot de passe : {}", "fr"), ("le mot de passe du wifi est {}.", "fr"), ("le mdp est {}", "fr"), ("mdp : {}", "fr"),
    ("minha senha é {}", "pt"), ("a senha do wifi é {}", "pt"), ("senha: {}", "pt"), ("a palavra-passe é {}", "pt"),
    ("la mia password è {}", "it"), ("la password del wifi è {}", "it"), ("password: {}", "it"), ("la parola d'ordine è {}", "it"),
    ("mijn wachtwoord is {}", "nl"), ("het wachtwoord van de wifi is {}", "nl"), ("wachtwoord: {}", "nl"),
    ("мой пароль {}", "ru"), ("пароль: {}", "ru"), ("пароль от вайфая — {}", "ru"), ("пароль от сервера: {}", "ru"),
    ("数据库密码是 {}", "zh"), ("我的密码是{}", "zh"), ("密码：{}", "zh"), ("wifi密码为{}", "zh"), ("密码改成了 {}", "zh"), ("登录口令是{}", "zh"),
    ("パスワードは {} です", "ja"), ("パスワードは「{}」です", "ja"), ("パスワード：{}", "ja"), ("WiFiのパスワードは{}", "ja"),
    ("비밀번호는 {} 입니다", "ko"), ("비밀번호: {}", "ko"), ("와이파이 비번은 {}", "ko"),
    ("moje hasło to {}", "pl"), ("hasło: {}", "pl"),
]  # fmt: skip

_SPECIAL = [
    # HR1
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAx7\nqk2mZ0\n-----END RSA PRIVATE KEY-----", "MIIEpAIBAAKCAQEAx7"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----", "b3BlbnNzaC1rZXktdjEA"),
    ("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIBk\n", "MHcCAQEEIBk"),
    ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIFHDBOBgkq", "MIIFHDBOBgkq"),
    ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg", "MIIEvQIBADANBg"),
    ('{"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBg\\n-----END PRIVATE KEY-----\\n"}', "MIIEvQIBADANBg"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQHYBF3xyz\n-----END PGP PRIVATE KEY BLOCK-----", "lQHYBF3xyz"),
    # HR2
    ("postgres://svc:Hq7pass@db.internal:5432/app", "Hq7pass"),
    ("mongodb+srv://root:Hq7pass@cluster0.example.net/?retryWrites=true", "Hq7pass"),
    ("redis://:Hq7pass@cache:6379/0", "Hq7pass"),
    ("amqp://guest:Hq7pass@mq:5672//", "Hq7pass"),
    ("https://ada:Hq7pass@git.example.com/repo.git", "Hq7pass"),
    ("mysql://root:p%40ssHq7@127.0.0.1/app", "p%40ssHq7"),
    ("jdbc:postgresql://db/app?user=ada&password=Hq7pass", "Hq7pass"),
    ("Server=db;Database=app;User Id=sa;Password=Hq7pass;Encrypt=true", "Hq7pass"),
    ("DefaultEndpointsProtocol=https;AccountName=ada;AccountKey=Hq7Account" + _run(_ALNUM, 76) + "==;EndpointSuffix=core.windows.net", "Hq7Account"),
    ("https://acct.blob.core.windows.net/c?sv=2022-11-02&sig=" + "Hq7SigValueXy9%3D", "Hq7SigValueXy9"),
    ("https://s3.amazonaws.com/b/k?X-Amz-Signature=9fa2c7d1e5b3" + "&X-Amz-Expires=300", "9fa2c7d1e5b3"),
    ("https://example.com/cb?access_token=Hq7token#top", "Hq7token"),
    ("https://example.com/?user=ada&passwd=Hq7pass", "Hq7pass"),
    # HR4, HR5
    ("Authorization: Basic YWRhOkhxN3Bhc3M=", "YWRhOkhxN3Bhc3M"),
    ("curl -H 'Authorization: token Hq7tokenvalue' https://x.example", "Hq7tokenvalue"),
    ("Proxy-Authorization: Basic YWRhOkhxN3Bhc3M=", "YWRhOkhxN3Bhc3M"),
    ('{"Authorization": "Bearer Hq7tokenvalue99"}', "Hq7tokenvalue99"),
    ("bearer Hq7tokenvalue99", "Hq7tokenvalue99"),
    ("headers = {'authorization': 'Bearer Hq7tokenvalue99'}", "Hq7tokenvalue99"),
    # HR11 and other links that are secrets
    ("https://hooks.slack.com/services/T01ABCDEF/B02ABCDEF/Hq7hookvalueXyZ", "Hq7hookvalueXyZ"),
    ("https://discord.com/api/webhooks/123456789012345678/Hq7hookvalue-XyZ_0123456789", "Hq7hookvalue"),
    ("https://api.telegram.org/bot714523980:Hq7hookvalueXyZ0123456789abcdefghij/getMe", "Hq7hookvalueXyZ"),
    ("https://onetimesecret.com/secret/hq7abc123", "hq7abc123"),
    # HR14
    ("x-api-key: Hq7value", "Hq7value"), ("X-Auth-Token: Hq7value", "Hq7value"), ("api-key: Hq7value", "Hq7value"), ("Cookie: session=Hq7value; theme=dark", "Hq7value"),
    ("Set-Cookie: sid=Hq7value; HttpOnly", "Hq7value"), ("curl -H 'X-Api-Key: Hq7value' https://x.example", "Hq7value"), ('{"x-api-key": "Hq7value"}', "Hq7value"),
    ("PRIVATE-TOKEN: Hq7value", "Hq7value"),
    # HR16
    ("nonce = 9fK2mQ7xW4vB8nR1tY6uP3sD5gH0jLzC", "9fK2mQ7xW4vB"), ("salt: 0f3a9b7c2d8e4f6a1b5c9d7e3f2a8b6c4d", "0f3a9b7c2d8e"),
    # commands
    ("curl -u ada:Hq7pass https://x.example", "Hq7pass"), ("mysql -u root -pHq7pass app", "Hq7pass"), ("sshpass -p Hq7pass ssh ada@host", "Hq7pass"), ("redis-cli -a Hq7pass ping", "Hq7pass"),
    ("docker login -u ada -p Hq7pass9 registry.example.com", "Hq7pass9"), ("PGPASSWORD=Hq7pass psql -h db", "Hq7pass"), ("echo Hq7pass9 | sudo -S apt update", "Hq7pass9"),
    ("machine api.example.com login ada password Hq7pass", "Hq7pass"), ("//registry.npmjs.org/:_authToken=Hq7value99", "Hq7value99"),
    ("net user ada Hq7pass9 /add", "Hq7pass9"), ("openssl enc -k Hq7pass9 -in a", "Hq7pass9"), ("openssl rsa -passin pass:Hq7pass9 -in k", "Hq7pass9"),
    ("wget --user=ada --password=Hq7pass https://x.example", "Hq7pass"), ("http -a ada:Hq7pass9 GET https://x.example", "Hq7pass9"), ("smbclient -U ada%Hq7pass9 //srv/share", "Hq7pass9"),
    # markup, tables, names of other kinds
    ("<password>Hq7pass99</password>", "Hq7pass99"),
    ('<add key="Password" value="Hq7pass99" />', "Hq7pass99"),
    ("SECRET_KEY_BASE=Hq7pass99abc", "Hq7pass99abc"),
    ('{"DB_PASS": "Hq7pass99"}', "Hq7pass99"),
    ("SMTP_PASS=Hq7pass99", "Hq7pass99"),
    ("| password | Hq7pass99 |", "Hq7pass99"),
    ("my password's Hq7pass99", "Hq7pass99"),
    ("la contraseña nueva es Hq7pass99", "Hq7pass99"),
    ("The password for ada@example.com is Hq7pass99.", "Hq7pass99"),
    ("the admin password has been changed to Hq7pass99", "Hq7pass99"),
    ("我把密码设成Hq7pass99了", "Hq7pass99"),
    ("账号：ada，密码：Hq7pass99", "Hq7pass99"),
    ("パスワードをHq7pass99に変更しました", "Hq7pass99"),
    ("Benutzer ada, Passwort Hq7pass99", "Hq7pass99"),
    ("client_secret = 'my password is Hq7 tuna'", "Hq7 tuna"),
    ('{"db_password": "the Hq7 tuna of my', "Hq7 tuna"),
    # cards, codes, phrases
    ("card 4111 1111 1111 1111 exp 11/30", "1111 1111 1111"), ("my visa is 4012888888881881", "4012888888881881"), ("amex 3782-822463-10005", "822463"), ("Mastercard 5555555555554444, cvc later", "5555555555554444"),
    ("my PIN is 4821", "4821"), ("the alarm code is 90417", "90417"), ("seed phrase: lamp river stone cloud apple green horse wheel candy piano ocean brick", "lamp river"),
    ("env:\n  - name: API_TOKEN\n    value: Hq7value99", "Hq7value99"), ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzKEY01", "wJalrXUtnFEMI"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzKEY01", "wJalrXUtnFEMI"),
]  # fmt: skip


def _secrets() -> list[tuple[str, str, str]]:
    rows = [
        (f"{kind}/{form}", text.format(value), value)
        for kind, value in VENDORS.items()
        for form, text in VENDOR_FORMS.items()
    ]
    for key in KEYS:
        for form, text in KEYED_FORMS.items():
            value = _run(_ALNUM, 18)
            rows.append((f"{key}/{form}", _keyed(key, text, value), value))
    for number, (sentence, language) in enumerate(SENTENCES):
        value = _PASSWORD[number % len(_PASSWORD)]
        rows.append((f"said/{language}/{number}", sentence.format(value), value))
    rows += [(f"special/{number}", text, secret) for number, (text, secret) in enumerate(_SPECIAL)]
    return rows


SECRETS = _secrets()

LOOK_ALIKES = [
    # Digests, ids, versions.
    f"commit {_run(_HEX, 40)}", f"fixed in {_run(_HEX, 7)}", f"sha256:{_run(_HEX, 64)}", f"md5 {_run(_HEX, 32)}", "id 9ccb0311-5dc4-4556-9ee7-7c3c2e0904b1", "trace_id: 4bf92f3577b34da6a3ce929d0e0e4736",
    f'"integrity": "sha512-{_run(_ALNUM, 86)}=="', f"image: registry.example.com/app@sha256:{_run(_HEX, 64)}", f"ETag: \"{_run(_HEX, 32)}\"", f"git checkout {_run(_HEX, 40)}",
    "arn:aws:iam::123456789012:role/deploy", "i-0abcd1234ef567890 is down", "version 2.31.0-rc.1+build.5", "0x7ffee4c3a9b0 in main ()", "uuid = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'",
    "go.sum: github.com/pkg/errors v0.9.1 h1:" + _run(_ALNUM, 43) + "=", "fingerprint: 3f:a1:09:bb:72:de:90:11", "SHA256:" + _run(_ALNUM, 43) + " ada@host (ED25519)",
    # Paths, links, files.
    "see ~/.cache/models/0fd8c99488d935df558b0184e6c33b85bedb27cf/config.json", "/etc/ssl/private/site.pem", "private_key: /etc/ssl/private/site.pem", "PWD=/home/ada/src", "OLDPWD=/tmp", "secret_file = ./secrets.yaml",
    "token_path: ~/.config/tool/token", "C:\\Users\\ada\\token.txt", "https://example.com/docs/api-keys", "https://example.com/reset-password?step=2", "https://github.com/org/repo/commit/" + _run(_HEX, 40),
    "https://example.com/a?page=2&sort=key", "s3://bucket/path/to/object", "postgres://localhost:5432/app", "http://localhost:8080/token", "ssh://git@github.com:22/org/repo.git", "redis://cache:6379/0",
    # States, counts, types, empties.
    "token: expired", "The token is expired.", "password: required", "my password is wrong", "my password is too short", "the password was reset", "passwords are hashed with bcrypt", "the API key is invalid", "the key is missing",
    "secret: none", "password: ''", 'token = ""', "api_key: null", "token=None", "password=***", "password: ********", "token: <your token>", "secret: ${DB_SECRET}", "token=$GH_TOKEN", "password = os.environ['DB_PASSWORD']",
    "api_key = os.getenv('KEY')", "const token = process.env.TOKEN;", "password=$(pass show db)", "token: {{ .Values.token }}", "secret = vault.read('db/creds')", "api_key=YOUR_API_KEY", "password: placeholder",
    "max_tokens=4096", "max_tokens: 8192", "tokens used: 128", "token_count = 512", "password_min_length: 12", "token_ttl: 3600", "key_size=2048", "num_keys: 12", "primary_key: true", "foreign key (user_id)", "sort_key: created_at", "cache_key = user.id",
    "def login(password: str, token: str = None): ...", "password: str", "token: Optional[str]", "interface Auth { token: string; }", "type Secret struct", "secretKeyRef:", "apiKey: string", "token?: string",
    "password: see 1Password",
    "checksum ok: d41d8cd98f00b204e9800998ecf8427e",
    "change the password to something stronger",
    "credentials are in ~/.aws/credentials",
    "token_type=bearer",
    "grant_type=client_credentials",
    "la clave es dormir bien",
    "a chave do sucesso é dormir",
    "암호화폐는 위험해요",
    "pass rate: 98%",
    "<password></password>",
    # Prose about secrets.
    "How do I rotate an API key?", "the secret to good bread is patience", "Never put a password in the repo.", "My PIN hint is the oak", "the token bucket algorithm", "a password manager is better", "the key point is speed", "press any key to continue",
    "I forgot my password again", "Ich habe mein Passwort vergessen", "olvidé mi contraseña", "j'ai oublié mon mot de passe", "esqueci minha senha", "我忘记密码了", "密码是什么？", "密码错误", "パスワードを忘れました", "пароль не подходит", "ho dimenticato la password", "ik ben mijn wachtwoord vergeten",
    "das Passwort ist abgelaufen", "la contraseña es incorrecta", "le mot de passe est obligatoire", "a senha é inválida", "la password è scaduta", "het wachtwoord is verlopen", "пароль неверный", "密码已过期", "パスワードは必須です",
    "please use a strong password", "test_password_reset_email_is_sent", "the secret santa is on Friday", "our secret ingredient is cumin", "Bearer tokens are sent in a header", "Bearer authentication is required", "bearer credentials go in the header", "password: bool = False", "token: dict | None", "basic auth is fine", "the login page is slow", "log in as admin and check",
    # Numbers.
    "call +49 30 1234567", "ISBN 978-3-16-148410-0", "IBAN DE89 3704 0044 0532 0130 00", "order 4111111111111112", "tracking 1Z999AA10123456784", "invoice 2026-0042", "port 8080", "error code 4041", "zip code 90210", "issue 1234", "pid 48213", "1234567890123",
    "12:34:56.789", "2026-02-04T15:30:00Z", "192.168.178.21", "fe80::1ff:fe23:4567:890a", "00:1A:2B:3C:4D:5E", "49.2827, -123.1207", "EAN 4006381333931", "flight LH2041", "area code 030", "PIN 13 of the board",
    # Data.
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBg\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl\n-----END CERTIFICATE-----", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJk ada@host", "content: SGVsbG8gd29ybGQsIHRoaXMgaXMgcGxhaW4gdGV4dC4=",
    "<img src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk\">", "color: #9fa2c7", "class=\"token keyword\"", "lorem-ipsum-dolor-sit-amet-consectetur-adipiscing", "ThisIsAVeryLongCamelCaseIdentifierNameInJava", "SOME_VERY_LONG_CONSTANT_NAME_OF_A_PROJECT_V2",
    "path=/usr/local/lib/python3.11/site-packages/cryptography", "name: my-service-account-for-deployments", "branch: feature/ABC-1234-add-token-refresh", "kubectl get secret db-creds -o yaml", "docker run -p 8080:80 nginx", "ssh -p 2222 ada@host", "mkdir -p build/out", "cp -a src dst",
    "git log -p README.md", "skip-link-target-for-keyboard", "task-list-item-checkbox", "risk-averse-investors", "desk-mounted", "disk-based", "sk-learn", "hf_hub_download", "npm_config_registry", "SG.Bold", "glc_ms", "r8_unorm", "key-value store",
]  # fmt: skip
