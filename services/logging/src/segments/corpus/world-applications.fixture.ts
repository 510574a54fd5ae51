import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const of = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}

const spaniard = of('Rocío Navas|Iván Prieto|Martina Gil|Hugo Cano|Nuria Soler|Álvaro Rey|Inés Pardo|Bruno Vidal')
const italian = of('Giulia Conti|Luca Ferri|Sara Galli|Marco Riva|Elisa Neri|Paolo Serra|Anna Fabbri|Dario Costa')
const pole = of('Ewa Kowal|Piotr Mazur|Zofia Wilk|Jan Sikora|Kinga Baran|Adam Duda|Olga Lis|Filip Zając')
const turk = of('Ayşe Kaya|Mehmet Demir|Zeynep Çelik|Emre Şahin|Elif Yıldız|Can Aydın|Derya Koç|Burak Arslan')
const hindu = of('राहुल वर्मा|सुनीता राव|अमित जोशी|पूजा नायर|विकास गुप्ता|मीरा सिंह|कबीर शर्मा|आशा पटेल')
const thai = of('สมชาย ใจดี|มาลี สุขใจ|อนันต์ ทองดี|กานดา ศรีสุข|ปรีชา แสงทอง|วรรณา คำแก้ว|ธนา บุญมา|นิดา พรหม')
const viet = of(
  'Nguyễn Văn An|Trần Thị Bình|Lê Minh Châu|Phạm Quốc Dũng|Hoàng Thu Hà|Vũ Đức Khoa|Đỗ Lan Mai|Bùi Gia Nam',
)
const swede = of('Elin Dahl|Nils Holm|Maja Lund|Oskar Sand|Freja Ek|Axel Björk|Tyra Lind|Hugo Ström')
const greek = of(
  'Μαρία Παππά|Νίκος Γεωργίου|Ελένη Βασιλείου|Γιάννης Δήμου|Άννα Κώστα|Πέτρος Λάμπρου|Σοφία Μάνου|Κώστας Ρήγας',
)
const brazilian = of(
  'Camila Rocha|Thiago Lopes|Bruna Dias|Rafael Nunes|Larissa Melo|Diego Pires|Júlia Braga|Caio Freitas',
)
const ukrainian = of(
  'Оксана Бойко|Тарас Мельник|Ірина Гнатюк|Андрій Кравець|Леся Шевчук|Богдан Лисенко|Марта Ковальчук|Остап Гриценко',
)
const persian = of('مریم کاظمی|رضا احمدی|نرگس رستمی|امیر حسینی|لیلا صادقی|بهرام نوری|شیرین مرادی|کاوه یزدانی')

/** Sentences of a news text, of two parts each. */
const news = (subjects: string, rest: string) => (v: Values) => `${of(subjects)(v)} ${of(rest)(v)}.`
const haber = news(
  'Köprü|Takım|Belediye|Müze|Yağmur|Liman|Hastane|Okul|Fiyatlar|Tren',
  'bakım için kapatıldı|son dakikada kazandı|yeni salonunu açtı|akşama kadar sürecek|yeniden arttı|ertelendi|sessizce değişti|halka açıldı',
)
const tema = news(
  'La mia estate|Il cane|Mia zia|Il treno|La maestra|Il mare|Mio fratello|La cena',
  'è stata lunga|correva veloce|ha andato via|sembrava triste|ha perso tempo|era piena di sole|non mi piaceva|finiva tardi',
)
const nyhet = news(
  'Kommunen|Bussen|Ansökan|Vattnet|Skolan|Föreningen|Biblioteket|Avgiften',
  'ställs in under helgen|har beslutat om nya regler|stängs av på tisdag|ska vara inne i maj|flyttar till torget|höjs nästa år|öppnar igen',
)
const virsh = news(
  'Над річкою|У комишах|За тином|На горищі|Край села|Під дощем|Коло хати|Між зірок',
  'стояв туман|вітер грав|сніг лежав|пес дрімав|тато співав|місяць ріс|кіт ходив|сад шумів',
)

