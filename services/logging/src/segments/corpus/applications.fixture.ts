import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const LANGUAGES = 'English French German Spanish Italian Dutch Polish Swedish Japanese Korean Turkish Czech'.split(' ')
const WORDS = 'invoice customer orders payment line_item product stock supplier warehouse shipment visit patient'.split(
  ' ',
)
const TYPES = ['INTEGER', 'TEXT', 'NUMERIC(10,2)', 'TIMESTAMP', 'BOOLEAN', 'VARCHAR(40)']

const some = (v: Values, low: number, high: number, from: readonly string[]) => {
  const left = [...from]
  return Array.from(
    { length: Math.min(from.length, v.int(low, high)) },
    () => left.splice(v.int(0, left.length - 1), 1)[0],
  )
}
const table = (v: Values) =>
  `CREATE TABLE ${v.pick(WORDS)}_${v.noun()} (id INTEGER PRIMARY KEY, ${v.many(2, 6, () => `${v.pick(WORDS)}_${v.noun()} ${v.pick(TYPES)}`, ', ')});`
const pair = (v: Values) => some(v, 2, 2, LANGUAGES) as [string, string]

/** Applications whose prompts vary in what names and numbers do not show: schemas, lists, examples, languages. */
export const APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `You translate questions into SQL for PostgreSQL. Use only the tables below. Return one statement and nothing else.\n\nSchema:\n${v.many(1, 4, () => table(v), '\n')}`,
  (v) =>
    `You are a data analyst. Answer with a single SQL query.\nTables: ${v.many(2, 5, () => `${v.pick(WORDS)}(${v.many(2, 5, () => `${v.noun()}_${v.pick(WORDS)}`, ', ')})`, '; ')}\nNever modify data.`,
  (v) => {
    const [from, to] = pair(v)
    return `You are a professional translator. Translate the user's message from ${from} to ${to}. Keep the formatting and do not translate names.`
  },
  (v) => {
    const [from, to] = pair(v)
    return `Translate ${from} product descriptions into ${to}. Use a friendly tone and keep units metric.`
  },
  (v) =>
    `Classify the ticket as billing, technical or other. Answer with one word.\n\n${v.many(1, 8, () => `Ticket: ${v.sentence()}\nLabel: ${v.pick(['billing', 'technical', 'other'])}`, '\n\n')}`,
  (v) =>
    `You label the intent of short messages. Possible intents: order, complaint, question.\nExamples:\n${v.many(2, 7, () => `"${v.sentence()}" -> ${v.pick(['order', 'complaint', 'question'])}`, '\n')}\nReturn only the intent.`,
  (v) =>
    `Du bist der Terminassistent von ${v.name()}. Antworte höflich und kurz. Schlage nie einen Termin am Wochenende vor.\n\nTermine heute:\n${v.many(1, 8, () => `- ${v.int(8, 18)}:${v.int(10, 59)} Uhr: ${v.pick(['Zahnarzt', 'Besprechung', 'Mittagessen', 'Telefonat', 'Vorstellungsgespräch'])} mit ${v.name()} in ${v.city()}`, '\n')}`,
  (v) =>
    `Du hilfst Kundinnen und Kunden der ${v.pick(['Stadtwerke', 'Sparkasse', 'Bäckerei'])} ${v.city()}. Bleib sachlich.\nOffene Rechnungen:\n${v.many(0, 6, () => `* Rechnung ${v.int(1000, 9999)} über ${v.int(10, 900)},${v.int(10, 99)} Euro, fällig am ${v.int(1, 28)}.${v.int(1, 12)}.2026`, '\n')}\nVerweise bei Beschwerden an die Zentrale.`,
  (v) =>
    `Tu es l'assistant d'une bibliothèque municipale. Réponds en français, en deux phrases au plus. N'invente jamais un titre.\nLivres disponibles :\n${v.many(1, 9, () => `- ${v.salad(2, 5)}, par ${v.name()}`, '\n')}`,
  (v) =>
    `あなたは旅館の予約係です。丁寧な日本語で答えてください。料金を変更してはいけません。\n空室一覧:\n${v.many(1, 7, () => `・${v.int(1, 12)}月${v.int(1, 28)}日 ${v.pick(['松の間', '竹の間', '梅の間', '桜の間'])} ${v.int(8, 40)}000円`, '\n')}`,
  (v) =>
    `You are the planner of a team of agents. Delegate every task to exactly one of them and never do the work yourself.\nAgents:\n${v.many(2, 6, () => `- ${v.pick(['scout', 'writer', 'coder', 'tester', 'critic', 'archivist'])}_${v.int(1, 9)}: ${v.pick(['searches the web', 'writes drafts', 'writes code', 'runs tests', 'finds gaps', 'stores documents'])}`, '\n')}\nReply with the name and the task as JSON.`,
  (v) =>
    `You coordinate ${some(v, 2, 5, ['Atlas', 'Hermes', 'Iris', 'Juno', 'Ares', 'Vesta']).join(', ')}. Decide who acts next. Stop when the goal is reached.`,
  (v) =>
    `You are the assistant of a bank. Explain the customer's transactions in simple words. Never reveal a full account number.\n\nRecent transactions:\n${v.many(1, 10, () => `${v.date()}  ${v.firm()}  -${v.int(1, 900)}.${v.int(10, 99)} EUR  ${v.pick(['groceries', 'rent', 'travel', 'salary', 'cash'])}`, '\n')}`,
  (v) =>
    `You are a quiz master. Ask one question at a time about the chapter and wait for the answer. Praise correct answers.\n\nChapter ${v.int(1, 20)}: ${v.salad(2, 5)}\n${v.prose(4, 25)}`,
  (v) =>
    `Extract the fields as JSON with the keys name, amount and due_date. Use null for what is missing.\n\n${v.prose(2, 12)}`,
]
