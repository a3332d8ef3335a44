"""Spanish."""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
from ..rule import CLAUSE, Language, Table, any_case, rule, words

_HERE = r"(?!(?:est[aeo]s?|es[aeo]s?|aquell\w+|lo que|la idea|tu|tus|que (?:cambies|hagas|arregles|corrijas)|cómo)\b)"
_MONTH = r"(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"
_DAY = rf"(?:(?:el |la |los |a |antes del |día )*(?:\d{{1,2}}\b|lunes|martes|miércoles|jueves|viernes|sábado|domingo|{_MONTH}|finales|principios|mediados|próxim\w))"
_AT_HAND = r"(?:pregunta|problema|código|duda|error|idea|script|propuesta|objetivo|build|terminal|prueba|plan|opinión|impresión|siguiente \w+|primera \w+)"
_DO = r"(?:responde|contesta|escribe|usa|utiliza|habla|da|dame|pon|explica|muestra|pregunta|tutea|trata|llama|haz|incluye|añade|evita|mantén|cita|empieza|termina|formatea|traduce|resume|avisa|ejecuta|comenta|prueba|comprueba|revisa|sé|deja|corta|nombra|ordena|indica)(?:me|nos|lo|la|los|las|melo)?"
_DO_ACCENT = (
    r"(?:respónde|contésta|escríbe|explíca|muéstra|pregúnta|tutéa|tráta|lláma|hábla|avísa|ponl?)(?:me|nos|lo|la|melo)"
)
_DONT = r"(?:uses|escribas|respondas|hagas|pongas|añadas|des|borres|toques|incluyas|me des|cambies|contestes|llames|me llames|propongas|sugieras|subas|olvides preguntar|empieces|expliques|utilices|mezcles)"

