import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const of = (list: string, separator = '/') => {
  const items = list.split(separator)
  return (v: Values) => v.pick(items)
}
const human = of(
  'Maud Perrin/Silas Grant/Ayşe Demir/Jorge Campos/Freya Lindqvist/Dmitry Orlov/Chidi Eze/Rita Moreau/Hans Keller/Lan Nguyen',
)
const maker = of(
  'Harbour Lights/Tulip Bank/Norda Rail/Sunmill/Peak Dental/Arbor Homes/Cliff Energy/Paper Kite/Rosewood Inn/Jetty Foods',
)
const spot = of('Bologna/Esbjerg/Limerick/Gdynia/Nancy/Murcia/Riga/Tampa/Hobart/Salzburg')
const voice = of(
  'The heater smells of gas./My seat was taken./The coupon expired too early./Your bot hung up on me./The jacket lost its colour./I still wait for a reply./The keys were in the wrong box./We loved the breakfast./The invoice has two dates.',
)
const truth = of(
  'The pool closes at eight./A deposit is due in March./Trams leave from gate four./The library lends tools./Staff wear blue badges./Tours start on the hour./The lake freezes in January./Each flat has a cellar./The canteen takes no cash.',
)
const voices = (v: Values, low = 1, high = 5) => v.many(low, high, () => voice(v), ' ')
const truths = (v: Values, low = 1, high = 6) => v.many(low, high, () => truth(v), ' ')
const rows = (v: Values, low: number, high: number, make: (index: number) => string) => v.many(low, high, make, '\n')
const jaName = of('村上/近藤/坂本/遠藤/藤田/後藤/長谷川/原田')
const jaText = of('蓋が閉まりません。/味が薄かったです。/案内が丁寧でした。/音が途切れます。/待ち時間が長かったです。')
const zhName = of('陆明/孔雪/白洁/石磊/龙飞/万芳/段誉/雷军宝/钱多')
const zhText = of('钥匙丢了。/空调太吵。/早餐很好吃。/地址写错了。/颜色和图片不一样。')
const ruName = of('Алина Крылова/Степан Зайцев/Нина Ковалёва/Глеб Панов/Дарья Суханова')
const ruText = of('Дверь скрипит./Суп был холодным./Таксист опоздал./Меня соединили не с тем отделом./Всё понравилось.')
const arName = of('منى شاهين/حسن البنا/ريم الأحمد/زياد قاسم/لبنى مراد')
const arText = of('الكرسي مكسور./الرد تأخر كثيرا./الطعم رائع./الفاتورة مكررة./المكيف لا يعمل.')

