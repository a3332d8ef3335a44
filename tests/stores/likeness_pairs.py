"""Pairs of statements written by hand: what says the same, and what only looks like it (D69, CD25).

One pair a line, ` = ` or ` # ` between the two.
"""

SAME_EN = """
I prefer tabs over spaces. = Actually, I really do prefer tabs over spaces.
I prefer tabs over spaces. = I'd rather use tabs than spaces.
I prefer tabs over spaces. = I like tabs better than spaces.
I prefer tabs over spaces. = I prefer tabs to spaces, as I said.
I prefer tabs. = Yes, as you said, I prefer tabs.
I prefer tabs. = I prefer using tabs.
I prefer tabs. = I would prefer tabs, please.
I prefer tabs. = I definitely prefer tabs!
I prefer dark mode. = By the way, I prefer dark mode.
My cat is called Miso. = Right, my cat is called Miso.
My cat is called Miso. = My cat's name is Miso.
My cat is called Miso. = My cat is named Miso, by the way.
My cat is called Miso. = The name of my cat is Miso.
I'm allergic to peanuts. = So I'm allergic to peanuts, as you know.
I'm allergic to peanuts. = I am allergic to peanuts
I'm allergic to peanuts. = I have a peanut allergy.
I'm allergic to peanuts. = As I told you, I'm really allergic to peanuts.
I don't like cilantro. = I do not like cilantro.
I don't like cilantro. = I dislike cilantro.
I don't like cilantro. = I really don't like cilantro.
I don't like cilantro. = I'm not a fan of cilantro.
I love hiking. = I like hiking.
I love hiking. = I really enjoy hiking.
I love hiking. = I'm a big fan of hiking.
I like cats. = I like cats a lot.
I like cats. = i like cats
My favourite editor is Neovim. = My favorite editor is Neovim.
My favourite editor is Neovim. = Neovim is my favourite editor.
My favourite editor is Neovim. = FYI, my preferred editor is Neovim.
I live in Lisbon. = I currently live in Lisbon.
I live in Lisbon. = I'm living in Lisbon.
I live in Lisbon. = I'm based in Lisbon these days.
I live in Lisbon. = Remember that I live in Lisbon.
I work at Siemens as a data engineer. = I work for Siemens as a data engineer.
I work at Siemens as a data engineer. = I'm employed at Siemens as a data engineer.
My name is Priya. = I'm called Priya.
My name is Priya. = Again, my name is Priya.
My manager is Joao. = As you know, my manager is Joao.
My manager is Joao. = Joao is my manager.
We use Postgres 15 in production. = We're using Postgres 15 in production.
We use Postgres 15 in production. = In production we use Postgres 15.
We use Postgres 15 in production. = In production, we use Postgres 15.
We use Postgres 15 in production. = We still use Postgres 15 in production.
We use Terraform for all infra. = We are using Terraform for all infra
We use Terraform for all infra. = For all infra we use Terraform.
Please always answer in French. = Always answer in French.
Please always answer in French. = From now on, please answer in French.
Please always answer in French. = Please reply in French.
Please always answer in French. = You should always answer in French.
Use pnpm instead of npm. = Use pnpm rather than npm.
Use pnpm instead of npm. = From now on, use pnpm instead of npm.
Use pnpm instead of npm. = Always use pnpm, not npm.
Never commit to main. = Don't commit to main.
Never commit to main. = Please never commit to main.
Never commit to main. = Do not ever commit to main.
The staging DB is read-only. = Remember: the staging DB is read-only.
The staging DB is read-only. = The staging database is read only.
The staging DB is read-only. = Don't forget that the staging DB is read-only.
This project is built on FastAPI. = Our project is built with FastAPI.
The codebase requires Node 20. = This codebase needs Node 20.
The staging proxy listens on port 7443. = The staging proxy runs on port 7443.
The staging proxy listens on port 7443. = staging proxy is at localhost:7443
The staging proxy listens on port 7443. = The staging proxy port is 7443.
I only drink decaf. = I only drink decaf, remember.
I don't eat meat. = I don't eat meat anymore.
I don't eat meat. = I no longer eat meat.
I don't eat meat. = I never eat meat.
I'm a vegetarian. = I am vegetarian.
I'm a vegetarian. = Well, I'm a vegetarian, you know.
The release is next Friday (2026-05-08). = The release is next Friday.
We moved to GitHub Actions last week (week of 2026-04-27). = We moved to GitHub Actions last week.
I speak German and English. = I speak English and German.
I have two kids. = I have 2 kids.
My standup is at 9 am. = My standup is at 9am.
If the tests fail, do not deploy. = Do not deploy if the tests fail.
I like tea with milk. = I like tea with milk too.
I want short answers. = Honestly, I just want short answers.
The client wants invoices in EUR. = The clients want invoices in EUR.
My wife is vegan. = By the way, my wife is vegan.
Make sure to run the tests before every commit. = Run the tests before every commit.
""".strip()

