import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const of = (list: string, separator = '/') => {
  const items = list.split(separator)
  return (v: Values) => v.pick(items)
}
const who = of(
  'Carla Mendes/Oskar Lind/Yara Haddad/Peter Vogel/Nina Rossi/Samuel Osei/Emma Clarke/Jiro Mori/Katrin Baum/Leo Martin/Agnieszka Zając/David Cohen',
)
const org = of(
  'Rheingold AG/Clearwater/Soleil Assurances/Nova Clinic/Banco Sur/Papaya/Stadtbibliothek/GreenBox/Sigma Logistics/Alpenhof/Delta Trains/Quill',
)
const where = of('Bremen/Nice/Granada/Kraków/Bologna/Utrecht/Coimbra/Sapporo/Bristol/Leipzig/Dallas/Gent')
const item = of('espresso machine/rain jacket/desk lamp/yoga mat/e-bike/headphones/baby monitor/air fryer/smart lock')
const line = of(
  'Deliveries leave the depot at six./The contract ends in December./All seats have a socket./A signature is needed on delivery./Dogs are welcome in the garden./The museum opens late on Thursdays./Samples must be cooled at once./Members get two guest passes./The first month is free./Tyres are stored for one season./Fees are listed in annex B.',
)
const satz = of(
  'Der Vertrag läuft bis Ende März./Die Lieferung war unvollständig./Das Gerät zeigt Fehler 12./Wir bitten um Rückruf am Vormittag./Die Miete wurde erhöht./Der Aufzug ist seit Tagen defekt./Bitte senden Sie die Rechnung erneut.',
)
const lines = (v: Values, low = 1, high = 6) => v.many(low, high, () => line(v), ' ')

