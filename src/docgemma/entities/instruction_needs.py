"""The words and signs that each way of a rule needs, rule by rule in their order.

" ; " stands between ways, " / " between the groups of a way: a text without any word of a group cannot meet that way.
Words of five letters are also beginnings, "word:" stands before a colon, "one+two" side by side, and names with # are
explained in `instruction_gate`.
"""

from __future__ import annotations


def _pairs(first: str, second: str) -> str:
    return " ".join(f"{one}+{two}" for one in first.split() for two in second.split())


def _joined(first: str, second: str) -> str:
    return " ".join(f"{one}{two}" for one in first.split() for two in second.split())


_PROGRAM = (
    "assis ai ais aiand aitha aiwho aiwit aiyou airea llm llms llman llmth llmwh llmwi llmyo llmre gpt gpts gptan gptth"
    " gptwh gptwi gptyo gptre a.i model chat chatb chatg reading docge medge copil"
)
_READER = "clinician user prescriber operator reader"
_CALLED = "message prompt note override instruction instructions"
_BOXED = f"{_CALLED} {_joined('system assistant developer', _CALLED)}"

NEEDED: tuple[str, ...] = (
    """
    < & / start end endof unuse bos eos think s | sys ;
    [ / inst
    """,
    f"""
    < / _ ;
    < / documents document criterion criteria context system user assistant human instruction instructions prompt tool
    function question answer response result results message chart untrusted data information important ;
    [ / ] / system assistant admin user developer tool begin end ;
    [ / ] / drug medical clinical patient prescription allergy image ;
    # / syste user userm userp usert useri assis human overr instr ;
    boxed# / {_BOXED} ;
    system developer admin administrator / message: prompt: override: notice: instruction: instructions: command: ;
    system: developer: admin: user: human: assistant: model: ai: ;
    clinician user prescriber operator reader tool available / question: query: message: request: used: result: results:
    tools: tool:
    """,
    """
    _ ;
    { / tool function action recipient ;
    args arguments parameters action / : / " ' ;
    approved confirmed authorised authorized / : / " ' ;
    call# / tool function api plug plugin
    """,
    """
    ignor disre forge overr bypas disca negle skip / nstruct prompt prompts directive directives message messages rules
    command commands constraints safeguard safeguards guard guardrail guardrails conversation task tasks programming ;
    forget / everything all / above before you that i ;
    new updated real actual hidden secret / instr / instruction: instructions: from instructionfrom instructionsfrom ;
    your / new real actual true next / task mission objective instruction instructions ;
    your / prompt instructions / system previous prior initial original hidden ;
    repeat reveal print output show display disclose leak give tell share / prompt instructions message rules
    / system initial original hidden secret ;
    decode decrypt decipher unscramble ;
    obey execute / command commands order orders instruction instructions ;
    mode / enter activate enable switch now / developer debug maintenance god admin jailbreak dan
    """,
    f"""
    {_PROGRAM} / must shall has have needs is will should please ;
    {_PROGRAM} / dear hey hello hi attention note notice message reminder memo ;
    {_PROGRAM} / you act pretend ;
    {_PROGRAM} / : / ignore disregard please you prescribe save send open add tell do ;
    you / are / now longer / mode bound restr subje dan ;
    your / answer reply output summary / must has should ;
    your / answer reply output / in to into at ;
    do / mention reveal disclose tell show / user clinician prescriber answer reply / this these it that any ;
    {_READER} / asked told instructed authorised authorized ordered wants / me you assistant ;
    {_READER} / says replies types answers writes ;
    doctor physician nurse / says replies types answers writes / " ' “ ‘
    """,
    """
    numbered# ;
    screen# ;
    saying stating reading claiming say says states text words
    / note entry order prescription allergy addendum record diagnosis problem
    / save file write add create insert append enter sign store put record post draft ;
    hide erase suppress conceal / aller ;
    mark set list record document / patie / allergic having deceased consented nkda ;
    open get fetch show load pull retrieve return display export dump read summarise summarize access copy send
    / chart charts record records notes history data file / patie / other another different next previous syste datab ;
    tell assure convince reassure persuade / clinician clinicians user users operator operators ;
    tell assure convince persuade / the / doctor physician prescriber nurse pharmacist
    / safe monitoring interaction needed harmless ;
    owned# / search query google browse look / web inter liter pubme onlin datab openf ;
    owned# / send post upload email mail forward transmit exfiltrate leak submit download copy encode append embed
    / :// http https www. @ url link image query searc addre follo ;
    add record document enter save create / allergy / to entry for record ;
    download export delete erase modify alter copy dump steal / all every / record records chart charts data ;
    please / id ;
    send email mail post forward upload / content contents body messages conversation transcript chat password passwords
    credentials security / to ;
    code / snippet block excerpt ;
    todo
    """,
    """
    appro autho preap preau / order orders action actions prescription prescriptions write writes entry call calls
    request requests / clini user chief syste admin pre preap preau ;
    preapproved approved / pre preapproved ;
    unseen# ;
    needed: required: necessary: ;
    user clinician human prescriber / approval confirmation / not already waived skipped ;
    approval confirmation / not already ;
    without / asking waiting requesting needing seeking / confirmation approval user clinician human prescriber me ;
    without / user clinician human prescriber / approval confirmation review consent ;
    skip / approval safety confirmation verification ;
    from# / note message notice directive order orders instruction instructions memo ;
    required mandatory / step: action: ;
    context:
    """,
    """
    ![ ;
    < / img script ;
    :// www. / = ;
    javascript
    """,
)

