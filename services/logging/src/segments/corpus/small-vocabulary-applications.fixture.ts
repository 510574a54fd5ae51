import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const of = (list: string, separator = '/') => {
  const items = list.split(separator)
  return (v: Values) => v.pick(items)
}
const client = of(
  'Ruth Adler/Marek Kowal/Priscilla Yeo/Diego Fuentes/Anneke Vos/Hamid Rahimi/Sina Berg/Paolo Greco/Nell Barker/Oleg Zima',
)
const house = of('Pebble/Grand Union/Sonnenhof/Vela Air/Kiosk & Co/Marlin Bank/Threadbare/Oakline/Ruby Dental/Zephyr')
const place = of('Bergen/Tartu/Cádiz/Lyon/Ghent/Fargo/Split/Varna/Kobe/Hobart')
const remark = of(
  'The handle broke after a week./We waited forty minutes at the gate./The form rejects my postcode./My card was declined twice./The lamp hums at night./Nobody told us about the fee./The shoes run small./Our room faced the car park.',
)
const remarks = (v: Values, low = 1, high = 5) => v.many(low, high, () => remark(v), ' ')

/** A word or two out of a few, in an English prompt or one in another language with spaces. */
const WORDS: readonly PromptFamily[] = [
  (v) =>
    `Plan a birthday party for ${of('toddlers/teenagers/colleagues/grandparents/students/neighbours')(v)} with a budget of ${v.int(50, 900)} euros. List the tasks by week and keep the tone cheerful.`,
  (v) =>
    `Compare three ${of('toasters/strollers/tents/printers/kettles/mattresses/drills')(v)} for ${client(v)}. Make a table with price, weight and warranty, then name a winner.`,
  (v) =>
    `Write alt texts for pictures of ${of('mountains/kitchens/sneakers/salads/bridges/puppies')(v)}. Use at most ${v.int(8, 20)} words and mention colours.`,
  (v) =>
    `Explain the ${of('mortgage/pension/tax/insurance/leasing')(v)} terms in this letter to a newcomer. Avoid jargon and give one example for each.\n\nLetter:\n${remarks(v, 2, 6)}`,
  (v) =>
    `Lint the ${of('css/markdown/toml/proto/shell')(v)} snippet. Report the line, the rule and a fix.\n\n\`\`\`\n${v.code()}\n\`\`\``,
  (v) =>
    `Answer as a ${of('sceptical/generous/tired/enthusiastic/nervous')(v)} customer of ${house(v)} in a training for sales people. React to every offer and never reveal that this is a training.`,
  (v) =>
    `Give ${client(v)} tips against ${of('snoring/hay fever/stage fright/jet lag/insomnia/hiccups')(v)}. Three tips, each with a reason, and no medication.`,
  (v) =>
    `Propose une recette à base de ${of('courgettes/lentilles/poireaux/pois chiches/saumon/champignons')(v)} pour ${v.int(2, 8)} personnes. Indique les quantités et le temps de cuisson.`,
  (v) =>
    `Crea un calendario de riego para ${of('tomates/rosales/lechugas/naranjos/lavanda')(v)} en ${place(v)}. Ten en cuenta el clima y evita tecnicismos.`,
  (v) =>
    `Schreibe eine Stellenanzeige für ${of('Köche/Elektriker/Erzieherinnen/Fahrer/Buchhalterinnen')(v)} in ${place(v)}. Nenne Aufgaben und Gehalt und verzichte auf Floskeln.`,
  (v) =>
    `Napisz ogłoszenie o sprzedaży ${of('roweru/kanapy/lodówki/gitary/pralki')(v)} w mieście ${place(v)}. Podaj cenę i stan, bez wykrzykników.`,
  (v) =>
    `Turn the notes into ${of('limericks/haikus/headlines/tweets/slogans')(v)} for ${house(v)}. Keep each below ${v.int(60, 200)} characters and stay kind.\n\nNotes:\n${remarks(v, 2, 5)}`,
]

const jaName = of('木村/清水/山口/池田/橋本/石川/前田/岡田')
const jaRemark = of(
  '画面が暗いです。/駅から遠かったです。/味がとても良かったです。/ボタンが反応しません。/対応が早かったです。',
)
const zhName = of('朱琳/秦岚/许波/沈洁/韩磊/杨帆/蔡敏/邓超')
const zhRemark = of('菜有点咸。/物流很快。/屏幕不亮。/房间有异味。/价格太高了。/店员很热情。')
const ruName = of('Мария Белова/Игорь Фомин/Татьяна Жукова/Андрей Громов/Вера Орлова')
const ruRemark = of('Курьер нагрубил./Чайник течёт./Ответили быстро./В номере холодно./Сумма не сошлась.')
const arName = of('سعيد القحطاني/نورة الحربي/طارق زيدان/هدى عباس/رامي ناصر')
const arRemark = of('المنتج مكسور./التوصيل كان سريعا./لم يرد أحد على الهاتف./الطعام بارد./السعر مرتفع.')
const koName = of('오세훈/한지민/임창정/신민아/배수지/조승우')
const koRemark = of('배송이 늦었어요./화면이 깨졌어요./맛있었어요./문이 안 닫혀요./가격이 비싸요.')

