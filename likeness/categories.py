"""Alternatives of one kind: whoever prefers, uses or answers in one of them does not the other.  A table to extend.

A value with more words than the table's ("postgres 15") belongs to the category of its first words.
"""

CATEGORIES: dict[str, str] = {
    "indentation": "tabs, spaces, tab, 2 spaces, 4 spaces, two spaces, four spaces, hard tabs, soft tabs",
    "package manager": "npm, pnpm, yarn, bun, bower",
    "python packages": "pip, poetry, uv, pipenv, conda, pdm, hatch, mamba, rye, pixi",
    "editor": "vim, neovim, nvim, emacs, vscode, vs code, visual studio code, sublime, sublime text, nano, helix, zed,"
    " cursor, intellij, pycharm, webstorm, atom, kakoune, jetbrains, notepad++, xcode, visual studio, android studio",
    "appearance": "dark mode, light mode, dark theme, light theme, dark, light, a dark theme, a light theme",
    "hot drink": "coffee, tea, decaf, green tea, black coffee, black tea, espresso, matcha, cappuccino, latte",
    "pet": "cats, dogs",
    "shell": "bash, zsh, fish, powershell, nushell, tcsh, ksh",
    "browser": "chrome, firefox, safari, edge, brave, chromium, vivaldi, opera, arc",
    "search engine": "google, duckduckgo, bing, kagi",
    "operating system": "windows, linux, macos, mac, mac os, ubuntu, debian, fedora, arch, arch linux, nixos, freebsd",
    "phone": "iphone, android, pixel, samsung",
    "database": "postgres, postgresql, mysql, mariadb, sqlite, oracle, sql server, mssql, cockroachdb, mongodb, mongo,"
    " dynamodb, cassandra, firestore, aurora, cockroach, tidb",
    "cache": "redis, memcached, valkey, dragonfly, keydb",
    "queue": "kafka, rabbitmq, sqs, nats, pulsar, celery, redpanda",
    "continuous integration": "jenkins, github actions, gitlab ci, circleci, travis, travis ci, buildkite, teamcity,"
    " azure pipelines, drone, bitbucket pipelines, argo",
    "code host": "github, gitlab, bitbucket, gitea, codeberg, forgejo, sourcehut",
    "cloud": "aws, gcp, azure, google cloud, hetzner, digitalocean, linode, vercel, netlify, heroku, fly, fly.io,"
    " render, railway, cloudflare",
    "web framework": "fastapi, flask, django, express, rails, ruby on rails, laravel, spring, spring boot, nestjs,"
    " starlette, sanic, tornado, gin, phoenix, koa, hono, fastify, symfony",
    "front end": "react, vue, angular, svelte, solid, preact, ember, htmx, next.js, nextjs, nuxt, remix, astro,"
    " sveltekit, qwik",
    "css": "tailwind, bootstrap, bulma, sass, scss, material ui, chakra",
    "test runner": "jest, vitest, mocha, jasmine, ava, pytest, unittest, nose, cypress, playwright, selenium",
    "formatter": "black, ruff, yapf, autopep8, prettier, biome, dprint, standard, eslint, flake8, pylint",
    "infrastructure": "terraform, pulumi, cloudformation, ansible, opentofu, cdk, chef, puppet",
    "containers": "docker, podman, kubernetes, nomad, docker swarm, docker compose, k8s, ecs",
    "issue tracker": "jira, linear, asana, trello, github issues, clickup, shortcut, youtrack, basecamp, monday",
    "chat": "slack, teams, microsoft teams, discord, mattermost, zulip, telegram, whatsapp, signal",
    "meetings": "zoom, google meet, meet, webex, skype",
    "monitoring": "datadog, grafana, prometheus, new relic, sentry, honeycomb, splunk, kibana",
    "version control": "git, svn, mercurial, hg, subversion, perforce, jujutsu, jj",
    "branching": "rebase, merge, rebasing, merging, squash, squashing, merge commits",
    "type checker": "mypy, pyright, pyre, basedpyright, ty",
    "programming language": "python, rust, go, golang, java, kotlin, typescript, javascript, ruby, php, c, c++, c#,"
    " scala, elixir, haskell, swift, clojure, perl, lua, zig, r, julia, dart",
    "language": "english, french, german, spanish, portuguese, italian, dutch, chinese, japanese, korean, russian,"
    " polish, turkish, arabic, hindi, swedish, danish, norwegian, finnish, czech, ukrainian, greek, hebrew, mandarin",
    "diet": "vegan, vegetarian, pescatarian, omnivore, carnivore, keto",
    "units": "metric, imperial, metric units, imperial units, celsius, fahrenheit, kilometers, miles, kilometres",
    "clock": "24 hour, 12 hour, 24 hour clock, 12 hour clock, 24h, 12h",
    "length": "short answers, long answers, brief answers, detailed answers, concise answers, short, long, brief,"
    " detailed, concise, verbose, short responses, long responses",
    "quotes": "single quotes, double quotes",
    "naming": "camelcase, snake_case, kebab-case, pascalcase, snake case, camel case, kebab case",
    "travel": "trains, planes, flying, train, plane, driving, bus, car",
    "seat": "window seat, aisle seat, window seats, aisle seats, window, aisle",
    "place of work": "remote, office, hybrid, home, working remotely, working from home, remote work",
    "currency": "eur, usd, gbp, chf, jpy, euros, dollars, pounds, sek, cad, aud, inr, brl",
    "time of day": "morning, mornings, afternoon, afternoons, evening, evenings, night, nights, noon",
    "weekday": "monday, tuesday, wednesday, thursday, friday, saturday, sunday, mondays, tuesdays, wednesdays,"
    " thursdays, fridays, saturdays, sundays",
    "access": "read-only, read only, writable, read-write, read write, public, private",
    "model": "gpt, claude, gemini, llama, mistral, qwen, deepseek, opus, sonnet, haiku",
    "terminal": "iterm, iterm2, alacritty, kitty, wezterm, ghostty, konsole, warp",
    "country": "portugal, spain, france, germany, italy, england, uk, united kingdom, scotland, ireland, usa, us,"
    " united states, canada, mexico, brazil, argentina, chile, colombia, peru, netherlands, belgium, switzerland,"
    " austria, poland, czech republic, czechia, hungary, romania, bulgaria, greece, turkey, russia, ukraine, sweden,"
    " norway, denmark, finland, iceland, estonia, latvia, lithuania, india, china, japan, south korea, korea, taiwan,"
    " vietnam, thailand, indonesia, malaysia, singapore, philippines, australia, new zealand, south africa, egypt,"
    " nigeria, kenya, morocco, israel, california, texas, bavaria, europe, asia, africa, scandinavia",
    # Cities in scripts without capitals, where nothing else tells a name.
    "city": "北京, 上海, 广州, 深圳, 杭州, 南京, 苏州, 成都, 重庆, 武汉, 西安, 天津, 长沙, 郑州, 青岛, 大连, "
    "厦门, 宁波, 福州, 济南, 合肥, 昆明, 沈阳, 哈尔滨, 长春, 无锡, 佛山, 东莞, 珠海, 香港, 澳门, 台北, 高雄, "
    "南宁, 贵阳, 南昌, 太原, 石家庄, 兰州, 海口, 东京, 大阪, 首尔, 新加坡, 纽约, 伦敦, 巴黎, 柏林, 旧金山, "
    "洛杉矶, 西雅图, 悉尼, 墨尔本, 多伦多, 温哥华, 東京, 京都, 神戸, 横浜, 名古屋, 札幌, 仙台, 福岡, 広島, "
    "川崎, 埼玉, 千葉, 奈良, 金沢, 新潟, 静岡, 岡山, 熊本, 鹿児島, 長崎, 那覇, 松山, 高松, 浜松, 北九州, 堺, "
    "姫路, 大津, 宇都宮, 前橋, 岐阜, 高知, 徳島, ロンドン, パリ, ベルリン, ニューヨーク",
}

