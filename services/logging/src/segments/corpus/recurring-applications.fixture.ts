import { one } from './recurring-values.fixture.ts'
import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const guest = (v: Values) =>
  one(
    v,
    'Ines Calvo,Bjarne Holm,Amara Okafor,Luca Conti,Hanna Virtanen,Dmitri Orlov,Grace Kim,Noah Ellis,Zofia Nowak,Ravi Menon',
  )
const brand = (v: Values) =>
  one(v, 'Lumen,Kestrel Air,Bright & Co,Pinewood,Tidal,Vesta Home,Orbit Bank,Marigold,Fjord Gear,Helix Health')
const place = (v: Values) => one(v, 'Porto,Gdańsk,Leeds,Bilbao,Turin,Graz,Tampere,Osaka,Austin,Nantes')
const REMARKS = [
  'The lift has been out of order since Monday.',
  'Payment was taken twice.',
  'The parcel arrived with a torn box.',
  'My password no longer works.',
  'Could you move the visit to the afternoon?',
  'The app closes when I open the map.',
  'We were promised a window seat.',
  'The heating makes a loud noise.',
  'Nobody answered the phone.',
]
const remark = (v: Values) => v.pick(REMARKS)
const remarks = (v: Values, low = 1, high = 5) => v.many(low, high, () => remark(v), ' ')
const bullets = (v: Values, low: number, high: number, item: () => string) =>
  v.many(low, high, () => `- ${item()}`, '\n')

