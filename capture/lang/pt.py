"""Portuguese of both sides of the Atlantic."""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
from ..rule import CLAUSE, Language, Table, any_case, rule, words

_HERE = r"(?!(?:ist[oa]|iss[oa]|diss[oa]|dist[oa]|est[ea]s?|ess[ea]s?|dess[ea]s?|dest[ea]s?|aquilo|da ideia|a ideia|que você (?:conserte|renomeie|faça|mude))\b)"
_MONTH = r"(?:janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)"
_DAY = rf"(?:(?:no |na |em |dia |até |o |a |para |às? |no dia |antes de |fim de |início de |próxim\w )*(?:\d{{1,2}}\b|segunda|terça|quarta|quinta|sexta|sábado|domingo|{_MONTH}|meio-dia))"
_AT_HAND = r"(?:pergunta|problema|código|dúvida|erro|ideia|script|build|terminal|teste|proposta|objetivo|plano|opinião|impressão|próxim\w \w+|primeira \w+)"
_DO = r"(?:respond[ae]|escrev[ae]|us[ae]|utiliz[ae]|fal[ae]|d[êá]|ponha|coloque|explique|explica|mostr[ae]|pergunt[ae]|trat[ae]|cham[ae]|faça|faz|inclua|adicione|evit[ae]|mantenha|cite|comec[ae]|comece|termin[ae]|formate|traduz[a]?|resum[ae]|avis[ae]|rode|coment[ae]|verifi(?:que|ca)|sej?a|deix[ae]|nomeie|orden[ae]|indique|confirm[ae])(?:-me)?"

