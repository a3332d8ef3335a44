"""Word lists as data: what a question can do without, and what says little about its subject.

Stop words are dropped from questions, never from the index.  Generic words stay, but count for little: they
stand in requests of every kind, so that sharing one of them is no sign of a common subject (B040).  All
forms are written as `analyse.fold` leaves them: lower case, without accents.  A language is one line of
each table.
"""

STOP: dict[str, frozenset[str]] = {
    "en": frozenset(
        """
        a about after again all also am an and any anyone anything are as at be because been before being between
        both but by can could did do does doing done each either else etc ever every everything few for from get
        gets getting give go goes going got had has have having he her here hers him his how however i if in into is
        it its just know let like lot many may maybe me might mine more most much must my myself neither no nor not
        now of off ok okay on once one ones only or other our ours out over own per please quite rather really remind
        remember say says shall she should so some someone something such tell than thanks that the their theirs
        them then there these they thing things this those though to too up us very want wants was we well were what
        whatever when where whether which while who whom whose why will with without would yes yet you your yours
        """.split()
    ),
    "de": frozenset(
        """
        aber alle alles als also am an auch auf aus bei beim bin bis bist bitte da dabei damit dann das dass dein
        deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine
        einem einen einer eines er es etwas euch euer fur gib gibt habe haben hast hat hatte hier ich ihm ihn ihr
        ihre im in ist ja jede jeder jetzt kann kannst kein keine konnen mal man mehr mein meine meinem meinen
        meiner mich mir mit muss nach nein nicht noch nun nur ob oder ohne sag schon sehr sein seine sich sie sind
        so soll und uns unser unsere unter vom von vor wann war warum was weil welche welcher welches wem wen wenn
        wer werden wie wieder will wir wird wo wurde zu zum zur
        """.split()
    ),
    "es": frozenset(
        """
        a al algo ante aqui asi aunque bien cada como con contra cual cuales cuando cuanto de del desde dime donde
        dos el ella ellas ellos en entre era es esa ese eso esta estaba estan estar estas este esto estos estoy fue
        ha han hasta hay he la las le les lo los mas me mi mis mucho muy nada ni no nos nosotros nuestra nuestro o
        os otra otro para pero poco por porque pues que quien se sea ser si sido sin sobre solo son soy su sus
        tambien te tengo ti tiene todo todos tu tus un una uno unos usted va y ya yo
        """.split()
    ),
    "fr": frozenset(
        """
        a ai alors as au aussi autre aux avec avez avoir avons c ca car ce cela ces cet cette chez comme comment d
        dans de des deux dis dit donc dont du elle elles en encore es est et etait ete etes etre eu fait faut ici il
        ils j je l la le les leur leurs lui m ma mais me meme mes moi mon n ne ni nos notre nous on ont ou par pas
        peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son sont
        sous suis sur t ta tes toi ton tous tout toute tres tu un une va vers voici voila vos votre vous y
        """.split()
    ),
    "pt": frozenset(
        """
        a agora ao aos apenas aqui as ate cada com como da das de dela dele depois do dos e ela elas ele eles em
        entre era essa esse esta estao estar este estou eu foi ha isso isto ja la lhe mais mas me mesmo meu meus
        minha minhas muito na nao nas nem no nos nossa nosso num numa o onde os ou para pela pelo por porque qual
        quais quando quanto que quem se sem ser seu sua sao sim so sobre sou tambem te tem tenho ter teu toda todo
        tu tua um uma umas uns voce voces
        """.split()
    ),
}

# Cut out of unspaced Chinese and Japanese questions, longest first; what stands between them is what is
# asked for. Single characters that often begin or end another word are not among them: 会议 is no 会.
STOP_CJK: tuple[str, ...] = tuple(
    sorted(
        """
        什么 甚麼 什麼 怎么 怎麼 怎样 怎樣 怎么样 如何 为什么 為什麼 哪里 哪裡 哪儿 哪个 哪個 哪些 哪 谁 誰 多少 吗
        嗎 呢 吧 啊 呀 我的 你的 他的 她的 我们的 我们 我們 你们 你們 他们 他們 咱们 我 你 您 他 她 它 这个 這個
        那个 那個 这些 這些 那些 是不是 的 了 请问 請問 帮我 幫我 请帮 告诉 告訴 知道 记得 記得 一下 一个 一個 可以
        现在 現在 有没有 有沒有 没有 沒有 叫做 还是 還是 ですか でしたか でしょうか です でした ますか ました ます
        ください 教えて 何 なに どこ いつ だれ どれ どの どう なぜ 私の わたしの 僕の 俺の 私 わたし について
        """.split(),
        key=len,
        reverse=True,
    )
)
# A pair that holds one of these says little.
WEAK_CJK = frozenset("在有会會要和与與或也都就还還又很被把给給对對请請帮幫能想这這那几幾是不为為到从從上下用做")
WEAK_KANA = frozenset("はがをにへでとのもやかよねだな")