/** Written like the reserved applications, before later rules: at first 0.94 with 45 requests each, where it had been 0.75. */
export const FINAL_APPLICATIONS: readonly PromptFamily[] = [
  // Lists.
  (v) =>
    `How to answer:\n1. Start with the price.\n2. Say what is included.\n3. Name ${human(v)} for questions.\n4. Stop after four sentences.`,
  (v) =>
    `Rules of the game master:\n- describe the room\n- offer two exits\n- keep score, starting at ${v.int(0, 50)}\n- never kill the hero\n- play in the style of ${spot(v)} at night`,
  (v) =>
    `You check invoices of ${maker(v)}.\n- compare the total with the items\n- check the VAT number\n- refuse duplicates\n\nInvoice:\n${rows(v, 2, 6, () => `${of('screws/cable/lamp/switch')(v)} ${v.int(1, 90)} x ${v.int(1, 50)}.${v.int(10, 99)}`)}`,
  (v) =>
    `Aufgaben der Nachtschicht bei ${maker(v)}:\n1. Sammle offene Fragen.\n2. Ordne sie nach Dringlichkeit.\n3. Schreibe ${human(v)} eine Übergabe in fünf Sätzen.`,
  (v) =>
    `Étapes :\n1. Lis l'avis.\n2. Classe-le : produit, livraison ou service.\n3. Propose une réponse de deux phrases.\n\nAvis : ${of('Le colis est arrivé ouvert./La couleur ne va pas./Très bon accueil./Le site plante./Rien à redire.')(v)}`,
  // Words out of a few.
  (v) =>
    `Write a product description for ${of('a wool scarf/a garden hose/a desk fan/a wooden sled/a tea strainer/a bike pump')(v)}. Mention the material, stay below ${v.int(40, 90)} words and avoid superlatives.`,
  (v) =>
    `Teach me the rules of ${of('backgammon/curling/cricket/petanque/mahjong/darts')(v)}. Start with the goal, then the moves, and end with a common mistake.`,
  (v) =>
    `Draft a complaint about ${of('a delayed train/loud neighbours/a broken lift/a missing parcel/a wrong bill')(v)} to ${maker(v)}. Be firm, ask for a date and keep it below a page.`,
  (v) =>
    `Create flashcards on ${of('photosynthesis/plate tectonics/the blood cycle/inflation/magnetism/fractions')(v)} for grade ${v.int(4, 11)}. Ten cards, one fact each.`,
  (v) =>
    `Gib Tipps für ${of('den Umzug/die Steuererklärung/den Hauskauf/die Elternzeit/den Ruhestand/die Jobsuche')(v)}. Fünf Punkte, jeweils mit einem Beispiel, ohne Fachwörter.`,
  (v) =>
    `Escribe un poema corto sobre ${of('el mar/la lluvia/el invierno/la luna/el bosque/la ciudad')(v)} para ${human(v)}. Cuatro versos y sin rima fácil.`,
  // Other scripts.
  (v) =>
    `${jaName(v)}様のご予約を変更してください。新しい日時は${v.int(1, 12)}月${v.int(1, 28)}日です。変更点を確認し、お礼で終えてください。`,
  (v) =>
    `次のアンケートの回答から要望を三つ抜き出し、優先順位を付けてください。\n\n回答:\n${v.many(1, 5, () => jaText(v), '')}`,
  (v) =>
    `${of('味噌汁/肉じゃが/親子丼/茶碗蒸し/焼きそば')(v)}の作り方を教えてください。材料は${v.int(1, 6)}人分で、手順は番号を付けてください。`,
  (v) =>
    `你是${of('青松/碧水/紫荆/金穗/白鹭')(v)}学校的班主任。请给${zhName(v)}的家长写一条通知,说明时间和地点,语气亲切。`,
  (v) => `从下面的聊天记录里找出客户的要求,用一句话概括。\n\n聊天记录:${v.many(1, 4, () => zhText(v), '')}`,
  (v) => `推荐三本关于${of('园艺/历史/心理学/天文/摄影/烹饪')(v)}的书。每本写两句话,不要剧透。`,
  (v) => `Ты диспетчер службы такси. Клиент: ${ruName(v)}. Уточни адрес, назови время подачи и не обсуждай цену.`,
  (v) =>
    `Выдели из жалобы причину и требование клиента. Ответь в двух строках.\n\nЖалоба: ${v.many(1, 4, () => ruText(v), ' ')}`,
  (v) =>
    `Составь викторину на тему ${of('космоса/океана/кино/музыки/спорта')(v)} для вечеринки. Десять вопросов с вариантами ответа.`,
  (v) => `أنت موظف استقبال في عيادة. اسم المريض ${arName(v)}. اسأل عن الأعراض ثم اقترح موعدا ولا تقدم تشخيصا.`,
  (v) => `صحح الأخطاء الإملائية في النص التالي وأعد كتابته.\n\nالنص: ${v.many(1, 4, () => arText(v), ' ')}`,
  // Formats.
  (v) =>
    `Validate the payload against the contract and list every violation.\n${JSON.stringify({ order: v.int(1, 9999), items: Array.from({ length: v.int(1, 4) }, () => ({ sku: `k${v.int(1, 99)}`, n: v.int(1, 9) })), express: v.chance(0.5) })}\nAnswer with a JSON array of strings.`,
  (v) =>
    `Rewrite the query so that it uses an index. Explain the plan in two sentences.\n\n\`\`\`sql\nSELECT ${of('id/name/total')(v)} FROM ${of('orders/users/logs')(v)} WHERE ${of('city/day/state')(v)} = '${spot(v)}' LIMIT ${v.int(1, 500)}\n\`\`\``,
  (v) =>
    `From: ${human(v)} <${v.email()}>\nSubject: ${of('Late again/Key card/Question/Thank you')(v)}\n\n${voices(v)}\n\nTask: classify the mail as praise, question or complaint and answer with one word.`,
  (v) =>
    `Temperatures in ${spot(v)}: ${v.many(3, 9, () => String(v.int(-9, 35)), ', ')}. Describe the trend in one sentence, name the warmest day and do not forecast.`,
  (v) =>
    `<ticket id="${v.int(1, 9999)}">\n${voices(v)}\n</ticket>\n<instructions>\nWrite a reply of three sentences. Apologize once. Offer a call back by ${human(v)}.\n</instructions>`,
  (v) => `Name the design pattern in this code and say when not to use it.\n\n\`\`\`java\n${v.code()}\n\`\`\``,
  // Lengths.
  (v) => `Keep it short. Sign as ${human(v)}.`,
  (v) =>
    `You are the help line for people who rent cars from ${maker(v)}. ${'Ask whether anyone is hurt before anything else. Explain the next step, then wait. Do not estimate costs. When the car cannot move, send the tow truck. When the customer is abroad, give the international number. Never tell a customer whose fault an accident was. Photos help, so ask for two. End each answer with what happens next.'} The contract number is ${v.id()}.`,
  (v) => `${truths(v, 2, 6)}\n\nYou answer new neighbours. Use the notes above, admit gaps and stay friendly.`,
  // Shared phrases.
  (v) =>
    `You belong to the back office of ${maker(v)}. Be exact. Quote numbers as given.\nMatch the payment with an open invoice.\nClerk: ${human(v)}`,
  (v) =>
    `You belong to the back office of ${maker(v)}. Be exact. Quote numbers as given.\nWrite a dunning letter without threats.\nClerk: ${human(v)}`,
  (v) =>
    `You belong to the back office of ${maker(v)}. Be exact. Quote numbers as given.\nExplain a bank fee to the customer.\nClerk: ${human(v)}`,
  (v) =>
    `Use the notes only. Quote the line.\nAnswer a visitor's question about the house.\n\nNotes:\n${rows(v, 2, 6, () => `- ${truth(v)}`)}`,
  (v) =>
    `Use the notes only. Quote the line.\nFind two notes that contradict each other.\n\nNotes:\n${rows(v, 2, 6, () => `- ${truth(v)}`)}`,
]

