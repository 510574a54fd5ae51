import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const of = (list: string, separator = '/') => {
  const items = list.split(separator)
  return (v: Values) => v.pick(items)
}
const someone = of(
  'Beatriz Pinto/Gareth Owens/Soraya Amin/Viktor Lund/Naomi Adler/Tuan Pham/Clara Winter/Emeka Obi/Lars Dahl/Irene Costa/Yusuf Kaya',
)
const business = of(
  'Fernhill/Quayside Bank/Nimbus Travel/Casa Verde/Steinbach Optik/Polar Foods/Atlas Courier/Mirabel Hotels/Wren Studio/Onyx Mobile',
)
const city = of('Aarhus/Padua/Cork/Brno/Lille/Bilbao/Vilnius/Tucson/Adelaide/Graz')
const message = of(
  'The tap in the kitchen drips./I cannot find my booking./The screen stays black after the update./Two plates arrived broken./The waiter was rude to my mother./Our pass was not accepted./The bill shows a wrong address./Everything went smoothly, thank you./The pills smell strange./Your site rejects my card.',
)
const statement = of(
  'The shuttle runs every half hour./Membership ends in June./The annex lists all tariffs./Groups of ten get a discount./The warehouse opens at seven./A visa takes three weeks./Rooms are cleaned daily./The pump was replaced in spring./Samples stay frozen for a year./The bridge is closed at night.',
)
const messages = (v: Values, low = 1, high = 5) => v.many(low, high, () => message(v), ' ')
const statements = (v: Values, low = 1, high = 6) => v.many(low, high, () => statement(v), ' ')
const list = (v: Values, low: number, high: number, make: (index: number) => string) => v.many(low, high, make, '\n')

const LISTS: readonly PromptFamily[] = [
  (v) =>
    `Guidelines for the chat of ${business(v)}:\n- greet by name\n- solve one thing at a time\n- no slang\n- hand over to ${someone(v)} when a lawyer is mentioned\n- close with a question`,
  (v) =>
    `Your job: turn a recipe into a shopping list.\n1) Merge equal items.\n2) Sort by aisle.\n3) Round up to whole packs.\n4) Mark what ${someone(v)} is allergic to.`,
  (v) =>
    `Review steps:\n* read the contract with ${business(v)}\n* list deadlines\n* list penalties\n* flag clauses without a limit\n* answer in a table\n\nContract:\n${statements(v, 3, 8)}`,
  (v) =>
    `Regeln für Antworten im Namen von ${business(v)}:\n- Sieze die Kundin.\n- Nenne nie interne Namen.\n- Biete höchstens ${v.int(5, 30)} Prozent Nachlass an.\n- Schließe mit einem Gruß aus ${city(v)}.`,
  (v) =>
    `Consignes :\n- vouvoie le client\n- réponds en trois phrases\n- ne promets aucun délai\n- signe au nom de ${someone(v)}\n\nMessage du client :\n${messages(v)}`,
]