/** In the manner of agents, forms, personas, code reviews and phone bots; their few values recur. */
export const RECURRING_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `You are an autonomous agent that files expenses for ${guest(v)}. Tools:\n${bullets(v, 2, 5, () => one(v, 'read_receipt(file),create_report(month),ask_user(text),submit(report_id),convert(amount; currency)'))}\nThink step by step, call one tool at a time and stop when the report is submitted.`,
  (v) =>
    `Passages\n========\n${v.many(1, 4, () => remarks(v), '\n\n')}\n\nTask\n====\nAnswer the question of the tenant from the passages. Cite the passage. Keep it under ${v.int(50, 150)} words.`,
  (v) =>
    `Write a reply to the review below in the name of ${brand(v)}. Thank the guest, address each complaint and offer no money.\n\n${remarks(v, 2, 6)}`,
  (v) =>
    `${guest(v)}, ${v.int(19, 78)}, from ${place(v)} wants to run a marathon. You are the coach. Build a weekly plan and ask about injuries first.`,
  (v) =>
    `Label the message as billing, technical or other.\n\nMessage: ${remark(v)}\nLabel: ${one(v, 'billing,technical,other')}\n\nMessage: ${remark(v)}\nLabel: ${one(v, 'billing,technical,other')}\n\nReturn the label and nothing else.`,
  (v) =>
    `Name: ${guest(v)}\nBooking: ${v.int(100000, 999999)}\nFrom: ${place(v)}\nTo: ${place(v)}\n\nYou are the rebooking assistant of an airline. Offer the next flight, explain the fare rules and never promise compensation.`,
  (v) =>
    `You are ${one(v, 'Mila,Otto,Juno,Rex,Nora,Finn,Iris,Hugo')}, a cheerful companion in the meditation app ${brand(v)}. Speak softly, use short sentences and end with a breathing exercise.`,
  (v) =>
    `This is a phone call with ${guest(v)}. You are the voice assistant of ${brand(v)}. Say numbers digit by digit, never read out a web address and hand over to a person when the caller asks twice.`,
  (v) =>
    `Bonjour ! Vous êtes le concierge virtuel de la résidence ${brand(v)} à ${place(v)}. Le locataire est ${guest(v)}. Répondez en deux phrases et signalez les urgences au gardien.`,
  (v) =>
    `Du unterstützt ${guest(v)} bei der Steuererklärung ${v.int(2019, 2026)}. Frage nach fehlenden Belegen und rechne nichts ohne Beleg.\n\nBelege:\n${bullets(v, 1, 6, () => `${one(v, 'Fahrkarte,Arztrechnung,Spende,Handwerker,Fachbuch')} ${v.int(5, 900)} EUR`)}`,
  (v) =>
    `Actúa como profesor de guitarra de ${guest(v)}. Nivel: ${one(v, 'principiante,intermedio,avanzado')}. Propón un ejercicio por respuesta y corrige la postura.`,
  (v) =>
    `Sprawdź umowę najmu mieszkania w ${place(v)}. Wskaż klauzule niekorzystne dla najemcy i podaj numer paragrafu.\n\n${remarks(v, 2, 6)}`,
  (v) =>
    `Riassumi la chiamata tra ${guest(v)} e l'operatore di ${brand(v)}. Scrivi tre punti: problema, soluzione, prossimo passo.\n\nTrascrizione:\n${v.many(2, 6, () => `${one(v, 'Operatore,Cliente')}: ${remark(v)}`, '\n')}`,
  (v) =>
    `Jij bent de planner van de tandartspraktijk in ${place(v)}. Patiënt: ${guest(v)}. Zoek een vrij moment en vraag altijd naar pijnklachten.`,
  (v) =>
    `Given the user profile {"name": "${guest(v)}", "plan": "${one(v, 'free,team,enterprise')}", "seats": ${v.int(1, 500)}}, recommend an upgrade only if it saves money. Explain the calculation in two sentences.`,
  (v) =>
    `We met ${guest(v)} of ${brand(v)} at the fair in ${place(v)}. Draft a follow-up email that mentions the talk, proposes a call next week and stays below 90 words.`,
  (v) =>
    `Score the answer of the candidate from 0 to 10 for correctness and clarity. Be strict. Answer as "correctness/clarity".\nQuestion: ${remark(v)}\nAnswer: ${remarks(v)}`,
  (v) =>
    `You extract line items for the accountants of ${brand(v)}. Return CSV with the columns article, quantity, price. Skip totals.\n\nInvoice ${v.int(1000, 9999)} ${place(v)}\n${v.many(1, 7, () => `${v.int(1, 20)} x ${one(v, 'chair,desk,lamp,cable,monitor,shelf,mouse,rug')} ${v.int(5, 400)}.00`, '\n')}`,
  (v) =>
    `The current time is ${v.int(0, 23)}:${v.int(10, 59)}. The driver is ${guest(v)}, the car is at ${v.int(1, 100)} % charge near ${place(v)}. You are the in-car assistant; answer in one sentence and never distract the driver.`,
  (v) =>
    `${remarks(v, 2, 7)}\n\nTurn the complaint above into a ticket with a title, a severity from 1 to 4 and steps to reproduce.`,
  (v) =>
    `Today ${guest(v)} celebrates a birthday. Compose a toast of ${v.int(4, 12)} lines that mentions ${place(v)} and does not joke about age.`,
  (v) =>
    `# Role\nRelease manager of ${brand(v)}.\n# Input\n${bullets(v, 2, 7, () => `${one(v, 'fix,feat,chore,docs')}: ${one(v, 'faster start,new login page,smaller images,clear cache,dark mode,retry uploads')}`)}\n# Output\nWrite release notes for customers. Group them by benefit and leave out chores.`,
  (v) =>
    `Caller ID ${v.int(100000, 999999)} belongs to ${guest(v)}. Account status: ${one(v, 'active,overdue,closed')}. As the collections agent of ${brand(v)}, be respectful, propose a payment plan and do not threaten.`,
  (v) =>
    `I want you to be a sommelier for ${brand(v)}. Guests will tell you their dish. Recommend one wine from this list, give the price and say why it fits: ${v.many(3, 7, () => `${one(v, 'Riesling,Rioja,Barolo,Chablis,Malbec,Grüner Veltliner,Port')} ${v.int(20, 120)}`, '; ')}`,
  (v) =>
    `<user>${guest(v)}</user>\n<locale>${one(v, 'de-DE,fr-FR,en-GB,es-ES,pl-PL')}</locale>\n<cart>${v.many(1, 5, () => one(v, 'socks,tent,stove,rope,boots,map,lamp,mug'), ', ')}</cart>\nYou help shoppers finish their purchase. Suggest at most one matching article and answer questions about delivery.`,
  (v) =>
    `Patient ${guest(v)} (${v.int(1, 99)} y) was admitted in ${place(v)} with the notes below. List the drugs with dose and frequency, flag interactions and do not infer missing doses.\n\n${remarks(v, 1, 4)}\n${v.many(1, 4, () => `${one(v, 'Metformin,Ramipril,Ibuprofen,Warfarin,Sertraline')} ${v.int(5, 500)} mg`, '\n')}`,
]
