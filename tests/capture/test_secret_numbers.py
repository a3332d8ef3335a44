"""Secrets that only the words around them give away: codes, PINs, national numbers, log-in pairs, odd hook links."""

import pytest
from cognition.capture.redact import redact

MASKED = [
    ("we use pw Semmel4711 for staging", "Semmel4711"),
    ("Our staging credentials are maria:Semmel4711", "Semmel4711"),
    ("the code for the alarm is 4821", "4821"),
    ("The door code is 4821#.", "4821"),
    ("our gate code: 7731", "7731"),
    ("the safe combination is 12-34-56", "12-34"),
    ("PIN for the door: 4821", "4821"),
    ("alarm PIN 4821", "4821"),
    ("my card pin is 4821", "4821"),
    ("the garage keypad code is 90210", "90210"),
    ("The code to the front door is now 4821.", "4821"),
    ("4821 is the alarm code", "4821"),
    ("the safe opens with 4821", "4821"),
    ("enter 4821 at the gate", "4821"),
    ("use 4821 as the PIN", "4821"),
    ("Der Code für die Alarmanlage lautet 4821", "4821"),
    ("Haustürcode ist 4821", "4821"),
    ("Der Türcode ist 4821.", "4821"),
    ("die PIN ist 4821", "4821"),
    ("el código de la puerta es 4821", "4821"),
    ("le code de la porte est 4821B", "4821"),
    ("digicode 4821A", "4821"),
    ("o código do alarme é 4821", "4821"),
    ("il codice dell'allarme è 4821", "4821"),
    ("mi pin es 4821", "4821"),
    ("mon code pin est 4821", "4821"),
    ("门禁密码是 4821", "4821"),
    ("大门密码4821", "4821"),
    ("验证码是482113", "482113"),
    ("金庫の番号は 4821 です", "4821"),
    ("the alarm code is four eight two one", "four eight"),
    ("my phone unlock code is 123456", "123456"),
    ("the code to my phone is 123456", "123456"),
    ("verification code: 482113", "482113"),
    ("your one-time code is 482113", "482113"),
    ("CVV is 123", "123"),
    ("the bike lock's combination is 4821", "4821"),
    ("my SSN is 123-45-6789", "6789"),
    ("Social security number: 123 45 6789.", "123 45"),
    ("my passport number is C01X00T47", "C01X00T47"),
    ("my national insurance number is QQ 12 34 56 C, remember it", "12 34"),
    ("123-45-6789 is my social security number", "6789"),
    ("Meine Steuer-ID ist 12 345 678 901", "345 678"),
    ("meine Sozialversicherungsnummer lautet 65 170839 J 003", "170839"),
    ("mi DNI es 12345678Z", "12345678"),
    ("meu CPF é 123.456.789-09", "456"),
    ("mon numéro de sécurité sociale est 1 85 05 78 006 084 36", "006 084"),
    ("driver's license number D1234567", "D1234567"),
    ("我的身份证号是11010519491231002X", "1949"),
    ("my tax id is 12-3456789", "3456789"),
    ("il mio codice fiscale è RSSMRA85T10A562S", "A562S"),
    ("https://hooks.slack.com/services/T0/B0/x.y~z", "x.y"),
    ("https://hooks.slack.com/workflows/T01%2FA02/345/abc-d", "abc-d"),
    ("post to hooks.slack.com/services/T000/B_1/ab,cd", "B_1"),
    ("hooks.slack.com//services//T1//B2//abc", "abc"),
    ("Zugangsdaten: maria / sommer", "sommer"),
    ("login as maria with Semmel4711", "Semmel4711"),
    ("user: maria, pass: Semmel4711", "Semmel4711"),
    ("the wifi pw is Semmel", "Semmel"),
    ("pw=abc", "abc"),
    ("our passwords are Semmel4711 and Brezel4712", "Semmel4711"),
    ("the login for staging is maria/Semmel4711", "Semmel4711"),
    ("STAGING_PW: Semmel", "Semmel"),
    ("the wifi code is 88213377", "88213377"),
    ("keypad: 7741 for the shed door", "7741"),
    ("kod do bramy to 4821", "4821"),
]

LEFT = [
    "error code 4821",
    "postal code 8010",
    "The area code is 0316",
    "status code 404",
    "exit code 137",
    "code review is at 4821",
    "the code for the parser is in parse.py",
    "The zip code for the office is 80100",
    "The building code is 2018",
    "the code for the door sensor is 4821 lines long",
    "door sensor code is in door.py",
    "country code is 0043",
    "discount code SAVE2024",
    "Remember that the gate code changes every Monday.",
    "GPIO pin 17 is input",
    "pin 8080 is free",
    "pin numpy to 1.26.4",
    "Pin 13 drives the LED",
    "the access log has 48211 rows",
    "security patch 48211",
    "the lock file is 4821 bytes",
    "My flight number is KL1234.",
    "my badge number is 5521",
    "My passport expires in 2027",
    "order number is 123456789",
    "the ticket number is 482113",
    "SSN has 9 digits",
    "log in as admin with two factors",
    "login is email / password",
    "The login page is done",
    "credentials are stored in vault",
    "Passwords are case-sensitive.",
    "passwords are hashed with bcrypt",
    "tests pass: 12345, fail: 2",
    "pass: everything",
    "connect to redis with tls1.3",
    "sign in with Google2FA?",
    "HTTP code 500 at the gateway",
    "the safe option is 2024",
    "the code for the lock screen is in lock.py",
    "unlock the door at 4821 Main Street",
    "our house code 12",
    "see https://api.slack.com/messaging/webhooks",
    "use 3000 for the api",
    "type 4821 in the box",
    "Press 1 to open the door",
    "error code for the alarm is 4821",
    "the alarm event code 4821 means low battery",
    "alarm error code 4821",
    "the model number is 1234567",
    "My employee id is 55821",
    "national id field is 20 characters",
    "the gate opens at 0800",
    "The access code path is 4821ms slower",
    "the process with pid 48211 opens the door",
    "the nie function returns 12345",
    "http status code for login is 40100",
    "pwm duty 4821",
    "the code for phone numbers in Austria is 0043",
    "credentials: user/password",
    "creds are in 1Password",
    "logins: 12:30 and 14:45",
    "login: 2024-05-06 12:30",
]


@pytest.mark.parametrize(("text", "secret"), MASKED)
def test_what_opens_a_door_or_names_a_person_is_masked(text: str, secret: str) -> None:
    """CD97, B007."""
    masked = redact(text)
    assert secret not in masked
    assert redact(masked) == masked


@pytest.mark.parametrize("text", LEFT)
def test_other_codes_and_numbers_stay(text: str) -> None:
    """HA49."""
    assert redact(text) == text


def test_a_national_number_has_a_label_of_its_own() -> None:
    assert redact("my SSN is 123-45-6789.") == "my SSN is [REDACTED id]."


def test_the_user_name_of_a_pair_stays() -> None:
    assert redact("Our staging credentials are maria:Semmel4711") == (
        "Our staging credentials are maria:[REDACTED credential]"
    )
