import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const owner = from(
  'Silke Brand|Tony Abreu|Ewa Lis|Hassan Omar|Birgit Moe|Carlos Vega|Lin Tran|Olga Reva|Pat Doyle|Yusuf Kaya|Amelie Roux|Ines Costa',
)
const car = from('Golf|Corolla|Model 3|Clio|Fiesta|Octavia|Civic|Duster|Zoe|XC60')
const finding = from(
  'The front pads are worn to two millimetres.|Oil drips from the sump.|The left headlamp is misted.|A tyre has a cut in its wall.|The clutch slips uphill.|Rust was found at the rear sill.|The battery holds eleven volts.|Coolant smells of exhaust.|The wiper leaves stripes.|One spring is broken.|The filter was changed last year.|Steering pulls to the right.',
)
const findings = (v: Values, low: number, high: number, glue = ' ') => v.many(low, high, () => finding(v), glue)
const call = from(
  'is my car ready|how much for new tyres|it does not start|the light is on again|can I come on Saturday|you scratched the door|do you take cards|I need a rental|the bill is too high|when is the next service',
)

/** What garages, a car dealer and an insurer send. Measured first, then rules were mended by it. */
export const GARAGE_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `You answer the telephone of the garage ${v.firm()}.\n\nCaller: ${owner(v)}\nCar: ${car(v)}, ${v.int(1998, 2026)}, ${v.int(1, 300)},000 km\nLast visit: ${v.date()}\n\nBe short, because this is spoken. Offer at most two appointments. Never say what a repair will cost.`,
  (v) =>
    `You sell used cars for ${v.firm()}.\n\nCustomer: ${owner(v)}\nLooking for: ${car(v)}, at most ${v.int(4, 40)},000 euros\nTrade-in: ${v.pick(['yes', 'no', 'perhaps'])}\n\nAsk how the car will be used. Suggest one car from the stock and one alternative. Mention known defects first.`,
  (v) =>
    `Inspection report ${v.id()}\n${v.many(3, 9, () => `[${v.pick(['ok', 'watch', 'fix now'])}] ${finding(v)}`, '\n')}\n\nExplain the report to the owner without jargon. Begin with what is dangerous. Close with the three things to do, in order.`,
  (v) =>
    `Inspection report ${v.id()}\n${v.many(3, 9, () => `[${v.pick(['ok', 'watch', 'fix now'])}] ${finding(v)}`, '\n')}\n\nMake an estimate of hours and parts from the report. JSON lines with "job", "hours" and "parts". Skip what is ok.`,
  (v) =>
    `{"messages_so_far": ${JSON.stringify(v.many(1, 4, () => call(v), ' / '))}, "customer": {"name": ${JSON.stringify(owner(v))}, "since": ${v.int(1995, 2026)}}, "policy": "You decide who answers. Choose workshop, sales, accounts or manager. Output the word alone."}`,
  (v) =>
    `{"messages_so_far": ${JSON.stringify(v.many(1, 4, () => call(v), ' / '))}, "customer": {"name": ${JSON.stringify(owner(v))}, "since": ${v.int(1995, 2026)}}, "policy": "You guess whether the customer will leave. Output a probability between 0 and 1 and the words that told you."}`,
  (v) =>
    `Damage claim ............ ${v.id()}\nInsured ................. ${owner(v)}\nCar ..................... ${car(v)}\nDate of accident ........ ${v.date()}\nDescription ............. ${findings(v, 1, 4)}\n\nJudge whether the description fits an accident. Answer plausible, doubtful or impossible, then explain in two sentences.`,
  (v) =>
    `Damage claim ............ ${v.id()}\nInsured ................. ${owner(v)}\nCar ..................... ${car(v)}\nDate of accident ........ ${v.date()}\nDescription ............. ${findings(v, 1, 4)}\n\nWrite to the insured which photos and papers are missing. Friendly, with a list and a date.`,
  (v) =>
    `Sentence: ${finding(v)}\nPart: ${v.pick(['brakes', 'engine', 'lights', 'tyres', 'body'])}\n###\n${v.many(1, 5, () => `Sentence: ${finding(v)}\nPart: ${v.pick(['brakes', 'engine', 'lights', 'tyres', 'body'])}\n###\n`, '')}Name the part of the car that the next sentence is about.\nSentence:`,
  (v) =>
    `Sentence: ${finding(v)}\nUrgent: ${v.pick(['yes', 'no'])}\n###\n${v.many(2, 6, () => `Sentence: ${finding(v)}\nUrgent: ${v.pick(['yes', 'no'])}\n###\n`, '')}Decide whether the car of the next sentence may still be driven.\nSentence:`,
  (v) =>
    `Service manual, found for "${call(v)}":\n\n${v.many(2, 6, (index) => `(${index + 1}) ${findings(v, 1, 3)} p. ${v.int(1, 900)}`, '\n\n')}\n\nTell the mechanic what to check, step by step, with the page after each step. Do not invent torque values.`,
  (v) =>
    `Service manual, found for "${call(v)}":\n\n${v.many(2, 6, (index) => `(${index + 1}) ${findings(v, 1, 3)} p. ${v.int(1, 900)}`, '\n\n')}\n\nDecide for every excerpt whether it helps to answer. Output one line per excerpt: its number, then useful or useless.`,
  (v) =>
    `Translate the text message into ${v.pick(['Polish', 'Turkish', 'Arabic', 'Russian', 'Spanish', 'Somali', 'Greek'])}. Names of parts stay in English. Sender: ${v.firm()}.\n\nHello ${owner(v)}, ${findings(v, 1, 3)} Please call us.`,
  (v) =>
    `Je bent de assistent van garage ${v.pick(['Van Dijk', 'De Boer', 'Noordzij', 'Smits', 'Kuipers'])}. Klant: ${v.pick(['mevrouw Bos', 'meneer Visser', 'mevrouw Ali', 'meneer Peters'])}, afspraak op ${v.int(1, 28)} ${v.pick(['mei', 'juni', 'maart', 'oktober', 'augustus'])}.\nBevestig de afspraak. Vertel wat de klant moet meenemen. Noem geen prijzen.`,
  (v) =>
    `Você é a assistente da oficina ${v.pick(['Silva', 'Mota', 'Ribeiro', 'Porto Auto', 'Estrela'])}. Cliente: ${v.pick(['Ana Lima', 'Rui Sousa', 'Carla Dias', 'João Reis'])}, carro de ${v.int(1999, 2026)}.\nDefeitos das últimas semanas:\n${v.many(1, 4, () => `- ${v.pick(['O motor faz barulho.', 'A luz do óleo acende.', 'O travão chia.', 'A porta não fecha.'])}`, '\n')}\nExplique o que pode ser e o que fazer primeiro. Não indique preços nem prazos.`,
  (v) =>
    `Du är verkstadens skribent. Kund: ${v.pick(['Anna Ek', 'Lars Holm', 'Sara Lind', 'Omar Said'])}. Bil: ${car(v)}.\nAnteckningar från den ${v.int(1, 28)} ${v.pick(['maj', 'juni', 'oktober', 'mars'])}:\n${v.many(1, 4, () => v.pick(['Bromsarna är slitna.', 'Oljan är bytt.', 'Ett däck är skadat.', 'Batteriet är svagt.']), ' ')}\nSkriv ett sms till kunden. Högst tre meningar. Avsluta med en fråga.`,
  (v) =>
    `Jesteś doradcą w salonie ${v.pick(['Auto Nowak', 'Trasa', 'Wisła Motor', 'Kowal'])}. Klient: ${v.pick(['pan Zieliński', 'pani Mazur', 'pan Wójcik', 'pani Król'])}, budżet ${v.int(20, 200)} tys. zł.\nZadaj trzy pytania o potrzeby. Zaproponuj jeden model i podaj jego wadę. Nie namawiaj na kredyt.`,
  (v) =>
    `Below are two estimates for the same car (${car(v)}).\n\nEstimate 1: ${findings(v, 1, 4)} Total ${v.int(100, 4000)} euros.\nEstimate 2: ${findings(v, 1, 4)} Total ${v.int(100, 4000)} euros.\n\nSay which one is more complete and why, in at most 60 words. Ignore the price.`,
]