TOOLS = frozenset(
    """database cache queue cloud shell browser editor terminal formatter chat monitoring css containers infrastructure
    meetings""".split()
) | {
    "package manager", "search engine", "operating system", "continuous integration", "code host", "web framework",
    "front end", "test runner", "issue tracker", "version control", "type checker", "programming language",
}  # fmt: skip
"""Categories whose name is also the noun for it: `our database is X` says what `we use X` says."""

EXCLUSIVE_NOUNS = frozenset(
    """name age birthday address timezone email phone employer title size shell editor browser os bank landlord
    surname nickname pronoun nationality blood height weight zodiac hometown homepage username handle salary""".split()
)
"""Somebody has one of it: two values contradict each other."""

PERSON_NOUNS = frozenset(
    """manager boss wife husband partner spouse girlfriend boyfriend fiance fiancee doctor dentist landlord mentor
    supervisor lead cto ceo therapist accountant lawyer mother father""".split()
)
"""One person, when what follows is a name ("my manager is nice" names none)."""

NUMBER_NOUNS = frozenset(
    """port version budget deadline limit timeout size age number extension floor room weight height birthday date
    release launch rate price salary pin threshold quota zip postcode""".split()
)
"""One value, when what follows has a digit or a day."""

ONLY_ONE = frozenset("favorite default primary main".split())
"""Words before a noun that leave room for one only: my favorite editor, the default branch."""