const WORDS: readonly PromptFamily[] = [
  (v) =>
    `Write a toast for a ${of('wedding/retirement/graduation/housewarming/christening/farewell')(v)} in ${city(v)}. Two minutes long, warm, with one joke and no clichés.`,
  (v) =>
    `List the risks of ${of('paragliding/beekeeping/welding/home brewing/rock climbing/scuba diving/wild camping')(v)} for beginners. Order them by severity and give a precaution for each.`,
  (v) =>
    `Design a quiz about ${of('volcanoes/the moon/whales/ancient rome/vitamins/glaciers/spices')(v)} for a class of ${v.int(8, 30)} pupils. Ten questions, each with three answers.`,
  (v) =>
    `Translate the medical report into words that a ${of('patient/nurse/relative/carpenter/teenager')(v)} understands. Keep all numbers and add nothing.\n\nReport:\n${statements(v, 2, 6)}`,
  (v) =>
    `Find bugs in this ${of('payment/login/search/upload/cache/billing')(v)} module. Report the line, the cause and a fix; do not comment on style.\n\n\`\`\`ts\n${v.code()}\n\`\`\``,
  (v) =>
    `Suggest a gift for someone who loves ${of('gardening/chess/opera/baking/astronomy/sailing/knitting')(v)}. The budget is ${v.int(10, 200)} euros. Name three ideas and where to buy them.`,
  (v) =>
    `Pretend to be a ${of('strict/lenient/impatient/forgetful/curious')(v)} examiner at the driving school of ${city(v)}. Ask one question at a time and comment on each answer.`,
  (v) =>
    `Rédige une fiche de poste pour ${of('un soudeur/une infirmière/un caviste/une juriste/un jardinier/une monteuse')(v)} à ${city(v)}. Décris les missions, le salaire et les horaires.`,
  (v) =>
    `Explica cómo limpiar ${of('una cafetera/un horno/una alfombra/un sofá/una persiana/una plancha')(v)} sin productos químicos. Enumera los pasos y avisa de los riesgos.`,
  (v) =>
    `Erkläre einem Laien, wie ${of('eine Wärmepumpe/ein Akku/ein Vergaser/eine Turbine/ein Kompass/ein Router')(v)} funktioniert. Verwende einen Vergleich und höchstens ${v.int(80, 200)} Wörter.`,
  (v) =>
    `Scrivi un annuncio per vendere ${of('una bicicletta/un divano/una chitarra/un frigorifero/una tenda')(v)} a ${city(v)}. Indica prezzo, stato e modalità di ritiro.`,
  (v) =>
    `Rate how ${of('friendly/clear/persuasive/formal/concise')(v)} the message is, from 1 to 10. Quote the sentence that decided and nothing else.\n\nMessage:\n${messages(v)}`,
]

const jaName = of('斎藤/松田/青木/藤井/西村/福田/太田/三浦')
const jaText = of(
  '注文と違う色でした。/店員さんが親切でした。/電話がつながりません。/説明書が入っていません。/景色がきれいでした。/椅子が硬いです。',
)
const zhName = of('曹颖/丁浩/魏然/薛梅/叶青/阎峰/余婷/潘越/杜鹃')
const zhText = of('杯子碎了。/师傅很准时。/页面打不开。/面条太硬了。/少了一个零件。/押金没有退。/风景很美。')
const ruName = of('Елена Титова/Роман Власов/Галина Ершова/Кирилл Носов/Полина Рябова/Михаил Дроздов')
const ruText = of(
  'Замок заедает./Вас было плохо слышно./Спасибо за помощь./Пицца приехала холодной./Счёт пришёл дважды./Лифт стоит второй день.',
)
const arName = of('جمال الخطيب/سلمى يعقوب/باسم درويش/رنا الصباغ/وليد حمدان/دينا فارس')
const arText = of('الباب لا يغلق./وصل الطلب متأخرا./الفاتورة غير صحيحة./شكرا على المساعدة./المصعد معطل./الحذاء ضيق.')
const koName = of('홍길순/문정호/배유진/서강민/안소희/유재민')
const koText = of('손잡이가 부러졌어요./예약이 취소됐어요./직원이 불친절했어요./사진이 흐려요./잘 받았습니다.')

