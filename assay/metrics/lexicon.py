"""The words the matcher knows: what they stand for, how much they say, which exclude each other.

It is general vocabulary, mostly English. A word that is not here counts as a fact in itself.
Tables are text: words apart by spaces, groups apart by `|`, the first of a group stands for it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from assay.metrics.text import stem


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


def _groups(table: str) -> list[list[str]]:
    return [group.split() for group in table.replace("\n", " ").split("|")]


USER = "@user"
LIGHT_WEIGHT = 0.3
MIN_ROOT = 4
"""Related keys have at least so many letters in common."""

USERS = _words("""
user users benutzer benutzerin nutzer nutzerin utilisateur utilisatrice usuario usuaria utente
usuário usuária kullanıcı kullanıcının gebruiker użytkownik пользователь ユーザー उपयोगकर्ता
""")  # noqa: RUF001 (Turkish has a dotless i)
PRONOUNS = _words("him her them they he she")

PHRASES = """
1 times: once|2 times: twice|3 times: thrice|not: no longer, not any more, not anymore, yet to|formerly: used to|accustomed to: is used to, was used to, are used to
|dislike: can not stand, could not stand, can not bear|want: would like, would love
|prefer: would rather|stopped: gave up, given up|stops: gives up|stopping: giving up
|removed: got rid of|than: instead of, rather than, as opposed to|also: not only
|because: because of, due to|and: as well as|to: in order to|beside: next to
|is named: is called, goes by|-: each other, at the moment, right now, these days, at present
|two: a couple of, a pair of|twelve: a dozen|six: half a dozen|100: a hundred|1000: a thousand
|1000000: a million|secondhand: second hand|enabled: switched on, turned on
|disabled: switched off, turned off|phone: cell phone, mobile phone|lounge: living room
|highschool: high school|dismissed: laid off, made redundant, let go
|separated: broke up, split up, broken up|long: long haul|fulltime: full time|parttime: part time
|allergy: allergic reaction|usa: united states|britain: united kingdom|age: year old, years old
|weekend: at weekends|adult: grown up|died: passed away|is: takes place, take place
|was: took place|motherinlaw: mother in law|fatherinlaw: father in law
|brotherinlaw: brother in law|sisterinlaw: sister in law|soninlaw: son in law
|daughterinlaw: daughter in law|inlaws: parents in law
"""
"""Fixed phrases after the word they mean; `-` is none."""

STOP = _words("""
a an the this that these those there here it its he him his she her hers they them their theirs
themselves himself herself itself themself i me my we our you your who whom which what whose where
how and or also too then so as of in on at to for with by from into onto about during over through
across via within among between upon around towards toward per be is are was were been being am do
does did done doing will would shall should can could might must very really quite strongly
extremely truly absolutely just currently now already own any such again ever s d ll re
ve t o each every because since while when whenever rather have has had having named called mr mrs
ms miss dr prof professor doctor st name call der das den dem des ein eine einen einem einer im
zum zur und mit von zu auf für ist seit seine seiner le la les l un une du de à au aux en dans sur
et est son sa ses pour par vers chez el los las una del al y con por para su sus es e il lo gli di
da che nel della alla os um uma dos na ao aos em bir bu के की का को में से है हैं और は が を に の で と
も へ や
""")
"""Words of grammar: order, role and negation see them, coverage does not."""

LIGHT = _words("""
get go take make use keep put give come become work find need try like want do let set run spend
time way thing lot kind type part place people person someone something bit regular regularly
usual usually general generally typical typically particular particularly often long new good
consider enjoy able located currently based form several various much many well up out off down
away back together along undergo cause lead result follow suffer experience ago visit attend
""")
"""Common words whose loss seldom changes a fact."""

RELATIONS = """
mother mum mom mummy mommy mama|father dad daddy papa|parent|grandmother grandma granny nan
|grandfather grandpa grandad granddad|grandparent|wife|husband|spouse|partner|girlfriend|boyfriend
|fiancé fiancée fiance fiancee|ex|brother|sister|sibling|son|daughter|child kid|uncle|aunt auntie
|nephew|niece|cousin|grandson|granddaughter|grandchild|twin|boss manager supervisor
|colleague coworker|friend|roommate flatmate housemate|neighbour neighbor|landlord|tenant
|motherinlaw|fatherinlaw|brotherinlaw|sisterinlaw|soninlaw|daughterinlaw|inlaws
|stepmother stepmum stepmom|stepfather stepdad|stepson|stepdaughter
"""

SYNONYMS = """
start begin commence|buy purchase|job position occupation|flat apartment|car automobile
|bike bicycle|motorbike motorcycle|film movie|big large|small little|quick fast rapid
|sick ill unwell|holiday vacation|autumn fall|photo photograph picture|tv television
|exam examination|salary wage pay paycheck|answer reply response respond|short brief concise
|live reside|marry wedding|help assist|repair fix mend|choose pick select|learn study
|talk speak communicate|plan intend|scared afraid frightened|year yearly annual|month monthly
|week weekly|day daily|night nightly|firm company business|shop store|university uni college
|cinema theater|courgette zucchini|aubergine eggplant|coriander cilantro|biscuit cookie
|crisps chips|petrol gasoline|rubbish trash garbage|lift elevator|lorry truck|trainers sneakers
|football soccer|trousers pants|jumper sweater pullover|tap faucet|pavement sidewalk|nappy diaper
|pram stroller|loan debt|finish complete|show display|need require|enable activate
|disable deactivate|error mistake|beautiful pretty|tired exhausted|glad happy|angry cross
|rich wealthy|clever smart intelligent|phone smartphone|email mail|physician doctor gp
|vet veterinarian|dentist dental|chart graph|home house|supper dinner|journey trip
|rehab rehabilitation|medicine medication|injure hurt|ache pain|kg kilo kilogram|gram g
|km kilometre kilometer|mg milligram|hour hr|minute min|dollar usd|euro eur|pound gbp
|stop quit cease resign|separate split|infant baby|get obtain receive|own possess|extra additional
|entire whole|main primary|often frequently|sometimes occasionally|dismiss fire|create build
|replace substitute|switch change|organise arrange|like enjoy love|want wish|britain uk british
|usa us american|cut trim prune|supervise advise|employ hire|practise practice|tidy clean
|fee price|near close|persuade convince|allow permit|forbid ban prohibit|strong strongly
|book schedule|ask request|abroad overseas|attend visit|avoid refrain|relative family|repay pay
|work employ|teach instruct|keep retain|handle manage|worried anxious nervous|lunch luncheon
|comedy comic|forest wood|street road|town city|present gift|kit equipment|story tale
|author writer|lawyer attorney solicitor|nurse nursing|actor actress|singer vocalist|cook chef
|pupil student|hospital clinic
"""

ANTONYMS = """
accept decline|accept reject|accept refuse|buy sell|buy rent|sell rent|lend borrow|win lose
|open close|before after|early late|morning evening|morning afternoon|morning night
|afternoon evening|day night|more less|more fewer|increase decrease|increase reduce|gain lose
|up down|on off|in out|left right|north south|east west|old young|hot cold|big small|long short
|high low|first last|upstairs downstairs|inside outside|indoor outdoor|always sometimes
|arrive leave|join leave|start finish|marry divorce|hire dismiss|pass fail|enable disable
|love hate|male female|public private|cheap expensive|left stay|summer winter|spring autumn
|weekday weekend|breakfast dinner|breakfast lunch|lunch dinner|am pm|permit forbid|include exclude
|import export|maternal paternal|mother father|full empty|hard soft|dark light|front back
|top bottom|push pull|next last|want have|plan finish|single marry|fulltime parttime
|minimum maximum|most least|best worst|better worse|add remove|ascend descend|give receive
|teach learn|teach study|send receive|employer employee|for against|older younger|elder younger
|eldest youngest|oldest youngest|start leave|start end|follow lead|manual automatic|fail succeed
"""

NEGATORS = _words("""
not no never none nobody nothing neither nowhere without cannot hardly scarcely barely rarely seldom
unable former formerly previously few
""")
"""Each turns a statement round; an even number of them leaves it as it was."""

DEGREES = _words("hardly scarcely barely rarely seldom few")
"""Negators that leave some of it."""

NEGATORS_ABROAD = _words("""
nicht kein keine keinen keiner nie niemals ohne ne jamais sans nunca jamás nada nadie sin não nem sem
non mai senza inte ingen inget ikke ingen ei nem nu tidak bukan không δεν לא niet geen değil yok नहीं मत не нет никогда nie لا ليس 안 않 ない ません ぬ じゃない ではない
不 没 沒 未 無 无
""")
NEGATIVE_VERBS = _words("avoid stop quit cease lack refuse decline forget skip reject")
NEGATIVES = """
like hate dislike detest loathe despise unlike|trust distrust mistrust|agree disagree
|approve disapprove|obey disobey|allow disallow|happy unhappy|comfortable uncomfortable
|employ unemployed|marry unmarried|paid unpaid|finish unfinished|sure unsure|satisfy dissatisfied
|interest uninterested|willing unwilling|likely unlikely|aware unaware|familiar unfamiliar
|vaccinate unvaccinated|available unavailable|heed ignore|active inactive|possible impossible
|capable incapable|pass fail
"""
"""Words that hold a negation, after what they negate."""

INTENTS = _words("want prefer plan intend hope consider try might may should need wish aim dream möchte")
"""Words that make a wish or a plan of a statement; a wish is not the fact wished for."""

LIMITS = _words("only except unless until if otherwise but although despite solely exclusively")
"""Words that narrow a statement: with one and without one are two statements."""

CUES = _words("""
from to before after under than with by for against until since into over von nach vor bis vers
avant après desde hasta antes después prima dopo
""")
"""Words whose object has a role: other objects of one cue are other roles."""

OPPOSITE_CUES = (
    *(("from", "to"), ("before", "after"), ("for", "against"), ("over", "under"), ("since", "until")),
    *(("to", "from"), ("after", "before"), ("against", "for"), ("under", "over"), ("until", "since")),
)
OBJECTS = _words("him them")
AUXILIARIES = _words("has have had is are was were been being be will who")
BE = _words("am is are was were be been being gets got")
DETERMINERS = _words("a an the his her their user")
PIVOTS = _words("and or is are was were")
"""Words whose two sides may change places."""

_UNITS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen
"""
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ABROAD = """
zwei deux dos dois दो|drei trois tres três तीन|vier quatre cuatro quatro चार
|fünf cinq cinco पाँच|sechs seis छह|sieben sept siete sete सात|acht huit ocho oito आठ
|neun neuf nueve नौ|zehn dix diez dez दस
"""
_TIMES = {"both": "2", "dozen": "12", "pair": "2", "couple": "2", "half": "0.5"}
_MAX_FIGURES = 6
_POWERS = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_IRREGULAR = """
teach taught|buy bought|sell sold|lend lent|run ran|take took taken|give gave given|get got gotten
|go goes went gone|have has had having|make made|keep kept|leave left|meet met|pay paid|say said
|sleep slept|speak spoke spoken|write wrote written|drive drove driven|ride rode ridden
|grow grew grown|know knew known|lose lost|win won|sing sang sung|swim swam|break broke broken
|choose chose chosen|begin began begun|feel felt|find found|think thought|bring brought
|catch caught|build built|spend spent|move moved|eat ate eaten|come came|tell told
|fall fell fallen|see saw seen|stand stood|do did done|wear wore worn|hold held|hear heard
|send sent|quit quitting|child children|wife wives|person people|man men|woman women|foot feet
|tooth teeth|lie lying|die died dying|marry married marries marriage|beat beaten|become became
|study studied studies|forget forgot forgotten
"""
_SUFFIXES = """
s e y al ic ian an ese ish ist ism er or r ing ed ment ship hood ful ness ity ty ation cation t ion
tion sion ative ive ance ence ant ent able ible ical person man woman work ly ally ified
"""