const alike: readonly (readonly [readonly string[], (v: Values, word: string) => string])[] = [
  [
    ['weekly', 'monthly', 'yearly'],
    (v, word) => `Prepare the ${word} report of ${maker(v)}. Three figures, one risk and one thank you to ${human(v)}.`,
  ],
  [
    ['tenant', 'owner'],
    (v, word) =>
      `You advise the ${word} of a flat in ${spot(v)}. Explain rights in plain words and suggest a next step.`,
  ],
  [
    ['arrival', 'departure', 'transfer'],
    (v, word) => `Tell guests about their ${word} at the airport of ${spot(v)}. Give times, the gate and one warning.`,
  ],
  [
    ['kürzer', 'länger'],
    (v, word) => `Formuliere den Absatz ${word}, ohne den Sinn zu ändern. Behalte die Namen.\n\n${truths(v, 1, 4)}`,
  ],
  [
    ['採用', '退職'],
    (v, word) => `${jaName(v)}さんの${word}手続きを案内してください。必要な書類を挙げ、期限を伝えてください。`,
  ],
  [['收货', '发货'], (v, word) => `你负责核对${zhName(v)}的${word}单。请指出数量不一致的地方,并写一条备注。`],
  [
    ['детей', 'взрослых'],
    (v, word) => `Придумай экскурсию для ${word} по музею. Маршрут на час, гид ${ruName(v)}, без скучных дат.`,
  ],
  [
    ['الشراء', 'البيع'],
    (v, word) => `أنت خبير في ${word} داخل السوق العقارية. اسم العميل ${arName(v)}. قدم نصيحتين واذكر المخاطر.`,
  ],
]

/** Groups of applications that differ in a word; those of a group must not be mixed. */
export const FINAL_ALIKE: readonly (readonly PromptFamily[])[] = alike.map(([words, template]) =>
  words.map((word) => (v: Values) => template(v, word)),
)
