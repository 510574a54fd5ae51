import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const citizen = from(
  'Amelie Brandt|Yusuf Demir|Marta Kowalska|Ben Adeyemi|Sofia Marin|Chen Wei|Ruth Cohen|Pavel Dvořák|Ana Ribeiro|Tom Hughes|Salma Idris',
)
const street = from(
  'Mill Lane|Harbour Road|Station Street|Oak Avenue|Castle Square|Bridge Street|Church Row|Park Drive',
)
const rule = from(
  'Bulky waste is collected on the first Monday of the month.|A dog licence costs 60 euros a year.|Fireworks are allowed on New Year only.|Parking permits are valid for one street.|A new passport takes four weeks.|Trees above three metres need a permit to be cut.|Late registration costs 25 euros.|Market stalls are given out by lot.|The pool closes when there is thunder.|Bring a photo and the old card.|Noise is forbidden after 22:00.|Children under twelve swim free.|Complaints are answered within ten days.|A wedding room holds eighty guests.',
)
const rules = (v: Values, low: number, high: number, glue = '\n') => v.many(low, high, () => rule(v), glue)
const report = from(
  'The lamp in front of the bakery is broken.|There is glass on the playground.|A van blocks the cycle lane every morning.|The bin at the bus stop overflows.|Water runs down the stairs of the underpass.|Someone painted the school wall.|The crossing light is too short.|Rats near the canal.|The bench has no back any more.|A branch hangs over the pavement.|The sign has fallen down.',
)