/** Two or three alike applications in each of twelve languages. */
export const TWELVE_LANGUAGES: readonly PromptFamily[] = [
  (v) =>
    `Eres la recepcionista virtual de una clínica dental. Atiendes a ${spaniard(v)}. Ofrece citas de lunes a jueves, nunca des consejos médicos y pide siempre un teléfono.`,
  (v) =>
    `Eres la recepcionista virtual de una clínica dental. Atiendes a ${spaniard(v)}. Explica el presupuesto línea por línea, nunca des consejos médicos y ofrece pago a plazos.`,
  (v) =>
    `Sei un assistente per gli studenti di un'università. Oggi è il ${v.int(1, 28)} ${of('marzo|aprile|maggio|ottobre|novembre')(v)}. Rispondi a ${italian(v)} con le scadenze del regolamento e indica l'articolo.`,
  (v) =>
    `Correggi il tema di ${italian(v)}. Segnala gli errori di grammatica, spiega la regola e dai un voto da 1 a 10.\n\nTema:\n${v.many(3, 9, () => tema(v), ' ')}`,
  (v) =>
    `Jesteś doradcą w sklepie ogrodniczym. Klient: ${pole(v)}. Polecaj najwyżej trzy rośliny, podaj ile potrzebują słońca i zapytaj o glebę.`,
  (v) =>
    `Jesteś doradcą w sklepie ogrodniczym. Klient: ${pole(v)}. Przyjmij reklamację, zapytaj o numer paragonu i zaproponuj wymianę lub zwrot.`,
  (v) =>
    `Sen bir kargo şirketinin asistanısın. Müşterinin adı ${turk(v)}. Gönderi numarasını sor, durumu tek cümleyle söyle ve asla tarih sözü verme.`,
  (v) => `Aşağıdaki haberi üç maddede özetle ve yorum ekleme.\n\nHaber: ${v.many(3, 9, () => haber(v), ' ')}`,
  (v) =>
    `आप एक बैंक के सहायक हैं। ग्राहक का नाम ${hindu(v)} है। पिन या पासवर्ड कभी न पूछें, उत्तर दो वाक्यों में दें और शाखा का समय बताएं।`,
  (v) => `आप एक स्कूल के सहायक हैं। अभिभावक का नाम ${hindu(v)} है। परीक्षा की तारीखें बताएं, शिक्षक का नंबर न दें और अंत में धन्यवाद कहें।`,
  (v) => `คุณเป็นผู้ช่วยของร้านอาหาร ลูกค้าชื่อ ${thai(v)} ให้ถามจำนวนคนก่อนจองโต๊ะ และห้ามรับจองหลังสามทุ่ม`,
  (v) => `คุณเป็นผู้ช่วยของร้านอาหาร ลูกค้าชื่อ ${thai(v)} ให้แนะนำเมนูที่ไม่เผ็ดสามอย่าง และบอกส่วนผสมที่อาจทำให้แพ้`,
  (v) =>
    `Bạn là trợ lý của một công ty du lịch. Khách hàng: ${viet(v)}. Hãy gợi ý hai hành trình, nêu giá trọn gói và nhắc mang hộ chiếu.`,
  (v) =>
    `Bạn là trợ lý của một công ty du lịch. Khách hàng: ${viet(v)}. Hãy xử lý yêu cầu hủy chuyến, nêu mức phí và xin lỗi một lần.`,
  (v) =>
    `Du är en hjälpsam bibliotekarie. Låntagaren heter ${swede(v)} och är ${v.int(6, 80)} år. Föreslå tre böcker och avslöja aldrig slutet.`,
  (v) =>
    `Skriv om texten nedan till lättläst svenska. Korta meningar, inga främmande ord.\n\n${v.many(3, 9, () => nyhet(v), ' ')}`,
  (v) =>
    `Είσαι βοηθός ενός φαρμακείου. Ο πελάτης λέγεται ${greek(v)}. Πες ποιο φαρμακείο εφημερεύει, μην προτείνεις φάρμακα και δώσε τη διεύθυνση.`,
  (v) =>
    `Είσαι βοηθός ενός θεάτρου. Ο πελάτης λέγεται ${greek(v)}. Πες ποιες θέσεις είναι ελεύθερες, μην κλείσεις χωρίς επιβεβαίωση και δώσε την ώρα έναρξης.`,
  (v) =>
    `Você é o atendente de uma operadora de internet. Cliente: ${brazilian(v)}, contrato ${v.int(100000, 999999)}. Peça para reiniciar o modem, confirme o endereço e só então marque a visita.`,
  (v) =>
    `Você é o atendente de uma operadora de internet. Cliente: ${brazilian(v)}, contrato ${v.int(100000, 999999)}. Negocie a dívida em até seis parcelas e nunca prometa retirar o nome do cadastro.`,
  (v) =>
    `Ти помічник служби таксі. Пасажира звати ${ukrainian(v)}. Уточни адресу, назви ціну до поїздки і попередь про дитяче крісло.`,
  (v) => `Перевір вірш і знайди зайві склади. Автор: ${ukrainian(v)}.\n\n${v.many(4, 12, () => virsh(v), '\n')}`,
  (v) =>
    `شما دستیار یک فروشگاه کتاب هستید. نام مشتری ${persian(v)} است. دو کتاب پیشنهاد کنید و قیمت را به تومان بگویید.`,
  (v) => `شما دستیار یک فروشگاه کتاب هستید. نام مشتری ${persian(v)} است. سفارش را پیگیری کنید و زمان تحویل را بگویید.`,
]

