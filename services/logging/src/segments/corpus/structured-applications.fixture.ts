import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string, separator = '|') => {
  const items = list.split(separator)
  return (v: Values) => v.pick(items)
}
const user = from(
  'Priya Raman|Oskar Lindqvist|Thandiwe Dlamini|Mateusz Zieliński|Chiara Bellini|Tunde Adebayo|Noor al-Sayed|Kai Nakamura|Lucía Ferrer|Jonas Berg|Beatriz Moura|Dilnoza Karimova',
)
const tenant = from(
  'Pinehurst Clinics|Orbit Telecom|Marlow & Finch|Sunbeam Solar|Keystone Freight|Larkspur Hotels|Redwood Credit Union|Tidewater Outdoors|Nimbus Airways|Harvest Lane',
)
const plan = from('free|starter|pro|enterprise|trial')
const zone = from('Europe/Berlin|America/Chicago|Asia/Kolkata|Pacific/Auckland|America/Sao_Paulo|Africa/Lagos')
const locale = from('en-US|de-DE|pt-BR|fr-CA|ja-JP|hi-IN|en-ZA')
const stamp = (v: Values) =>
  `${v.int(2024, 2027)}-${v.pick(['01', '04', '07', '11'])}-${v.int(10, 28)}T${v.int(10, 23)}:${v.int(10, 59)}:${v.int(10, 59)}Z`
const fact = from(
  'The warranty of the pump lapses after eighteen months unless it was registered online.|Passengers with a connection of less than forty minutes are rebooked without a fee.|The committee moved the vote on zoning to the second week of March.|Panels degrade by about half a percent each year and are replaced free of charge in the first decade.|A lender may ask for the last three statements before it raises a limit.|Guests who leave before noon are not charged for late towels.|Freight above two tonnes needs a permit of the harbour master.|The study enrolled 412 adults in nine hospitals and ran for two winters.|Boil the lentils until they give way, then fold in the spinach and the lemon.|The server answered 503 for eleven minutes while the index was rebuilt.|Teachers hand in their grades by the end of June and may correct them for a week.|The bridge carries two lanes and a tram; it was strengthened after the flood.',
)
const facts = (v: Values, low: number, high: number) =>
  v.many(low, high, () => (v.chance(0.1) ? fact(v) : v.sentence()), ' ')
const ask = from(
  'where is my refund|can you change my seat|why was I billed twice|the app logs me out|I want to cancel|is there parking|how do I add a colleague|my parcel is wet|please call me back|the invoice has the wrong address',
)

const tool = (name: string, says: string, fields: Record<string, string>) => ({
  type: 'function',
  function: {
    name,
    description: says,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(fields).map(([key, description]) => [key, { type: 'string', description }]),
      ),
    },
  },
})
const TOOLS = [
  tool('lookup_order', 'Returns an order with its items and its state.', { order_id: 'The id of the order.' }),
  tool('create_ticket', 'Opens a ticket for a person.', { subject: 'One line.', body: 'What happened.' }),
  tool('search_help', 'Searches the help pages.', { query: 'A few words.' }),
  tool('send_sms', 'Sends a text message.', { to: 'A number.', text: 'At most 160 characters.' }),
  tool('list_flights', 'Lists flights of a day.', { from: 'IATA code.', to: 'IATA code.', day: 'YYYY-MM-DD.' }),
  tool('hold_seat', 'Holds a seat for ten minutes.', { flight: 'Its number.', seat: 'Row and letter.' }),
  tool('run_query', 'Runs a read-only query.', { sql: 'One statement.' }),
  tool('draw_chart', 'Draws a chart of the last result.', { kind: 'line, bar or pie.', title: 'Its title.' }),
]
const catalog = (v: Values, names: readonly number[], spare: readonly number[]) =>
  [...names, ...spare.filter(() => v.chance(0.5))].map((index) => JSON.stringify(TOOLS[index])).join('\n')
