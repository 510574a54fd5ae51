import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const person = from(
  'Ruth Okafor|Stefan Brandt|Mei Lin|Carlos Pinto|Anja Kovač|Samuel Otieno|Leila Haddad|Gunnar Holm|Rosa Jiménez|Dmitri Volkov|Hana Sato|Patrick Byrne|Amara Diallo|Ewa Nowak',
)
const brand = from(
  'Maple & Co|Volta Energy|Corner Bakery|Skyline Air|Ledgerly|Pawsome|Greenleaf|Hotel Aurora|MediQuick|Trailhead Gear|Fjord Bank',
)
const remark = from(
  'the zip broke after two days|delivery was a day early, thanks|I never got the confirmation mail|colour is nothing like the picture|support hung up on me|works as described, would buy again|the lid leaks when it is warm|please cancel my order before it ships|wifi in room 12 was down all night|the app logs me out every hour|why was I charged twice?|great staff, terrible breakfast|battery lasts a week|manual is only in German|send me the invoice again, and copy my accountant|remove my data from your list',
)
const note = from(
  'Deliveries to islands take two more days.|A return is free within 30 days if the seal is intact.|Members of the loyalty club board first.|The kitchen closes at ten, except on Fridays.|Restart the hub before you pair a lamp.|Claims above 500 euros need a receipt.|Check the pressure every month.|Gift cards cannot be paid out.|Interest is credited on the first working day.|Pets below eight kilos travel in the cabin.|Do not mix the two resins by hand.|Prescriptions are valid for 90 days.|Use only the charger in the box.|The warranty ends with a change of owner.|Upgrades are offered at check-in.',
)
const notes = (v: Values, low: number, high: number, glue = ' ') => v.many(low, high, () => note(v), glue)
const day = (v: Values) => `${v.int(2024, 2027)}-0${v.int(1, 9)}-${v.int(10, 28)}`
const score = from('1|2|3|4|5')