TABLE = Language(
    code="es",
    words=words(
        "yo me mi mis soy tengo vivo trabajo prefiero odio uso nunca siempre no nuestro nuestra nuestros nuestras nos el la los las un una que en de del es son "
        "está a partir hemos usamos por favor recuerda ten ya suelo cuando si al equipo para con se"
    ),
    script=None,
    lead=any_case(
        r"(?:en realidad|de hecho|por cierto|no|bueno|hola|perdón|corrección|ojo|además|pero|y|a mí|personalmente|normalmente|en general|al final|la semana pasada|el mes pasado|ayer|desde \w+ \w+|yo|nosotros|en (?:este|nuestro) (?:proyecto|equipo|repo)|últimamente|ahora)[,:.!]? "
    ),
    rules=Table(
        (
            rule(
                "fact",
                0.9,
                r"(?:por favor,? )?(?:recuerda|acuérdate de|ten (?:en cuenta|presente)|no (?:te )?olvides|toma nota(?: de)?|anota|apunta|guarda esto|que sepas|para que lo sepas)(?: que|:|,) (?!esto\.|eso\.)\S",
            ),
            rule(
                "instruction",
                0.85,
                r"(?:por favor,? )?(?:a partir de (?:ahora|hoy)|de (?:ahora|hoy|aquí) en adelante|desde (?:ahora|hoy)(?=,)|en (?:el futuro|adelante)|desde (?:ahora|hoy)(?= \w+[aes]\b))\b,? \S",
            ),
            rule(
                "instruction",
                0.85,
                rf"(?:por favor,? )?(?:{_DO}|{_DO_ACCENT})(?: \S+){{0,6}}? siempre\b|(?:por favor,? )?(?:{_DO}|{_DO_ACCENT}) siempre\b",
            ),
            rule(
                "instruction",
                0.85,
                r"(?:por favor,? )?(?:nada de|sin|no más|basta de) [\w-]+(?: [\w-]+){0,2} en (?:mis|nuestr[oa]s|tus|l[oa]s|ningún) \S",
            ),
            rule(
                "instruction",
                0.85,
                r"(?:por favor,? )?(?!ella\b|esta\b|esa\b|la\b|mi\b|nuestra\b|casa\b|gente\b|este\b|ese\b|que\b|me\b|se\b|de\b)[a-záéíóú]{3,14}(?:a|e|e?me|nos) (?:(?!(?:yo|nosotros|que)\b)\S+ ){0,4}?siempre (?:en|sin|con|los|las|el|la|por|de|antes|como)\b",
            ),
            rule("instruction", 0.85, rf"(?:por favor,? )?siempre (?:que \S+ .{{2,80}}, )?(?:{_DO}|{_DO_ACCENT})\b"),
            rule(
                "instruction",
                0.85,
                rf"(?:por favor,? )?(?:nunca|jamás|no vuelvas a|ya no) (?:me |lo |la )?(?:{_DONT}|usar|escribir|\w+(?:es|as)\b) \S",
            ),
            rule(
                "instruction",
                0.85,
                rf"(?:por favor,? )?no (?:me )?{_DONT} (?!est[aeo]|es[aeo]\b|la línea|el archivo|nada\b|el test|la prueba)(?:\S+ ){{0,5}}?(?:emojis?|emoticonos|tabuladores|listas|jerga|anglicismos|abreviaturas|disculpas|(?:en|de) (?:tus|las|mis|los|todas|todos) \w+|sin (?:preguntar|avisar|pedir)\w*|nunca|jamás|directamente)\b",
            ),
            rule(
                "instruction",
                0.85,
                rf"(?:cuando|siempre que|cada vez que|si|antes de) (?:te |me |yo |haya |vayas |quieras )?(?:\w+) [^,?]{{0,120}}, (?:{_DO}|{_DO_ACCENT}|no {_DONT})\b",
            ),
            rule("instruction", 0.85, r"(?:tutéame|trátame de (?:tú|usted)|llámame) ?\S*"),
            rule(
                "instruction",
                0.8,
                r"(?:(?:todos|todas|los|las|cada) )+(?:mensajes|commits|respuestas?|comentarios|variables|funciones|tests|pruebas|ramas|textos|informes|nombres|correos)\b(?: \S+){0,3}? (?:deben|debe|tienen que|tiene que|han de|van|no pueden) (?!ser (?:arreglad|corregid))\S",
            ),
            rule(
                "identity",
                0.75,
                r"(?:me (?:llamo|dicen|apellido)|mi (?:nombre|apellido|lengua materna|profesión|cumpleaños|idioma materno) es|todos me llaman)\b \S",
            ),
            rule(
                "identity",
                0.75,
                r"(?:soy|nací|vivo|resido|trabajo (?:en|como|para|de|desde)|hablo|estudio|estudié|vengo de|me mudé|me he mudado|doy clases|enseño|padezco|sufro|toco|dirijo) (?!consciente|yo\b|el que|la que|así\b|sobre\b|en (?:est[aeo]|la página|el login|ello)\b)\S",
            ),
            rule(
                "identity",
                0.75,
                r"tengo (?:\d+|un|una|dos|tres|cuatro|cinco|algun\w+|alergia|intolerancia|diabetes|asma|el pelo)\b(?: (?!pregunta|problema|duda|error|idea|minuto|bug|sensación|prueba|pestaña|lista|tabla|archivo|reunión)\S+){1,6}",
            ),
            rule(
                "preference",
                0.7,
                rf"(?:prefiero|odio|detesto|adoro|amo|evito|aborrezco|valoro|suelo|acostumbro a|procuro|uso|utilizo|no (?:soporto|aguanto|como|bebo|tolero|uso|tomo)|(?:nunca|jamás|siempre|solo|sólo|casi nunca|normalmente) (?:como|bebo|uso|tomo|trabajo|viajo|leo|escribo|compro|desayuno|duermo|voy|utilizo|veo|llevo|hago)) {_HERE}\S",
            ),
            rule(
                "preference",
                0.7,
                rf"(?:no )?me (?:gustan?|encantan?|molestan?|disgustan?|chiflan?|fascinan?|agradan?|apasionan?|irritan?|van? (?:más|mejor)|sientan? mal|cuestan?|interesan? (?:más|mucho)) (?:más |mucho |nada )?{_HERE}\S",
            ),
            rule(
                "preference",
                0.7,
                r"(?:mi|mis|nuestr[oa]s?) \S+(?: \S+)? (?:favorit[oa]s?|preferid[oa]s?|de cabecera|habitual)(?: \S+)? (?:es|son|está)\b",
            ),
            rule(
                "identity",
                0.75,
                r"(?:estoy (?:jubilad|casad|divorciad|embarazad|solter|en paro|prejubilad)\w*|llevo (?:la|el|los|las|\d+ años|veinte|diez|\w+ años) (?!rato\b|tiempo\b)|me dedico a|me encargo de) ?\S*",
            ),
            rule(
                "preference",
                0.7,
                r"me parecen? (?:much\w )?(?:mejor|peor|más \w+)\w* (?!est[aeo]|es[aeo]\b|tu\b)\S[^?]{2,80}\bque\b",
            ),
            rule(
                "preference",
                0.7,
                r"(?:por las (?:mañanas|tardes|noches)|al desayunar|los (?:lunes|viernes|domingos|fines de semana)) \S+(?:o|amos) \S",
            ),
            rule(
                "preference",
                0.7,
                r"(?:l[oa]s?|los|las) [\w-]+(?: [\w-]+){0,3} (?:solo|sólo|siempre|nunca|no) (?:l[oa]s? )(?:leo|como|bebo|uso|veo|compro|quiero|soporto|tomo)\b",
            ),
            rule("preference", 0.7, r"soy (?:más )?(?:de|fan de|amante de|aficionad\w a|partidari\w de) \S"),
            rule(
                "decision",
                0.75,
                r"(?:nosotros |(?:el|nuestro) equipo |la (?:empresa|junta|dirección) )?(?:hemos (?:decidido|elegido|acordado|optado|quedado en|escogido|cambiado|migrado|pasado)|decidimos|acordamos|elegimos|optamos|escogimos|quedamos en|migramos|cambiamos (?:a|de|el|la)|pasamos (?:a|de)|reemplazamos|nos quedamos con|(?:decidió|acordó|eligió|optó|escogió|ha (?:decidido|elegido|acordado))|vamos a (?:usar|quedarnos|seguir con)) (?!nada\b|esto\b)\S",
            ),
            rule(
                "decision",
                0.75,
                r"(?:se (?:ha )?(?:decidido|acordado|decidió|acordó)|quedó decidido|está decidido) (?:que|:)\S? ?\S",
            ),
            rule("fact", 0.75, r"(?:he dejado de|dejé de|ya dejé) \S"),
            rule("decision", 0.75, r"he (?:decidido|elegido|optado por) \S"),
            rule(
                "fact",
                0.6,
                r"(?:nosotros )?(?:usamos|utilizamos|desplegamos|alojamos|trabajamos (?:con|en|desde)|publicamos|guardamos|probamos|facturamos|nos reunimos|tenemos (?:\d+|dos|tres|un equipo|una oficina)|ya no (?:usamos|utilizamos|trabajamos|tenemos)) (?!est[aeo]\b|es[ao]\b)\S",
            ),
            rule(
                "fact",
                0.65,
                r"(?:ya no|todavía no) (?:vivo|trabajo|uso|utilizo|bebo|como|fumo|soy|tengo|estoy en|me gustan?|prefiero|estudio)\b \S",
            ),
            rule(
                "fact",
                0.6,
                rf"(?:mis?|nuestr[oa]s?) (?!{_AT_HAND}\b)(?:[\w-]+ ){{1,5}}?(?:es|son|se llaman?|está en|vive|viven|trabaja|prefiere|empieza|termina|usa|corre|tiene|cumple|estudia|quiere|necesita|habla|va|aprueba|funciona (?:con|en|sobre)|caduca|vence|viene|odia|toca|sale|juega) (?!rot[oa]|mal\b|ca[íi]d[oa]|lent[oa]|fallando)\S",
            ),
            rule(
                "fact",
                0.6,
                rf"(?:el|la|los|las) (?:[\w-]+ ){{1,4}}?(?:es|son|será|empieza|termina|vence|caduca|cierra|se entrega|hay que \w+|está prevista?o?) (?:\S+ )?{_DAY}",
            ),
            rule(
                "fact",
                0.6,
                r"(?:el|la|est[ea]) (?:proyecto|repo|repositorio|aplicación|app|backend|frontend|api|servidor|base de datos(?: de \w+)?|entorno(?: de \w+)?|pipeline|cliente|clienta|empresa|equipo|oficina|jefe|jefa|rama principal|contrato|esquema|código|producción)\b(?: de (?:pruebas|producción|desarrollo))? (?:es (?:de|un|una|solo)|(?:está |es )?(?:escrit\w|basad\w|en (?!marcha|proceso|rojo))|necesita|requiere|usa|utiliza|corre (?:en|sobre|con)|depende|se llama|pertenece|soporta|quiere|pide|exige|tiene (?!un (?:problema|error|fallo)|problemas)|funciona (?:con|en|sobre)) \S",
                bound=True,
            ),
            rule(
                "fact",
                0.75,
                r"(?:ahora )?(?:es|son|se llama|está|estamos en)(?: ahora)? [^,]{1,60}, (?:y )?(?:no|ya no) .{1,60}",
            ),
            rule("fact", 0.7, r"ahora (?:es|son|vivo|trabajo|uso|usamos|estoy en|se llama|tengo|estamos en) \S.*"),
        )
    ),
    question=any_case(
        r"[¿]|(?:qué|cómo|por qué|cuál|cuáles|cuándo|dónde|quién|cuánt\w+|debería|debo|puedes|podrías|puede|es cierto|sabes|hay|crees|me (?:puedes|podrías))\b"
    ),
    unreal=any_case(
        r"(?:si (?:\S+ ){0,4}?\S+(?:ara|iera|ase|iese|áramos|iéramos|aran|ieran|eran?)\b|supongamos|supón|suponiendo|imagina que (?!eres)|en caso de que|digamos que|como si|ojalá|si fuera|si fuese)"
    ),
    report=any_case(
        r"\b(?:dijo|dice|dicen|dijeron|según|afirma|afirmó|cree|creen|piensa|contó|escribió|me ha dicho|opina|comentó|asegura|al parecer|preguntó|publicó|escribe|canta|mandó)\b"
    ),
    passing=any_case(
        r"\b(?:ahora mismo|en este momento|por el momento|justo ahora|otra vez|de nuevo|hoy)\b|\bahora (?:estoy|estamos|está) \w+ndo\b|^(?:no )?(?:entiendo|recuerdo|sé|creo|pienso|veo|necesito|quiero|quisiera|estoy (?!en contra|jubilad|casad|divorciad|embarazad|solter|en paro|acostumbrad|harto de los)|busco|intento)\b|^no (?:hace falta|tienes que|me acuerdo)|^me gustaría"
    ),
    persona=any_case(
        r"(?:haz de|hazte pasar|actúa como|imagina que (?:eres|soy)|imagínate|finge|eres (?:un|una|mi) (?!genio|crack)|juguemos|juego de rol|interpreta (?:a|el)|escribe (?:una|un) (?:carta|cuento|historia|poema|correo|discurso))\b"
    ),
    tail=any_case(
        r"\s*[,;.–—-]\s*(?:(?:así que|y|pero|entonces) )?(?:¿|puedes|podrías|por favor(?!,? siempre)|qué |cómo |cuál|me puedes|ayúdame|dime|hazme|corrige|revisa).*$"
    ),
    clause=CLAUSE,
    correction=any_case(
        r"\bya no\b|\ben (?:lugar|vez) de\b|\bno [^,]{1,60},? sino\b|^(?:(?:no|perdón) ?[,:!]|en realidad\b|corrección\b|mejor dicho\b)|\b(?:cambiamos|cambiado|migramos|migrado|pasamos|pasado|reemplazamos|reemplazado|sustituid[oa]|mudé|mudado|aplazad[oa]|movid[oa]|renombrad[oa])\b|\bahora (?:es|son|vivo|trabajo|uso|usamos|se llama)\b|\bdej(?:é|amos|ado) de\b|\bme equivoqué|\bcambié de (?:idea|opinión)"
    ),
    replaces=(
        any_case(r"\ben (?:lugar|vez) de (?P<old>[^,.;!?]{1,60})"),
        any_case(r"\bno (?:es |son |en |a )?(?P<old>[^,.;!?]{1,60}?),? sino\b"),
        any_case(
            r"\b(?:cambiamos|cambiado|migramos|migrado|pasamos|pasado|mudé|mudado) (?:del? )(?P<old>[^,.;!?]{1,40}?) (?:al?|hacia) "
        ),
        any_case(r"\b(?:reemplazamos|sustituimos|cambiamos) (?:a |el |la )?(?P<old>[^,.;!?]{1,40}?) (?:por|con) "),
        any_case(
            r"\bya no (?:usamos|uso|utilizamos|utilizo|vivo en|trabajo en|trabajo para|trabajamos con|bebo|como|tengo|soy|me gustan?) (?P<old>[^,.;!?]{1,60})"
        ),
        any_case(r", (?:y )?no (?:en |a |es |el |la )?(?P<old>[^,.;!?]{1,60})[.!]?$"),
        any_case(r"\bdej(?:é|amos|ado) de (?:usar|beber|comer) (?P<old>[^,.;!?]{1,60})"),
    ),
)
