"""German (CE21)."""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
from ..rule import CLAUSE, Language, Table, any_case, rule, words

_HERE = r"(?!(?:das|dies|diese[rsnm]?|es|ihn|dich|euch|dein\w*|den vorschlag|die idee|nicht (?:das|dies\w*|an))\b)"
_NOUN_AT_HAND = r"(?:frage|problem|fehler|idee|meinung|vorschlag|code|skript|ansatz|verdacht|test|build|terminal|ziel|nächste \w+|erste frage|vermutung|gedanke|plan|eindruck)"
_DAY = r"(?:\d{1,2}\.|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|ende|anfang|mitte|\d{4}|(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|ostern|weihnachten))"
_DO = r"(?:antworte|schreibe?|verwende|nutze|benutze?|sprich|zeige?|nimm|gib|formuliere?|erkläre?|frage?|dutze|duze|sieze|nenne?|halte?|setze?|lass|mach|achte|füge?|formatiere?|kommentiere?|übersetze?|fasse?|rede?|sage?|prüfe?|teste|committe|starte|lösche?|speichere?|begründe|liste|zitiere|rechne|beginne?|fange?)"

TABLE = Language(
    code="de",
    words=words(
        "ich mir mich mein meine meinen meiner wir uns unser unsere unserer der die das den dem ein eine einen und ist sind nicht kein keine keinen "
        "bitte ab von für auf mit immer nie niemals merk merke denk denke vergiss wenn du nein eigentlich künftig in am im zukunft"
    ),
    script=None,
    lead=any_case(
        r"(?:eigentlich|übrigens|nein|doch|also|ach ja|hallo|hi|danke|korrektur|nachtrag|quatsch|sorry|moment|und|aber|außerdem|persönlich|generell|grundsätzlich|normalerweise|"
        r"in (?:diesem|unserem|meinem) \w+|(?:letzte|vorige|diese) woche|letzten \w+|seit \w+(?: \w+)?|inzwischen|mittlerweile|zu hause|privat|beruflich)[,:!.]? "
    ),
    rules=Table(
        (
            rule(
                "fact",
                0.9,
                r"(?:bitte )?(?:merk(?:e)? dir|denk(?:e)? (?:immer )?daran|vergiss (?:bitte )?nicht|behalte? (?:bitte )?im (?:kopf|hinterkopf)|notier(?:e)? dir|zur info|nur damit du es weißt|für später)[,:]? (?!das\.|es\b)\S",
            ),
            rule(
                "instruction",
                0.85,
                r"(?:bitte )?(?:ab (?:jetzt|sofort|heute|nun)|von (?:nun|jetzt) an|künftig|in zukunft|fortan)\b,? (?!ist\b|bin\b|sind\b)\S",
            ),
            rule(
                "instruction",
                0.85,
                rf"(?:bitte )?{_DO}(?: \S+){{0,5}}? (?:immer|nie|niemals|stets|ab jetzt|ab sofort|künftig|in zukunft|grundsätzlich|jedes mal)\b",
            ),
            rule(
                "instruction",
                0.85,
                rf"(?:bitte )?(?:immer|nie|niemals|stets|grundsätzlich) (?:(?:bitte|nur|erst|direkt|in|auf|mit|alle|die|den|ein\w*) )*\S+(?: \S+){{0,8}}? (?:\w+en|{_DO})\b",
            ),
            rule(
                "instruction",
                0.85,
                r"(?!.*\b(?:ich|wir|er|sie|es|man)\b)(?:bitte )?(?!der|die|das|mein|unser|dein|ein|kein|nicht|noch|so\b)[a-zäöü]{3,14} (?:\S+ ){0,5}?(?:grundsätzlich|immer|niemals|nie|stets|jedes mal|ausschließlich)\b(?! (?:ist|sind|war|noch))",
            ),
            rule(
                "instruction",
                0.85,
                r"(?:wenn|sobald|immer wenn|bevor|falls) (?:ich|wir|du)\b[^,?]{2,120}, (?:dann )?(?:bitte )?"
                + _DO
                + r"\b",
            ),
            rule(
                "instruction",
                0.85,
                r"(?:bitte )?(?:keine?|nie wieder|ohne) (?:(?:emojis?|smileys?|listen|aufzählungen|floskeln|anglizismen|einleitungen|entschuldigungen|ausrufezeichen|fachbegriffe|abkürzungen)\b|\S+ in (?:meinen|unseren|deinen|allen) \S)",
            ),
            rule("instruction", 0.85, r"(?:bitte )?(?:duze?|sieze?) (?:mich|uns)\b|nenn(?:e)? mich (?!nicht\b)\S"),
            rule(
                "instruction",
                0.8,
                r"(?:alle |jede[rs]? |neue )?(?:commit-nachrichten|commits|antworten|antwort|kommentare|variablen|funktionen|tests|branches|texte|mails|dateinamen|tabellen|berichte|code)\b (?:\S+ ){0,2}?(?:müssen|muss|sollen|soll|sollten|dürfen|darf) (?!ich\b|wir\b)\S",
            ),
            rule(
                "identity",
                0.75,
                r"(?:ich (?:heiße|heisse)|mein(?:e)? (?:vor|nach|spitz)?(?:name|muttersprache|beruf|geburtstag|pronomen) (?:ist|lautet|sind)|man nennt mich|alle nennen mich)\b \S",
            ),
            rule(
                "identity",
                0.75,
                r"ich (?:wohne|lebe|arbeite|studiere|komme|stamme|unterrichte|spreche|leide|leite|spiele|lerne|fahre|bin (?:in|aus|bei|seit|gegen|von beruf|\d+|ein|eine|kein|keine|vegetarier\w*|veganer\w*|allergisch|verheiratet|geschieden|rentner\w*|laktoseintolerant|linkshänder\w*|schwerhörig|farbenblind|schwanger|selbstständig|selbständig|freiberufl\w*|diabetiker\w*|umgezogen|nach \w+ gezogen))\b (?!das\b|daran|dran\b|verwirrt|mir\b)\S",
            ),
            rule(
                "identity",
                0.75,
                r"ich bin (?:[\w-]+ )?(?:\w+(?:er|erin|ist|istin|ent|entin|and|wirt|wirtin|frau|mann|ärztin|arzt|vegan|allergisch|vegetarisch))[.!]?(?: (?:bei|in|aus|von|und|auf|im|am)\b.*)?$",
            ),
            rule(
                "identity",
                0.75,
                r"ich habe (?:zwei|drei|vier|fünf|einen|eine|ein|keine?|nur)(?: (?!gerade)\S+)? (?:kind\w*|sohn|söhne|tochter|töchter|bruder|brüder|schwestern?|hund\w*|katzen?|kater|enkel\w*|frau|mann|allergie\w*|unverträglichkeit|diabetes|asthma|garten|haus|wohnung|auto|abschluss|\w+allergie|\w+schein)\b",
            ),
            rule(
                "identity", 0.75, r"(?:von beruf|beruflich|gebürtig|ursprünglich) (?:bin|arbeite|komme|stamme) ich \S"
            ),
            rule(
                "preference",
                0.7,
                rf"ich (?:(?:persönlich|selbst) )?(?:bevorzuge|mag|liebe|hasse|verabscheue|nutze|verwende|benutze|trinke|esse|lese|höre|meide|vermeide|schätze|vertrage|ertrage|brauche immer|schaue|kaufe|gehe (?:immer|nie|gern)|arbeite am liebsten|möchte (?:immer|nie|keine)|will (?:immer|nie|keine)|habe (?:lieber|gern|am liebsten)|stehe (?:nicht )?auf|finde (?!es\b|das\b|den\b|die\b)\S+(?: \S+){{0,3}} (?:besser|schöner|angenehmer|übersichtlicher|nervig|anstrengend)) {_HERE}\S",
            ),
            rule(
                "preference",
                0.7,
                rf"ich \S+(?: \S+)? (?:immer|nie|niemals|meistens|meist|normalerweise|gern|gerne|lieber|ungern|am liebsten|nur|grundsätzlich|jeden \w+|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs|morgens|abends) {_HERE}\S",
            ),
            rule("preference", 0.7, rf"ich ziehe {_HERE}\S+(?: \S+){{0,6}}? vor\b"),
            rule(
                "preference",
                0.7,
                r"(?:am liebsten|am meisten|meistens|normalerweise|morgens|abends|sonntags|freitags) (?:\S+) ich \S",
            ),
            rule(
                "preference",
                0.7,
                r"mir (?:gefällt|gefallen|schmeckt|schmecken|liegt|liegen|(?:ist|sind)) (?!(?:das|es|dies\w*|dein\w*) (?:nicht|besser|gut|sehr|so|überhaupt)\b)(?:\S+ ){1,8}?(?:besser|nicht|mehr|lieber|wichtig|am besten|sehr|überhaupt nicht)\b",
            ),
            rule(
                "preference",
                0.7,
                r"(?!das |es |dies)\S+(?: \S+){0,4}? (?:ist|sind|wäre|wären) mir (?:viel |deutlich )?(?:lieber|am liebsten|wichtig|unangenehm|zu \w+|egal)\b",
            ),
            rule(
                "preference",
                0.7,
                r"(?!das\b|dies|es\b|damit\b|jetzt\b|hier\b|da\b)[\w-]+(?: [\w-]+){0,2} \w+e ich (?:nur|nie|immer|gern|gerne|lieber|am liebsten|grundsätzlich|niemals|ausschließlich|ungern|selten|jeden \w+)\b",
            ),
            rule(
                "preference",
                0.7,
                r"ich kann .{2,60} (?:nicht|nie) (?:ausstehen|leiden|ertragen|essen|trinken|ab|haben|vertragen)\b|(?:morgens|abends|nachts|mittags|sonntags) brauche ich \S",
            ),
            rule(
                "preference",
                0.7,
                r"(?:mein\w*|unser\w*) (?:lieblings\S+|(?:bevorzugte|liebste)\w* \S+)(?: \S+)? (?:ist|sind|heißt|war)\b",
            ),
            rule(
                "decision",
                0.75,
                r"(?:wir|(?:das|unser) (?:team|projektteam)|die (?:firma|gruppe|geschäftsleitung)) (?:(?:haben|hat) (?:uns |sich )?(?:nun |jetzt |endlich |gestern )?(?:(?:für|auf|gegen) .{2,120}(?:entschieden|geeinigt|verständigt)|beschlossen|entschieden|vereinbart|ausgemacht|gewählt|festgelegt)|(?:haben|sind|ist|hat) .{2,120}(?:umgestiegen|gewechselt|umgestellt|migriert|umgezogen|entschieden|geeinigt|beschlossen|ausgewählt|ersetzt|abgeschafft)\b|nehmen (?!das\b|es\b|wir\b)\S+ ?\S* (?:für|als|statt)|bleiben (?:bei|beim) \S|wechseln (?:zu|auf|von) \S|steigen (?:auf|von) \S)",
            ),
            rule(
                "decision", 0.75, r"es (?:wurde|ist|bleibt) (?:beschlossen|entschieden|vereinbart|ausgemacht|dabei)\b"
            ),
            rule("decision", 0.75, r"ich habe mich (?:für|gegen) .{2,120}entschieden\b"),
            rule(
                "fact",
                0.6,
                r"wir (?:verwenden|nutzen|benutzen|setzen|deployen|hosten|arbeiten|schreiben|testen|speichern|betreiben|releasen|veröffentlichen|treffen|haben (?:jeden|jede|immer|\d+|zwei|drei|vier|fünf)|sind (?:ein|\d+)) (?!das\b|dies|gerade|das problem)\S",
            ),
            rule(
                "fact",
                0.6,
                rf"(?:mein|meine|meinen|meiner|unser|unsere) (?!{_NOUN_AT_HAND}\b)(?:[\w.-]+ ){{1,5}}?(?:ist|sind|heißt|heisst|heißen|lautet|wohnt|lebt|arbeitet|beginnt|endet|läuft|laufen|liegt|hat|haben|kommt|will|mag|fährt|spielt|studiert|braucht|steht|geht|findet|zieht|möchte|wird|war) (?!kaputt|gerade|falsch|leer|rot|langsam|abgestürzt|weg\b|nicht (?:erreichbar|da\b)|zu \w+\.?$)\S",
            ),
            rule(
                "fact",
                0.6,
                rf"(?:der|die|das) (?:[\w.-]+ ){{1,4}}?(?:ist|sind|endet|beginnt|läuft|findet|startet|muss|wurde|läuft ab) (?:\S+ ){{0,2}}?(?:am|um|bis(?: zum)?|ab|im|auf den|auf) (?:\S+ )?{_DAY}",
            ),
            rule(
                "fact",
                0.6,
                r"(?:der|die|das|dieses) (?:\w+-)?(?:projekt|repo|repository|codebasis|anwendung|app|backend|frontend|api|server|datenbank|staging-\w+|produktion|testumgebung|testdatenbank|pipeline|kunde|kundin|firma|team|büro|chefin|chef|hauptbranch|schlüssel|vertrag|schema|\w+-datenbank|\w+-server)\b(?: (?!gerade|ist gerade|war)\S+){0,3}? (?:ist (?:nur|auf|in|mit|unter|immer|ein|eine)|sind|läuft (?:auf|unter|mit|in)|braucht|benötigt|verwendet|nutzt|setzt|heißt|liegt|gehört|unterstützt|will|möchte|verlangt|hat|steht|basiert) (?!kaputt|down|weg|abgestürzt|ein problem|einen fehler|probleme)\S",
                bound=True,
            ),
            rule(
                "fact",
                0.7,
                r"(?:es|das|die \w+|der \w+) (?:ist|sind|heißt|läuft) (?:jetzt|nun|inzwischen|mittlerweile) [^,]{1,60}?(?:,? (?:nicht(?: mehr)?|statt|und nicht)\b.{1,60}|[.!]?$)",
            ),
            rule(
                "fact",
                0.7,
                r"eigentlich (?:ist|sind|heißt) (?:es|das|die \w+|der \w+) (?:jetzt|nun) [^?]{2,}|jetzt ist es [^,]{1,60}(?:,? nicht(?: mehr)?\b.{1,60}|[.!]?$)|ist es jetzt [^,]{1,60},? nicht(?: mehr)?\b.{1,60}",
            ),
        )
    ),
    question=any_case(
        r"(?:soll(?:te|ten|en)?|kann|kannst|könntest|könnte|können|darf|muss|was|wie|warum|wieso|weshalb|wann|wo|wer|wen|welche[rsnm]?|woher|wohin|wozu|ist|sind|hat|habe|haben|hast|gibt es|weißt|weiß|willst|würdest|magst|bist)\b"
    ),
    unreal=any_case(
        r"(?:wenn ich .{1,80}(?:wäre|hätte|würde)|wenn wir .{1,80}(?:wären|hätten|würden)|angenommen|falls (?!ich|du|wir)|mal angenommen|gesetzt den fall|nehmen wir (?:mal )?an|wäre ich|hätten wir|hätte ich|würden wir|was wäre)"
    ),
    report=any_case(
        r"\b(?:sagt(?:e|en)?|gesagt|meint(?:e|en)?|gemeint|behauptet(?:e)?|erzählt(?:e)?|schreibt|schrieb|laut \w+|findet|glaubt(?:e)?|denkt|angeblich|fragt(?:e)?|im text steht|dort steht|hat geschrieben|textet(?:e)?|simst(?:e)?|mailt(?:e)?|postet(?:e)?|singt|sang)\b"
    ),
    passing=any_case(
        r"\b(?:gerade|grade|im moment|momentan|im augenblick|schon wieder|noch mal|nochmal|heute (?:früh|morgen|abend)?|eben)\b|ich (?:verstehe|erinnere|weiß|denke|glaube|brauche|möchte(?!n? (?:immer|nie|keine))|will(?! (?:immer|nie|keine))|suche|sehe|versuche|bekomme) |ich hätte gern|musst du (?:dir )?nicht|(?:brauchst|musst) du nicht"
    ),
    persona=any_case(
        r"(?:spiel(?:e|en wir)? (?!karten)|stell dir vor|tu so|du bist (?:jetzt )?(?:ein|eine|mein|meine) |rollenspiel|schlüpf|verhalte dich wie|agiere als|versetz dich|schreib(?:e)? (?:mir )?(?:einen?|eine) (?:\S+ )?(?:brief|bewerbung|geschichte|gedicht|anschreiben|mail|rede))"
    ),
    tail=any_case(
        r"\s*[,;.–—-]\s*(?:(?:und|also|aber|daher|deshalb) )?(?:kannst du|könntest du|bitte|was |wie |welche|kannst|könnt ihr|hilf|zeig|mach|prüf|schau)\b.*$"
    ),
    clause=CLAUSE,
    correction=any_case(
        r"\bnicht mehr\b|\b(?:an)?statt\b|\banstelle\b|\bnicht [^,]{1,60}, sondern\b|^(?:(?:nein|doch|quatsch|moment|sorry) ?[,:!]|eigentlich\b|korrektur\b)|\b(?:umgestiegen|umgestellt|gewechselt|umgezogen|ersetzt|abgeschafft|umbenannt|verschoben|verlegt)\b|\b(?:ist|sind|heißt|läuft|wohne|arbeite) (?:es |ich )?(?:jetzt|nun|inzwischen|mittlerweile)\b|\bich habe mich geirrt|\bkeine? [^,.]{1,40} mehr\b|, nicht [A-ZÄÖÜ]"
    ),
    replaces=(
        any_case(r"\b(?:(?:an)?statt|anstelle von) (?P<old>[^,.;!?]{1,60})"),
        any_case(r"\bnicht (?:mehr )?(?:in |bei |auf |mit |am |im )?(?P<old>[^,.;!?]{1,60}), sondern\b"),
        any_case(
            r"\b(?:von|vom) (?P<old>[^,.;!?]{1,40}?) (?:auf|zu|zum|zur|nach) .{1,60}(?:umgestiegen|gewechselt|umgestellt|migriert|umgezogen)"
        ),
        any_case(r", (?:und )?nicht (?:mehr )?(?:in |bei |auf |am )?(?P<old>[^,.;!?]{1,60})[.!]?$"),
        any_case(
            r"\b(?:verwende|nutze|benutze|benutzen|verwenden|nutzen|wohne|arbeite|esse|trinke|mag)n? (?:ich |wir )?(?:in |bei )?(?P<old>[^,.;!?]{1,60}?) nicht mehr\b"
        ),
        any_case(r"\bnicht mehr (?:in|bei|auf|mit|am) (?P<old>[^,.;!?]{1,60})"),
        any_case(r"\bkeine? (?P<old>[^,.;!?]{1,40}) mehr\b"),
    ),
)
