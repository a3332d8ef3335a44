"""Talk of what was, of others and in figures beside talk of what holds now: rows as in `restatements`.

The `*_HELD` half of each table was written with the other half, before the rules, and looked at only when they were
done; what it missed then has been worked on since, and so it is with `*_LATER`, which was written after the rules.

A row of RETIRES: what was said, what is said then, a word of the statement that no longer holds.
A row of KEEPS: all of it holds.  APART: a sentence and the entries that it gives.  BARE: what was said, then a value
that nobody could place later.  SECRETS: the talk, and what must stand nowhere.
"""

RETIRES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    # a move of late
    (("I live in Tampere.",), "I moved to Turku last month.", "Tampere"),
    (("I live in Tampere.",), "We sold the flat, I just moved to Turku.", "Tampere"),
    (("I live in Tampere.",), "I used to live in Tampere but now I live in Turku.", "Tampere"),
    (("I live in Tampere.",), "I moved to Turku for work.", "Tampere"),
    (("I live in Tampere.",), "I've moved to Turku for good.", "Tampere"),
    (("Ich wohne in Jena.",), "Ich bin vor kurzem nach Halle gezogen.", "Jena"),
    (("J'habite à Metz.",), "J'ai déménagé à Dijon la semaine dernière.", "Metz"),
    (("Vivo en Murcia.",), "Me mudé a Cádiz el mes pasado.", "Murcia"),
    (("Moro em Olinda.",), "Me mudei para Belém na semana passada.", "Olinda"),
    (("我住在苏州。",), "我上个月搬到厦门了。", "苏州"),
    (("仙台に住んでいます。",), "先月、福岡に引っ越しました。", "仙台"),
    (("We use Redmine.",), "We switched to Jira in the end.", "Redmine"),
    (("The kickoff is on May 6.",), "The kickoff was moved to May 13.", "May 6"),
    # a denial with a name
    (("I live in Tampere.",), "No, it's Oulu now.", "Tampere"),
    (("My manager is Tarek.",), "No, it's Ilse now.", "Tarek"),
    (("Ich wohne in Jena.",), "Nein, es ist Weimar.", "Jena"),
    (("Vivo en Murcia.",), "No, ahora es Toledo.", "Murcia"),
    # statements that stood in one sentence
    (("J'habite à Metz et je travaille chez Thales.",), "J'habite maintenant à Dijon.", "Metz"),
    (("Ich wohne in Jena und ich arbeite bei Zeiss.",), "Ich arbeite jetzt bei Leica.", "Zeiss"),
    (("Vivo en Murcia y trabajo en Seat.",), "Ahora vivo en Cádiz.", "Murcia"),
    (("Mon chef s'appelle Bruno.",), "Mon chef s'appelle Denis maintenant.", "Bruno"),
)  # fmt: skip

RETIRES_HELD: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("I live in Kaunas.",), "I moved to Vilnius two weeks ago.", "Kaunas"),
    (("I live in Kaunas.",), "I recently moved to Vilnius for my new job.", "Kaunas"),
    (("I live in Kaunas.",), "I finally moved to Vilnius yesterday.", "Kaunas"),
    (("I live in Kaunas.",), "I relocated to Vilnius this summer.", "Kaunas"),
    (("I live in Kaunas.",), "As a freelancer I now live in Vilnius.", "Kaunas"),
    (("Ich wohne in Fulda.",), "Ich bin letzte Woche nach Hanau umgezogen.", "Fulda"),
    (("J'habite à Tours.",), "Je me suis installé à Nice.", "Tours"),
    (("Vivo en Lugo.",), "Acabo de llegar: ahora vivo en Gijón.", "Lugo"),
    (("Moro em Viseu.",), "Mudei-me para Setúbal no mês passado.", "Viseu"),
    (("我住在青岛。",), "我最近搬到大连了。", "青岛"),
    (("金沢に住んでいます。",), "最近、長野に引っ越しました。", "金沢"),
    (("We use Trello.",), "We've finally moved over to Linear.", "Trello"),
    (("Our retro is on Monday.",), "Our retro was moved to Wednesday.", "Monday"),
    (("My landlord is Petrov.",), "Sorry, it's Ivanov now.", "Petrov"),
    (("My sister lives in Riga.",), "My sister now lives in Tallinn.", "Riga"),
    (("Ich wohne in Fulda.",), "Sorry, es ist jetzt Gotha.", "Fulda"),
    (("J'habite à Tours.",), "Non, c'est Angers maintenant.", "Tours"),
    (("Je travaille chez Michelin et j'habite à Clermont.",), "Je travaille désormais chez Bosch.", "Michelin"),
    (("Ich heiße Uwe, ich wohne in Fulda und ich arbeite bei Merck.",), "Ich wohne jetzt in Hanau.", "Fulda"),
    (("Trabajo en Indra y vivo en Lugo.",), "Ahora vivo en Gijón.", "Lugo"),
    (("Ma chef s'appelle Odile.",), "Ma chef s'appelle maintenant Carole.", "Odile"),
)  # fmt: skip