# Words of work requests and small questions, whatever the subject.
GENERIC: frozenset[str] = frozenset(
    """
    two three four five six seven eight nine ten several
    able add added answer app apply ask available back bad bad based basic better bit break bring bug build call
    called case change check clean code command common complete correct create current data date day default delete
    describe detail details difference different document edit end error example explain fail failing fails feature
    figure file files find fine finish first fix fixed folder follow following full function general generate good
    great guide happen happens help helps high hour idea implement important improve include info input inside
    install issue item items keep kind large last latest later learn left less line lines list little load long look
    looking low main make makes mean means method minute missing module month move name need needs new next nice
    number old open option order output page part pass path pick place plan point possible problem process program
    project provide pull push put question quick read ready reason refactor related remove rename replace report
    request result results return review right run running same save script search second section see select send
    set setting setup short show side similar simple simply single size small sort special start state status step
    steps stop string stuff sure system take task tell test tests text think time today together tomorrow top try
    turn type understand update use used useful user uses using value variable version view wait way week work
    working works write written wrong year yesterday agregar archivo arreglar ayuda cambiar codigo crear error
    escribir funcion hacer mostrar prueba usar aendern datei erstellen fehler hilfe machen schreiben test zeigen
    zeig aide ajouter changer code corriger creer ecrire erreur faire fichier fonction modifier montrer ajuda
    arquivo corrigir criar erro escrever fazer funcao mostrar mudar usar
    """.split()
)

# Between the two: alone they are a question's subject ("What is my name?", "Where do I work?"), in a
# request they are not.
MILD: frozenset[str] = frozenset(
    "name names work works job call called use uses using day date time plan default".split()
)

# A question about the one who asks is answered by a sentence in the first person.
PERSONAL: frozenset[str] = frozenset(
    """
    i me my mine myself we us our ours ich mich mir mein meine meinem meinen meiner wir uns unser unsere yo mi mis
    nosotros nuestra nuestro je moi ma mon mes nous notre nos eu meu minha meus minhas nossa nosso
    """.split()
)
PERSONAL_CJK = ("我", "咱", "私", "僕", "俺", "わたし", "내", "나", "제", "저", "우리")

# Forms that a stemmer does not bring together.
VARIANTS: dict[str, str] = dict(
    pair.split(":", 1)
    for pair in """
    ate:eat eaten:eat began:begin begun:begin bought:buy broke:break broken:break brought:bring built:build
    came:come caught:catch children:child chose:choose chosen:choose drank:drink driven:drive drove:drive fed:feed
    feet:foot fell:fall felt:feel fought:fight found:find flew:fly flown:fly forgot:forget forgotten:forget
    gave:give given:give gone:go grew:grow grown:grow heard:hear held:hold hid:hide hidden:hide kept:keep knew:know
    known:know leaves:leave lent:lend lost:lose made:make men:man met:meet mice:mouse paid:pay
    people:person ran:run rang:ring rode:ride rose:rise said:say sang:sing sat:sit saw:see seen:see sent:send
    shook:shake shot:shoot slept:sleep sold:sell spent:spend spoke:speak spoken:speak stole:steal stood:stand
    swam:swim taken:take taught:teach teeth:tooth thought:think threw:throw thrown:throw told:tell took:take
    understood:understand went:go wives:wife woke:wake women:woman won:win wore:wear worn:wear written:write
    wrote:write behaviour:behavior centre:center colour:color favourite:favorite favour:favor flavour:flavor
    grey:gray harbour:harbor us:we honour:honor labour:labor licence:license neighbour:neighbor
    organisation:organization organise:organize programme:program theatre:theater tyre:tire birthdate:birthday
    postgres:postgresql k8s:kubernetes js:javascript ts:typescript db:database repo:repository repos:repository
    config:configuration configs:configuration docs:documentation env:environment auth:authentication mum:mother
    mom:mother dad:father
    """.split()
)
