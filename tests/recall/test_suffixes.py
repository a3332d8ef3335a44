"""Forms of a word in German, Spanish, French and Portuguese meet; English words do not change."""

import pytest
from cognition.recall import analyse
from cognition.recall.suffixes import base
from hypothesis import given
from hypothesis import strategies as st

PAIRS = {
    "de": """
        Rechnungen/Rechnung Datenbanken/Datenbank Server/Servern Schlüssel/Schlüsseln Häuser/Haus Bücher/Buch
        Städte/Stadt Passwörter/Passwort Fragen/Frage Dateien/Datei Kunden/Kunde Einheiten/Einheit Ergebnisse/Ergebnis
        Kolleginnen/Kollegin Prüfungen/Prüfung Termine/Termin Projekte/Projekt Katzen/Katze installiert/installieren
        Allergien/Allergie Straße/Strassen Konten/Konto Kinder/Kind größe/Größen
    """,
    "es": """
        alergias/alergia servidores/servidor reuniones/reunión contraseñas/contraseña facturas/factura luces/luz
        árboles/árbol alérgica/alérgico casada/casado enfermera/enfermero directora/director ciudades/ciudad
        configuraciones/configuración profesoras/profesor vecina/vecino lápices/lápiz nerviosa/nervioso claves/clave
    """,
    "fr": """
        préférences/préférence animaux/animal chevaux/cheval bureaux/bureau factures/facture réunions/réunion
        sportive/sportif heureuse/heureux directrice/directeur étudiante/étudiant première/premier employée/employé
        employées/employés française/français logiciels/logiciel clés/clé quotidienne/quotidien
        musiciens/musicien européenne/européen niveaux/niveau
    """,
    "pt": """
        reuniões/reunião configurações/configuração animais/animal mensagens/mensagem imagens/imagem servidores/servidor
        alergias/alergia papéis/papel espanhóis/espanhol possíveis/possível pães/pão diretora/diretor casada/casado
        senhas/senha vezes/vez alérgica/alérgico ordens/ordem mãos/mão
    """,
}
APART = """
    listen/list eleven/elevator pattern/patter eastern/easter southern/south plane/plan note/not motif/motive
    fasten/fast chicken/chick lessen/less screen/scree threaten/threat intern/inter tavern/taver data/date
    camera/camel canada/canal opera/operate modern/mode pollen/poll maiden/maid several/severn garden/garde
"""
TOGETHER = """
    listen/listened listen/listens garden/gardens garden/gardening kitchen/kitchens happen/happened threaten/threatening
    concern/concerned pattern/patterns govern/governed screen/screens citizen/citizens camera/cameras banana/bananas
    opera/operas pizza/pizzas video/videos shoe/shoes hero/heroes client/clients service/services tavern/taverns
"""


def pairs(text: str) -> list[list[str]]:
    return [pair.split("/") for pair in text.split()]


@pytest.mark.parametrize("language", PAIRS)
def test_forms_of_a_word_meet(language: str) -> None:
    """Plural and feminine forms are found by the plain one, in whichever language the question is typed (H6, 1)."""
    assert len(pairs(PAIRS[language])) >= 12
    apart = [pair for pair in pairs(PAIRS[language]) if analyse.index_terms(pair[0]) != analyse.index_terms(pair[1])]
    assert not apart


@pytest.mark.parametrize("language", PAIRS)
def test_a_question_has_the_terms_of_a_text(language: str) -> None:
    for one, other in pairs(PAIRS[language]):
        (term,) = analyse.question(one, keep_stop_words=True).terms
        assert [term.text] == analyse.index_terms(other)


def test_english_is_as_before() -> None:
    """No rule brings English words together that differ, or parts the forms of one."""
    assert not [pair for pair in pairs(APART) if analyse.index_terms(pair[0]) == analyse.index_terms(pair[1])]
    assert not [pair for pair in pairs(TOGETHER) if analyse.index_terms(pair[0]) != analyse.index_terms(pair[1])]


@given(st.text(max_size=60))
def test_any_word_keeps_a_beginning(word: str) -> None:
    """A word never vanishes, and an ending is cut once: what is left is a term without white space."""
    folded = analyse.fold(word)
    assert bool(base(folded, word.casefold())) == bool(folded)