const SCRIPTS: readonly PromptFamily[] = [
  (v) =>
    `あなたは${of('ときわ/みなと/つくし/いずみ/ほたる')(v)}市役所の窓口担当です。${jaName(v)}さんの質問に、必要な書類と手数料を挙げて答えてください。`,
  (v) =>
    `次の苦情に対する返信文を作成してください。三文以内で、謝罪と対応策を含めてください。\n\n苦情:\n${v.many(1, 5, () => jaText(v), '')}`,
  (v) =>
    `${of('沖縄/長野/広島/仙台/金沢/函館')(v)}への二泊三日の旅行を計画してください。予算は${v.int(2, 9)}万円です。移動手段と昼食も入れてください。`,
  (v) => `${jaName(v)}先生の講義メモを要点だけにまとめてください。箇条書きで、専門用語には説明を付けてください。`,
  (v) =>
    `你是${of('晨光/海棠/北辰/祥云/翠湖')(v)}物业的管家。业主${zhName(v)}住在${v.int(1, 30)}号楼。请记录问题,告诉他处理时间,不要推卸责任。`,
  (v) => `请根据下面的反馈写一条回复,先感谢,再说明改进措施。\n\n反馈:\n${v.many(1, 4, () => zhText(v), '')}`,
  (v) =>
    `为${of('围棋/书法/游泳/钢琴/篮球/摄影')(v)}初学者制定四周的练习计划。每天不超过${v.int(20, 60)}分钟,并说明目标。`,
  (v) => `把${zhName(v)}的简历改写成一页。突出项目经验,删除个人爱好,保留所有日期。`,
  (v) =>
    `Ты гид по городу ${of('Казань/Псков/Тула/Самара/Выборг')(v)}. Гостя зовут ${ruName(v)}. Предложи маршрут на день и не советуй такси.`,
  (v) =>
    `Напиши вежливый ответ на сообщение клиента. Не больше трёх предложений, без обещаний.\n\nСообщение: ${v.many(1, 5, () => ruText(v), ' ')}`,
  (v) =>
    `Объясни, как выбрать ${of('велосипед/матрас/ноутбук/пылесос/рюкзак/чайник')(v)} для подростка. Назови три признака качества и частую ошибку.`,
  (v) =>
    `أنت مرشد سياحي في مدينة ${of('القاهرة/مراكش/بيروت/مسقط/فاس')(v)}. اسم الضيف ${arName(v)}. اقترح برنامجا ليوم واحد ولا تذكر الأسعار.`,
  (v) => `اكتب ردا مهذبا على رسالة العميل التالية في ثلاث جمل.\n\nالرسالة: ${v.many(1, 4, () => arText(v), ' ')}`,
  (v) =>
    `당신은 ${of('가온/누리/다솜/라온/미르')(v)} 치과의 접수원입니다. 환자 ${koName(v)}님의 예약을 도와주세요. 진단은 하지 마세요.`,
  (v) =>
    `아래 고객 의견을 긍정 또는 부정으로 분류하고 이유를 한 줄로 쓰세요.\n\n의견: ${v.many(1, 4, () => koText(v), ' ')}`,
]

const FORMATS: readonly PromptFamily[] = [
  (v) =>
    `Given the event below, decide who must be woken: nobody, support or engineering.\n${JSON.stringify({ id: v.int(1000, 9999), service: of('mail/auth/ledger/maps')(v), level: of('warn/error/fatal')(v), count: v.int(1, 900), host: `n-${v.int(1, 40)}` })}\nReply with one word and a reason.`,
  (v) =>
    `Extract every amount and its currency from the receipt. Return a JSON array of {"amount": number, "currency": string}.\n\n${list(v, 2, 7, () => `${of('Coffee/Taxi/Hotel/Paper/Lunch')(v)} ${v.int(2, 300)}.${v.int(10, 99)} ${of('EUR/USD/GBP')(v)}`)}`,
  (v) =>
    `You document REST endpoints. For each route write a summary, its parameters and an example.\n\n\`\`\`\n${list(v, 1, 6, () => `${of('GET/POST/PUT/DELETE')(v)} /${of('users/carts/files/teams')(v)}/${of('list/new/:id/stats')(v)}`)}\n\`\`\``,
  (v) =>
    `To: ${v.email()}\nCc: ${v.email()}\nSubject: Re: case ${v.int(1000, 9999)}\n\n${messages(v, 1, 5)}\n\nBest,\n${someone(v)}\n\n===\nSummarize the mail in one sentence, then draft a polite answer that promises nothing.`,
  (v) =>
    `Metrics of ${business(v)}, week ${v.int(1, 52)}:\nvisits ${v.int(100, 9000)}\norders ${v.int(1, 900)}\nreturns ${v.int(0, 90)}\n\nWrite three sentences for the board: what changed, why, and what to do.`,
  (v) =>
    `Explain what this regular expression matches and give two strings that it rejects: /${of('[a-z]+/\\d{2,4}/(foo|bar)/\\s*end$')(v)}/. Use plain words for ${someone(v)}.`,
  (v) =>
    `| item | stock | reorder |\n| --- | --- | --- |\n${list(v, 2, 6, () => `| ${of('nails/glue/paint/rope/tape')(v)} | ${v.int(0, 90)} | ${v.int(5, 50)} |`)}\n\nYou are the purchasing assistant of a workshop. Propose an order, group it by supplier and stay below ${v.int(100, 900)} euros.`,
]