TABLE = Language(
    code="pt",
    words=words(
        "eu me meu minha meus minhas sou tenho moro vivo trabalho prefiro gosto odeio adoro uso nunca sempre não nosso nossa nossos nossas nós o a os as um uma "
        "que em de do da no na é são está partir usamos por favor lembre-se lembra-te quando se equipe equipa para com chamo-me já só costumo tenha"
    ),
    script=None,
    lead=any_case(
        r"(?:na verdade|aliás|a propósito|não|bom|olá|oi|desculpe|correção|além disso|mas|e|pessoalmente|normalmente|em geral|no fim|na semana passada|no mês passado|ontem|desde \w+ \w+|eu|nós|n(?:este|o nosso|osso) (?:projeto|repositório|time)|ultimamente|agora)[,:.!]? "
    ),
    rules=Table(
        (
            rule(
                "fact",
                0.9,
                r"(?:por favor,? )?(?:lembre-se|lembra-te|lembre|não (?:se |te )?esque(?:ça|ças)|tenha (?:em mente|em conta|presente)|tem em conta|anote|anota|tome nota|guarde isto|fique sabendo|para sua informação)(?: de)?(?: que|:|,) (?!isso\.|isto\.)\S",
            ),
            rule(
                "instruction",
                0.85,
                r"(?:por favor,? )?(?:a partir de (?:agora|hoje)|de (?:agora|hoje) em diante|daqui (?:em|para a) (?:diante|frente)|no futuro|doravante)\b,? \S",
            ),
            rule("instruction", 0.85, rf"(?:por favor,? )?(?:me )?{_DO}(?: \S+){{0,6}}? sempre\b"),
            rule(
                "instruction",
                0.85,
                r"(?:por favor,? )?(?:nada de|sem|chega de) [\w-]+(?: [\w-]+){0,2} n(?:os meus|as minhas|os nossos|as nossas|as suas|os seus|os|as) \S",
            ),
            rule(
                "instruction",
                0.85,
                r"(?:por favor,? )?(?!ela\b|essa\b|esta\b|a\b|minha\b|nossa\b|casa\b|gente\b|este\b|esse\b|que\b|me\b|se\b|de\b)[a-záéíóúâêôãõç]{3,14}[ae](?:-me)? (?:(?!(?:eu|nós|que)\b)\S+ ){0,4}?sempre (?:em|sem|com|os|as|o|a|por|de|antes|como|n[oa]s?)\b",
            ),
            rule("instruction", 0.85, rf"(?:por favor,? )?sempre (?:que .{{2,80}}, )?(?:me )?{_DO}\b (?!que\b)\S"),
            rule(
                "instruction",
                0.85,
                r"(?:por favor,? )?(?:nunca|jamais) (?:me |se )?(?:use|utilize|escreva|responda|faça|ponha|coloque|adicione|apague|mexa|inclua|mude|sugira|proponha|suba|comece|explique|misture|envie|rode|chame|dê|uses|escrevas|respondas|faças) \S",
            ),
            rule(
                "instruction",
                0.85,
                r"(?:por favor,? )?(?:não (?:me )?(?:use|utilize|escreva|inclua|ponha|coloque|adicione|dê|uses|faça|responda|comece|mande) |sem |chega de )(?!est[ea]|ess[ea]|iss|nada\b)(?:\S+ ){0,5}?(?:emojis?|emoticons|tabs|tabulações|listas|jargão|gírias|anglicismos|abreviaturas|abreviações|desculpas|n(?:as|os) (?:suas |tuas |seus )?(?:respostas|textos|comentários|arquivos|ficheiros)|sem (?:perguntar|avisar|pedir)\S*|diretamente)\b",
            ),
            rule(
                "instruction",
                0.85,
                rf"(?:quando|sempre que|cada vez que|toda vez que|se|antes de) (?:eu |você |nós |tu )?\S+ [^,?]{{0,120}}, (?:me )?(?:{_DO}|não \S+)\b",
            ),
            rule("instruction", 0.85, r"(?:me trate (?:por|de)|trate-me|trata-me|me chame de|chame-me|chama-me) \S"),
            rule(
                "instruction",
                0.8,
                r"(?:tod[oa]s (?:[oa]s )?|[oa]s |cada )(?:mensagens|commits|respostas?|comentários|variáveis|funções|testes|branches|textos|relatórios|nomes|e-mails)\b(?: \S+){0,3}? (?:devem|deve|têm que|têm de|tem que|precisam|não podem) (?!ser (?:corrigid|consertad))\S",
            ),
            rule(
                "identity",
                0.75,
                r"(?:chamo-me|me chamo|(?:o )?meu (?:nome|apelido|sobrenome|aniversário) é|(?:a )?minha (?:língua materna|profissão|nacionalidade) é|todos me chamam)\b ?\S",
            ),
            rule(
                "identity",
                0.75,
                r"(?:sou|nasci|cresci|moro|vivo|resido|trabalho (?:n[oa]s?|em|como|para|de|desde|com)|falo|estudo|venho de|mudei-me|me mudei|dou aulas|ensino|sofro|toco|dirijo|lidero) (?!grat[oa]|consciente|eu\b|assim\b|sobre\b|nest[ea]|ness[ea]|na página)\S",
            ),
            rule(
                "identity",
                0.75,
                r"tenho (?:\d+|um|uma|dois|duas|três|quatro|cinco|alergia|intolerância|diabetes|asma)\b(?: (?!pergunta|problema|dúvida|erro|ideia|minuto|bug|sensação|teste|lista|tabela|arquivo|ficheiro|reunião|aba)\S+){1,6}",
            ),
            rule(
                "preference",
                0.7,
                rf"(?:prefiro|odeio|detesto|adoro|amo|evito|costumo|uso|utilizo|gosto (?:mais |muito |mesmo )?d|curto|não (?:gosto (?:nada )?d|suporto|aguento|como|bebo|tolero|uso|tomo|curto)|(?:nunca|jamais|sempre|só|quase nunca|normalmente|geralmente) (?:como|bebo|uso|tomo|trabalho|viajo|leio|escrevo|compro|durmo|vou|utilizo|vejo|faço|ando))(?:[eoa]s? | ){_HERE}\S",
            ),
            rule(
                "preference",
                0.7,
                r"(?:[oa]s? )?(?:meus?|minhas?|noss[oa]s?) \S+(?: \S+)? (?:favorit[oa]s?|preferid[oa]s?|predilet[oa]s?|de sempre|habitual)(?: \S+)? (?:é|são)\b",
            ),
            rule(
                "identity",
                0.75,
                r"(?:estou (?:aposentad|casad|divorciad|grávid|solteir|desempregad|reformad)\w*|faço (?:a|o) (?:contabilidade|limpeza|gestão|suporte|curso|doutorado|mestrado)|cuido d\w|sou eu quem) ?\S*",
            ),
            rule(
                "preference",
                0.7,
                r"(?:eu )?acho (?!iss|est[ea]|ess[ea]|que (?:você|o erro|é)|melhor você)\S[^?]{2,80}\b(?:melhor\w*|pior\w*|mais \w+|muito \w+) (?:do )?que\b",
            ),
            rule(
                "preference",
                0.7,
                r"(?:de manhã|à noite|à tarde|aos (?:domingos|sábados)|às (?:segundas|sextas)|nos fins de semana),? (?:eu )?(?:preciso d|\w+o\b) ?\S",
            ),
            rule(
                "preference",
                0.7,
                r"(?!iss|est|ess|se\b|que\b|o que)[\w-]+(?: [\w-]+){0,3} eu (?:só|sempre|nunca|não) (?:leio|como|bebo|uso|vejo|compro|tomo|suporto|gosto)\b",
            ),
            rule(
                "preference",
                0.7,
                r"sou (?:mais |muito )?(?:de|fã d\w+|amante d\w+|adepto d\w+) \S|me (?:incomoda|irrita|agrada) \S",
            ),
            rule(
                "decision",
                0.75,
                r"(?:nós |(?:a|o|nossa|nosso) (?:equipe|equipa|time|empresa|direção) )?(?:já |finalmente |acabamos por )?(?:decidimos|acordamos|combinamos|escolhemos|optamos|migramos|mudamos (?:para|de|do|da)|trocamos|substituímos|ficamos com|passamos (?:a|de|do|para)|adotamos|abandonamos|vamos (?:usar|ficar com|de)|(?:decidiu|escolheu|acordou|optou|combinou|adotou)) (?!nada\b|isso\b)\S",
            ),
            rule("decision", 0.75, r"(?:ficou|foi|está|já está) (?:decidido|combinado|acordado|definido) ?\S"),
            rule("fact", 0.75, r"(?:eu )?(?:parei de|deixei de|larguei) (?!receber|conseguir)\S"),
            rule("decision", 0.75, r"(?:eu )?(?:decidi|escolhi|optei por) \S"),
            rule(
                "fact",
                0.6,
                r"(?:nós )?(?:usamos|utilizamos|hospedamos|implantamos|publicamos|trabalhamos (?:com|em)|guardamos|testamos|faturamos|nos reunimos|temos (?:\d+|dois|duas|três|um escritório)|(?:já )?não (?:usamos|utilizamos|trabalhamos|temos)(?: mais)?) (?!iss[oe]\b|est[ea]\b)\S",
            ),
            rule(
                "fact",
                0.7,
                r"(?:já não|não) (?:vivo|moro|trabalho|uso|bebo|como|fumo|sou|tenho|estudo|gosto)(?: mais)?\b(?<!não vivo)(?<!não moro) \S.*",
            ),
            rule("fact", 0.7, r"já não (?:vivo|moro) \S.*|não (?:vivo|moro) mais \S.*"),
            rule(
                "fact",
                0.6,
                rf"(?:[oa]s? )?(?:meus?|minhas?|nossos?|nossas?) (?!{_AT_HAND}\b)(?:[\w-]+ ){{1,5}}?(?:é|são|se chamam?|chama-se|fica|mora|moram|vive|trabalha|prefere|começa|termina|usa|roda|rodam|corre|tem|faz|estuda|quer|precisa|fala|vai|expira|vence|vem|odeia|toca) (?!quebrad|lent|caíd|com \d+ ?%|fora do ar)\S",
            ),
            rule(
                "fact",
                0.6,
                rf"(?:o|a|os|as) (?:[\w-]+ ){{1,4}}?(?:é|são|será|começa|termina|vence|expira|fecha|precisa ser \w+|está marcad[oa]|tem que \w+) {_DAY}",
            ),
            rule(
                "fact",
                0.6,
                r"(?:o|a|est[ea]) (?:projeto|repositório|repo|aplicação|app|aplicativo|backend|frontend|api|servidor|banco(?: de \w+)?|base de dados|ambiente(?: de \w+)?|pipeline|cliente|empresa|equipe|equipa|escritório|chefe|branch principal|contrato|esquema|produção)\b(?: de (?:testes?|produção|desenvolvimento))? (?:é (?:de|um|uma|só|somente)|(?:está |é |foi )?(?:escrit\w|em (?!baixo))|precisa d\w+|requer|exige|usa|utiliza|roda (?:em|com|no|sobre)|corre (?:em|no)|depende|se chama|chama-se|pertence|suporta|quer|pede|tem (?!um (?:problema|erro)|problemas)|funciona (?:com|em)|foi escrit\w) \S",
                bound=True,
            ),
            rule(
                "fact",
                0.75,
                r"(?:agora )?(?:é|são|chama-se|estamos n[oa])(?: agora)? [^,]{1,60}, (?:e )?(?:não|já não) .{1,60}",
            ),
            rule("fact", 0.7, r"agora (?:é|são|vivo|moro|trabalho|uso|usamos|chama-se|tenho|estamos n[oa]) \S.*"),
        )
    ),
    question=any_case(
        r"(?:qual|quais|como (?:faço|posso|é|se|você)|por que|quando (?:é|foi|devo)|onde|quem|quant\w+|devo|deveria|(?:você )?(?:pode|poderia|sabe|acha)|será que|é verdade|tem como|que (?:comando|tipo|horas|dia)|o que|há)\b"
    ),
    unreal=any_case(
        r"(?:se (?:\S+ ){0,4}?\S+(?:asse|esse|isse|ássemos|êssemos|íssemos|assem|essem|issem|fosse|fossem)\b|suponha|supondo|imagine que (?!você)|digamos que|caso (?:o|a|eu|você)\b|como se\b|quem dera)"
    ),
    report=any_case(
        r"\b(?:disse|diz|dizem|disseram|segundo|afirma|afirmou|acha que|pensa|contou|escreveu|falou|opina|comentou|parece que|perguntou|postou|mandou|escreve|canta)\b"
    ),
    passing=any_case(
        r"\b(?:agora mesmo|neste momento|no momento|por enquanto|de novo|outra vez|hoje)\b|\bagora (?:estou|estamos|está) |^(?:não )?(?:entendo|entendi|lembro|me lembro|sei|acho|penso|vejo|preciso|quero|queria|procuro|tento)\b(?<!estou)|^estou (?!aposentad|casad|divorciad|grávid|solteir|desempregad|acostumad)|^não (?:precisa|é preciso|me lembro)|^gostaria"
    ),
    persona=any_case(
        r"(?:finja|faça de conta|aja como|atue como|imagine que (?:você|eu)|você é (?:um|uma|meu|minha) |vamos brincar|jogo de papéis|interprete|seja (?:um|uma|meu|minha) |escreva (?:uma|um) (?:carta|história|conto|poema|e-mail|discurso))\b"
    ),
    tail=any_case(
        r"\s*[,;.–—-]\s*(?:(?:então|e|mas|por isso) )?(?:você pode|pode|poderia|por favor(?!,? sempre)|qual |como |me ajude|ajude|diga|corrija|verifique)\b.*$"
    ),
    clause=CLAUSE,
    correction=any_case(
        r"\bjá não\b|\bnão \S+ mais\b|\bem (?:vez|lugar) d|\bnão [^,]{1,60},? (?:mas sim|e sim)\b|^(?:(?:não|desculpe|aliás) ?[,:!]|na verdade\b|correção\b)|\b(?:trocamos|migramos|mudamos|substituímos|mudei|passamos|abandonamos|adiad[oa]|renomead[oa]|transferid[oa])\b|\bagora (?:é|são|vivo|moro|trabalho|uso|usamos)\b|\b(?:deixei|deixamos|parei) de\b|\bme enganei|\bmudei de ideia"
    ),
    replaces=(
        any_case(r"\bem (?:vez|lugar) (?:de |do |da )(?P<old>[^,.;!?]{1,60})"),
        any_case(r"\b(?:trocamos|substituímos|troquei) (?:o |a |de )?(?P<old>[^,.;!?]{1,40}?) (?:pel[oa]|por|para) "),
        any_case(r"\b(?:mudamos|migramos|passamos|mudei|migrei) (?:de |do |da )(?P<old>[^,.;!?]{1,40}?) (?:para|ao?) "),
        any_case(
            r"\bnão (?:usamos|uso|utilizamos|moro|vivo|trabalho|bebo|como|tenho|sou) mais (?:o |a |em |no |na |com )?(?P<old>[^,.;!?]{1,60})"
        ),
        any_case(
            r"\bjá não (?:usamos|uso|utilizamos|moro|vivo|trabalho|bebo|como|tenho|sou) (?:o |a |em |no |na |com )?(?P<old>[^,.;!?]{1,60})"
        ),
        any_case(r"\bnão (?:é |o |a |em )?(?P<old>[^,.;!?]{1,60}),? (?:mas|e) sim\b"),
        any_case(r", (?:e )?não (?:o |a |em |é )?(?P<old>[^,.;!?]{1,60})[.!]?$"),
        any_case(r"\b(?:deixei|deixamos|parei) de (?:usar|beber|comer) (?P<old>[^,.;!?]{1,60})"),
    ),
)