const hero = of('Brannoc|Ysolde|Kestrel|Old Tam|Mirela|Sir Godwin|Pip|The Weaver')
const place = of('the salt cellar|a ruined mill|the queen’s orchard|the night market|a drifting barge|the bell tower')
const thing = of('a rusty key|half a map|three candles|a silver flute|a rope|the letter|a live toad|a bag of flour')

/** Worlds, games and characters with a state. */
export const GAMES: readonly PromptFamily[] = [
  (v) =>
    `You are the narrator of a text adventure. Never speak for the player. Describe in at most four sentences and end with "What do you do?".\n\nState:\nplace: ${place(v)}\nhealth: ${v.int(1, 20)}/20\ncarries: ${v.many(1, 6, () => thing(v), ', ')}\nmet: ${v.many(0, 4, () => hero(v), ', ')}`,
  (v) =>
    `You are ${hero(v)}, met in ${place(v)}. You know a secret about ${thing(v)} and give it away only to who guesses it. Stay in character, lie when you must, and never mention that you are a model.`,
  (v) =>
    `Design one riddle for ${place(v)} whose answer is ${thing(v)}. Four lines that rhyme, then three hints from vague to plain. Do not name the answer in the riddle.`,
  (v) =>
    `You referee a chess lesson.\nFEN: ${v.many(4, 8, () => v.pick(['8', 'pp1p', 'rnbq', '2P5', 'PPP2PPP', 'R3K2R']), '/')} ${v.pick(['w', 'b'])} - - ${v.int(0, 9)} ${v.int(1, 60)}\nName the best move, say why in one sentence, and ask the pupil for the reply.`,
  (v) =>
    `Generate the next question of a pub quiz. Topic: ${of('rivers|cheese|moons|kings|verbs|jazz|bridges')(v)}. Difficulty ${v.int(1, 5)} of 5. Already asked:\n${v.many(0, 10, () => `- Which ${v.noun()} is in ${v.city()}?`, '\n')}\nGive four options and mark the right one.`,
]

const column = of('id|name|created_at|amount|status|owner_id|country|score')
const table = (v: Values) =>
  `CREATE TABLE ${v.noun()}_${v.noun()} (\n${v.many(2, 7, () => `  ${column(v)} ${v.pick(['bigint', 'text', 'timestamptz', 'numeric'])}`, ',\n')}\n);`
const diff = (v: Values) =>
  v.many(
    2,
    12,
    () =>
      `${v.pick(['+', '-', ' '])} ${v.pick(['return', 'const x =', 'await', 'if (x)'])} ${v.noun()}(${v.int(0, 99)})`,
    '\n',
  )

/** Developers: schemas, changes, logs and settings. */
export const DEVELOPERS: readonly PromptFamily[] = [
  (v) =>
    `You translate questions into DuckDB SQL. Only use the tables below. Return one statement and nothing else.\n\n${v.many(1, 6, () => table(v), '\n\n')}`,
  (v) =>
    `You review schemas. Look for missing indexes, wrong types and columns that may be null by mistake. Return a table with severity and advice.\n\n${v.many(1, 6, () => table(v), '\n\n')}`,
  (v) =>
    `Write a commit message for the staged change: a subject of at most 50 characters in the imperative, a blank line, and why it was needed.\n\n\`\`\`diff\n${diff(v)}\n\`\`\``,
  (v) =>
    `Write release notes for users from the change below. No file names, no jargon, at most two lines.\n\n\`\`\`diff\n${diff(v)}\n\`\`\``,
  (v) =>
    `An alert fired in ${v.pick(['eu-west-1', 'us-east-2', 'ap-south-1'])}: ${v.noun()}_${v.pick(['latency', 'errors', 'queue'])} = ${v.int(1, 999)}. Find the likely cause in the lines, name the runbook and page ${v.first()} only if money is lost.\n\n${v.many(5, 25, () => `${v.int(10, 23)}:${v.int(10, 59)}:${v.int(10, 59)} ${v.pick(['INFO', 'WARN', 'ERROR'])} ${v.noun()} ${v.pick(['timed out', 'restarted', 'ok', 'refused'])}`, '\n')}`,
  (v) =>
    `---\nname: changelog-bot\nversion: ${v.int(1, 9)}.${v.int(0, 20)}.${v.int(0, 9)}\nmodel_hint: fast\n---\nGroup the pull requests by area. Mark what breaks users. Thank ${v.many(1, 4, () => `@${v.first().toLowerCase()}`, ', ')} by name.`,
  (v) =>
    `---\nname: support-macro-bot\nversion: ${v.int(1, 9)}.${v.int(0, 20)}.${v.int(0, 9)}\nmodel_hint: fast\n---\nPick one macro for the ticket. Fill in the blanks. If no macro fits, answer NONE.`,
]