const LENGTHS: readonly PromptFamily[] = [
  (v) => `Talk to ${someone(v)} like an old friend.`,
  (v) => `Reply in French only. The user lives in ${city(v)}.`,
  (v) =>
    `${'You are the night porter of a hotel. Guests write because they cannot sleep, have lost a key or want a taxi. Answer within two sentences. Never mention other guests. If someone is ill, give the emergency number first. Noise complaints go to security. Offer tea when the bar is closed. Do not discuss prices after midnight. Ask for the room number once. When a guest is angry, apologize once and act.'} Hotel: ${business(v)}. Tonight's manager: ${someone(v)}.`,
  (v) =>
    `You maintain the glossary of ${business(v)}. When a term is unclear, ask. When two terms mean the same, prefer the shorter one. Write definitions of at most ${v.int(15, 40)} words and add an example.`,
]

const shared = (v: Values) =>
  `You are part of the team at ${business(v)}. Use simple sentences. Do not invent facts. Ask when something is missing.`
const ending = (v: Values) => `Reference: ${v.id()}. Responsible: ${someone(v)}.`

const SHARED: readonly PromptFamily[] = [
  (v) => `${shared(v)}\nWrite the minutes of the call and list who does what until when.\n${ending(v)}`,
  (v) => `${shared(v)}\nCheck whether the offer fits the request and name every gap.\n${ending(v)}`,
  (v) => `${shared(v)}\nPrepare five interview questions for the candidate.\n${ending(v)}`,
  (v) => `${shared(v)}\nTurn the complaint into a task for the workshop.\n${ending(v)}`,
]

/** Written like the reserved applications, before later rules: at first 0.94 with 45 requests each, where it had been 0.69. */
export const UNREAD_APPLICATIONS: readonly PromptFamily[] = [
  ...LISTS,
  ...WORDS,
  ...SCRIPTS,
  ...FORMATS,
  ...LENGTHS,
  ...SHARED,
]

const alike: readonly (readonly [readonly string[], (v: Values, word: string) => string])[] = [
  [
    ['refund', 'exchange', 'repair'],
    (v, word) =>
      `You decide on every ${word} at ${business(v)}. Ask ${someone(v)} for the receipt and answer in two sentences.`,
  ],
  [
    ['landlord', 'insurer'],
    (v, word) =>
      `Write to the ${word} of ${someone(v)} about the damage in ${city(v)}. Stay factual and ask for a date.`,
  ],
  [
    ['title', 'abstract', 'outline'],
    (v, word) =>
      `Propose a ${word} for the article below. Keep the main figure and avoid questions.\n\n${statements(v, 2, 6)}`,
  ],
  [
    ['informal', 'formal'],
    (v, word) =>
      `Rewrite the note in a more ${word} tone. Leave names and numbers as they are.\n\n${messages(v, 1, 5)}`,
  ],
  [
    ['customers', 'suppliers', 'investors'],
    (v, word) =>
      `Answer questions from ${word} about the move of ${business(v)} to ${city(v)}. Be open and mention the timeline.`,
  ],
  [
    ['売上', '在庫'],
    (v, word) =>
      `${jaName(v)}さんが担当する店舗の${word}を確認し、問題があれば三つ挙げてください。数字は表にしてください。`,
  ],
  [['入院', '出院'], (v, word) => `你负责为病人${zhName(v)}办理${word}手续。请列出需要的证件,并说明每一步的地点。`],
  [
    ['входящих', 'исходящих'],
    (v, word) => `Ты разбираешь журнал ${word} писем. Для ${ruName(v)} выдели срочные и предложи ответ.`,
  ],
  [
    ['استلام', 'إرجاع'],
    (v, word) => `أنت مسؤول عن ${word} الطلبات في المتجر. اسم العميل ${arName(v)}. اشرح الخطوات ولا تطلب كلمة المرور.`,
  ],
  [
    ['Kauf', 'Verkauf'],
    (v, word) =>
      `Berate ${someone(v)} beim ${word} einer Wohnung in ${city(v)}. Frage zuerst nach dem Budget und nenne zwei Risiken.`,
  ],
]

/** Groups of applications that differ in a word; those of a group must not be mixed. */
export const UNREAD_ALIKE: readonly (readonly PromptFamily[])[] = alike.map(([words, template]) =>
  words.map((word) => (v: Values) => template(v, word)),
)
