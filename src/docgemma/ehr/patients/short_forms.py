"""Short forms and spellings of given names that people use for one another. They help to find; they prove nothing."""

from __future__ import annotations

from functools import cache

_GROUPS = """
abigail abby abbie gail
alexander alex alec sandy sasha xander alejandro
alexandra alex alexa sandra sandy sasha lexi
alfred alf alfie fred freddie
andrew andy drew
anthony tony antonio anton antony
barbara barb babs barbie
benjamin ben benny benji
bernard bernie
cameron cam
catherine katherine kathryn katharine kathleen catalina cathy kathy kate katie kat kitty cath cate
charles charlie chuck chas carlos
christina christine chris chrissie tina christy kristina kristine
christopher chris kit topher
cynthia cindy
daniel dan danny
david dave davey davy
deborah debra deb debbie
dennis denis denny
donald don donnie
dorothy dot dottie dolly
edward ed eddie ted teddy ned eduardo
eleanor ellie nell nora elinor
elizabeth elisabeth liz lizzie beth betty bess betsy eliza libby lisa elsie
emily em emmy
eugene gene
florence flo florrie
frances fran fanny francesca
francis frank frankie francisco paco
franklin frank
frederick fred freddie rick federico
gabriel gabe
gabrielle gabriella gabby
gerald gerry jerry gerard
gregory greg gregg
guadalupe lupe
harold harry hal
henry harry hank hal enrique
ibrahim abraham ebrahim
isabella isabel bella izzy isobel
jacob jake yakov
jacqueline jackie jacqui
james jim jimmy jamie jaime
jeffrey jeff geoff geoffrey
jennifer jen jenny jenn
jesus chuy
john jack johnny jon juan ivan jock
jonathan jon johnny jonathon
joseph joe joey jose pepe josef yusuf
joshua josh
judith judy judi
kenneth ken kenny
kimberly kim kimberley
lawrence larry laurence laurie lorenzo
leonard len lenny leo
lillian lily lil lilian
louis lou louie luis lewis
lucille lucy lucia
margaret maggie meg peggy madge marge margie greta rita daisy margarita marguerite
maria mary marie mariah mia
martha marty mattie marta
martin marty
matthew matt mateo mathew
maximilian max
megan meg
melissa mel missy
michael mike mick mickey mikey micky miguel mikhail
michelle shelly michele
mohammed muhammad mohammad mohamed muhammed mohamad mohamud mohd md mehmet
nancy nan
natalie nat natalia
nathaniel nathan nat nate
nicholas nick nicky nicolas nico
nicole nicky nikki
olivia liv livvy
pamela pam
patricia pat patty patti tricia trish
patrick pat paddy patricio
peter pete pedro
philip phil phillip pip felipe
priscilla cilla
rachel rach rachael raquel
raymond ray
rebecca becky becca bec rebekah
reginald reg reggie
richard dick rick ricky rich richie ricardo
robert bob bobby rob robbie bert roberto
roberta bobbie
ronald ron ronnie
rosemary rose rosie
russell russ
samantha sam sammy
samuel sam sammy
sarah sara sally sadie
sophia sophie sofia
stephanie steph stefanie
stephen steven steve stevie esteban stefan
susan sue susie suzy susanna suzanne
sylvester sly
teresa theresa terry tess tessa
terence terry terrence
theodore theo ted teddy
thomas tom tommy tomas
timothy tim timmy
valerie val
victoria vicky vicki tori
victor vic
vincent vince vinny vicente
virginia ginny ginger
walter walt wally
wilfred wilf fred
william bill billy will willie willy liam guillermo
winifred winnie freda
yasmin jasmine yasmine
yusuf yousef youssef yousuf joseph
zachary zach zack zac
hussein husain hussain hossein husayn
ahmed ahmad ahmet
ali aly
fatima fatma fatimah
aisha ayesha aishah
khalid khaled
omar umar
osman usman uthman othman
abdullah abdallah
lakshmi laxmi
krishna krishnan
subramaniam subramanian subramanyam
""".strip().splitlines()
"""Each line: names that one person may go by. A name may stand in several."""


@cache
def _table() -> dict[str, frozenset[str]]:
    related: dict[str, set[str]] = {}
    for line in _GROUPS:
        group = set(line.split())
        for name in group:
            related.setdefault(name, set()).update(group - {name})
    return {name: frozenset(others) for name, others in related.items()}


def short_forms(word: str) -> frozenset[str]:
    """The other names that somebody called so may be recorded under; all folded."""
    return _table().get(word, frozenset())