KEEPS: tuple[tuple[tuple[str, ...], str], ...] = (
    # what was
    (("I live in Tampere.",), "I moved to Turku in 2003."),
    (("I live in Tampere.",), "Back in 2011 I moved to Turku."),
    (("I live in Tampere.",), "I moved to Turku for three years as a trainee."),
    (("I live in Tampere.",), "When I was little we moved to Turku."),
    (("I live in Tampere.",), "I once moved to Turku and hated it."),
    (("I live in Tampere.",), "I moved to Turku after school but came back."),
    (("I live in Tampere.",), "If I moved to Turku, I would miss the lake."),
    (("I live in Tampere.",), "I almost moved to Turku."),
    (("I work at Nordea.",), "I switched to Ericsson in 2009 for a year."),
    (("We use Postgres.",), "In 2015 we switched to MySQL."),
    (("Ich wohne in Jena.",), "2004 bin ich nach Halle gezogen."),
    (("Ich wohne in Jena.",), "Ich bin als Student nach Halle gezogen."),
    (("J'habite à Metz.",), "En 1998, j'ai déménagé à Dijon."),
    (("J'habite à Metz.",), "J'ai déménagé à Dijon quand j'étais petit."),
    (("Vivo en Murcia.",), "Me mudé a Cádiz en 2001."),
    (("Vivo en Murcia.",), "De niño me mudé a Cádiz."),
    (("Moro em Olinda.",), "Em 1995 me mudei para Belém."),
    (("我住在苏州。",), "我2005年搬到厦门。"),
    (("我住在苏州。",), "我小时候搬到厦门了。"),
    (("仙台に住んでいます。",), "1999年に福岡に引っ越しました。"),
    # figures of speech
    (("I live in Tampere.",), "I basically live in Outlook now."),
    (("I live in Tampere.",), "I live in Jira these days."),
    (("I live in Tampere.",), "I live in video calls now."),
    (("Ich wohne in Jena.",), "Ich wohne jetzt quasi in Excel."),
    (("J'habite à Metz.",), "Je vis maintenant dans Excel."),
    (("Vivo en Murcia.",), "Ahora vivo prácticamente en Slack."),
    (("我住在苏州。",), "我现在简直住在Excel里。"),
    # other people's words
    (("I live in Tampere.",), "Mika: I now live in Turku"),
    (("I live in Tampere.",), "> I now live in Turku"),
    (("I live in Tampere.",), "♪ I now live in Turku ♪"),
    (("I live in Tampere.",), "Mika just texted: I now live in Turku."),
    (("We use Postgres.",), "# we now use MySQL\nconnect(host)"),
    (("We use Postgres.",), "db = connect(host)  # we now use MySQL"),
    (("We use Postgres.",), "-- we now use MySQL\nSELECT 1;"),
    (("We use Postgres.",), "/* we now use MySQL */"),
    (("Ich wohne in Jena.",), "Jonas: Ich wohne jetzt in Halle"),
    (("J'habite à Metz.",), "Camille : j'habite maintenant à Dijon"),
    (("我住在苏州。",), "小李：我现在住在厦门"),
    # exclamations
    (("I live in Tampere.",), "No, it's Halloween now."),
    (("My manager is Tarek.",), "No, it's Nonsense."),
    (("Ich wohne in Jena.",), "Nein, es ist Blödsinn."),
    (("Ich wohne in Jena.",), "Nein, jetzt ist es Frühling."),
    (("J'habite à Metz.",), "Non, c'est Noël maintenant."),
    (("Vivo en Murcia.",), "No, ahora es Navidad."),
)  # fmt: skip