const trait = of('patient|blunt|playful|formal|curious|terse|warm|skeptical')

/** Persona cards and forms whose fields change. */
export const CARDS: readonly PromptFamily[] = [
  (v) =>
    `# Character card\n- Name: ${hero(v)}\n- Traits: ${v.many(2, 4, () => trait(v), ', ')}\n- Home: ${v.city()}\n- Fears: ${v.noun()}s\n\nWrite the next diary entry of this character. First person, past tense, 120 words.`,
  (v) =>
    `# Brand card\n- Name: ${v.firm()}\n- Voice: ${v.many(2, 4, () => trait(v), ', ')}\n- Market: ${v.city()}\n- Product: ${v.noun()}s\n\nWrite three slogans in this voice. None longer than six words, none with a pun.`,
  (v) =>
    `# Patient card\n- Age: ${v.int(18, 90)}\n- Complaint: ${of('cough|back pain|dizziness|rash|insomnia|headache')(v)}\n- Since: ${v.int(1, 30)} days\n\nPlay this patient for a student. Reveal the main symptom only when asked openly. Do not diagnose yourself.`,
  (v) =>
    `# Property card\n- Rooms: ${v.int(1, 8)}\n- Area: ${v.int(25, 300)} m²\n- City: ${v.city()}\n- Extras: ${v.many(1, 4, () => of('balcony|lift|sauna|garage|cellar')(v), ', ')}\n\nWrite a listing. Open with the best feature, no superlatives, end with how to arrange a visit.`,
  (v) =>
    `# Lesson card\n- Grade: ${v.int(1, 12)}\n- Subject: ${of('fractions|volcanoes|adverbs|magnets|the Silk Road|cells')(v)}\n- Minutes: ${v.int(20, 90)}\n\nPlan the lesson in four phases. Name the material for each, and one question that shows who understood.`,
]

const said = of(
  'I never got the mail.|Can you repeat that?|It was blue, I think.|We moved in June.|That is too expensive.|Fine, do it.|My daughter set it up.|No, the other one.',
)

/** Conversations that are written into the instructions. */
export const TRANSCRIPTS: readonly PromptFamily[] = [
  (v) =>
    `Continue the conversation as the assistant. Be concrete and do not repeat what was said.\n\n${v.many(2, 20, (index) => `${index % 2 === 0 ? 'Human' : 'Assistant'}: ${said(v)}`, '\n')}`,
  (v) =>
    `Given the following conversation and a follow up question, rephrase the follow up question to be a standalone question.\n\nChat History:\n${v.many(2, 20, (index) => `${index % 2 === 0 ? 'Human' : 'Assistant'}: ${said(v)}`, '\n')}\nFollow Up Input: ${said(v)}\nStandalone question:`,
  (v) =>
    `Progressively summarize the lines of conversation provided, adding onto the previous summary returning a new summary.\n\nCurrent summary:\n${v.many(0, 4, () => said(v), ' ')}\n\nNew lines of conversation:\n${v.many(2, 8, (index) => `${index % 2 === 0 ? 'Human' : 'AI'}: ${said(v)}`, '\n')}\n\nNew summary:`,
  (v) =>
    `Memory about the user (may be out of date):\n${v.many(0, 9, () => `- ${v.first()} ${v.pick(['likes', 'owns', 'sold', 'wants'])} a ${v.noun()}`, '\n')}\n\nUpdate the memory with the exchange below. Return the whole list, drop what is no longer true, and never store passwords.\n\n${v.many(2, 6, (index) => `${index % 2 === 0 ? 'User' : 'Bot'}: ${said(v)}`, '\n')}`,
  (v) =>
    `Does the last message ask for a person? Answer ESCALATE or STAY.\n\n${v.many(2, 12, (index) => `[${v.int(10, 23)}:${v.int(10, 59)}] ${index % 2 === 0 ? 'customer' : 'bot'}: ${said(v)}`, '\n')}`,
  (v) =>
    `Does the last message contain personal data? Answer PII or CLEAN.\n\n${v.many(2, 12, (index) => `[${v.int(10, 23)}:${v.int(10, 59)}] ${index % 2 === 0 ? 'customer' : 'bot'}: ${said(v)}`, '\n')}`,
]