SAME_OTHER = """
Ich bevorzuge kurze Antworten. = Ich bevorzuge wirklich kurze Antworten.
Ich bevorzuge kurze Antworten. = Übrigens, ich bevorzuge kurze Antworten.
Ich mag Katzen. = Ich mag Katzen sehr.
Wir verwenden Postgres 15. = Wir benutzen Postgres 15.
Bitte antworte auf Deutsch. = Antworte bitte auf Deutsch.
Prefiero las respuestas cortas. = Yo prefiero respuestas cortas.
Vivo en Madrid. = Ahora vivo en Madrid.
Me gusta el café. = Me gusta mucho el café.
Usamos Postgres. = Nosotros utilizamos Postgres.
Je préfère les réponses courtes. = Je préfère vraiment des réponses courtes.
J'habite à Lyon. = Au fait, j'habite à Lyon.
Je n'aime pas le café. = Je n'aime vraiment pas le café.
Eu prefiro respostas curtas. = Prefiro respostas curtas, por favor.
Moro em Lisboa. = Eu moro em Lisboa agora.
我喜欢喝茶。 = 其实我很喜欢喝茶。
我喜欢喝茶。 = 我真的喜欢喝茶
我住在上海。 = 我现在住在上海。
请用中文回答。 = 用中文回答
我们使用Postgres 15。 = 我们用 Postgres 15
私はコーヒーが好きです。 = コーヒーが好き
東京に住んでいます。 = 今は東京に住んでいます
""".strip()