KEEPS_HELD: tuple[tuple[tuple[str, ...], str], ...] = (
    (("I live in Kaunas.",), "In 1987 my family and I moved to Vilnius."),
    (("I live in Kaunas.",), "I moved to Vilnius in the nineties."),
    (("I live in Kaunas.",), "I moved to Vilnius for two semesters."),
    (("I live in Kaunas.",), "I moved to Vilnius as a child."),
    (("I live in Kaunas.",), "Years ago I moved to Vilnius."),
    (("I live in Kaunas.",), "Before that I had moved to Vilnius."),
    (("I live in Kaunas.",), "I nearly moved to Vilnius last year."),
    (("I live in Kaunas.",), "Had I moved to Vilnius, I'd be bored now."),
    (("I live in Kaunas.",), "I moved to Vilnius from 2001 to 2004."),
    (("I live in Kaunas.",), "I dreamt I moved to Vilnius."),
    (("We use Docker.",), "At my old job we switched to Podman."),
    (("Ich wohne in Fulda.",), "Ich bin damals nach Hanau gezogen."),
    (("Ich wohne in Fulda.",), "Für zwei Jahre bin ich nach Hanau gezogen."),
    (("J'habite à Tours.",), "J'ai déménagé à Nice pendant mes études."),
    (("J'habite à Tours.",), "Il y a vingt ans, j'ai déménagé à Nice."),
    (("Vivo en Lugo.",), "Hace diez años me mudé a Gijón."),
    (("Vivo en Lugo.",), "Me mudé a Gijón cuando era estudiante."),
    (("Moro em Viseu.",), "Quando era criança, mudei-me para Setúbal."),
    (("我住在青岛。",), "我当年搬到大连。"),
    (("我住在青岛。",), "2010年我搬到大连，后来又搬回来了。"),
    (("金沢に住んでいます。",), "学生の頃、長野に引っ越しました。"),
    (("I live in Kaunas.",), "I practically live in Photoshop these days."),
    (("I live in Kaunas.",), "I now live in Vim."),
    (("I live in Kaunas.",), "I live in airports now."),
    (("Ich wohne in Fulda.",), "Ich lebe jetzt praktisch in Teams."),
    (("J'habite à Tours.",), "J'habite pratiquement dans Slack maintenant."),
    (("Vivo en Lugo.",), "Ahora vivo en Excel, básicamente."),
    (("Moro em Viseu.",), "Agora moro praticamente no Excel."),
    (("I live in Kaunas.",), "Rasa Petra: I now live in Vilnius."),
    (("I live in Kaunas.",), "[14:02] Rasa: I now live in Vilnius"),
    (("I live in Kaunas.",), "<rasa> I now live in Vilnius"),
    (("I live in Kaunas.",), "Lyrics:\nI now live in Vilnius\nand dance all night"),
    (("I live in Kaunas.",), "As the song goes, I now live in Vilnius."),
    (("I live in Kaunas.",), "Rasa emailed me this: I now live in Vilnius."),
    (("We use Docker.",), "x = 1\n# We now use Podman\nrun(x)"),
    (("We use Docker.",), "// We now use Podman\nstart();"),
    (("We use Docker.",), "; we now use Podman\n[engine]\nname=podman"),
    (("We use Docker.",), "<!-- we now use Podman -->"),
    (("Vivo en Lugo.",), "Marta: ahora vivo en Gijón"),
    (("Moro em Viseu.",), "Rui: agora moro em Setúbal"),
    (("金沢に住んでいます。",), "田中さん：今は長野に住んでいます"),
    (("I live in Kaunas.",), "No, it's Easter now."),
    (("I live in Kaunas.",), "Sorry, it's Rubbish."),
    (("Ich wohne in Fulda.",), "Nein, es ist Unsinn."),
    (("Ich wohne in Fulda.",), "Nein, es ist jetzt Feierabend."),
    (("Moro em Viseu.",), "Não, agora é Carnaval."),
)  # fmt: skip

