"""Plural and feminine endings of German, Spanish, French and Portuguese words, taken off before the English stemmer.

A word does not say which language it is of, and neither does a search for a single one.  So these rules look at the
word alone and are the same for texts and questions: each ends where hardly an English word ends, or asks for a letter
that English does not write, and the words that look alike nevertheless stand in ENGLISH.  What comes out need not be a
word; it only has to be the same for all forms of one.
"""

from functools import lru_cache

LEAST = 5  # letters of a word that has an ending
_LONGEST = 40

# (ending, what stands for it, least letters of the word): the first that fits, on words without accents.
_ENDINGS: tuple[tuple[str, str, int], ...] = tuple(
    (ending, instead, int(least))
    for ending, instead, least in (
        line.split(":")
        for line in """
        innen:in:7 nissen:nis:8 nisse:nis:7 ierten:ier:8 ierte:ier:7 ieren:ier:7 iert:ier:6 eien:ei:6 auen:au:6
        euen:eu:6 ern:er:6 eln:el:6 en:e:6
        eaux:eau:6 aux:al:6 euses:eux:7 euse:eux:6 trices:teur:8 trice:teur:7 iennes:ie:8 ienne:ie:7
        iens:ie:6 ennes:en:7 enne:en:6 elles:el:7
        elle:el:7 glaises:glais:7 glaise:glais:6 antes:ant:7 ante:ant:6 entes:ent:7 ente:ent:6 ifs:ive:6 if:ive:5
        coes:cao:6 soes:sao:6 ioes:iao:6 agens:agem:7 aveis:avel:7 iveis:ivel:7 ais:al:6
        icas:ico:6 ica:ico:6 adas:ado:6 ada:ado:5 idas:ido:6 ida:ido:6 osas:oso:6 osa:oso:5 ivas:ivo:6 iva:ivo:6
        doras:dor:7 dora:dor:6 soras:sor:7 sora:sor:6 toras:tor:7 tora:tor:6 eras:ero:6 era:ero:6 arias:ario:7
        aria:ario:6 anas:ano:6 ana:ano:6 inas:ino:7 ina:ino:6
        """.split()
    )
)
# By the last letter of a word: it is asked of few endings, and of most words of none.
_BY_LAST: dict[str, tuple[tuple[str, str, int], ...]] = {
    last: tuple(row for row in _ENDINGS if row[0][-1] == last) for last in {ending[-1] for ending, _, _ in _ENDINGS}
}
# The same on words written with their accents, for endings that English shares without them.
_ACCENTED: tuple[tuple[str, str], ...] = (
    ("ões", "ao"),
    ("ães", "ao"),
    ("éis", "el"),
    ("óis", "ol"),
    ("ées", "e"),
    ("ée", "e"),
    ("çaises", "cais"),
    ("çaise", "cais"),
    ("çais", "cais"),
    ("éennes", "ee"),
    ("éenne", "ee"),
    ("éens", "ee"),
)
_UMLAUT = frozenset("äöü")
_AFTER_UMLAUT = ("ern", "er", "en", "es", "e", "n")
_IRREGULAR: dict[str, str] = dict(
    pair.split(":", 1)
    for pair in """
    namen:name themen:thema konten:konto kinder:kind kindern:kind bilder:bild bildern:bild felder:feld mütter:mutter
    väter:vater brüder:bruder töchter:tochter meses:mes luces:luz veces:vez voces:voz lápices:lapiz lapices:lapiz
    raíces:raiz raices:raiz vezes:vez luzes:luz vozes:voz felizes:feliz ordens:ordem nuvens:nuvem jovens:jovem
    homens:homem travaux:travail yeux:oeil œil:oeil jeux:jeu lieux:lieu cheveux:cheveu
    """.split()
)
# English words that end as these do.
ENGLISH: frozenset[str] = frozenset(
    """
    aliens
    abdomen acrogen agglutinogen albumen allergen androgen antigen arisen astern austen awaken awoken baleen
    barmen barren batten bayern beaten bedizen beechen befallen beholden bergen bespoken betaken betoken bingen
    biogen birchen bitten bittern blacken bounden branden brazen brighten britten broaden brocken browbeaten
    bullpen burden burthen calicoes canteen carcinogen careen carrageen carragheen carven caseharden casern
    catechumen cavern cerumen chasten cheapen chicken cholera christen chromogen churchwarden cicada cicadas
    cistern citizen cloven coarsen cognomen coleen collagen collagens colleen concern conjunctiva craven cryogen
    cullen cyanogen cyclamen dampen danielle darken dasheen deaden deafen deepen deepfrozen delicatessen denizen
    disburden discern dishearten disproven dolmen downfallen drunken dudeen duramen earthen eastern eighteen
    eleven embolden endogen enlighten enliven estrogen evergreen examen extern fallen fasten fatsoes fatten
    fiascoes fibrinogen fifteen firescreen flamen flatten flaxen foramen forbidden foreseen foreshorten forgiven
    forsaken fourteen frauen frescoes freshen frighten frozen gabrielle garden germen gestalten gingiva gittern
    gladden glisten gluten glycogen golden goshen govern gravamen graven greaten greisen groschen gulden
    halloween hallucinogen halogen handmaiden hansen happen harden harken harshen hasten hearken hearten heathen
    heaven heighten hellen hempen herren hoarsen hohenzollern holden holpen housebroken housemen hoyden hydrogen
    hyphen imogen intern interwoven isabelle jansen julien kindergarten kitchen kitten kuchen lantern lassen
    lassoes lateen latten lavern leaden leathern leaven lectern lengthen lenten lessen lichen lighten linden
    listen listens loosen louden lucien lumpen luthern madden magdalen maiden mangosteen marten menhaden
    menschen messiaen michelle midden mideastern midwestern milden milken misgiven misgovern misshapen misspoken
    mistaken mitten mizzen modern moisten molten moorhen moreen morgen motif motifs mullen muskoxen mutagen
    mutagens nankeen neaten newcomen nineteen nitrogen noncitizen northeastern northern northwestern operas
    outspoken overburden overeaten overripen overseen overtaken oxygen partaken pastern pathogen patten pattern
    peahen pigpen pilsen plainspoken platen playpen politicoes pollen porticoes postern postmodern poteen
    praenomen prekindergarten prenomen prescreen preshrunken preteen proven provisoes pyrogen quartern quicken
    quieten rachelle reawaken rechristen redden refasten refrozen regimen reopen resharpen restrengthen retaken
    rewoven roentgen rotten roughen sadden saltern saracen sateen sauerbraten screen seamen secern serif serifs
    seventeen severn shaken sharpen shaven shebeen shorten shriven shrunken sicken silken silkscreen silvern
    sixteen slacken slattern sloven smarten smidgen smokescreen smoothen sodden soften southeastern southern
    southwestern specimen spiegeleisen spleen stablemen stamen staten steepen stephen steven stiffen stolen
    straighten straiten strengthen stricken striven stuccoes subaltern subteen sudden sullen sunken sunscreen
    sweden sweeten tauten tavern tempera teratogen tessera thicken thirteen threaten thriven tighten touchscreen
    toughen tureen turkmen ultramodern unbeaten unburden unconcern underlinen undertaken uneaten uneven unfasten
    unforeseen unfrozen unladen unloosen unmistaken unproven unseen unshaken unshapen unshaven unwoven velveteen
    walden warden warren weaken webern western wheaten whiten windscreen wivern woadwaxen wooden woodwaxen
    woolen worsen writhen youthen zymogen
    """.split()
)


@lru_cache(maxsize=16384)
def base(word: str, spelled: str) -> str:
    """The word without such an ending.  word: folded, as `analyse.fold` leaves it; spelled: in lower case alone."""
    if not LEAST - 1 <= len(word) <= _LONGEST:
        return word
    instead = _IRREGULAR.get(spelled)
    if instead is not None:
        return instead
    if not spelled.isascii():
        for ending, instead in _ACCENTED:
            if spelled.endswith(ending):
                return word[: len(word) - len(ending)] + instead
    if len(word) < LEAST or word in ENGLISH:
        return word
    if not spelled.isascii() and not _UMLAUT.isdisjoint(spelled):
        for ending in _AFTER_UMLAUT:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word[: -len(ending)]
        return word
    for ending, instead, least in _BY_LAST.get(word[-1], ()):
        if word.endswith(ending) and len(word) >= least:
            return word[: -len(ending)] + instead
    return word