DIFFERENT = """
I like cats. # I like bats.
I like cats. # I like rats.
The API runs on port 5432. # The API runs on port 5433.
We use Postgres 15. # We use Postgres 16.
We use Postgres 15. # We use Postgres.
I don't eat meat. # I eat meat.
I prefer tabs over spaces. # I prefer spaces over tabs.
I prefer tabs. # I prefer spaces.
I prefer tabs. # I don't prefer tabs.
I prefer tabs. # My wife prefers tabs.
I prefer tabs. # We prefer tabs.
My wife is vegan. # I'm vegan.
My wife is vegan. # My husband is vegan.
My manager is Joao. # My manager is Joana.
My manager is Joao. # Joao's manager is my friend.
Ana manages Joao. # Joao manages Ana.
My brother is older than my sister. # My sister is older than my brother.
I live in Lisbon. # I lived in Lisbon.
I live in Lisbon. # I work in Lisbon.
I live in Lisbon. # I moved from Lisbon.
We switched from Jenkins to GitHub Actions. # We switched from GitHub Actions to Jenkins.
Run the tests before the linter. # Run the linter before the tests.
Deploy to staging from main. # Deploy to main from staging.
The timeout is 30 s. # The timeout is 30 ms.
The limit is 5 GB. # The limit is 5 MB.
The limit is 5 GB. # The limit is 50 GB.
I weigh 70 kg. # I weigh 70 lb.
The release is on Friday. # The release is on Thursday.
The release is next Friday (2026-05-08). # The release is next Friday (2026-05-15).
The release is on 2026-05-08. # The release is on 2026-05-09.
Release 1.2 came out (2026-05-08). # Release 1.2 came out.
I always drink coffee in the morning. # I drink coffee in the morning.
I only drink decaf. # I drink decaf.
I usually work from home. # I work from home.
I like black coffee and tea. # I like black tea and coffee.
I like tea with milk. # I like milk with tea.
I like coffee without milk. # I like coffee with milk.
Never push on Fridays. # Always push on Fridays.
Never push on Fridays. # Never push on Mondays.
Always ask before deleting. # Never ask before deleting.
Answer in French. # Answer in English.
Use pnpm instead of npm. # Use npm instead of pnpm.
Use pnpm instead of npm. # Use pnpm.
Use pnpm for the frontend. # Use pnpm for the backend.
The staging DB is read-only. # The production DB is read-only.
The staging DB is read-only. # The staging DB is writable.
My cat is called Miso. # My dog is called Miso.
My cat is called Miso. # My cat is called Mimi.
I'm allergic to peanuts. # I'm allergic to walnuts.
I'm allergic to peanuts. # I'm not allergic to peanuts.
I'm allergic to peanuts. # My son is allergic to peanuts.
I like you. # You like me.
I can't eat gluten. # I can eat gluten.
I can't eat gluten. # I don't eat gluten.
I will use Rust. # I use Rust.
I want to learn Rust. # I learned Rust.
The team went with option A. # The team went with option B.
We host on AWS. # We host on Azure.
Set the version to v1.2.3. # Set the version to v1.2.4.
The key file is config.yaml. # The key file is config.yml.
The env var is DB_HOST. # The env var is DB_PORT.
I use C. # I use C++.
I use C++. # I use C#.
My birthday is on 3 May. # My birthday is on 5 May.
My sister Ana lives in Porto. # My sister Eva lives in Porto.
I have two kids. # I have three kids.
I hired Ana for Bo. # I hired Bo for Ana.
The meeting is at 9 am. # The meeting is at 9 pm.
I trust Robert. # I trust Roberta.
I need less detail. # I need more detail.
I wear size M. # I wear size L.
Do not deploy if the tests pass. # Deploy if the tests do not pass.
Do not deploy unless the tests pass. # Do not deploy if the tests pass.
I'm older than my brother. # I'm younger than my brother.
We bill in EUR. # We bill in USD.
The server has 16 cores. # The server has 16 disks.
My favourite editor is Neovim. # My favourite shell is zsh.
I prefer working in the morning. # I prefer working in the evening.
I used Vim. # I use Vim.
Right now I live in Rome. # I live in Roma Street.
I drink no coffee. # I drink coffee.
I hardly drink coffee. # I drink coffee.
I'd rather not use Docker. # I'd rather use Docker.
I stopped smoking. # I started smoking.
The repo is public. # The repo is not public.
Ich mag Katzen. # Ich mag keine Katzen.
Ich mag Katzen. # Wir mögen Katzen.
Ich wohne in Bonn. # Ich arbeite in Bonn.
Prefiero café. # Prefiero té.
Me gusta el café. # No me gusta el café.
Mi jefe es Juan. # Mi jefa es Juana.
Je préfère le thé. # Je préfère le café.
Je mange de la viande. # Je ne mange pas de viande.
Eu moro em Lisboa. # Eu trabalho em Lisboa.
Eu gosto de carne. # Eu não gosto de carne.
我喜欢喝茶。 # 我不喜欢喝茶。
我喜欢猫。 # 我喜欢狗。
我住在上海。 # 我住在北京。
我们用Postgres 15。 # 我们用Postgres 16。
コーヒーが好きです。 # コーヒーが好きではありません。
コーヒーが好きです。 # 紅茶が好きです。
東京に住んでいます。 # 大阪に住んでいます。
""".strip()