APART: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("J'habite à Metz et je travaille chez Thales.", ("J'habite à Metz", "Je travaille chez Thales")),
    ("Ich wohne in Jena und ich arbeite bei Zeiss.", ("Ich wohne in Jena", "Ich arbeite bei Zeiss")),
    ("Vivo en Murcia y trabajo en Seat.", ("Vivo en Murcia", "Trabajo en Seat")),
    ("Moro em Olinda e trabalho na Vale.", ("Moro em Olinda", "Trabalho na Vale")),
    ("Mon chef s'appelle Bruno.", ("Mon chef s'appelle Bruno",)),
    ("J'habite à Metz et non à Nancy.", ("J'habite à Metz et non à Nancy",)),
    ("Ich wohne in Jena und arbeite in Weimar.", ("Ich wohne in Jena und arbeite in Weimar",)),
)  # fmt: skip

APART_HELD: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Je travaille chez Michelin et j'habite à Clermont.", ("Je travaille chez Michelin", "J'habite à Clermont")),
    ("Ich arbeite bei Merck, und meine Chefin heißt Ute.", ("Ich arbeite bei Merck", "Meine Chefin heißt Ute")),
    ("Trabajo en Indra y mi jefe se llama Raúl.", ("Trabajo en Indra", "Mi jefe se llama Raúl")),
    ("Trabalho na Galp e moro em Viseu.", ("Trabalho na Galp", "Moro em Viseu")),
    ("Ma cheffe s'appelle Odile.", ("Ma cheffe s'appelle Odile",)),
    ("Vivo en Lugo y no en Vigo.", ("Vivo en Lugo y no en Vigo",)),
)  # fmt: skip

BARE: tuple[tuple[str, str], ...] = (
    ("How is the weather?", "it's Turku now"),
    ("How is the weather?", "No, it's Turku now."),
    ("Wie ist das Wetter?", "Nein, jetzt ist es Halle."),
    ("Quel temps fait-il ?", "Non, c'est Dijon maintenant."),
    ("天气怎么样？", "不对，现在是厦门。"),
)  # fmt: skip

BARE_HELD: tuple[tuple[str, str], ...] = (
    ("Can you sort the list?", "Actually it's MySQL now."),
    ("Can you sort the list?", "Sorry, I meant Vilnius."),
    ("¿Qué tiempo hace?", "No, ahora es Gijón."),
    ("Como está o tempo?", "Não, agora é Setúbal."),
    ("天気はどう？", "いや、今は長野です。"),
)  # fmt: skip

SECRETS: tuple[tuple[str, str, str, str], ...] = (
    # what was said, the answer, what is said then, the secret
    ("My password is Summer2023.", "Noted.", "No, it's Summer2024 now.", "Summer2024"),
    ("The wifi password is Tiger77x.", "Noted.", "Actually it's Panther88.", "Panther88"),
    ("My PIN is 4821.", "Noted.", "Sorry, I meant 4812.", "4812"),
    ("Mein Passwort ist Sommer2023.", "Gut.", "Nein, es ist jetzt Sommer2024.", "Sommer2024"),
    ("Mon mot de passe est Soleil2023.", "Noté.", "Non, c'est Soleil2024 maintenant.", "Soleil2024"),
    ("My password is Summer2023. No, it's Summer2024 now.", "Noted.", "Thanks.", "Summer2024"),
    ("I set it up.", "What is your new password?", "It's Summer2024 now.", "Summer2024"),
)  # fmt: skip

