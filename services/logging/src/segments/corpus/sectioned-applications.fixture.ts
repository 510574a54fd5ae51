import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const guest = from(
  'Nadia Fischer|Tobias Lang|Ifeoma Eze|Pablo Duarte|Soo-jin Park|Marta Silva|Jakob Lind|Aisha Karim|Luca Romano|Emma Clarke|Vikram Nair|Olena Bondar',
)
const shop = from(
  'Lumen Lamps|Copper Kettle|Nordic Sleep|Bella Cucina|Tiny Trains|Sunday Bikes|Cloudberry|Hearth & Home|Quiet Desk',
)
const entry = from(
  'Orders placed before 14:00 leave the same day.|A mattress may be returned after 100 nights if it is clean.|We repair every lamp for ten years.|Store credit does not expire.|Bulky goods are delivered to the kerb.|Children under six travel free.|The spare key costs 40 euros.|Check-out is at eleven, later on request.|Please rinse the filter once a month.|Assembly takes two people and an hour.|Bookings can be changed until the evening before.|Always keep the receipt with the box.|Our showroom in Graz is closed on Mondays.|Vegan dishes are marked with a leaf.|Call the courier if the parcel is wet.|The deposit is returned within a week.',
)
const entries = (v: Values, low: number, high: number, glue = '\n') => v.many(low, high, () => entry(v), glue)
const line = from(
  'hi, is the blue one back in stock?|my parcel says delivered but it is not here|can I bring a dog|I need an invoice with VAT|the drawer does not close|what time is breakfast|cancel order please|do you ship to Malta|it smells odd out of the box|is the discount code still valid|thank you, all solved|third time I am writing!!|how do I reset the remote|two screws were missing',
)
const turns = (v: Values) => v.many(2, 6, (index) => `${index % 2 === 0 ? 'Customer' : 'Agent'}: ${line(v)}`, '\n')
const when = (v: Values) =>
  v.pick([
    `${v.int(1, 28)} ${v.pick(['March', 'June', 'October'])} ${v.int(2024, 2027)}`,
    `${v.int(2024, 2027)}-0${v.int(1, 9)}-${v.int(10, 28)} ${v.int(10, 23)}:${v.int(10, 59)}`,
  ])