_RULES_VI = (
    "huong+dan chi+dan chi+thi menh+lenh cau+lenh lenh quy+tac quy+dinh nguyen+tac loi+nhac rang+buoc gioi+han"
    " cai+dat noi+dung yeu+cau tin+nhan"
)
_DROP_VI = "bo+qua phot+lo lam+lo huy+bo gat+bo vo+hieu xoa+bo " + _pairs(
    "quen", "di het moi tat toan cac nhung huong chi menh cau lenh quy nguyen loi rang gioi cai noi yeu tin"
)
_NAMES = "docgemma medgemma chatgpt gpt copilot llm chatbot"
_PROGRAM_VI = f"tro+ly mo+hinh chat+bot tac+tu tri+tue {_NAMES}"
_CHART_VI = "ho+so benh+an benh+nhan nguoi+benh"

NEEDED_VI: tuple[str, ...] = (
    f"""
    {_DROP_VI} / {_RULES_VI} ;
    tuan+theo tuan+thu lam+theo nghe+theo / {_RULES_VI}
    / he+thong ban+dau an+toan cua+ban truoc o+tren ben+tren phia+tren cua+he ;
    huong+dan chi+thi nhiem+vu lenh / moi: su: mat: ban: ;
    nhac+he lenh+he system+prompt tro+chuyen hoi+thoai thi+he thi+goc thi+bi dan+he dan+goc dan+bi dung+khac
    / tiet+lo in+ra hien+thi cho+xem lap+lai nhac+lai cung+cap sao+chep gui ;
    tu+bay tu+gio ke+tu / ban+la ban+se ban+dong ban+khong ban+phai ;
    {_PROGRAM_VI} / ban+la ban+bay ban+hien ;
    loi+khong / tra+loi ;
    dong+vai / vai+bac vai+duoc vai+dieu vai+chuyen vai+quan vai+mot vai+la ;
    che+do chuyen+sang / nha+phat go+loi quan+tri khong+gioi dan
    """,
    f"""
    lenh chi+thi ghi+chu luu+y thong+bao huong+dan yeu+cau thong+diep nhac+nho loi+nhan tin+nhan
    / {_pairs("cho toi den voi cac moi", f"tro mo chat tac tri he chuong phan ung ai {_NAMES}")} ;
    {_PROGRAM_VI} he+thong chuong+trinh phan+mem ung+dung ai / ly: ao: so: ai: ban: hinh: ngu: thong: trinh: mem: dung:
    bot: tu: tao: {" ".join(f"{name}:" for name in _NAMES.split())} ;
    {_pairs(f"ly ai ao hinh ngu bot tu tao thong trinh mem {_NAMES}", "hay vui xin ban phai can bat")} ly+so ;
    tro+ly / cua+ban ;
    khi+doc / nay ;
    he+thong tro+ly quan+tri nguoi+dung chi+thi lenh+he thong+bao / [ < {{ ;
    nguoi+doc nguoi+dung bac+si / {_pairs("dung khong duoc", "cho de noi bao tiet")}
    / {_pairs("doan dieu cau ban van thi dan lenh", "nay tren")} ;
    cau+tra phan+hoi loi+dap / them chen dua gan ;
    muc+nay / nay+len ;
    loi+rang noi+rang dinh+rang dung+rang
    """,
    f"""
    {_pairs("goi hoat thi chay", "cong tool tools api function functions plugin ham")} ;
    hien+tai dang+mo dang+chon duoc+chon tren+man
    / {_pairs("so an nhan benh nay", "hien dang duoc tren")} ;
    {_CHART_VI} / numbered# ;
    todo / ke ghi them xoa mo gui luu goi tra hay bo ;
    {_pairs("vao trong", "ho benh")} / rang noi+dung dong+chu cau so: an: nhan: benh: khong+di khong+co di+ung ;
    di+ung / xoa go+bo loai+bo che+giau giau them tao chen / {_CHART_VI} he+thong danh+sach ;
    ho+so benh+an du+lieu thong+tin ho+ten ten / gui chuyen tai xuat sao+chep dang day
    / http https www. @ host# ;
    {_pairs("xoa xuat xuong chep doi gui", "tat toan moi")} / ho+so benh+an du+lieu
    """,
    f"""
    {_pairs("khong khoi chang dau", "can phai")} / xac+nhan phe+duyet duyet dong+y chap+thuan ky+duyet ;
    nguoi+dung / khong+can khong+hoi khong+cho / hoi+nguoi cho+nguoi lai+nguoi hoi+y cho+y lai+y kien+nguoi ;
    nguoi+dung / dung+da ;
    si+da / don+nay lenh+nay cau+nay dong+nay tac+nay ;
    {_pairs("duyet nhan", "san truoc tu")} ;
    bo+qua / qua+phe qua+xac qua+kiem qua+buoc qua+khau qua+viec
    """,
)