/** Lines carry what the prompts mean: forms, tables, sections, records. Written before the rules for lines were. */
export const LAID_OUT_APPLICATIONS: readonly PromptFamily[] = [
  // Few-shot examples as pairs of lines, how many and of which labels varies.
  (v) =>
    `Decide how urgent a message is.\n\n${v.many(2, 6, () => `Message: ${remark(v)}\nUrgency: ${v.pick(['low', 'normal', 'high', 'drop everything'])}`, '\n\n')}\n\nMessage:`,
  (v) =>
    `Extract what the customer wants as a short verb phrase.\n\n${v.many(1, 5, () => `Message: ${remark(v)}\nWants: ${v.pick(['refund', 'replacement', 'information', 'deletion of data', 'nothing'])}`, '\n\n')}\n\nMessage:`,
  (v) =>
    `Input => Output\n${v.many(3, 7, () => `${remark(v)} => ${v.pick(['shipping', 'billing', 'product', 'staff', 'privacy'])}`, '\n')}\nContinue the table for the next input. One word.`,
  // Markdown with sections, one of which is the user's.
  (v) =>
    `# Role\nYou are the concierge of ${brand(v)}.\n\n# House rules\n- Quote prices in euros\n- Offer a table before a taxi\n- Never confirm a late checkout yourself\n\n# Guest\n- Name: ${person(v)}\n- Room: ${v.int(100, 900)}\n- Nights: ${v.int(1, 14)}\n- Remarks: ${remark(v)}\n\n# Style\nWarm, two sentences.`,
  (v) =>
    `# Role\nYou are the night auditor of ${brand(v)}.\n\n# House rules\n- Quote prices in euros\n- List open balances first\n- Never void a bill yourself\n\n# Guest\n- Name: ${person(v)}\n- Room: ${v.int(100, 900)}\n- Nights: ${v.int(1, 14)}\n- Remarks: ${remark(v)}\n\n# Style\nDry, as a table.`,
  // XML, data in tags nobody lists.
  (v) =>
    `<assignment>Turn the meter readings into a friendly monthly message.</assignment>\n<household>\n<holder>${person(v)}</holder>\n<readings>${v.many(2, 6, () => String(v.int(100, 9000)), ', ')}</readings>\n<tariff>${v.pick(['night', 'flex', 'green', 'basic'])}</tariff>\n</household>\n<constraints>At most 70 words. Mention one way to save.</constraints>`,
  (v) =>
    `<assignment>Warn the household if a meter reading looks wrong.</assignment>\n<household>\n<holder>${person(v)}</holder>\n<readings>${v.many(2, 6, () => String(v.int(100, 9000)), ', ')}</readings>\n<tariff>${v.pick(['night', 'flex', 'green', 'basic'])}</tariff>\n</household>\n<constraints>Reply OK when nothing is wrong. Otherwise name the reading.</constraints>`,
  // Retrieved documents in front, behind, in between.
  (v) =>
    `Sources\n=======\n${v.many(2, 6, (index) => `(${index + 1}) ${notes(v, 1, 3)}`, '\n')}\n=======\nYou answer guests by these sources alone. Put the number of the source behind each claim.`,
  (v) =>
    `You check whether an answer is supported.\n\nPassages:\n${v.many(2, 5, () => `* ${notes(v, 1, 2)}`, '\n')}\n\nAnswer to check: ${note(v)}\n\nSay SUPPORTED, REFUTED or UNKNOWN, then the words that decide it.`,
  // User data in the middle of prose.
  (v) =>
    `You are a fitness coach. Your client is ${person(v)}, ${v.int(18, 80)} years old, ${v.int(150, 200)} cm, who wants to ${v.pick(['lose weight', 'run a marathon', 'sleep better', 'lift more', 'recover from surgery', 'gain muscle'])}. Last session: ${remark(v)}. Plan the coming week day by day and keep one day free.`,
  (v) =>
    `Write the weekly newsletter of ${brand(v)} in the voice of ${person(v)}. This week's facts:\n${v.many(2, 5, () => `- ${note(v)}`, '\n')}\nOpen with a question, close with a thank-you, and keep it under ${v.pick(['120', '150', '200'])} words.`,
  // One-line prompts.
  (v) =>
    `Rewrite this for a ${v.pick(['child', 'lawyer', 'doctor', 'pirate', 'busy manager', 'tourist'])}: ${remark(v)}`,
  (v) =>
    `Tags for the product "${v.pick(['wool socks', 'steel bottle', 'desk lamp', 'trail shoes', 'tea sampler', 'dog bed', 'rain jacket'])}", comma separated, lower case, five at most.`,
  // A table in the prompt.
  (v) =>
    `You are a buyer's assistant. Stock today:\n| item | stock | minimum |\n|---|---|---|\n${v.many(3, 9, () => `| ${v.pick(['bolts', 'hinges', 'glue', 'sandpaper', 'paint', 'drills', 'tape', 'gloves', 'screws'])} | ${v.int(0, 90)} | ${v.int(5, 40)} |`, '\n')}\nTell which items to order today and how many, cheapest supplier first.`,
  // Languages.
  (v) =>
    `Sen ${v.pick(['bir kargo şirketinin', 'bir bankanın', 'bir otelin', 'bir eczanenin', 'bir havayolunun'])} müşteri temsilcisisin.\nMüşteri: ${v.pick(['Ayşe Demir', 'Mehmet Kaya', 'Zeynep Çelik', 'Ali Şahin', 'Elif Aydın'])}\nKonu: ${v.pick(['iade', 'gecikme', 'fatura', 'şifre', 'adres değişikliği'])}\nKısa ve nazik cevap ver, emin değilsen bir insana aktar.`,
  (v) =>
    `Du är en vänlig bibliotekarie. Låntagaren heter ${v.pick(['Astrid Lund', 'Nils Ek', 'Saga Berg', 'Olle Sjö', 'Maja Dahl'])} och har lånat: ${v.many(1, 4, () => v.pick(['Röda rummet', 'Aniara', 'Doktor Glas', 'Pippi', 'Kallocain', 'Utvandrarna']), ', ')}. Föreslå tre böcker till och berätta var de står.`,
  (v) =>
    `당신은 ${v.pick(['서울', '부산', '대구', '인천', '광주'])} 관광 안내원입니다.\n여행자: ${v.pick(['김민수', '이서연', '박지훈', '최유진', '정하늘'])}\n기간: ${v.int(1, 9)}일\n하루씩 일정을 짜고 식당을 하나씩 추천하세요.`,
  // Tool instructions as lines.
  (v) =>
    `You may use these commands, one per turn:\n${['OPEN <file>', 'SEARCH <words>', 'EDIT <line> <text>', 'RUN <test>', 'UNDO', 'DIFF'].filter(() => v.chance(0.75)).join('\n')}\n\nFix the failing test of ${v.pick(['parser', 'billing', 'router', 'cache', 'login', 'export'])}. Stop when it passes and print DONE.`,
  // Logs and code.
  (v) =>
    `Log of ${brand(v)}, ${day(v)}:\n${v.many(3, 10, () => `${v.int(10, 23)}:${v.int(10, 59)} ${v.pick(['ERROR', 'WARN', 'INFO'])} ${v.pick(['db timeout', 'retrying upload', 'disk at 91 %', 'user locked out', 'job finished', 'certificate expires soon'])}`, '\n')}\nName the first cause and who should be called.`,
  (v) =>
    `Score the essay.\nGrade level: ${v.int(4, 12)}\nTopic: ${v.pick(['my summer', 'a machine I would build', 'why we read', 'the sea', 'an unfair rule'])}\nPrevious scores: ${v.many(1, 4, () => score(v), ', ')}\n---\n${notes(v, 2, 6)}\n---\nGive one number from 1 to 5 and one thing to try next time.`,
]