const SCRIPTS: readonly PromptFamily[] = [
  (v) =>
    `あなたは${of('松風/花園/大和/白浜/朝日')(v)}旅館の予約係です。${jaName(v)}様、${v.int(1, 6)}名でご到着です。夕食の時間を確認し、丁寧に案内してください。`,
  (v) =>
    `次の口コミに返信してください。お礼を述べ、改善策を一つ書いてください。\n\n口コミ:${v.many(1, 4, () => jaRemark(v), '')}`,
  (v) => `${jaName(v)}さんの志望動機を添削してください。敬語の間違いを直し、理由を説明してください。`,
  (v) =>
    `${of('掃除機/炊飯器/冷蔵庫/洗濯機/扇風機')(v)}の使い方を初心者に説明してください。手順は五つまで、専門用語は使わないでください。`,
  (v) =>
    `你是${of('春风/百合/东方/天和/长城')(v)}银行的客服。客户${zhName(v)}的卡号尾数是${v.int(1000, 9999)}。请先核实身份,再回答问题。`,
  (v) => `判断下面的留言是表扬还是投诉,只回答一个词。\n\n留言:${v.many(1, 4, () => zhRemark(v), '')}`,
  (v) => `请为${of('茶叶/蜂蜜/丝巾/陶瓷/红酒/月饼')(v)}写一段广告词,不超过${v.int(30, 90)}个字,不要夸大功效。`,
  (v) => `给学生${zhName(v)}写期末评语。先肯定优点,再提一个建议,语气要温和。`,
  (v) =>
    `Ты консультант банка ${of('Заря/Оплот/Пульс/Гранит')(v)}. Клиента зовут ${ruName(v)}. Объясняй условия простыми словами и не проси пин-код.`,
  (v) =>
    `Сократи отзыв до одного предложения и предложи ответ магазина.\n\nОтзыв:\n${v.many(1, 5, () => ruRemark(v), ' ')}`,
  (v) =>
    `Придумай меню на неделю для семьи, которая не ест ${of('мясо/рыбу/глютен/молоко/орехи')(v)}. Укажи калории и список покупок.`,
  (v) =>
    `أنت مساعد في مكتبة ${of('الحكمة/الفجر/النيل/الزيتون')(v)}. اسم القارئ ${arName(v)}. اقترح كتابا واحدا واذكر السبب بإيجاز.`,
  (v) => `صنف التعليق التالي إلى إيجابي أو سلبي. أجب بكلمة واحدة.\n\nالتعليق: ${v.many(1, 4, () => arRemark(v), ' ')}`,
  (v) =>
    `당신은 ${of('해돋이/은하수/바람/소나무')(v)} 서점의 점원입니다. 손님 ${koName(v)}님에게 책을 한 권 추천하고 이유를 설명하세요.`,
  (v) => `다음 후기를 한 문장으로 요약하고 답글을 제안하세요.\n\n후기: ${v.many(1, 4, () => koRemark(v), ' ')}`,
]

const head = (v: Values) => `You assist the staff of ${house(v)}. Write plain English. Never share salaries.`

/** Numbers, JSON, mail, lists and shared phrases. */
const OTHERS: readonly PromptFamily[] = [
  (v) => `${head(v)}\nDraft minutes from the notes: decisions first, then open points.\nChair: ${client(v)}.`,
  (v) => `${head(v)}\nCheck a travel request: budget, dates and approval.\nChair: ${client(v)}.`,
  (v) => `${head(v)}\nPrepare onboarding for a new colleague: accounts, desk, first week.\nChair: ${client(v)}.`,
  (v) =>
    `Convert the order to JSON with the keys sku, amount and note.\n\n${v.many(1, 5, () => `${v.int(1, 40)} x ${of('bolts/brackets/hinges/tiles/planks')(v)} (${of('urgent/blue/spare/long')(v)})`, '\n')}`,
  (v) =>
    `Mail:\nFrom: ${v.email()}\nSubject: ${of('Lost key/Invoice/Parking/Thanks')(v)}\n${remarks(v, 1, 5)}\n${client(v)}\n\nRoute the mail to front desk, finance or garage. Answer with the team only.`,
  (v) =>
    `1. Read the log.\n2. Find the first error.\n3. Name the service that caused it.\n4. Suggest who is on call.\n\nLog:\n${v.many(2, 9, () => `${v.date()} ${of('auth/cart/search/mail')(v)} ${of('timeout/ok/retry/refused')(v)} ${v.int(1, 900)} ms`, '\n')}`,
]

/** Written to develop how words out of a few, and names in scripts without capitals, are recognized. */
export const SMALL_VOCABULARY_APPLICATIONS: readonly PromptFamily[] = [...WORDS, ...SCRIPTS, ...OTHERS]