const tools = (v: Values, list: readonly (readonly [string, string])[]) =>
  list
    .filter(() => v.chance(0.8))
    .map(([name, says]) => `- ${name}: ${says}`)
    .join('\n')

/** The whole prompt is JSON, as programs write it. */
export const JSON_PROMPTS: readonly PromptFamily[] = [
  (v) =>
    JSON.stringify({
      role: 'ticket triage',
      task: 'Assign the ticket to one queue and say how urgent it is.',
      queues: ['billing', 'network', 'devices', 'other'],
      rules: ['Answer in JSON.', 'Never answer the customer.', 'Outages are always urgent.'],
      context: { tenant: tenant(v), plan: plan(v), received_at: stamp(v) },
    }),
  (v) =>
    JSON.stringify({
      role: 'ticket summary',
      task: 'Summarize the ticket for the person who takes over.',
      rules: ['Answer in JSON.', 'At most three sentences.', 'Name what was tried already.'],
      context: { tenant: tenant(v), plan: plan(v), received_at: stamp(v) },
    }),
  (v) =>
    JSON.stringify(
      {
        instructions: 'Extract the parties, the amounts and the deadlines of the contract below.',
        output_schema: { parties: ['string'], amounts: [{ value: 'number', currency: 'string' }], deadlines: ['date'] },
        document: facts(v, 3, 12),
      },
      null,
      2,
    ),
  (v) =>
    JSON.stringify(
      {
        instructions: 'Rewrite the text below for a reader of eleven years. Keep all numbers.',
        document: facts(v, 3, 12),
      },
      null,
      2,
    ),
  (v) =>
    JSON.stringify({
      persona: { name: 'Juno', tone: 'dry, exact', avoids: ['emojis', 'small talk'] },
      goal: 'Help the user plan a week of meals with what is at home.',
      user: { name: user(v), locale: locale(v), people: v.int(1, 6) },
      at_home: v
        .many(2, 8, () => v.pick(['rice', 'eggs', 'kale', 'tofu', 'lentils', 'milk', 'pears', 'tuna']), ',')
        .split(','),
    }),
  (v) =>
    JSON.stringify({
      persona: { name: 'Juno', tone: 'dry, exact', avoids: ['emojis', 'small talk'] },
      goal: 'Help the user learn ten words of a language every day and test the words of yesterday.',
      user: { name: user(v), locale: locale(v), level: v.pick(['A1', 'A2', 'B1', 'B2']) },
    }),
]

/** Agents with tool catalogs, some of which depend on what the user may do. */
export const TOOL_AGENTS: readonly PromptFamily[] = [
  (v) =>
    `You are the service agent of an online shop. Use tools before you answer; never invent the state of an order.\n\n# Tools\n<tools>\n${catalog(v, [0, 1, 2], [3])}\n</tools>\n\nFor each call return a JSON object within <tool_call></tool_call> tags.`,
  (v) =>
    `You are a travel agent. Ask for the day if it is missing, list at most three flights, and hold a seat only after the traveller says yes.\n\n# Tools\n<tools>\n${catalog(v, [4, 5], [2, 3])}\n</tools>\n\nFor each call return a JSON object within <tool_call></tool_call> tags.`,
  (v) =>
    `You are an analyst with a read-only database. State the query in words first, run it, then chart what matters.\n\n# Tools\n<tools>\n${catalog(v, [6, 7], [1])}\n</tools>\n\nFor each call return a JSON object within <tool_call></tool_call> tags.`,
  (v) =>
    `Answer the following questions as best you can. You have access to the following tools:\n\n${tools(v, [
      ['Search', 'useful for current events'],
      ['Calculator', 'useful for arithmetic'],
      ['Weather', 'today and tomorrow at a place'],
      ['Notes', 'what the user wrote down'],
    ])}\n\nUse the following format:\n\nQuestion: the input question you must answer\nThought: you should always think about what to do\nAction: the action to take\nObservation: the result of the action\nFinal Answer: the final answer\n\nBegin!\n\nQuestion: ${ask(v)}`,
  (v) =>
    `You coordinate a team of workers.\n\nWorkers:\n${tools(v, [
      ['researcher', 'reads the web'],
      ['coder', 'writes and runs Python'],
      ['critic', 'looks for mistakes'],
      ['writer', 'writes the report'],
    ])}\n\nGiven the conversation, respond with the worker who acts next, or FINISH when the request of ${user(v)} is done.`,
  (v) =>
    `<system>\n<environment cwd="/home/${v.pick(['ana', 'dev', 'ci', 'root'])}/${v.noun()}-${v.noun()}" platform="${v.pick(['linux', 'darwin', 'win32'])}" date="${stamp(v)}"/>\n<rules>\nMake the smallest change that fixes the test. Run the tests after each edit. Do not touch the lock file. Do not commit.\n</rules>\n<files>\n${v.many(3, 14, () => `src/${v.noun()}/${v.noun()}.ts`, '\n')}\n</files>\n</system>`,
  (v) =>
    `<system>\n<environment cwd="/home/${v.pick(['ana', 'dev', 'ci', 'root'])}/${v.noun()}-${v.noun()}" platform="${v.pick(['linux', 'darwin', 'win32'])}" date="${stamp(v)}"/>\n<rules>\nReview the change and do not edit anything. Report only defects, with file and line, the most severe first. Praise nothing.\n</rules>\n<files>\n${v.many(3, 14, () => `src/${v.noun()}/${v.noun()}.ts`, '\n')}\n</files>\n</system>`,
]

