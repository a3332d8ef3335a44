"""Small talk gets no recall, in any language (B040, P34)."""

import pytest
from cognition.recall.smalltalk import is_small_talk


@pytest.mark.parametrize(
    "text",
    """ok|OK!|okkk|thanks|Thank you so much!!|hi there|Good morning!|yes please|go ahead|continue
lol|hahaha
how are you?
好的|谢谢|好的，谢谢你！|嗯嗯|继续|はい|ありがとうございます！|了解です
네, 감사합니다|ㅋㅋㅋ|gracias|¡Muchas gracias!|да
Здравствуйте|спасибо
merci beaucoup|ça va?|danke schön|obrigado|grazie|tak|धन्यवाद|شكرا|תודה|สวัสดีครับ|👍|ok 👍|?|...|   ||2""".replace(
        "\n", "|"
    ).split("|"),
)
def test_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    """检查一下网络|xqzv wplk|where is it?|what is my name|do I like tabs?|yes, use the staging host|thanks, now deploy
猫の名前は?|npm|我叫什么|good database|hi, what did we decide about the host?""".replace("\n", "|").split("|"),
)
def test_questions_and_requests_are_none(text: str) -> None:
    assert not is_small_talk(text)


def test_any_length_is_cheap() -> None:
    assert not is_small_talk("ha" * 1_000_000)