/** What shops, hotels and offices send: long instructions in sections with what they know about a person and a case. */
export const SECTIONED_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `# Identity\nYou are Lumi, the assistant of ${shop(v)}. Today is ${when(v)}.\n\n# What you know\n${entries(v, 3, 8)}\n\n# How you answer\n1. Answer only from what you know.\n2. If something is missing, offer to forward the question to a colleague.\n3. Use the language of the customer and at most four sentences.`,
  (v) =>
    `# Identity\nYou are Lumi, the assistant of ${shop(v)}. Today is ${when(v)}.\n\n# What you know\n${entries(v, 3, 8)}\n\n# How you answer\n1. Answer only from what you know.\n2. If something is missing, offer to forward the question to a colleague.\n3. Recommend one product that fits, with its price.`,
  (v) =>
    `You read chats between customers and agents of a shop and rate the agent.\n\n<chat>\n${turns(v)}\n</chat>\n\nFor each of politeness, speed and accuracy give a grade from A to E. End with the one sentence of the agent that you would change.`,
  (v) =>
    `You read chats between customers and agents of a shop and find out whether the problem was solved.\n\n<chat>\n${turns(v)}\n</chat>\n\nReply with solved, open or unclear, then quote the line that shows it.`,
  (v) =>
    `Write a reply in the name of ${guest(v)}, ${v.pick(['store manager', 'head of support', 'owner', 'night manager'])} at ${shop(v)}.\n\nWhat the customer wrote:\n"${line(v)}"\n\nWhat we can offer:\n${v.many(1, 3, () => `- ${v.pick(['a refund', 'a voucher of 10 euros', 'a new delivery', 'a repair', 'a call back', 'a free breakfast'])}`, '\n')}\n\nDo not blame the customer. Do not promise anything that is not listed.`,
  (v) =>
    `Du bist die digitale Rezeption des Hotels ${v.pick(['Seeblick', 'Alpenrose', 'Goldener Hirsch', 'Am Markt', 'Sonnenhof'])}.\nGast: ${v.pick(['Frau Meier', 'Herr Schulz', 'Familie Huber', 'Frau Dr. Stein', 'Herr Yılmaz'])}\nZimmer: ${v.int(1, 90)}\nAufenthalt: ${v.int(1, 28)}.${v.int(1, 12)}. bis ${v.int(1, 28)}.${v.int(1, 12)}.\nWünsche: ${v.pick(['ruhiges Zimmer', 'Allergikerbettwäsche', 'späte Anreise', 'Hund', 'keine'])}\n\nBeantworte Fragen zum Aufenthalt freundlich und knapp. Bestätige Änderungen nie selbst, sondern verweise an die Rezeption.`,
  (v) =>
    `Du formulierst Beschwerden in sachliche Meldungen für die Haustechnik um.\n\nBeschwerde:\n${v.many(1, 3, () => v.pick(['Die Heizung klopft die ganze Nacht.', 'Im Bad tropft der Hahn.', 'Der Fernseher zeigt nur Schnee.', 'Es zieht am Fenster.', 'Das Licht im Flur flackert.', 'Der Aufzug stinkt.']), ' ')}\n\nNenne Ort, Mangel und Dringlichkeit (1 bis 3), je eine Zeile.`,
  (v) =>
    `Tu es le sommelier virtuel de ${v.pick(['Chez Paul', "L'Ardoise", 'Le Vieux Port', 'Bistro Lune', 'La Table Ronde'])}.\n\nCarte du jour :\n${v.many(3, 7, () => `- ${v.pick(['Sancerre', 'Chablis', 'Pomerol', 'Gigondas', 'Bandol', 'Crémant', 'Jurançon'])} ${v.int(2005, 2023)}, ${v.int(25, 140)} €`, '\n')}\n\nPropose deux vins de la carte pour le plat du client, du moins cher au plus cher, et dis pourquoi en une phrase.`,
  (v) =>
    `Eres una asistente de citas de la clínica dental ${v.pick(['Sonrisa', 'Norte', 'Molar', 'Vital', 'Prado'])}.\nPaciente: ${v.pick(['Laura Gil', 'Andrés Mora', 'Sofía Rey', 'Iván Cano', 'Elena Paz'])}\nÚltima visita: ${v.int(1, 28)}/${v.int(1, 12)}/${v.int(2022, 2026)}\nHuecos libres:\n${v.many(2, 6, () => `${v.pick(['lunes', 'martes', 'jueves', 'viernes'])} ${v.int(9, 19)}:${v.pick(['00', '30'])}`, '\n')}\nOfrece como máximo dos huecos. No des consejos médicos.`,
  (v) =>
    `Summarise the guest book of ${shop(v)} for the owner.\n\n--- BEGIN ---\n${v.many(4, 12, () => `${guest(v)}: ${line(v)}`, '\n')}\n--- END ---\n\nThree bullet points, the most frequent complaint first. No names.`,
  (v) =>
    `Translate the room description for the website. Target: ${v.pick(['Dutch', 'Danish', 'Czech', 'Greek', 'Finnish', 'Hungarian'])}. Keep the line breaks and all numbers.\n\n${v.many(2, 5, () => v.pick(['Double room with a view of the lake, 24 m².', 'Shower, hair dryer and a kettle.', 'The balcony faces the old town.', 'A cot can be added for 12 euros.', 'Parquet floor, blackout curtains.', 'Wheelchair access by the side door.']), '\n')}`,
  (v) =>
    `<role>Fraud analyst of an online shop</role>\n<order id="${v.int(10000, 99999)}">\n  <buyer>${guest(v)}</buyer>\n  <email>${v.email()}</email>\n  <total>${v.int(20, 2000)}.${v.int(10, 99)}</total>\n  <country>${v.pick(['DE', 'MT', 'US', 'NG', 'BR', 'FR'])}</country>\n  <note>${line(v)}</note>\n</order>\n<output>One of accept, review, reject. Then the two strongest reasons, each in five words.</output>`,
  (v) =>
    `<role>Packing clerk of an online shop</role>\n<order id="${v.int(10000, 99999)}">\n  <buyer>${guest(v)}</buyer>\n  <items>${v.many(1, 5, () => v.pick(['lamp', 'kettle', 'pillow', 'train set', 'bell', 'desk pad']), ', ')}</items>\n  <country>${v.pick(['DE', 'MT', 'US', 'NG', 'BR', 'FR'])}</country>\n</order>\n<output>Name the box (S, M, L or XL) and what goes in first.</output>`,
  (v) =>
    `You are a patient language partner. ${guest(v)} is learning Portuguese at level ${v.pick(['A1', 'A2', 'B1', 'B2'])} and likes to talk about ${v.pick(['football', 'cooking', 'films', 'work', 'travel', 'music', 'family'])}. Speak Portuguese only, correct one mistake per turn, and write new words in bold.`,
  (v) =>
    `Subject line writer. Input: the body of a newsletter of ${shop(v)}. Output: five subject lines under 45 characters, no emoji, no exclamation marks.\n\nBody:\n${entries(v, 2, 6, ' ')}`,
  (v) =>
    `You prepare the shift handover of a hotel.\n\n## Arrivals\n${v.many(1, 6, () => `- ${guest(v)}, room ${v.int(1, 99)}`, '\n')}\n\n## Incidents\n${v.many(0, 4, () => `- ${line(v)}`, '\n')}\n\n## Instructions\nMention incidents before arrivals. Mark anything that needs a person before noon with (!).`,
  (v) =>
    `あなたは旅館「${v.pick(['松風', '花月', '湖畔荘', '山の音', '千鳥'])}」の案内係です。\nお客様:${v.pick(['鈴木様', '高橋様', '伊藤様', '中村様', '小川様'])}\nご宿泊:${v.int(1, 7)}泊\n夕食の時間、温泉の利用方法、周辺の見どころについて、敬語で短く答えてください。料金の変更は約束しないでください。`,
  (v) =>
    `Ты — помощник магазина «${v.pick(['Лампа', 'Уют', 'Север', 'Домик', 'Мастер'])}». Покупатель: ${v.pick(['Анна Котова', 'Игорь Белов', 'Мария Лис', 'Олег Зуев', 'Нина Орлова'])}.\nЗаказ №${v.int(1000, 99999)}, статус: ${v.pick(['собран', 'в пути', 'доставлен', 'отменён', 'ожидает оплаты'])}.\nОтвечай вежливо и коротко. Не обещай возврат денег без проверки.`,
]
