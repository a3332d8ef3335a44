"""French."""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
from ..rule import CLAUSE, Language, Table, any_case, rule, words

_HERE = r"(?!(?:ça|cela|ce|cet|cette|ces|ton|ta|tes|votre|l'idée|ce que|que tu (?:corriges|renommes|fasses|changes))\b)"
_MONTH = r"(?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)"
_DAY = rf"(?:(?:le |la |au |avant |pour |prévue? |fixée? |à |fin |début |mi-|d'ici )*(?:\d{{1,2}}\b|1er|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|{_MONTH}|midi))"
_AT_HAND = r"(?:question|problème|code|erreur|idée|script|terminal|build|test|proposition|objectif|but|plan|avis|impression|prochaine? \w+)"
_DO = r"(?:réponds|écris|utilise|parle|donne|explique|montre|demande|tutoie|vouvoie|appelle|mets|garde|fais|ajoute|évite|cite|commence|termine|formate|traduis|résume|préviens|lance|commente|vérifie|sois|laisse|nomme|trie|indique|prends|propose)(?:-(?:moi|nous|le|la|les|lui|en))?"
_SUBJ = r"(?:je |j'|moi,? je |nous |on )"

TABLE = Language(
    code="fr",
    words=words(
        "je j'ai j'habite j'adore j'aime moi mon ma mes nous notre nos on le la les un une des du de est sont pas ne toujours jamais "
        "désormais dorénavant à partir souviens-toi quand si l'équipe en fait non au aux pour dans c'est n'oublie note tutoie-moi"
    ),
    script=None,
    lead=any_case(
        r"(?:en fait|au fait|non|bon|bonjour|salut|pardon|correction|d'ailleurs|mais|et|personnellement|moi|en général|normalement|d'habitude|finalement|la semaine dernière|le mois dernier|hier|depuis \w+ \w+|dans (?:ce|notre) (?:projet|dépôt|équipe)|à la maison|au travail|maintenant)[,:.!]? "
    ),
    rules=Table(
        (
            rule(
                "fact",
                0.9,
                r"(?:s'il te plaît,? )?(?:souviens-toi|retiens|rappelle-toi|n'oublie (?:pas|jamais)|garde (?:en tête|à l'esprit)|note(?:z)?(?: bien)?|sache|pour info|pour mémoire)(?: que | qu'|[ ]?: |, )(?!ça\b)\S",
            ),
            rule(
                "instruction",
                0.85,
                r"(?:s'il te plaît,? |merci,? )?(?:désormais|dorénavant|à partir de (?:maintenant|aujourd'hui)|à l'avenir)\b,? (?!je\b|c'est\b)\S",
            ),
            rule(
                "instruction",
                0.85,
                rf"(?:s'il te plaît,? )?{_DO}(?: \S+){{0,6}}? (?:toujours|systématiquement|à chaque fois)\b",
            ),
            rule(
                "instruction",
                0.85,
                r"(?:s'il te plaît,? )?(?!une?\b|le\b|elle\b|notre\b|cette\b|même\b|je\b|de\b)[a-zéèêà]{3,14}e[sz]? toujours (?!pas\b)\S",
            ),
            rule("instruction", 0.85, rf"(?:s'il te plaît,? )?toujours {_DO}\b"),
            rule(
                "instruction",
                0.85,
                r"(?:s'il te plaît,? )?(?:ne |n')\S+(?:-\S+)? (?:jamais|plus) (?:d'|de |du |à |que |la |le |les |en |un\w* )?\S",
            ),
            rule(
                "instruction",
                0.85,
                r"(?:s'il te plaît,? )?(?:(?:ne |n')\S+ pas (?:d'|de |l'|le |la )?|pas d'|pas de |jamais d'|jamais de |sans )(?:émojis?|emojis?|smileys?|listes|tabulations|jargon|anglicismes|abréviations|excuses|points d'exclamation|\S+ dans (?:mes|nos|tes|les))\b",
            ),
            rule(
                "instruction",
                0.85,
                rf"(?:quand|lorsque|chaque fois que|si|avant de|dès que) (?:je |j'|tu |on |nous )?\S+[^,?]{{2,120}}, (?:{_DO}|ne \S+)\b",
            ),
            rule("instruction", 0.85, r"(?:tutoie|vouvoie|appelle)-moi\b(?! (?:demain|plus tard))"),
            rule(
                "instruction",
                0.8,
                r"(?:tous |toutes |les |chaque |des )+(?:messages|commits|réponses?|commentaires|variables|fonctions|tests|branches|textes|rapports|noms|mails)\b(?: \S+){0,3}? (?:doivent|doit|devraient|ne doivent|sont à) \S",
            ),
            rule(
                "identity",
                0.75,
                r"(?:je m'appelle|on m'appelle|(?:mon (?:nom|prénom|métier|anniversaire)|ma (?:langue maternelle|profession|nationalité)) (?:est|c'est)|tout le monde m'appelle)\b \S",
            ),
            rule(
                "identity",
                0.75,
                r"(?:j'habite|je vis|je réside|je travaille (?:à|au|aux|chez|comme|en|dans (?!le fichier|ce)|pour|depuis)|je parle (?!de\b)|j'étudie|j'enseigne|je viens (?:de (?!lire|voir|faire|tester|lancer|redémarrer|finir)|d')|je souffre|je joue|je dirige|j'ai (?:déménagé|grandi)|je suis né) ?\S",
            ),
            rule(
                "identity",
                0.75,
                r"je suis (?:allergique|végétarien|végétarienne|végane?|végan|marié|divorcé|célibataire|retraité|gaucher|gauchère|daltonien|intolérant|diabétique|sourde?|c[oœ]eliaque|enceinte|basé|originaire|responsable|\w+(?:eur|euse|teur|trice|ien|ienne|iste|ier|ière|ogue|ecte|ant|ante|cin))\w*\b(?! par (?:ce|cette)| de (?:cette|ce)| (?:perdu|bloqué|surpris|désolé))",
            ),
            rule("identity", 0.75, r"je suis (?:un |une |le |la )(?!peu\b|seule?\b)\S"),
            rule(
                "identity",
                0.75,
                r"j'ai (?:\d+|deux|trois|quatre|cinq|un|une|des)\b (?!question|problème|erreur|bug|idée|souci|doute|peu|fichier|tableau|liste|message|test|réunion)\S",
            ),
            rule(
                "preference",
                0.7,
                rf"(?:{_SUBJ})?(?:préfère|préférons|déteste|adore|aime(?: (?:bien|beaucoup|mieux|surtout))?|n'aime (?:pas|guère|plus)|évite|apprécie|bois|mange|utilise|ne (?:mange|bois|supporte|porte|prends|lis|regarde|fume|travaille|utilise|voyage) (?:pas|jamais|plus|que)|n'utilise (?:jamais|que)|ai horreur d|ai l'habitude d|ai tendance à|tiens à|suis (?:plutôt|fan|adepte|accro|habituée?)) ?(?:e |')?{_HERE}\S(?<!nous u)",
            ),
            rule(
                "preference",
                0.7,
                r"(?:je |j')\S+ (?:toujours|jamais|uniquement|seulement|souvent|rarement|généralement|que du|surtout) (?!ça\b|cette\b|été\b|eu\b|la même)\S",
            ),
            rule(
                "preference",
                0.7,
                r"(?:mon|ma|mes|notre) \S+(?: \S+)? (?:préférée?s?|favorite?s?|de prédilection|habituelle?)(?: \S+)? (?:est|sont|c'est)\b",
            ),
            rule(
                "identity",
                0.75,
                r"je (?:tiens (?:la|le|les|un|une)|m'occupe d|gère|dirige|suis en retraite|fais de la) ?\S",
            ),
            rule(
                "preference",
                0.7,
                r"(?:le |la |les |l'|des )[\w'-]+(?: [\w'-]+){0,3},? je (?:ne |n')?(?:l(?:e|a|es) |l'|en )?(?!suis|peux|dois|vais|vois)\w+ (?:qu|que|jamais|toujours|pas|uniquement|seulement)\b",
            ),
            rule(
                "preference",
                0.7,
                r"je trouve (?!ça|que (?:c'est|tu)|cet|ce\b|ton|ta\b|pas\b)\S[^?]{2,80}\b(?:meilleure?s?|pires?|mieux|plus (?:agréables?|lisibles?|simples?|clairs?)|trop \w+)\b",
            ),
            rule(
                "preference",
                0.7,
                r"(?:le (?:matin|soir|dimanche|week-end)|l'après-midi),? (?:il me faut|je (?!suis|vais)\w+|j'\w+) \S",
            ),
            rule("preference", 0.7, r"(?:ça|il) m'est (?:plus )?(?:important|difficile|agréable) (?:de|que)\b"),
            rule(
                "decision",
                0.75,
                r"(?:nous|on|l'équipe|notre équipe|la direction|l'entreprise|le client) (?:avons|a|ont|sommes|est)(?: (?:finalement|enfin|tous))? (?:décidé|choisi|convenu|opté|retenu|adopté|passée?s? (?:de|à|sur|chez)|migré|remplacé|abandonné|gardé|changé (?:de|pour)|tranché|voté)\b(?! (?:rien|ça)\b)",
            ),
            rule("decision", 0.75, r"(?:il (?:a été|est) (?:décidé|convenu)|c'est décidé)\b ?\S"),
            rule("fact", 0.75, r"j'ai (?:arrêté|cessé) (?:de |d'|le |la |les )(?!te\b|chercher)\S"),
            rule(
                "decision",
                0.75,
                r"j'ai (?:décidé|choisi|opté) (?!de (?:te|vous)\b)\S|(?:nous|on) (?:part|partons|reste|restons) (?:sur|avec|chez) \S",
            ),
            rule(
                "fact",
                0.6,
                r"(?:nous|on) (?:n')?(?:utilisons|utilise|déployons|déploie|hébergeons|travaillons|travaille (?!sur\b)|publions|publie|stockons|testons|facturons|se réunit|avons (?:\d+|deux|trois|un bureau))\b (?:plus )?(?!ça\b|ce\b|cette\b)\S",
            ),
            rule(
                "fact",
                0.7,
                r"(?:je )?n(?:e |')(?:habite|vis|travaille|suis|bois|mange|fume|utilise|parle|ai|fais|prends|aime) plus\b.{2,}",
            ),
            rule(
                "fact",
                0.6,
                rf"(?:mon|ma|mes|notre|nos) (?!{_AT_HAND}\b)(?:[\w'-]+ ){{1,5}}?(?:est|sont|s'appelle(?:nt)?|habite|vit|vivent|travaille|préfère|commence|finit|utilise|tourne|tournent|a|ont|veut|aime|déteste|parle|expire|joue|étudie|va|vient|c'est|n'est plus|valide|ferme) (?!cassé|en panne|planté|lent|vide|(?:à|au) \d+ ?%|en train|de \w+er\b)\S",
            ),
            rule(
                "fact",
                0.6,
                rf"(?:le |la |les |l')(?:[\w'-]+ ){{1,5}}?(?:est|sont|sera|commence|finit|expire|ferme|se termine|a lieu|doit être \w+) {_DAY}",
            ),
            rule(
                "fact",
                0.6,
                r"(?:le |la |l'|ce |cette |cet )(?:projet|dépôt|application|appli|backend|frontend|api|serveur|base(?: de \S+)?|environnement(?: de \S+)?|pipeline|client|cliente|entreprise|équipe|bureau|chef|branche principale|contrat|schéma|production|préproduction)\b(?: de \S+)? (?:est (?:en lecture|écrite?|basée?|un|une|dans|sous|hébergée?)|a besoin|nécessite|exige|utilise|tourne (?:sous|sur|avec)|dépend|s'appelle|appartient|supporte|veut|demande|souhaite|requiert|compte|repose) \S",
                bound=True,
            ),
            rule(
                "fact",
                0.75,
                r"(?:c'est|ce sont)(?: maintenant)? [^,]{1,60}(?:maintenant)?, (?:et )?(?:pas|plus|non) .{1,60}",
            ),
            rule(
                "fact",
                0.75,
                r"(?:maintenant|désormais),? (?:c'est|j'habite|je vis|je travaille|j'utilise|on utilise|nous utilisons) \S|c'est \S+(?: \S+)? (?:maintenant|désormais)\b",
            ),
        )
    ),
    question=any_case(
        r"(?:est-ce|quel(?:le)?s?|comment|pourquoi|quand (?:est|faut|dois)|où|qui|que (?:dois|faut|penses)|qu'|combien|dois-je|puis-je|peux-tu|pourrais-tu|pouvez|tu peux|sais-tu|as-tu|faut-il|y a-t-il|tu (?:sais|pourrais|crois))\b"
    ),
    unreal=any_case(
        r"(?:si (?:je |j'|nous |on |le |la |l'|tu |mon |notre )?(?:\S+ ){0,3}?\S+(?:ais|ait|ions|aient)\b|supposons|admettons|imaginons|et si|au cas où|mettons que|comme si)"
    ),
    report=any_case(
        r"\b(?:dit|disent|disait|d'après|selon|affirme|croit|pense qu|racont\w+|écrit|m'a dit|prétend|paraît|demandé|trouve qu|posté|texto|chante|envoyé)\b"
    ),
    passing=any_case(
        r"\b(?:en ce moment|pour l'instant|pour le moment|à l'instant|encore une fois|de nouveau|aujourd'hui)\b|^là,|^je (?:ne )?(?:comprends|me souviens|sais|crois|pense|vois|veux|voudrais|cherche|suis en train|suis (?:un peu )?(?:perdu|bloqué|désolé|fatigué|sûr)|reçois|vais)|^j'(?:ai besoin (?:de|que|d')|aimerais|essaie)|^pas (?:la peine|besoin)"
    ),
    persona=any_case(
        r"(?:joue (?:mon|ma|le|la|un|une)|imagine que|fais comme si|tu es (?:un|une|mon|ma) |jeu de rôle|comporte-toi|agis comme|mets-toi|incarne|écris(?:-moi)? (?:une|un) (?:lettre|histoire|conte|poème|mail|discours))\b"
    ),
    tail=any_case(
        r"\s*[,;.–—-]\s*(?:(?:donc|et|mais|alors) )?(?:peux-tu|pourrais-tu|pouvez-vous|tu peux|s'il te plaît|quel|comment|aide-moi|dis-moi|corrige|vérifie)\b.*$"
    ),
    clause=CLAUSE,
    correction=any_case(
        r"\b(?:au lieu d|à la place d)|\bn(?:e |')\S+ plus\b|\b(?:pas|non pas) [^,]{1,60},? mais\b|^(?:(?:non|pardon) ?[,:!]|en fait\b|correction\b|plutôt\b)|\b(?:passée?s? (?:de|à)|migré|remplacé|changé|abandonné|déménagé|reporté|décalé|avancé|renommé)\b|\b(?:maintenant|désormais)[.!]?$|\bc'est [^,]{1,40} maintenant|\bje me suis trompé|\bchangé d'avis|, (?:pas|plus|et non) "
    ),
    replaces=(
        any_case(r"\b(?:au lieu|à la place) (?:de |d'|du )(?P<old>[^,.;!?]{1,60})"),
        any_case(r"\b(?:passée?s?|migré|changé) (?:de |d'|du )(?P<old>[^,.;!?]{1,40}?) (?:à|vers|pour|sur|au) "),
        any_case(r"\bremplacé (?P<old>[^,.;!?]{1,40}?) (?:par|avec) "),
        any_case(
            r"\bn(?:e |')(?:utilisons|utilise|habite|vis|travaille|bois|mange|suis|ai|aime) plus (?:à |au |chez |en |de |d'|pour )?(?P<old>[^,.;!?]{1,60})"
        ),
        any_case(r"\b(?:pas|non pas) (?:à |au |en |le )?(?P<old>[^,.;!?]{1,60}),? mais\b"),
        any_case(r", (?:pas|plus|et non) (?:à |au |en |le |la )?(?P<old>[^,.;!?]{1,60})[.!]?$"),
    ),
)