SECRETS_HELD: tuple[tuple[str, str, str, str], ...] = (
    ("Our admin password is Kestrel5.", "Noted.", "No wait, it's Kestrel6 now.", "Kestrel6"),
    ("My password is Summer2023.", "Noted.", "Make that Summer2024.", "Summer2024"),
    ("My password is Summer2023.", "Noted.", "Correction: Summer2024", "Summer2024"),
    ("Mi contraseña es Verano2023.", "Vale.", "No, ahora es Verano2024.", "Verano2024"),
    ("Minha senha é Verao2023.", "Certo.", "Não, agora é Verao2024.", "Verao2024"),
    ("我的密码是xiatian2023。", "好的。", "不对，现在是xiatian2024。", "xiatian2024"),
    ("Done.", "Please send me the passcode.", "Summer2024", "Summer2024"),
)  # fmt: skip

PROJECTS: tuple[tuple[str, str], ...] = (
    ("The deadline is April 2.", "The deadline moved to April 9."),
    ("The API runs on port 8080.", "The API moved to port 9090."),
    ("Die Deadline ist am 2. April.", "Die Deadline wurde auf den 9. April verschoben."),
)  # fmt: skip

PROJECTS_HELD: tuple[tuple[str, str], ...] = (
    ("The release is March 4.", "The release slipped to March 18."),
    ("La fecha límite es el 2 de abril.", "La fecha límite se ha movido al 9 de abril."),
    ("截止日期是4月2日。", "截止日期改到4月9日了。"),
)  # fmt: skip

# Written when the rules were done.
RETIRES_LATER: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("I live in Leeds.",), "I moved to York over the weekend.", "Leeds"),
    (("I live in Leeds.",), "We've just relocated to York, so I'm offline a lot.", "Leeds"),
    (("I live in Leeds.",), "Quick update: I moved to York in March.", "Leeds"),
    (("I live in Leeds.",), "I moved to York three weeks ago.", "Leeds"),
    (("Ich wohne in Trier.",), "Ich bin am Montag nach Koblenz gezogen.", "Trier"),
    (("Ich wohne in Trier.",), "Wir sind diesen Monat umgezogen, ich wohne jetzt in Koblenz.", "Trier"),
    (("J'habite à Brest.",), "Hier, j'ai déménagé à Caen.", "Brest"),
    (("Vivo en Burgos.",), "La semana pasada me mudé a Soria.", "Burgos"),
    (("Moro em Évora.",), "Ontem me mudei para Beja.", "Évora"),
    (("我住在无锡。",), "我上周搬到徐州了。", "无锡"),
    (("広島に住んでいます。",), "昨日、岡山に引っ越しました。", "広島"),
    (("My boss is called Irene.",), "My boss is now called Paula.", "Irene"),
    (("Meine Chefin heißt Petra.",), "Meine Chefin heißt jetzt Silke.", "Petra"),
    (("Mi jefe se llama Pablo.",), "Mi jefe se llama ahora Mateo.", "Pablo"),
    (("Je vis à Brest et mon chef s'appelle Loïc.",), "Je vis maintenant à Caen.", "Brest"),
    (("I live in Leeds.",), "Nope, it's Hull now.", "Leeds"),
)  # fmt: skip