/** Long retrieved texts, before, between and after the instructions. */
export const LONG_CONTEXTS: readonly PromptFamily[] = [
  (v) =>
    `Use the following pieces of context to answer the question at the end. If you don't know the answer, just say that you don't know, don't try to make up an answer.\n\n${v.many(5, 40, () => facts(v, 2, 9), '\n\n')}\n\nHelpful Answer:`,
  (v) =>
    `You answer questions of nurses about our guidelines. Quote the guideline by its number. If two guidelines disagree, say so.\n\n${v.many(4, 30, (index) => `### Guideline ${v.int(1, 9)}.${index}\n${facts(v, 2, 8)}`, '\n\n')}`,
  (v) =>
    `${v.many(6, 30, (index) => `<doc id="${index}" score="0.${v.int(50, 99)}">${facts(v, 1, 7)}</doc>`, '\n')}\n\nYou write answers for lawyers. Cite documents as [id]. Do not use knowledge beyond the documents. Answer in the language of the question.`,
  (v) =>
    `${v.many(6, 30, (index) => `<doc id="${index}" score="0.${v.int(50, 99)}">${facts(v, 1, 7)}</doc>`, '\n')}\n\nRank the documents by how well they answer the question. Return their ids only, the best first, and leave out those that do not answer it.`,
  (v) =>
    `The transcript of a meeting of ${tenant(v)} follows. Write minutes: decisions, open points, who does what until when. Leave out jokes.\n\n${v.many(10, 60, () => `${user(v)}: ${facts(v, 1, 3)}`, '\n')}`,
  (v) =>
    `The transcript of a call with ${tenant(v)} follows. Judge the agent: greeting, empathy, solution, closing. Give each a mark of 1 to 5 and quote the line that decided it.\n\n${v.many(10, 60, (index) => `${index % 2 === 0 ? 'Agent' : 'Caller'}: ${v.pick([ask(v), facts(v, 1, 2)])}`, '\n')}`,
  (v) =>
    `Chapter of a textbook:\n"""\n${facts(v, 20, 90)}\n"""\n\nMake ${v.int(3, 12)} flash cards from the chapter. Front: a question. Back: at most ten words.`,
]

const label = (v: Values, list: string) => v.pick(list.split('|'))
const shots = (v: Values, low: number, high: number, make: () => string) => v.many(low, high, make, '\n\n')

