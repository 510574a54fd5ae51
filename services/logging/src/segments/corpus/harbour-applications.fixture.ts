import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const vessel = from(
  'MV Aurora|MS Trident|Nordkap|Santa Lucia|Ever Calm|Black Swan|Hanse Star|Kestrel|Ocean Pearl|Pacific Dawn|Vega|Lady Ann',
)
const captain = from(
  'Capt. Reyes|Capt. Olsen|Capt. Ivanova|Capt. Mbaye|Capt. Sørensen|Capt. Chen|Capt. Duarte|Capt. Kowalski',
)
const cargo = from(
  'steel coils|bananas|frozen fish|car parts|grain|timber|cement|cotton|fertilizer|wind turbine blades|coffee|scrap metal',
)
const port = from('Rotterdam|Hamburg|Valparaíso|Busan|Durban|Piraeus|Gdańsk|Santos|Felixstowe|Tema')
const event = from(
  'The crane at berth four was out of order for two hours.|Customs asked for the original bill of lading.|Two containers showed water damage.|The pilot came on board at dawn.|Fog delayed the departure.|The chief engineer reported a leak.|Stevedores finished before noon.|The reefer plug of row nine failed.|A seal number did not match.|The tug arrived late.|Bunkers were taken in the roads.|One crew member went to hospital.|Rain stopped the loading of grain.',
)
const log = (v: Values, low: number, high: number, glue = ' ') => v.many(low, high, () => event(v), glue)
const ask = from(
  'where is my container|why is demurrage charged|can you release it today|who signed for it|the seal is broken|is the ship on time|please send the invoice again|what does THC mean|we need a reefer plug|the weight is wrong',
)

