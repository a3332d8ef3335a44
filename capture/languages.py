"""Durable statements in German, Spanish, French, Portuguese, Chinese and Japanese (CE21, CD27).

Question and request words of these languages are among those of `patterns`.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
from .rule import Rule, rule

OTHER_LANGUAGES: tuple[Rule, ...] = (
    rule("preference", 0.7, r"ich (?:bevorzuge|mag|liebe|hasse|nutze|verwende|benutze|trinke|esse|lese|möchte (?:immer|nie|keine)|arbeite am liebsten|vermeide|bevorzug)\b (?!das\b|dies|es\b|nicht (?:das|dies))\S"),
    rule("identity", 0.75, r"ich (?:heiße|heisse|wohne|lebe|arbeite|studiere|komme aus|spreche|habe (?:zwei|drei|einen|eine|ein|keine?) (?!frage|problem|fehler|idee|bug)|bin (?!gerade|mir|nicht sicher|fertig|dabei|am |verwirrt))\b ?\S"),
    rule("fact", 0.6, r"(?:mein|meine|meinen|unser|unsere) (?!frage|problem|fehler|code|idee|meinung|test)(?:[\w-]+ ){1,4}?(?:ist|sind|heißt|heisst|heißen|lautet|wohnt|arbeitet|beginnt|endet|läuft) (?!kaputt|nicht|gerade|zu |falsch)\S"),
    rule("decision", 0.75, r"wir (?:haben uns (?:für|auf|gegen)|haben (?:beschlossen|entschieden|vereinbart)|sind (?:auf|zu|von)|verwenden|nutzen|benutzen|setzen)\b (?!das\b|dies)\S"),
    rule("instruction", 0.85, r"(?:bitte )?(?:(?:antworte|schreib|schreibe|verwende|nutze|benutze|sprich|zeig)\w*(?: mir)? (?:bitte )?(?:immer|nie|niemals|stets|ab jetzt)|ab (?:jetzt|sofort)|von nun an|künftig|in zukunft)\b \S"),
    rule("fact", 0.9, r"(?:bitte )?(?:merk(?:e)? dir|denk(?:e)? daran|vergiss nicht|behalte im kopf)[,:]? \S"),
    rule("preference", 0.7, r"(?:yo )?(?:prefiero|me gustan?|no me gustan?|me encantan?|odio|detesto|nunca (?:como|bebo|uso)|siempre (?:uso|como|bebo)|uso|evito)\b (?!est[eao]s?\b|es[eao]s?\b|eso\b)\S"),
    rule("identity", 0.75, r"(?:yo )?(?:me llamo|soy (?!consciente)|vivo en|trabajo (?:en|como|para)|tengo (?:dos|tres|una? (?!pregunta|problema|duda|error)|alergia)|hablo|estudio|nací)\b ?\S"),
    rule("fact", 0.6, r"(?:mis?|nuestr[oa]s?) (?!pregunta|problema|código|duda|error|idea)(?:[\w-]+ ){1,4}?(?:es|son|se llaman?|está en|vive|trabaja|prefiere|empieza|usa) (?!roto|mal)\S"),
    rule("decision", 0.75, r"(?:nosotros )?(?:usamos|utilizamos|decidimos|acordamos|elegimos|hemos (?:decidido|elegido|acordado)|migramos|cambiamos (?:a|de))\b \S"),
    rule("instruction", 0.85, r"(?:por favor,? )?(?:(?:responde|escribe|usa|contesta|habla)\w*(?: \w+)? siempre|siempre (?:responde|usa|escribe|contesta)|nunca (?:uses|escribas|respondas)|a partir de ahora|de ahora en adelante)\b,? \S"),
    rule("fact", 0.9, r"(?:por favor,? )?(?:recuerda|ten en cuenta|no olvides) que \S"),
    rule("preference", 0.7, r"(?:je (?:préfère|déteste|n'aime pas|ne (?:mange|bois|supporte) (?:pas|jamais)|mange|bois|utilise|évite)|j'(?:aime|adore|utilise|évite))\b (?!ça\b|cela\b|ce\b|cette\b|ces\b)\S"),
    rule("identity", 0.75, r"(?:je m'appelle|je suis (?!en train|perdu|désolé|sûr|bloqué|d'accord)|j'habite|je vis|je travaille|je parle|j'ai (?:deux|trois|\d+|une? (?!question|problème|erreur|bug|idée)))\b ?\S"),
    rule("fact", 0.6, r"(?:mon|ma|mes|notre|nos) (?!question|problème|code|erreur|idée)(?:[\w'-]+ ){1,4}?(?:est|sont|s'appellent?|habite|travaille|préfère|commence|utilise) (?!cassé|en panne)\S"),
    rule("decision", 0.75, r"(?:nous|on) (?:utilisons|utilise|avons (?:décidé|choisi|convenu)|a (?:décidé|choisi|convenu)|sommes passés)\b \S"),
    rule("instruction", 0.85, r"(?:s'il te plaît,? )?(?:(?:réponds|écris|utilise|parle)\w*(?:-moi)? toujours|désormais|dorénavant|à partir de maintenant)\b,? \S"),
    rule("fact", 0.9, r"(?:souviens-toi|retiens|rappelle-toi|n'oublie pas|garde en tête) (?:que|qu') ?\S"),
    rule("preference", 0.7, r"(?:eu )?(?:prefiro|gosto de|não gosto|adoro|odeio|detesto|uso|evito|nunca (?:como|bebo|uso)|sempre (?:uso|como|bebo))\b (?!iss?[oe]\b|est[ea]\b)\S"),
    rule("identity", 0.75, r"(?:eu )?(?:me chamo|meu nome é|sou (?!grato)|moro em|vivo em|trabalho (?:n[oa]|em|como|para)|tenho (?:dois|duas|três|uma? (?!pergunta|problema|dúvida|erro)|alergia)|falo)\b ?\S"),
    rule("fact", 0.6, r"(?:o meu|a minha|meus?|minhas?|nossos?|nossas?) (?!pergunta|problema|código|dúvida|erro|ideia)(?:[\w-]+ ){1,4}?(?:é|são|se chamam?|fica|mora|trabalha|prefere|começa|usa) \S"),
    rule("decision", 0.75, r"(?:nós )?(?:usamos|utilizamos|decidimos|combinamos|escolhemos|migramos|mudamos para)\b \S"),
    rule("instruction", 0.85, r"(?:por favor,? )?(?:(?:responda|escreva|use|fale)\w* sempre|sempre (?:responda|use|escreva)|nunca (?:use|escreva|responda)|a partir de agora|de agora em diante)\b,? \S"),
    rule("fact", 0.9, r"(?:por favor,? )?(?:lembre-se|lembra-te|não (?:se )?esqueça)(?: de)? que \S"),
    rule("preference", 0.7, r"我(?:们)?(?:更|比较|最|很|非常|一直|平时|通常|一般|总是|从来|从|都|真的|特别|挺|只|也|还是)?(?:不太|不)?(?:喜欢|偏好|偏爱|讨厌|爱(?:吃|喝|看|听|好)|习惯|喜爱|吃(?:素|辣)|喝|倾向|用惯)(?!这|那|它)\S"),
    rule("identity", 0.75, r"我(?:叫|的名字(?:是|叫)|姓|住在|来自|出生|在\S{1,20}(?:工作|上班|上学|读书|居住|生活)|对\S{1,12}过敏|有(?:两|三|一|个|\d)(?!个?问题)|是(?!不是|想|说|觉得|在|指|要)|今年\S{1,4}岁|搬到|不吃|不喝|吃素)\S*"),
    rule("fact", 0.6, r"(?:我|我们|咱们)(?:的(?!问题|代码|意思|想法|感觉|建议)|(?=(?:妈妈|爸爸|妻子|老婆|丈夫|老公|儿子|女儿|孩子|哥哥|姐姐|弟弟|妹妹|老板|公司|团队|项目|家)))[^，,。是]{1,16}(?:是|叫|住在|在|用的是)(?!不是|什么|这样|那样|错的|坏的)\S"),
    rule("decision", 0.75, r"(?:我们|团队|项目组|咱们)(?:已经|最终|最后|现在|都|一起)?(?:决定|使用|用|改用|采用|约定|选择|选了|统一|迁移|切换|商定)(?!一下|这|那)\S"),
    rule("instruction", 0.85, r"(?:请)?(?:以后|今后|从现在(?:开始|起)|往后|(?:你)?(?:总是|始终|一直|永远|务必|每次)(?:都|要|用)?|永远不要|千万不要|再也不要)(?!有|会)\S{2}"),
    rule("fact", 0.9, r"(?:请|你要)?(?:记住|记一下|别忘了|不要忘记|牢记|帮我记住?)[：:，, ]?(?!了|吗)\S{2}"),
    rule("preference", 0.7, r"(?:私は|僕は|俺は)?\S{1,30}(?:が|のほうが|の方が)(?:好き|嫌い|苦手|大好き)(?:です|だ|。|$)"),
    rule("identity", 0.75, r"(?:私|僕|俺)(?:の名前)?は\S{1,40}(?:です|と申します|といいます|に住んでいます|で働いています)"),
)  # fmt: skip