FRESH_SAME = """
I'm a backend developer. = I am a backend developer, by the way.
Our sprint ends on Thursdays. = Just a reminder: our sprint ends on Thursdays.
I hate meetings before 10. = I can't stand meetings before 10.
I have a dog called Bruno. = I've got a dog named Bruno.
We deploy with Helm. = We are deploying with Helm.
My son is allergic to eggs. = My son has an egg allergy.
I prefer window seats. = I'd rather have window seats.
I prefer short answers to long ones. = I prefer short answers over long ones.
Never use emojis. = Please don't use emojis.
Don't use emojis in commit messages. = In commit messages, never use emojis.
The API key rotates every month. = Also, the API key rotates every month.
We decided to use Kafka for events. = As discussed, we decided to use Kafka for events.
I run every morning. = I run in the morning.
My favourite colour is green. = Green is my favorite color.
The build requires Java 17. = The build needs Java 17.
Call the function twice. = You should call the function twice.
My time zone is CET. = My timezone is CET.
I do yoga on Tuesdays and Fridays. = On Tuesdays and Fridays I do yoga.
I drink tea, not coffee. = I drink tea, not coffee, as you know.
We host everything in Frankfurt. = Everything we host is in Frankfurt.
I work from home on Mondays. = On Mondays I work from home.
The deadline is 15 March. = Remember, the deadline is 15 March.
I'd like you to explain things step by step. = Please explain things step by step.
My wife's name is Clara. = My wife is called Clara.
I speak Dutch fluently. = I speak fluent Dutch.
Bitte nutze immer metrische Einheiten. = Nutze bitte immer metrische Einheiten.
Mi gato se llama Luna. = Por cierto, mi gato se llama Luna.
Mon chien s'appelle Rex. = Comme tu sais, mon chien s'appelle Rex.
Minha esposa é vegetariana. = Minha esposa é vegetariana, aliás.
我不吃肉。 = 顺便说一下，我不吃肉。
""".strip()
"""Written after the tables, so that they are measured on something they were not made for."""

FRESH_DIFFERENT = """
I'm a backend developer. # I'm a frontend developer.
Our sprint ends on Thursdays. # Our sprint starts on Thursdays.
I hate meetings before 10. # I hate meetings after 10.
I have a dog called Bruno. # I had a dog called Bruno.
We deploy with Helm. # We deploy without Helm.
My son is allergic to eggs. # My daughter is allergic to eggs.
I prefer window seats on long flights. # I prefer window seats on short flights.
The API key rotates every month. # The API key rotates every week.
We decided to use Kafka for events. # We decided against Kafka for events.
My favourite colour is green. # My favourite colour is grey.
The build requires Java 17. # The build requires Java 21.
Call the function twice. # Call the function once.
I do yoga on Tuesdays. # I do yoga on Thursdays.
I drink tea, not coffee. # I drink coffee, not tea.
We host everything in Frankfurt. # We host nothing in Frankfurt.
The deadline is 15 March. # The deadline is 15 May.
My wife's name is Clara. # My wife's name is Clare.
I speak Dutch fluently. # I speak Dutch badly.
Don't use emojis in commit messages. # Don't use emojis in comments.
Use the dev branch, not main. # Use the main branch, not dev.
I owe Ana 50 EUR. # Ana owes me 50 EUR.
We meet every Monday. # We meet every other Monday.
I can work on Sundays. # I can't work on Sundays.
Ping me if the build fails. # Ping me if the build passes.
I'm moving to Berlin. # I'm moving from Berlin.
I have no siblings. # I have siblings.
Nobody may touch the prod cluster. # Anybody may touch the prod cluster.
I need the report before Friday. # I need the report by Friday.
Version 2.10 is broken. # Version 2.1 is broken.
He is my manager. # She is my manager.
I earn 5k a month. # I earn 5k a year.
My flight is at 7:15. # My flight is at 7:51.
Ich nutze kein Windows. # Ich nutze Windows.
Meine Frau heißt Anna. # Meine Frau heißt Hanna.
Mi gato se llama Luna. # Mi perro se llama Luna.
Mon chien s'appelle Rex. # Mon chien s'appelle Max.
Tenho dois filhos. # Tenho três filhos.
我不吃肉。 # 我不吃鱼。
我每天跑步。 # 我每周跑步。
肉は食べません。 # 肉は食べます。
""".strip()


def pairs(text: str, mark: str) -> list[tuple[str, str]]:
    """The pairs of one table."""
    return [(one.strip(), other.strip()) for one, other in (line.split(f" {mark} ") for line in text.splitlines())]
