"""The words the matcher knows: what they stand for, how much they say, which exclude each other.

It is general vocabulary, mostly English. A word that is not here counts as a fact in itself.
Tables are text: words apart by spaces, groups apart by `|`, the first of a group stands for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from assay.metrics.text import stem


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


def _groups(table: str) -> list[list[str]]:
    return [group.split() for group in table.replace("\n", " ").split("|")]


USER = "@user"
LIGHT_WEIGHT = 0.2
MIN_ROOT = 4
"""Related keys have at least so many letters in common."""

USERS = _words("""
user users benutzer benutzerin nutzer nutzerin utilisateur utilisatrice usuario usuaria utente usuário usuária kullanıcı
kullanıcının gebruiker użytkownik пользователь ユーザー उपयोगकर्ता
""")  # noqa: RUF001 (Turkish has a dotless i)
ABROAD = USERS - {"user", "users"}
PRONOUNS = _words("him her them they he she")

STOP = _words("""
a an the this that these those there here it its he him his she her hers they them their theirs themselves himself herself
itself themself i me my we our you your who whom which what whose where how and or also too then so as of in on at to for with
by from into onto about during over through across via within among between upon around towards toward per be is are was were
been being am do does did done doing will would shall should can could might must very really quite strongly extremely truly
absolutely just currently now already own any such again ever s d ll re ve t o each every because since while when whenever
rather have has had having named called mr mrs ms miss dr prof professor doctor than up out off down away back together along
well around about yet even approximately roughly ihr ihre ihrem ihren ihrer ihres sein seinem seinen seines mein meine meinem
meinen meiner unser unsere leur leurs mon ma mes mi mis tu suo suoi sue suas seu seus nel nella dell all dall d lui lei st
name der das den dem des ein eine einen einem einer im zum zur und mit von zu auf für ist seit seine seiner le la les l un une
du de à au aux en dans sur et est son sa ses pour par vers chez el los las una del al y con por para su sus es e il lo gli di
da che nel della alla os um uma dos na ao aos em bir bu के की का को में से है हैं और は が を に の で と も へ や
""")
"""Words of grammar: order, role and negation see them, coverage does not."""

LIGHT = _words("""
get go take make use keep put give come become work find need try like want do let set run spend time way thing lot kind type
part place people person someone something bit regular regularly usual usually general generally typical typically particular
particularly often long new good consider enjoy able located currently based form several various much many undergo still
nowadays entirely fully totally wholly cause lead follow suffer experience ago visit attend
""")
"""Common words whose loss seldom changes a fact."""

RELATIONS = """
mother mum mom mummy mommy mama|father dad daddy papa|parent|grandmother grandma granny nan
|grandfather grandpa grandad granddad|grandparent|wife|husband|spouse|partner|girlfriend|boyfriend
|fiancé fiancée fiance fiancee|ex|brother|sister|sibling|son|daughter|child kid|uncle|aunt auntie|nephew|niece|cousin|grandson
|granddaughter|grandchild|twin|boss manager supervisor|colleague coworker|friend|roommate flatmate housemate
|neighbour neighbor|landlord|tenant|motherinlaw|fatherinlaw|brotherinlaw|sisterinlaw|soninlaw|daughterinlaw|inlaws
|stepmother stepmum stepmom|stepfather stepdad|stepson|stepdaughter
"""

SYNONYMS = """
start begin commence beginning commencement|stop quit cease resign resignation|finish complete end conclude completion
|buy purchase buyer|sell sale seller|pay repay payment repayment|rent hire lease rental|own possess owner ownership possession
|get obtain receive acquire receipt|keep retain|live reside residence resident|marry wedding marriage
|separate split separation|move relocate relocation|leave depart departure|arrive arrival|return homecoming
|travel journey trip voyage|tour excursion outing|holiday vacation|visit attend attendance visitor|stay remain
|walk stroll hike trek|run jog runner jogger|ride rider|fly flight aeroplane airplane|help assist assistance|support favour
|repair fix mend|build construct construction|create establish found foundation|choose pick select choice selection
|decide decision|plan intend intention|want wish desire|hope aspire|prefer preference|like enjoy love fond adore keen
|need require requirement|try attempt|use utilise utilize usage|learn study lesson learner studies
|teach instruct tuition teacher instructor tutor|train training trainee|practise practice
|participate participant participation|talk speak communicate conversation chat speaker speech|say state mention|tell inform
|ask request|answer reply respond response|explain explanation|describe description|discuss discussion
|argue quarrel argument dispute|complain complaint|agree agreement|approve approval grant|allow permit permission
|forbid ban prohibit prohibition|persuade convince|refuse refusal reject decline|advise advice adviser advisor
|recommend recommendation|suggest propose suggestion proposal|warn warning|remind reminder|think believe belief thought
|know knowledge|understand comprehend comprehension|remember recall|forget forgetful|watch view|listen|read reader reading
|write author writer|translate translation translator|publish publication|edit revise editor
|photograph photo picture photography photographer|paint painter|draw sketch|sing singer vocalist song|dance dancer
|compose composer composition|perform performance performer|compete competition contest tournament competitor race
|win winner victory|lose loss|beat defeat|play player|swim swimmer|climb climber|collect collection collector|gather assemble
|sew stitch|knit knitter|bake baker|cook chef|grow cultivate cultivation growth|raise rear|plant sow|cut trim prune|clean tidy
|wash laundry|donate donation donor|volunteer voluntary|gift present|inherit inheritance|invest investment investor
|save saving|spend expenditure|earn salary wage wages paycheck income earnings|price cost fee|loan debt|lend lender
|budget finances|employ work worker employment employee|dismiss fire|retire pensioner retirement|promote promotion
|apply application applicant|manage manager management handle|lead leader leadership|supervise supervision
|organise arrange organization arrangement organizer|responsible charge|chair chairperson chairman chairwoman|elect election
|vote voter|serve service|represent representative|job position occupation|company firm business enterprise|shop store
|office workplace|colleague coworker|meeting appointment|book schedule reserve reservation|cancel cancellation|postpone delay
|novel novelist|lawyer attorney solicitor|physician doctor gp|dentist dental|vet veterinarian|nurse nursing|actor actress
|pupil student schoolchild|police policeman policewoman|farm farmer agriculture|engineer engineering|plumber plumbing
|electrician electric electrical|carpenter carpentry joiner|garden gardener gardening|baby infant newborn|toddler tot
|pregnant pregnancy expecting|birth born birthday|die death deceased|bury burial funeral|adopt adoption|divorce divorced
|engage engagement betrothed|relative family relation|alone solo single|widow widower|flat apartment|home house accommodation
|cellar basement|attic loft|stairs staircase|fridge refrigerator|cupboard cabinet|closet wardrobe|sofa couch settee|rug carpet
|tap faucet|rubbish trash garbage waste|furniture furnishing|roof rooftop|renovate renovation refurbish
|car automobile auto wagen pkw coche voiture|bike bicycle cycle cycling cyclist rad fahrrad bici bicicleta vélo
|motorbike motorcycle|lorry truck|train railway|tram streetcar|petrol gasoline|boat ship vessel|road street|pavement sidewalk
|forest wood woods woodland|town city|village hamlet|sea ocean|beach seaside|abroad overseas|near close nearby
|station terminal|licence license|film movie|cinema theater|tv television telly|newspaper paper|story tale|comedy comic
|poem poetry poet|music musical|concert gig|exhibition exhibit|game gaming|hobby pastime amateur|football soccer
|team side squad|gym fitness|exam examination test|course class|school schooling|university uni college
|degree graduate graduation diploma|thesis dissertation|homework coursework|math maths mathematics|chemistry chemist
|biology biologist|physics physicist|history historian|science scientist scientific|language linguistic
|medicine medication drug|pill tablet|prescribe prescription|sick ill unwell illness sickness|disease disorder
|ache pain hurt sore painful|injure injury|break fracture broken|operate operation surgery surgical surgeon|treat treatment
|therapy therapist counselling counsellor|diagnose diagnosis|recover recovery|cure heal|rehab rehabilitation
|vaccinate vaccination vaccine|infect infection|allergy allergic|diabetes diabetic|asthma asthmatic
|depress depression depressed|anxiety worried anxious nervous anxiousness worry
|scared afraid frightened fear frighten scare phobia dread terrified terror|insomnia sleepless|sleep asleep nap doze
|wake awake|tired exhausted weary fatigue|hungry hunger|thirsty thirst|weigh weight|height tall|length long
|strength strong strongly|blind blindness|deaf deafness|see sight vision eyesight|spectacles glasses|diet dietary
|eat consume consumption|drink beverage|meal dish|supper dinner|lunch luncheon|snack nibble|vegetarian veggie|vegan veganism
|cigarette smoke smoker|alcohol alcoholic booze|sweet candy|biscuit cookie|crisps chips|courgette zucchini|aubergine eggplant
|coriander cilantro|prawn shrimp|beetroot beet|rocket arugula|lasagne lasagna|yoghurt yogurt|coeliac celiac|dessert pudding
|spice spicy|salt salty|taste flavour|trousers pants|jumper sweater pullover|trainers sneakers|nappy diaper|pram stroller
|clothes clothing garment|wear wearing|jewel jewellery jewelry|phone smartphone telephone call|email mail|computer pc
|internet web online|website webpage site|programme program|software|password passcode|photocopy copy|print printer
|enable activate|disable deactivate|error mistake|show display|chart graph|answerphone voicemail|install installation
|big large|huge enormous|small little tiny|quick fast rapid|short brief concise shortly|beautiful pretty|glad happy happiness
|sad sadness|angry cross anger|bored boredom|rich wealthy wealth|poor poverty|clever smart intelligent intelligence
|stupid foolish|funny amusing humorous|strict stern|quiet silent silence|noise noisy
|difficult hard tough difficulty trouble struggle|easy simple|important crucial importance|main primary chief|entire whole
|extra additional|various several different|famous renowned|strange odd weird|dangerous risky danger|warm warmth|cold chilly
|wet damp|humid muggy humidity|dry arid|sunny sunshine|rain rainy|snow snowy|wind windy|weather climate|dark darkness
|storm stormy|autumn autumnal|evening night nightly|day daily|week weekly|month monthly|year yearly annual annually
|hour hr hourly|minute min|weekend weekends|often frequently frequent|sometimes occasionally occasional|rare rarely
|always constantly constant|recent recently|age aged|kg kilo kilogram|gram g|km kilometre kilometer|mg milligram
|cm centimetre centimeter|metre meter|litre liter|dollar usd|euro eur|pound gbp|percent percentage|dog hound canine|cat feline
|hen chicken|bee beekeeper beekeeping|throw toss|carry transport|fetch bring|send post|drop spill|push shove|hide conceal
|search seek|discover discovery|avoid refrain|prevent prevention|protect protection|damage harm|destroy destruction
|steal theft stolen|crash accident collision|replace substitute replacement|switch change exchange swap|improve improvement
|increase rise|reduce reduction decrease|grab seize|share sharing|join membership member belong|expire expiry expiration
|valid validity|admit admission|confirm confirmation|succeed success|fail failure|continue continuation|prepare preparation
|develop development developer|measure measurement|check inspect inspection|register registration|insure insurance
|rely dependent depend|trust reliance|interest interested|kit equipment gear|tool instrument|bag purse handbag|money cash
|bill invoice|bath bathe|baptise baptism|pray prayer|religion religious|church chapel|hospital clinic|luggage baggage
|autograph signature|torch flashlight|lift elevator|bear cope endure|wait await|fulltime fulltimer|remote remotely
|natural naturally|permanent permanently|professional profession|teenager teen adolescent|workout exercise|camp campsite
|ski skier|surf surfer|sail sailor|row rower|fish angler angling|hunt hunter|violin violinist|piano pianist|guitar guitarist
|drum drummer|blog blogger|podcast podcaster|bug defect|screen monitor|headphones headset earphones|folder directory
|stove cooker|potato spud|flu influenza|arthritis arthritic|epilepsy epileptic|dyslexia dyslexic|autism autistic
|anaemia anemia anaemic anemic|psychology psychologist|psychiatry psychiatrist psychiatric
|physio physiotherapy physiotherapist|optician optometrist|pharmacy pharmacist|midwife midwifery|architect architecture
|accountant accounting accountancy|journalist journalism reporter|librarian library|waiter waitress|hairdresser barber
|caretaker janitor|tax taxation|neighbourhood district|country nation|countryside rural|suburb suburban outskirts
|north northern|south southern|east eastern|west western|christmas xmas|fluent fluency|proficient proficiency
|expert expertise specialist specialise|beginner novice|charity charitable|protest demonstration|campaign campaigner
|politics political politician|council councillor|recycle recyclable|vegetable veg|flower bloom|lawn grass
|astronomy astronomer astronomical|pottery ceramics potter|sculpt sculptor sculpture|embroider embroidery|quiz trivia
|gamble bet gambler|relax unwind|meditate meditation|introvert introverted|verbose wordy|detail detailed|summary summarise
|comment remark|celsius centigrade|britain uk british|usa us american|spain spanish|france french|germany german
|italy italian|poland polish|netherlands dutch holland|denmark danish dane|sweden swedish swede|norway norwegian
|finland finnish finn|ireland irish|scotland scottish|wales welsh|england english|greece greek|turkey turkish
|switzerland swiss|china chinese|portugal portuguese|january jan|february feb|april apr|august aug|september sept|october oct
|november nov|december dec
"""

ANTONYMS = """
accept decline|accept reject|accept refuse|buy sell|buy rent|sell rent|lend borrow|win lose|open close|before after|early late
|morning evening|morning afternoon|morning night|afternoon evening|day night|more less|more fewer|increase decrease
|increase reduce|gain lose|up down|on off|in out|left right|north south|east west|old young|hot cold|big small|long short
|high low|first last|upstairs downstairs|inside outside|indoor outdoor|always sometimes|arrive leave|join leave|start finish
|marry divorce|hire dismiss|pass fail|enable disable|love hate|male female|public private|cheap expensive|left stay
|summer winter|spring autumn|weekday weekend|breakfast dinner|breakfast lunch|lunch dinner|am pm|permit forbid|include exclude
|import export|maternal paternal|mother father|full empty|hard soft|dark light|front back|top bottom|push pull|next last
|want have|plan finish|single marry|fulltime parttime|minimum maximum|most least|best worst|better worse|add remove
|ascend descend|give receive|teach learn|teach study|send receive|employer employee|for against|older younger|elder younger
|eldest youngest|oldest youngest|start leave|start end|follow lead|manual automatic|fail succeed
"""

NEGATORS = _words("""
not no never none nobody nothing neither nowhere without cannot hardly scarcely barely rarely seldom unable former formerly
previously few
""")
"""Each turns a statement round; an even number of them leaves it as it was."""

DEGREES = _words("hardly scarcely barely rarely seldom few")
"""Negators that leave some of it."""

NEGATORS_ABROAD = _words("""
nicht kein keine keinen keiner nie niemals ohne ne jamais sans nunca jamás nada nadie sin não nem sem non mai senza inte ingen
inget ikke ei nu tidak bukan không
δεν לא niet geen değil yok नहीं मत не нет никогда لا ليس 안 않 ない ません ぬ じゃない ではない 不 没 沒 未 無 无
""")
"""Each makes a statement negative; two of them still do, as in French."""

NEGATIVE_VERBS = _words("avoid stop quit cease lack refuse decline forget skip reject")
NEGATIVES = """
like hate dislike detest loathe despise unlike|trust distrust mistrust|agree disagree|approve disapprove|obey disobey
|allow disallow|happy unhappy|comfortable uncomfortable|employ unemployed|marry unmarried|paid unpaid|finish unfinished
|sure unsure|satisfy dissatisfied|interest uninterested|willing unwilling|likely unlikely|aware unaware|familiar unfamiliar
|vaccinate unvaccinated|available unavailable|heed ignore|active inactive|possible impossible|capable incapable|pass fail
"""
"""Words that hold a negation, after what they negate."""

NEAR = """
prefer like|hope want|hope wish|wife marry|husband marry|boss manage|learn pupil|medicine medical|cigarette tobacco|ride bike
|work job|job profession|home live|visit travel|visit stay|age year|age old|own run|own have|use wear|eat food|eat meal
|food meal|read book|talk language|pass ticket|walk foot|sleep bed|write book|degree university|pupil university|heat hot
|lend loan|degree learn|see look|cook meal|drive car|fly airport|boy son|girl daughter|fry cook|hospital sick
|retire pension|rent tenant|rent landlord|teach school|treat doctor|play game|shop buy|post letter|wait queue|move relocate
|marry bride|plant garden|grow garden|train course|learn course|learn class|course class|am morning|pm afternoon|pm evening
|prefer favourite|commute travel
"""
"""Words of one field that often stand for each other; unlike synonyms they form no groups."""

WEAK = _words("live own age year wear use woman man alone event activity area level role member hobby")
"""Words that add nothing when one side has them on top."""

TRANSFERS = _words("teach lend give sell send owe show tell offer")
"""Verbs whose object is a role."""

TIMES = _words("""
am pm noon midnight day night week weekend month year hour minute morning afternoon evening today spring summer autumn winter
monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october
november december
""")

INTENTS = _words("want prefer plan intend hope consider try might may should need wish aim dream möchte")
"""Words that make a wish or a plan of a statement; a wish is not the fact wished for."""

LIMITS = _words("only except unless until if otherwise but although despite solely exclusively")
"""Words that narrow a statement: with one and without one are two statements."""

CUES = _words("""
from to before after under than with by for against until since into over von nach vor bis vers avant après desde hasta antes
después prima dopo
""")
"""Words whose object has a role: other objects of one cue are other roles."""

OPPOSITE_CUES = (
    *(("from", "to"), ("before", "after"), ("for", "against"), ("over", "under"), ("since", "until"), ("for", "from")),
    *(("to", "from"), ("after", "before"), ("against", "for"), ("under", "over"), ("until", "since"), ("from", "for")),
)
OBJECTS = _words("him them")
AUXILIARIES = _words("has have had is are was were been being be will who")
TITLES = _words("mr mrs ms miss dr prof professor doctor st")
COPULAS = _words("am is are was were be been being")
BE = COPULAS | {"gets", "got"}
DETERMINERS = _words("a an the his her their user")
PIVOTS = _words("and or is are was were")
"""Words whose two sides may change places."""

_UNITS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ABROAD = """
zwei deux dos dois दो|drei trois tres três तीन|vier quatre cuatro quatro चार|fünf cinq cinco पाँच|sechs seis छह
|sieben sept siete sete सात|acht huit ocho oito आठ|neun neuf nueve नौ|zehn dix diez dez दस
"""
_TIMES = {"both": "2", "dozen": "12", "pair": "2", "couple": "2", "half": "0.5"}
MAX_FIGURES = 6
POWERS = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
CLOCK = {"0.5": 30, "half": 30, "quarter": 15}
CLAUSES = _words("and but or because so although though while")
"""Words that open another clause."""
_IRREGULAR = """
teach taught|buy bought|sell sold|lend lent|run ran|take took taken|give gave given|get got gotten|go goes went gone
|have has had having|make made|keep kept|leave left|meet met|pay paid|say said|sleep slept asleep|speak spoke spoken
|write wrote written|drive drove driven|ride rode ridden|grow grew grown|know knew known|lose lost|win won winning
|sing sang sung|swim swam swum swimming|break broke broken|choose chose chosen|begin began begun|feel felt|find|think thought
|bring brought|catch caught|build built|spend spent|eat ate eaten|come came|tell told|fall fell fallen|see saw seen
|stand stood|do did done|wear wore worn|hold held|hear heard|send sent|quit quitting|child children|grandchild grandchildren
|stepchild stepchildren|wife wives|person people|man men|woman women|foot feet|tooth teeth|lie lying|die died dying
|marry married marries|beat beaten|become became|study studied|forget forgot forgotten|draw drew drawn|fly flew flown
|throw threw thrown|blow blew blown|show shown|sew sewn|sow sown|mow mown|wake woke woken|freeze froze frozen
|steal stole stolen|bite bit bitten|hide hid hidden|fight fought|seek sought|deal dealt|mean meant|dream dreamt|burn burnt
|learn learnt|spell spelt|spill spilt|lead led|feed fed|breed bred|bleed bled|shoot shot|light lit|slide slid|sit sat|dig dug
|hang hung|stick stuck|strike struck|swing swung|sink sank sunk|drink drank drunk|shrink shrank shrunk|ring rang rung
|tear tore torn|swear swore sworn|bear bore|shake shook shaken|rise rose risen|forgive forgave forgiven
|undergo underwent undergone|understand understood|withdraw withdrew withdrawn|bend bent|weave wove woven|sweep swept
|weep wept|overcome overcame|rebuild rebuilt|repay repaid|mouse mice|goose geese|knife knives|loaf loaves|shelf shelves
|wolf wolves|scarf scarves|calf calves|thief thieves|tie tying ties|swap swapped|airplane plane planes
"""
_SUFFIXES = """
s e y al ic ian an ese ish ist ism er or r ing ed ment ship hood ful ness ity ty ation cation t ion tion sion ative ive ance
ence ant ent able ible ical person man woman work ly ally ified
"""


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
    if b in NEAR_KEYS.get(a, ()):
        return True
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


def _both_ways(table: str) -> dict[str, frozenset[str]]:
    """The keys that a table of pairs sets beside each key."""
    found: dict[str, set[str]] = {}
    for a, b in (map(key_of, pair) for pair in _groups(table)):
        found.setdefault(a, set()).add(b)
        found.setdefault(b, set()).add(a)
    return {key: frozenset(beside) for key, beside in found.items()}


NUMERALS = _numerals()
FORMS = {base: forms for base, *forms in _groups(_IRREGULAR)}
FULL_TENS = frozenset(str(tens) for tens in range(20, 100, 10))
_BASE = {form: base for base, *forms in _groups(_IRREGULAR) for form in forms}
_RELATION = {_root(word): group[0] for group in _groups(RELATIONS) for word in group}
_SYNONYM = {_root(word): _root(group[0]) for group in _groups(SYNONYMS) for word in group}
OPENED = {stem(word): base for base, *words in _groups(NEGATIVES) for word in words}
_FOLDED = [suffix[:-1] for suffix in _SUFFIXES.split() if suffix[-1] == "e"]
_ICAL = [suffix[:-1] + "i" for suffix in _SUFFIXES.split() if suffix[-1] == "y"]
_PLAIN = frozenset((*_SUFFIXES.split(), *_FOLDED, *_ICAL))
_ENDINGS = _PLAIN | {"e" + suffix for suffix in _PLAIN}
OPPOSITES = _both_ways(ANTONYMS)
NEAR_KEYS = _both_ways(NEAR)
TRANSFER_KEYS = keys_of(TRANSFERS)
RECEIVE = key_of("receive")
TIME_KEYS = keys_of(TIMES)
LIGHT_KEYS = keys_of(LIGHT) | keys_of(NEGATIVE_VERBS)
SLIGHT_KEYS = LIGHT_KEYS | NEGATORS | NEGATORS_ABROAD
WEAK_KEYS = SLIGHT_KEYS | keys_of(WEAK)
NEGATIVE_KEYS = keys_of(NEGATIVE_VERBS)
INTENT_KEYS = keys_of(INTENTS)