def canonical_words(words: Iterable[str]) -> tuple[str, ...]:
    """Folded words with fixed phrases replaced, negative words opened and numbers as digits."""
    text = " ".join(words)
    for phrase, meaning in _BY_LENGTH:
        if phrase in text:
            text = f" {text} ".replace(f" {phrase} ", f" {meaning} ").strip()
    found: list[str] = []
    for word in _opened(text.split()):
        last = found[-1] if found else ""
        number = _NUMERALS.get(word, word)
        if word in _POWERS and last.isdecimal() and len(last) <= _MAX_FIGURES:
            found[-1] = str(int(last) * _POWERS[word])
        elif word in _NUMERALS and len(number) == 1 and last in _FULL_TENS:
            found[-1] = str(int(last) + int(number))
        else:
            found.append(_figures(number) if number.isdecimal() else number)
    return tuple(found)


def _opened(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        base = _NEGATIVES.get(stem(word))
        yield from (word,) if base is None else ("not", base)


def _figures(number: str) -> str:
    """The number in ASCII figures, without leading zeros."""
    return "".join(str(unicodedata.decimal(figure)) for figure in number).lstrip("0") or "0"


@lru_cache(maxsize=65536)
def key_of(word: str) -> str:
    """What a word stands for: a number `#3`, a relation `&mother`, `@user`, or a stem."""
    if word in USERS:
        return USER
    if word[0].isdecimal():
        return f"#{word}"
    root = _root(word)
    return f"&{_RELATION[root]}" if root in _RELATION else _SYNONYM.get(root, root)


@lru_cache(maxsize=65536)
def are_related(a: str, b: str) -> bool:
    """Whether one key is the other with an ending that makes a new word: `music` and `musical`."""
    short, long = sorted((a, b), key=lambda key: (len(key), key))
    if not (short.isalpha() and long.isalpha()):
        return False
    roots = (root for root in (short, short[:-1]) if len(root) >= MIN_ROOT)
    return any(long.startswith(root) and long[len(root) :] in _ENDINGS for root in roots)


def is_participle(word: str) -> bool:
    """Whether a word may be a past participle."""
    return word in _BASE or word.endswith(("ed", "en"))


def _root(word: str) -> str:
    return stem(_BASE.get(word, word))


def keys_of(words: Iterable[str]) -> frozenset[str]:
    """The keys of words."""
    return frozenset(map(key_of, words))


def _numerals() -> dict[str, str]:
    found = {word: str(n) for words in (_UNITS, _ORDINALS) for n, word in enumerate(words.split())}
    found |= {word: str(10 * n) for n, word in enumerate(_TENS.split(), start=2)}
    found |= {word: str(n) for n, words in enumerate(_groups(_ABROAD), start=2) for word in words}
    return found | _TIMES


def _opposites() -> dict[str, frozenset[str]]:
    pairs = [tuple(map(key_of, pair)) for pair in _groups(ANTONYMS)]
    both = [*pairs, *(pair[::-1] for pair in pairs)]
    return {key: frozenset(b for a, b in both if a == key) for key, _ in both}


_NUMERALS = _numerals()
_FULL_TENS = frozenset(str(tens) for tens in range(20, 100, 10))
_BASE = {form: base for base, *forms in _groups(_IRREGULAR) for form in forms}
_RELATION = {_root(word): group[0] for group in _groups(RELATIONS) for word in group}
_SYNONYM = {_root(word): _root(group[0]) for group in _groups(SYNONYMS) for word in group}
_NEGATIVES = {stem(word): base for base, *words in _groups(NEGATIVES) for word in words}
_PHRASES = {
    phrase: meaning.strip(" -")
    for meaning, _, phrases in (entry.partition(": ") for entry in PHRASES.replace("\n", "").split("|"))
    for phrase in phrases.split(", ")
}
_BY_LENGTH = sorted(_PHRASES.items(), key=lambda entry: (-len(entry[0]), entry[0]))
_FOLDED = [suffix[:-1] for suffix in _SUFFIXES.split() if suffix[-1] == "e"]
_ICAL = [suffix[:-1] + "i" for suffix in _SUFFIXES.split() if suffix[-1] == "y"]
_PLAIN = frozenset((*_SUFFIXES.split(), *_FOLDED, *_ICAL))
_ENDINGS = _PLAIN | {"e" + suffix for suffix in _PLAIN}
OPPOSITES = _opposites()
LIGHT_KEYS = keys_of(LIGHT) | keys_of(NEGATIVE_VERBS)
SLIGHT_KEYS = LIGHT_KEYS | NEGATORS | NEGATORS_ABROAD
NEGATIVE_KEYS = keys_of(NEGATIVE_VERBS)
INTENT_KEYS = keys_of(INTENTS)