KEEPS_LATER: tuple[tuple[tuple[str, ...], str], ...] = (
    (("I live in Leeds.",), "After uni I moved to York, then came back home."),
    (("I live in Leeds.",), "I moved to York at the age of six."),
    (("I live in Leeds.",), "My first year as a nurse I moved to York."),
    (("I live in Leeds.",), "We moved to York between 2010 and 2012."),
    (("I live in Leeds.",), "I'd have moved to York for that job."),
    (("I live in Leeds.",), "Imagine I moved to York."),
    (("I live in Leeds.",), "In the eighties we moved to York."),
    (("I work at Arla.",), "I joined Carlsberg in 2004."),
    (("We use Terraform.",), "Years back we switched to Pulumi."),
    (("Ich wohne in Trier.",), "Nach dem Abitur bin ich nach Koblenz gezogen."),
    (("Ich wohne in Trier.",), "Mit achtzehn bin ich nach Koblenz gezogen."),
    (("J'habite à Brest.",), "À vingt ans, j'ai déménagé à Caen."),
    (("Vivo en Burgos.",), "En mi época de estudiante me mudé a Soria."),
    (("Moro em Évora.",), "Nos anos oitenta mudei-me para Beja."),
    (("我住在无锡。",), "我毕业那年搬到徐州。"),
    (("広島に住んでいます。",), "若い頃は岡山に住んでいました。"),
    (("I live in Leeds.",), "I live in Word these days."),
    (("I live in Leeds.",), "I live on Discord now."),
    (("Ich wohne in Trier.",), "Ich wohne jetzt gefühlt in Zoom."),
    (("J'habite à Brest.",), "Je vis littéralement dans Notion maintenant."),
    (("I live in Leeds.",), "**Priya:** I now live in York"),
    (("I live in Leeds.",), "Priya Nair (10:12): I now live in York"),
    (("I live in Leeds.",), "From Priya: my new home is great, I now live in York"),
    (("I live in Leeds.",), "[Chorus]\nI now live in York"),
    (("We use Terraform.",), "deploy()  // we now use Pulumi"),
    (("We use Terraform.",), "/*\n * we now use Pulumi\n */\nrun();"),
    (("Ich wohne in Trier.",), "Sven schrieb mir: ich wohne jetzt in Koblenz."),
    (("我住在无锡。",), "王老师：我现在住在徐州"),
    (("I live in Leeds.",), "No, it's Ramadan now."),
    (("Ich wohne in Trier.",), "Nein, es ist Sperrmüll."),
    (("Ich wohne in Trier.",), "Nein, es ist Absicht."),
    (("Vivo en Burgos.",), "No, es Mentira."),
)  # fmt: skip

APART_LATER: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Je m'appelle Léa et j'habite à Brest.", ("Je m'appelle Léa et j'habite à Brest",)),
    ("Nous utilisons GitLab et notre chef s'appelle Loïc.", ("Nous utilisons GitLab", "Notre chef s'appelle Loïc")),
    ("Mein Hund heißt Bello und meine Katze heißt Minka.", ("Mein Hund heißt Bello", "Meine Katze heißt Minka")),
    ("Hablo catalán y vivo en Burgos.", ("Hablo catalán", "Vivo en Burgos")),
    ("J'habite à Brest parce que je travaille chez Thales.", ("J'habite à Brest parce que je travaille chez Thales",)),
)  # fmt: skip

BARE_LATER: tuple[tuple[str, str], ...] = (
    ("What's new?", "Nope, it's Hull now."),
    ("Was gibt's?", "Doch, es ist jetzt Koblenz."),
    ("What's new?", "It's Kotlin now."),
)  # fmt: skip

SECRETS_LATER: tuple[tuple[str, str, str, str], ...] = (
    ("The router password is Maple-41.", "Saved nothing.", "Oops, it's Maple-42.", "Maple-42"),
    ("My login password is Orchid9!", "Ok.", "sorry, i meant Orchid8!", "Orchid8"),
    ("Das WLAN-Passwort lautet Ahorn41.", "Ok.", "Quatsch, es ist Ahorn42.", "Ahorn42"),
    ("What next?", "Which API token should I use?", "it's Zq81kkLm now", "Zq81kkLm"),
    ("My password is Orchid7. Actually it's Orchid8.", "Ok.", "Thanks.", "Orchid8"),
)  # fmt: skip

PROJECTS_LATER: tuple[tuple[str, str], ...] = (
    ("Staging runs on port 7001.", "Staging runs on port 7002 now."),
    ("Our launch date is May 3.", "Our launch date got pushed to May 20."),
    ("La démo est le 3 juin.", "La démo a été avancée au 1 juin."),
)  # fmt: skip