/** What a port, its shipping lines and its customs brokers send. Measured first, then rules were mended by it. */
export const HARBOUR_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `You are Porter, the chat assistant of ${v.firm()} for shippers. Today is ${v.date()}.\n\nCustomer profile:\n  name: ${v.name()}\n  tier: ${v.pick(['gold', 'silver', 'basic'])}\n  open bookings: ${v.int(0, 14)}\n\nTone: brief and polite. Never quote a price. If a container is lost, pass the chat to a person.`,
  (v) =>
    `You are Porter, the chat assistant of ${v.firm()} for truckers. Today is ${v.date()}.\n\nDriver profile:\n  name: ${v.name()}\n  plate: ${v.id()}\n  slot: ${v.int(5, 22)}:${v.pick(['00', '15', '30', '45'])}\n\nTell the driver which gate to use and which papers to bring. Do not change slots.`,
  (v) =>
    `{"role":"extractor","input":"${log(v, 1, 4)}","fields":["vessel","berth","delay_minutes","cause"],"rules":"Return one JSON object. Use null for what is not said. Do not guess."}`,
  (v) =>
    `{"role":"extractor","input":"${log(v, 1, 4)}","fields":["damaged_goods","container","witness"],"rules":"Return one JSON object. Quote the sentence that proves each field."}`,
  (v) =>
    `Classify the message of a customer.\n\n${v.many(3, 7, () => `Message: ${ask(v)}\nIntent: ${v.pick(['tracking', 'billing', 'release', 'claim', 'other'])}`, '\n\n')}\n\nMessage:`,
  (v) =>
    `Rate how urgent the message of a customer is, from 1 (can wait) to 5 (ship is leaving).\n\n${v.many(3, 7, () => `Message: ${ask(v)}\nUrgency: ${v.int(1, 5)}`, '\n\n')}\n\nMessage:`,
  (v) =>
    `# Context\n${v.many(2, 6, (index) => `## Extract ${index + 1} (tariff of ${port(v)}, page ${v.int(1, 90)})\n${log(v, 1, 4)}`, '\n\n')}\n\n# Task\nAnswer the question of the shipper from the extracts. Cite the page. If the tariff does not say it, write "not in the tariff".`,
  (v) =>
    `# Context\n${v.many(2, 6, (index) => `## Extract ${index + 1} (tariff of ${port(v)}, page ${v.int(1, 90)})\n${log(v, 1, 4)}`, '\n\n')}\n\n# Task\nFind contradictions between the extracts. List each with both pages, most expensive first.`,
  (v) =>
    `Form: notice of arrival\nVessel: ${vessel(v)}\nMaster: ${captain(v)}\nFrom: ${port(v)}\nTo: ${port(v)}\nETA: ${v.date()}\nCargo: ${cargo(v)}, ${v.int(100, 90000)} t\nRemarks: ${log(v, 0, 2)}\n\nCheck the form before it goes to the harbour master. Report missing or impossible entries, one per line, and nothing if there are none.`,
  (v) =>
    `Form: notice of arrival\nVessel: ${vessel(v)}\nMaster: ${captain(v)}\nFrom: ${port(v)}\nTo: ${port(v)}\nETA: ${v.date()}\nCargo: ${cargo(v)}, ${v.int(100, 90000)} t\nRemarks: ${log(v, 0, 2)}\n\nWrite the radio call with which the master announces this arrival, in standard maritime phrases.`,
  (v) =>
    `Review this change of the berth planner.\n\nAuthor: ${v.first()}\nFiles: ${v.int(1, 30)}\n\n\`\`\`diff\n${v.many(3, 12, () => `${v.pick(['+', '-'])} ${v.pick(['const eta = parse(row)', 'if (berth.free) assign(ship)', 'return slots.sort()', 'await lock(crane)', 'retry(3)'])}`, '\n')}\n\`\`\`\n\nComment on correctness and races only. Format each comment as file:line - text. Approve with LGTM when there is nothing to say.`,
  (v) =>
    `Translate the safety notice from English into ${v.pick(['Tagalog', 'Polish', 'Turkish', 'Hindi', 'Spanish', 'Ukrainian'])} for the crew of ${vessel(v)}. Keep numbers of channels and all words in capitals as they are.\n\nNotice: ${log(v, 1, 5)}`,
  (v) =>
    `Summarise the night shift for ${captain(v)}.\n\n${v.many(3, 9, () => `${v.int(20, 23)}:${v.int(10, 59)} ${event(v)}`, '\n')}\n\nFive bullet points at most. Put safety first, then delays, then money.`,
  (v) =>
    `Invoice query ${v.id()}\nConsignee: ${v.firm()}\nAmount: ${v.int(100, 9000)}.00 USD\nDays in the terminal: ${v.int(1, 40)}\nFree days: ${v.int(3, 10)}\n\nExplain the demurrage in at most four sentences. Show the calculation. Do not offer a discount.`,
  (v) =>
    `You play the part of a difficult customs officer in ${port(v)} so that our trainees can practise. The trainee is called ${v.first()}, the goods are ${cargo(v)}. Ask for one document after the other, and let the goods pass only when five are correct. Stay in your part.`,
  (v) =>
    `Du bist der Disponent der Spedition ${v.pick(['Nordfracht', 'Kühne Söhne', 'Hansa Log', 'Alpentrans', 'Elbe Cargo'])}. Fahrer: ${v.pick(['Herr Krüger', 'Frau Yilmaz', 'Herr Brandt', 'Frau Lehmann', 'Herr Popescu'])}. Ladung: ${v.pick(['Stahl', 'Bananen', 'Getreide', 'Möbel', 'Zement', 'Papier'])}.\n\nOffene Touren:\n${v.many(1, 6, () => `- ${v.pick(['Bremen', 'Kiel', 'Linz', 'Basel', 'Posen'])}, ${v.int(5, 20)} Uhr`, '\n')}\n\nSchlage eine Reihenfolge vor. Nenne Lenkzeiten und Pausen. Antworte als Tabelle.`,
  (v) =>
    `Vous êtes le secrétariat de la capitainerie de ${v.pick(['Brest', 'Marseille', 'Le Havre', 'Dunkerque', 'Sète'])}. Demande de ${v.pick(['M. Le Goff', 'Mme Caron', 'M. Diop', 'Mme Ferrand'])} reçue le ${v.int(1, 28)} ${v.pick(['mars', 'avril', 'mai', 'juin', 'octobre'])}.\nRédigez une réponse courte, indiquez le formulaire à remplir et le délai. Ne promettez aucune place.`,
  (v) =>
    `あなたは${v.pick(['横浜港', '神戸港', '博多港', '名古屋港', '清水港'])}の案内係です。お客様:${v.pick(['佐藤様', '田中様', '山本様', '中村様', '小林様'])}。貨物:${v.pick(['自動車', '冷凍魚', '木材', '鋼材', '茶'])}。\n必要な書類を順番に説明してください。料金については答えないでください。`,
  (v) =>
    `Tools: track(container), list_sailings(from, to), book(sailing, teu)${v.chance(0.5) ? ', cancel(booking)' : ''}\nBudget left: ${v.int(1, 90)} calls\nHistory:\n${v.many(0, 6, () => `> ${v.pick(['track', 'list_sailings', 'book'])} -> ${v.pick(['ok', 'empty', 'timeout', 'denied'])}`, '\n')}\n\nYou book freight for ${v.firm()}. Choose the cheapest sailing that arrives before the deadline. Ask before you book more than ${v.pick(['two', 'four', 'six', 'ten'])} TEU. End with DONE.`,
  (v) =>
    `Score the answer of a colleague.\n\nQuestion: ${ask(v)}\nAnswer: ${log(v, 1, 3)}\nReference: ${log(v, 1, 2)}\n\nGive 0 when the answer contradicts the reference, 1 when it is incomplete, 2 when it is right. Output the number, then a dash, then one reason.`,
]