/** What a city sends. Written after the last change of the rules, and measured once. */
export const CITY_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `Which department handles this report? Answer with one of: roads, parks, waste, water, police.\n\n${report(v)} (${street(v)} ${v.int(1, 190)})`,
  (v) =>
    `Thank the sender of this report in two sentences and say that it was passed on. Do not promise a date.\n\n${report(v)} (${street(v)} ${v.int(1, 190)})`,
  (v) =>
    `SYSTEM: You are Civi, the chatbot of the town hall.\nUSER: ${citizen(v)}\nLANGUAGE: ${v.pick(['English', 'German', 'Turkish', 'Polish', 'Arabic', 'Ukrainian'])}\nDATE: ${v.date()}\n\nRULES OF THE TOWN\n${rules(v, 3, 9)}\n\nHOW TO REPLY\nReply in the language of the user. Quote the rule. If no rule fits, give the address of the office.`,
  (v) =>
    `You proofread notices of the town hall. Keep the meaning. Use plain language, active voice and sentences below fifteen words.\n\nNotice of ${v.date()}:\n${rules(v, 2, 7, ' ')}`,
  (v) =>
    `You turn notices of the town hall into posts. One post per notice, at most 200 characters, no hashtags.\n\nNotice of ${v.date()}:\n${rules(v, 2, 7, ' ')}`,
  (v) =>
    `<application type="building permit">\n<applicant>${citizen(v)}</applicant>\n<plot>${street(v)} ${v.int(1, 190)}</plot>\n<plans>${v.many(1, 4, () => v.pick(['garage', 'dormer', 'pool', 'fence', 'balcony', 'solar roof']), ', ')}</plans>\n</application>\n<regulations>\n${rules(v, 2, 6)}\n</regulations>\n<task>List the documents that are missing. Name the regulation for each. Do not decide about the application.</task>`,
  (v) =>
    `<application type="market stall">\n<applicant>${citizen(v)}</applicant>\n<goods>${v.many(1, 4, () => v.pick(['honey', 'cheese', 'soap', 'bread', 'toys', 'plants']), ', ')}</goods>\n</application>\n<task>Write the invitation to the draw of the stalls. Mention the goods. Stay formal.</task>`,
  (v) =>
    `Council minutes of ${v.date()}\n\n${v.many(3, 9, (index) => `${index + 1}. ${citizen(v)}: ${rule(v)}`, '\n')}\n\nList every motion with the person who made it. Leave out remarks that led to no vote.`,
  (v) =>
    `Council minutes of ${v.date()}\n\n${v.many(3, 9, (index) => `${index + 1}. ${citizen(v)}: ${rule(v)}`, '\n')}\n\nWrite a neutral report for the town newspaper in 150 words. Name every speaker once.`,
  (v) =>
    `Map assistant.\nUser position: ${v.int(40, 59)}.${v.int(1000, 9999)}, ${v.int(1, 20)}.${v.int(1000, 9999)}\nOpen now:\n${v.many(2, 7, () => `- ${v.pick(['pharmacy', 'library', 'pool', 'clinic', 'town hall', 'recycling yard'])}, ${street(v)}, ${v.int(100, 4000)} m`, '\n')}\nRecommend the nearest place that helps, say how long the walk is, and when it closes. Never send users to a place that is not listed.`,
  (v) =>
    `Questions and answers of the town hall\n${v.many(2, 6, () => `Q: ${v.pick(['Where do I get a passport?', 'When is bulky waste collected?', 'May I cut my tree?', 'How loud may I be?', 'What does a dog cost?'])}\nA: ${rule(v)}`, '\n')}\nQ: What the user asks\nA: Write the answer in the same style, one sentence, and say "I do not know" when unsure.`,
  (v) =>
    `Du formulierst Bescheide der Stadt ${v.pick(['Aalen', 'Jena', 'Husum', 'Trier', 'Zwickau'])}.\nEmpfänger: ${v.pick(['Frau Amann', 'Herr Yildiz', 'Familie Kurz', 'Frau Petrov', 'Herr Lang'])}\nAktenzeichen: ${v.int(10, 99)}-${v.int(1000, 9999)}\nSachverhalt:\n${v.many(1, 4, () => v.pick(['Der Antrag wurde am Montag gestellt.', 'Die Gebühr ist bezahlt.', 'Die Frist ist abgelaufen.', 'Es fehlt ein Lageplan.', 'Die Nachbarn haben zugestimmt.']), ' ')}\n\nSchreibe den Bescheid in verständlicher Sprache. Nenne die Frist für den Widerspruch. Verwende keine Abkürzungen.`,
  (v) =>
    `Je bent de digitale balie van de gemeente ${v.pick(['Gouda', 'Zwolle', 'Breda', 'Assen', 'Venlo'])}. De inwoner heet ${v.pick(['Joris Bakker', 'Sanne Visser', 'Fatima Amrani', 'Piet Jansen', 'Lotte Mulder'])}. Onderwerp: ${v.pick(['paspoort', 'afval', 'parkeren', 'verhuizing', 'geboorte', 'vergunning'])}. Geef een kort antwoord in eenvoudige taal en verwijs naar de juiste pagina.`,
  (v) =>
    `Sos el asistente de tránsito de ${v.pick(['Rosario', 'Córdoba', 'Mendoza', 'Salta', 'La Plata'])}.\nCortes de hoy:\n${v.many(1, 6, () => `- ${v.pick(['Av. San Martín', 'Calle Mitre', 'Bv. Oroño', 'Ruta 9', 'Av. Colón'])} de ${v.int(6, 12)} a ${v.int(13, 22)} h`, '\n')}\nIndicá un recorrido alternativo. No uses más de tres frases y avisá si hay lluvia.`,
  (v) =>
    `Agent with access to the archive of the town.\n\nTask from ${citizen(v)}: find the deed of ${street(v)} ${v.int(1, 190)}.\n\nTools:\n1. search(words, from_year, to_year)\n2. open(document)\n3. ask(user)\n\nSteps so far:\n${v.many(0, 5, () => `- ${v.pick(['searched 1900-1950, no result', 'opened box 12', 'asked for the former owner', 'found a map of 1931', 'searched "mill", 3 results'])}`, '\n')}\n\nDo one step at a time. Say which tool you use and why. Never guess the owner.`,
  (v) =>
    `{"assistant":"school enrolment","child":{"name":${JSON.stringify(citizen(v))},"age":${v.int(5, 11)},"street":${JSON.stringify(street(v))}},"schools":[${v.many(2, 4, () => JSON.stringify(`${v.pick(['North', 'South', 'River', 'Hill', 'Forest'])} School, ${v.int(1, 40)} places`), ',')}],"instructions":"Name the school that is responsible. Explain how parents can choose another one. Do not compare schools."}`,
]