/** Other examples in each request. */
export const FEW_SHOTS: readonly PromptFamily[] = [
  (v) =>
    `Classify the intent of a bank customer. Intents: card_lost, card_declined, transfer, balance, fraud, other.\n\n${shots(v, 2, 10, () => `Message: ${ask(v)}\nIntent: ${label(v, 'card_lost|card_declined|transfer|balance|fraud|other')}`)}`,
  (v) =>
    `Classify how a hotel guest feels. Feelings: delighted, content, indifferent, annoyed, furious.\n\n${shots(v, 2, 10, () => `Review: ${facts(v, 1, 3)}\nFeeling: ${label(v, 'delighted|content|indifferent|annoyed|furious')}`)}`,
  (v) =>
    `Turn the sentence into a Cypher query.\n\n${shots(v, 1, 6, () => `Q: Which ${v.noun()}s does ${user(v)} own?\nA: MATCH (p:Person {name: '${user(v)}'})-[:OWNS]->(x:${v.noun()}) RETURN x.${label(v, 'name|id|price')}`)}`,
  (v) =>
    `Find all medicines and doses in the note.\n\n${shots(v, 2, 6, () => `Note: ${user(v)} takes ${label(v, 'ibuprofen|metformin|ramipril|insulin')} ${v.int(5, 500)} mg ${label(v, 'daily|twice a day|at night')}.\nEntities: [{"drug": "${label(v, 'ibuprofen|metformin|ramipril|insulin')}", "dose": "${v.int(5, 500)} mg"}]`)}\n\nReturn only JSON.`,
  (v) =>
    `Decide whether the second sentence follows from the first. Answer entailment, contradiction or neutral.\n\n${shots(v, 3, 8, () => `Premise: ${fact(v)}\nHypothesis: ${fact(v)}\nAnswer: ${label(v, 'entailment|contradiction|neutral')}`)}`,
  (v) =>
    `Decide whether both questions ask the same. Answer yes or no.\n\n${shots(v, 3, 8, () => `First: ${ask(v)}\nSecond: ${ask(v)}\nAnswer: ${label(v, 'yes|no')}`)}`,
]

/** Who asks, when and under which conditions is inside the instructions. */
export const ADDRESSED: readonly PromptFamily[] = [
  (v) =>
    `Current date: ${v.date()}. The user is ${user(v)} (${v.email()}), ${zone(v)}, plan ${plan(v)}. You are the in-app helper of a calendar. Propose times, never book without a yes, and write times in the zone of the user.`,
  (v) =>
    `Current date: ${v.date()}. The user is ${user(v)} (${v.email()}), ${zone(v)}, plan ${plan(v)}. You are the in-app helper of a to-do list. Break large tasks into steps of half an hour and move what is overdue to tomorrow.`,
  (v) =>
    `Hi! You're talking to ${user(v)}, a ${label(v, 'nurse|welder|student|pilot|gardener|notary')} from ${v.city()} who speaks ${label(v, 'Polish|Thai|Yoruba|Catalan|Finnish')}. Teach them English by small talk: correct one mistake per turn and end with a question.`,
  (v) =>
    `Hi! You're talking to ${user(v)}, a ${label(v, 'nurse|welder|student|pilot|gardener|notary')} from ${v.city()} who speaks ${label(v, 'Polish|Thai|Yoruba|Catalan|Finnish')}. Prepare them for a job interview: ask one question per turn and rate the last answer from 1 to 10.`,
  (v) =>
    `Today is ${v.date()}, ${v.int(1, 12)}:${v.int(10, 59)} ${label(v, 'AM|PM')}.\nYou are Ada, the voice of ${tenant(v)}. Speak in short sentences, because they are read aloud. Spell numbers digit by digit. If ${user(v)} sounds upset, offer a person.`,
  (v) =>
    `Today is ${v.date()}, ${v.int(1, 12)}:${v.int(10, 59)} ${label(v, 'AM|PM')}.\nYou are Ada, the chat of ${tenant(v)}. Answer with links to our pages. Use at most eighty words. If ${user(v)} asks for a discount, say that prices are fixed.`,
]
