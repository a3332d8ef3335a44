"""Related words: a question about pets is answered by a sentence about a dog, which names none.

Written by hand for everyday English and for work with software, with some lines for other languages.  A line
`heads: members` lets a head of a question find the members; `=: words` holds both ways.  Everything goes through
`analyse`, so that one form of a word stands for all of its forms.
"""

from functools import lru_cache

from . import analyse

MOST_KIN = 14  # words that one word of a question may bring

_LINES = """
=: kid child son daughter toddler baby
kid child: boy girl family
family relative: mother father mom dad sister brother aunt uncle cousin grandma grandpa wife husband son daughter kid
parent: mother father mom dad
sibling: brother sister
brother: sibling bro
sister: sibling sis
grandparent: grandma grandpa grandmother grandfather
=: spouse partner husband wife
partner: girlfriend boyfriend fiance
relationship dating: girlfriend boyfriend date dating married single breakup husband wife partner
married marriage: wedding husband wife anniversary engaged
wedding: married marriage ceremony bride
=: friend buddy pal
friend: teammate neighbor
pet pets animal: dog cat puppy kitten turtle fish hamster rabbit bird parrot snake horse pup
=: dog puppy pup doggy
=: cat kitten kitty
=: job work career profession occupation employment
job work: hired fired interview company employer position promotion office
occupation profession: teacher engineer nurse doctor lawyer writer designer developer
boss manager: supervisor lead
colleague coworker: team office
=: company business firm startup employer
business: store shop customers
study: degree major course school university college class
education educate: degree school university college course study class
school: class teacher student
teach: teacher class student lesson
course class: lesson workshop training
learn: taught class lesson
hobby pastime interest: painting reading hiking cooking gardening photography knitting running dancing fishing
activity: hiking painting camping swimming running yoga dancing cycling pottery fishing cooking reading
outdoor nature: hike camping forest mountain lake park trail beach
sport: basketball football soccer tennis baseball hockey golf volleyball swimming running skiing surfing boxing
exercise fitness: workout gym running training yoga walk swim jog
instrument: guitar piano violin drums clarinet flute trumpet cello saxophone ukulele
music musician: song band concert album guitar piano violin singer playlist tune
band artist: singer song concert album
concert gig: band show performance festival music
=: song tune
=: movie film
movie: cinema watch trilogy series show
show: series episode watch tv
game: video console playstation xbox nintendo board tournament
book novel: read author story series
read: book novel
write: story script novel book poem blog screenplay article
art artwork: painting drawing sculpture canvas sketch
paint painting: canvas art draw sketch
craft: pottery knitting sewing woodwork
food dish meal: cook recipe dinner lunch breakfast eat pizza pasta salad cake soup chicken
eat: food meal dinner lunch restaurant
cook: recipe bake dish meal kitchen
recipe: cook bake dish ingredients
bake: cake cookie bread pastry
dessert snack: cake ice cream chocolate cookie pie candy
drink: coffee tea wine beer soda water juice
diet: vegetarian vegan food gluten
trip travel vacation holiday: visit flight road country city beach tour journey
=: trip vacation holiday travel
visit: trip went
country: france italy spain germany england japan china canada mexico ireland sweden thailand india brazil
city town: paris london rome tokyo boston seattle chicago york barcelona berlin
live reside: home house apartment moved city
address: street city home
move: moved relocate apartment
=: home house apartment flat
place: park beach museum cafe restaurant trail lake
=: car vehicle
car vehicle: drive truck van bike
=: stress destress
stress destress relax unwind: yoga meditation calm walk therapy peace
=: injury hurt injure
injury accident: broke sprain hospital
health illness disease: doctor hospital sick diagnosis surgery pain weight diet ill
sick ill: flu doctor hospital
doctor: hospital appointment checkup
medicine medication: pill prescription dose
allergy allergic: nuts pollen gluten lactose react
=: allergy allergic allergen
fear afraid: scared nervous anxious
emotion feel: happy sad proud excited nervous grateful
happy: glad joy excited
sad: upset grief loss heartbroken
die death: died passed loss funeral grief
=: buy purchase
buy: got ordered
sell: sold
gift present: gave birthday received
receive: got gift gave
give: gift gave present
meet: met
start begin: began
=: start begin
stop quit: gave up
win award: won prize trophy champion medal
competition contest tournament: won match race
=: competition contest tournament
event: festival party conference parade concert workshop
party: celebrate celebration birthday
celebrate: party anniversary birthday
birthday: born age
age old: birthday years
charity volunteer: shelter donate fundraiser community homeless cause
donate: donation charity
help: support volunteer assist
group: club community
goal dream: want hope plan
plan: going want hope
like enjoy love: love enjoy favorite fan prefer
favorite: love best prefer
prefer preference: favorite like
dislike hate avoid: hate dislike avoid never
believe religion religious faith spiritual: church god faith pray
political politics: election campaign office mayor vote policy government
military army: veteran service
=: money financial finance
money: pay salary budget afford bills debt fund
salary: pay earn income
store shop: opening
=: store shop
clothes clothing: dress shirt jacket wear shoes fashion
shoes: sneakers boots
jewelry: necklace ring bracelet
color: red blue green yellow purple pink black white orange
plant garden: flower tree vegetables
flower: rose sunflower tulip garden
weather: rain sunny snow storm
disaster: flood fire storm earthquake
=: photo picture photograph
photo: photography camera
name: called
nickname: called
=: recommend suggest
recommend suggest advice: recommendation tip try
inspire: inspiration motivate
motivate: inspired motivation
challenge problem: difficult hard tough struggle issue trouble
succeed success: achieved accomplished proud
adopt: adoption
gay queer: pride transgender lesbian
gender: transgender woman man
breakfast dinner lunch: meal eat
phone: mobile number iphone android
computer laptop: macbook thinkpad pc desktop
technology: laptop software app programming
app: application
editor ide: vim neovim emacs vscode sublime jetbrains pycharm intellij helix nano zed
database: postgresql mysql sqlite mongodb redis mariadb oracle cassandra dynamodb clickhouse
language programming: python rust golang java typescript javascript ruby kotlin swift elixir haskell
language speak: english german french spanish chinese portuguese italian japanese korean russian dutch
shell terminal: bash zsh fish tmux alacritty kitty wezterm powershell
browser: firefox chrome safari edge chromium brave
framework: django flask fastapi react vue angular svelte rails spring laravel nextjs
os operating linux: ubuntu debian fedora arch macos windows nixos
cloud hosting host: aws gcp azure hetzner digitalocean cloudflare vercel heroku
container: docker kubernetes podman
cache queue: redis memcached rabbitmq kafka
ci pipeline: jenkins github gitlab actions circleci
package: npm pnpm yarn pip poetry uv cargo
indent indentation: tabs spaces
test: pytest jest unittest
deploy deployment release: staging production rollout
server machine: host vm node
monitor monitoring: grafana prometheus datadog sentry
vcs: git mercurial
timezone: utc cet est pst
beruf arbeit: arbeite job firma
haustier: hund katze
essen: kochen gericht
auto: wagen fahren
trabajo empleo: trabajo empresa oficina
mascota: perro gato
comida: cocinar plato
travail metier: travaille entreprise bureau
animal: chien chat perro gato hund katze
"""


@lru_cache(maxsize=1)
def _heads() -> dict[str, tuple[str, ...]]:
    """Of each head, as an index term, the members of its lines as they stand there."""
    rows = [tuple(part.strip() for part in line.split(":")) for line in _LINES.strip().splitlines()]
    asked = [members if heads == "=" else heads for heads, members in rows]
    analyse.index_terms("\n".join(asked))  # all words at once: line by line it takes ten times as long
    table: dict[str, dict[str, None]] = {}
    for words, (_, members) in zip(asked, rows, strict=True):
        for head in analyse.index_terms(words):
            table.setdefault(head, {})[members] = None
    return {head: tuple(members) for head, members in table.items()}


@lru_cache(maxsize=4096)
def kin_of(term: str) -> tuple[str, ...]:
    """The related words of an index term, as index terms; empty for most.

    The members of a line become terms when one of its heads is asked for: a process asks for few of them.
    """
    found = analyse.index_terms("\n".join(_heads().get(term, ())))
    return tuple(dict.fromkeys(word for word in found if word != term))[:MOST_KIN]