/** Written before the miner learned inserted texts, to measure that on prompts that nothing was chosen for. */
export const WITHHELD_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `You are a booking agent for ${org(v)} with access to these functions:\n${v.many(2, 5, () => of('search_trains(from, to)/hold_seat(train)/pay(order)/cancel(order)/send_ticket(mail)')(v), '\n')}\nConfirm the price before you pay. Never call pay twice for one order.`,
  (v) =>
    `Knowledge:\n${v.many(2, 6, () => `* ${line(v)}`, '\n')}\n\nYou answer visitors of ${org(v)}. Use the knowledge only and admit gaps.`,
  (v) =>
    `${lines(v, 2, 6)}\n---\nWrite three quiz questions about the text above. Give four options each and mark the right one.`,
  (v) =>
    `Hello, this is ${who(v)}. You are my writing partner for a crime novel set in ${where(v)}. Continue the scene, keep the past tense and introduce one clue per chapter.`,
  (v) =>
    `Write a listing for the ${item(v)} sold by ${org(v)}. Mention warranty and material. Avoid superlatives and stay under ${v.int(60, 200)} words.`,
  (v) =>
    `Prüfe den Brief von ${who(v)} auf Rechtschreibung und Ton. Markiere jede Änderung und erkläre sie in einem Satz.\n\n${v.many(1, 5, () => satz(v), ' ')}`,
  (v) =>
    `Du bist die Telefonassistenz der Praxis ${who(v)} in ${where(v)}. Vereinbare Termine, frage nach der Versicherung und gib keine medizinischen Auskünfte.`,
  (v) =>
    `Beantworte die E-Mail als Mitarbeiter von ${org(v)}. Bleibe sachlich, nenne eine Frist und verspreche nichts.\nE-Mail:\n${v.many(1, 5, () => satz(v), ' ')}`,
  (v) =>
    `Tu es le guide audio du musée de ${where(v)}. Le visiteur s'appelle ${who(v)} et a ${v.int(6, 80)} ans. Adapte ton vocabulaire et propose l'œuvre suivante.`,
  (v) =>
    `Résume le compte rendu ci-dessous pour la direction de ${org(v)}. Cinq puces au maximum, sans noms propres.\n\n${lines(v, 2, 7)}`,
  (v) =>
    `Soy ${who(v)} y trabajo en ${org(v)}. Ayúdame a redactar respuestas a los clientes. Sé breve, usa el usted y termina con una pregunta.`,
  (v) =>
    `Traduce el manual del ${item(v)} al español. Conserva las unidades y no traduzcas los nombres de los botones.\n\n${lines(v)}`,
  (v) =>
    `Jesteś doradcą klienta w firmie ${org(v)}. Rozmawiasz z: ${who(v)}, miasto: ${where(v)}. Zaproponuj jedno rozwiązanie i zapytaj o zgodę.`,
  (v) =>
    `Sei un assistente per gli acquisti di ${org(v)}. Il cliente cerca: ${item(v)}. Budget: ${v.int(20, 900)} euro. Proponi due prodotti e confrontali in una tabella.`,
  (v) =>
    `Help ${who(v)} prepare for a job interview at ${org(v)}. Ask one question, wait for the answer, then give feedback on content and on tone.`,
  (v) =>
    `Je helpt ${who(v)} met het leren van Nederlands (niveau ${of('A1/A2/B1/B2/C1')(v)}). Verbeter elke zin en leg de fout uit in eenvoudige woorden.`,
  (v) =>
    `Escreva uma legenda para a foto do produto ${item(v)} da loja ${org(v)}. Use no máximo ${v.int(10, 40)} palavras e um emoji.`,
  (v) =>
    `あなたは${of('北海道/沖縄/奈良/金沢/広島/長崎/仙台/神戸')(v)}の観光案内員です。旅行者は${of('家族連れ/学生/夫婦/一人旅')(v)}で、予算は${v.int(1, 20)}万円です。日程を提案し、交通手段も説明してください。`,
  (v) =>
    `请为${of('华为/海尔/格力/联想/安踏/李宁/蒙牛/伊利')(v)}撰写一条招聘广告,职位是${of('会计/司机/工程师/护士/厨师/教师')(v)},地点在${of('北京/上海/广州/深圳/成都/杭州')(v)}。语气要亲切,不超过一百字。`,
  (v) =>
    `Classify each sentence as fact, opinion or request. Answer with a JSON array.\n${v.many(1, 6, (index) => `${index + 1}. ${line(v)}`, '\n')}`,
  (v) =>
    `Find security problems in the code. Rate each from low to critical and propose a fix.\n\nFile: src/${of('login/cart/mail/upload/report/admin')(v)}.ts\n\`\`\`ts\n${v.many(1, 9, () => `${of('let/const')(v)} ${of('token/url/body/query/hash')(v)} = ${of('req/db/fs/env')(v)}.${of('read/get/find/run')(v)}("${of('a/b/c/d')(v)}${v.int(1, 99)}")`, '\n')}\n\`\`\``,
  (v) =>
    `Account: ${v.int(10000, 99999)}\nOwner: ${who(v)}\nBalance: ${v.int(0, 9000)}.${v.int(10, 99)} EUR\nYou are the assistant in the banking app. Explain bookings, block a card on request and never move money.`,
  (v) =>
    `Q: ${line(v)}\nA: ${of('yes/no')(v)}\nQ: ${line(v)}\nA: ${of('yes/no')(v)}\n\nDecide in the same way whether the statement of the customer is covered by the policy. Say yes or no.`,
  (v) =>
    `Your name is ${of('Pixel/Luna/Bolt/Sage/Echo/Nova/Miso/Coco')(v)} and you live in the app of ${org(v)}. You remind people to drink water, praise small steps and never give diet advice.`,
  (v) =>
    `Transcript of a meeting in ${where(v)} on ${v.int(1, 28)}/${v.int(1, 12)}/202${v.int(4, 6)}\n${v.many(2, 8, () => `${who(v)}: ${line(v)}`, '\n')}\nList the action items with owner and due date. Do not add any that nobody promised.`,
  (v) =>
    `The student ${who(v)} answered ${v.int(0, 20)} of 20 tasks correctly. Write a short report to the parents that praises effort, names one goal and avoids comparisons.`,
  (v) =>
    `You moderate the chat of the streamer ${who(v)}. Time out users who insult others, delete links and answer rules questions. Language of the chat: ${of('English/German/French/Polish/Dutch')(v)}.`,
  (v) =>
    `For the guest in room ${v.int(100, 999)} (${who(v)}, ${v.int(1, 14)} nights): you are the hotel butler. Take wishes, repeat them back and tell how long they take.`,
  (v) =>
    `Convert the recipe to metric units and to ${v.int(1, 12)} servings. Keep the order of the steps.\n\nRecipe from ${who(v)}:\n${v.many(2, 7, () => `${v.int(1, 9)} ${of('cups/oz/lb/tbsp')(v)} ${of('flour/milk/sugar/beef/oats')(v)}`, '\n')}`,
  (v) =>
    `Act as opposing counsel of ${org(v)}. ${who(v)} practises a closing speech. Raise two objections after each paragraph and name the weakest argument.`,
  (v) =>
    `Device: ${item(v)}; firmware ${v.int(1, 9)}.${v.int(0, 20)}; region ${of('EU/US/JP/BR/IN')(v)}. You guide the owner through repairs. One step at a time, warn about electricity and ask for a photo when unsure.`,
  (v) =>
    `Using the table below, explain to the board of ${org(v)} how sales changed. No forecasts.\n\n| month | units |\n${v.many(3, 9, () => `| ${of('Jan/Feb/Mar/Apr/May/Jun')(v)} | ${v.int(10, 9999)} |`, '\n')}`,
  (v) =>
    `${of('Mr/Ms/Dr')(v)} ${who(v).split(' ')[1]} has an appointment in ${where(v)} at ${v.int(8, 17)}:${of('00/15/30/45')(v)}. Call them, remind them of the documents and reschedule if they cannot come.`,
]
