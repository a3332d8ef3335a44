"""Texts that ask nothing: greetings, thanks, assent, laughter, emoji.  They get no recall (B040, P34)."""

import re
import unicodedata

from ..capture.lazy import lazy

_WORDS = frozenset(
    """
    ok okay okey kk k yes yep yeah yup ya no nope nah sure fine great good nice cool perfect awesome excellent
    amazing wonderful lovely super alright right correct exactly indeed agreed done thanks thank thx ty tysm cheers
    please pls hi hello hey hiya howdy yo sup morning afternoon evening night goodnight bye goodbye cya later
    welcome sorry oops wow lol haha hahaha hehe hmm hm uh um ah oh aha huh continue proceed go ahead next stop wait
    again got gotcha understood noted you so much very well too the all is it that a lot on do my friend there ja jo
    nein
    gut genau danke bitte hallo moin servus tschuss tschau klar alles okay super prima vielen dank schon guten
    morgen tag abend gute nacht weiter sehr si no gracias muchas hola buenos buenas dias tardes noches adios vale
    claro bueno perfecto de nada por favor genial listo sigue continua oui non merci beaucoup bonjour bonsoir salut
    coucou revoir au dac accord d bien parfait tres super s il te vous plait sim nao obrigado obrigada ola oi bom
    boa dia tarde noite tchau beleza certo perfeito valeu grazie ciao prego buongiorno buonasera va bene perfetto
    certo arrivederci dank je wel hoi doei goed prima graag tot ziens tak nie dzieki dziekuje czesc dobrze hej tack
    nej bra takk hei kiitos moi kylla ei evet hayir tesekkurler tesekkur ederim merhaba selam tamam да нет спасибо
    большое привет здравствуйте пока хорошо ладно ок понятно отлично пожалуйста дякую привіт так добре ναι οχι
    ευχαριστω γεια نعم لا شكرا مرحبا اهلا تمام حسنا السلام عليكم כן לא תודה שלום हाँ हां नहीं धन्यवाद शुक्रिया
    नमस्ते ठीक है अच्छा 네 넵 예 응 아니요 아니 감사합니다 감사해요 고마워요 고마워 안녕하세요 안녕 좋아요 좋아
    알겠습니다 알겠어요 ㅋㅋ ㅎㅎ ㅇㅋ vang khong cam on xin chao terima kasih iya tidak baik halo ขอบคุณ ขอบคุณครับ
    ขอบคุณค่ะ สวัสดี สวัสดีครับ สวัสดีค่ะ ครับ ค่ะ ใช่ ไม่ โอเค
    """.split()
)
# Words that only go with others of the list: among themselves they are no greeting.
_FILLERS = frozenset("you so much very too the all is it that a lot on do my friend there de je d s il te".split())
_PHRASES = (
    "how are you|how are you doing|how is it going|how s it going|what s up|whats up|see you|see you later|see ya",
    "do it|just do it|let s go|lets go|go for it|sounds good|looks good|that works|works for me|no problem",
    "never mind|got it|makes sense|i see|good to know|keep going|carry on|try again|one more time|you re welcome",
    "nice to meet you|i agree|wie geht s|wie geht es dir|mach weiter|que tal|como estas|ca va|comment ca va",
    "tudo bem|como vai|come stai|как дела|你好吗|你好嗎|お元気ですか|元気ですか|잘 지내",
)

# Unspaced scripts: the text is made of these, one after the other.
_PARTS = sorted(
    """
    好的 好 好吧 好呀 好啊 好哒 行 行吧 可以 没问题 沒問題 谢谢 謝謝 谢了 多谢 多謝 感谢 感謝 非常 太 棒 棒了 你 您
    你们 了 啦 呀 哦 喔 噢 啊 嗯 嗯嗯 哈 嘿 呵 是 是的 对 對 对的 對的 不 不是 不用 不用了 没有 没事 你好 您好
    大家好 早 早上好 早安 晚上好 晚安 下午好 再见 再見 拜拜 明白 明白了 了解 知道 知道了 收到 继续 繼續 辛苦 辛苦了
    请 請 吧 的 很 真 はい いいえ うん ええ ありがとう ありがとうございます ございます ございました どうも
    こんにちは こんばんは おはよう おやすみ さようなら お願いします おねがいします よろしく すみません ごめん
    ごめんなさい 了解です 了解しました わかりました 分かりました なるほど いいね いいよ オーケー オッケー です ね よ
    草 笑
    """.split(),
    key=len,
    reverse=True,
)
_UNSPACED = lazy("(?:" + "|".join(map(re.escape, _PARTS)) + ")+")
_HAS_UNSPACED = lazy("[\u3040-\u30ff\u3400-\u9fff]")
_REPEATED = re.compile(r"(.)\1{2,}")
_LAUGHTER = re.compile(
    r"(?:(?:ha|he|hi|ja|je|ah|xa|ха)+h?|k{2,}|w{2,}|o+h+|a+h+|h?m+|lo+l|5{2,}|6{2,}|[ㅋㅎㅠㅜ\u110f\u1112\u1172\u116e]+)"
)
_LONGEST = 80


def _fold(text: str) -> str:
    """Lower case, half width, without the accents that people leave out; other scripts keep their marks."""
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", "".join(char for char in apart if not "\u0300" <= char <= "\u036f"))


_KNOWN = frozenset(map(_fold, _WORDS))
_KNOWN_PHRASES = frozenset(_fold("|".join(_PHRASES)).split("|"))


def is_small_talk(text: str) -> bool:
    """True for a text that asks for nothing that could be remembered; True also for empty and wordless ones."""
    if len(text) > _LONGEST * 4:
        return False
    if len(text) > _LONGEST and text.isascii():  # the most of what is asked: nothing of it changes its length
        return not any(map(str.isalnum, text))
    folded = _fold(text)
    words = "".join(char if unicodedata.category(char)[0] in "LNM" else " " for char in folded).split()
    if not any(unicodedata.category(char)[0] in "LN" for word in words for char in word):
        return True
    if len(words) > 8 or len(folded) > _LONGEST:
        return False
    if " ".join(words) in _KNOWN_PHRASES:
        return True
    return all(map(_is_small, words)) and not all(word in _FILLERS for word in words)


def _is_small(word: str) -> bool:
    if word in _KNOWN or _LAUGHTER.fullmatch(word) or _REPEATED.sub(r"\1", word) in _KNOWN:
        return True
    if word.isdigit() and len(word) <= 2:
        return True
    return bool(_HAS_UNSPACED.search(word) and _UNSPACED.fullmatch(word))
