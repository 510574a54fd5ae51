import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const LANGUAGES = 'English French German Spanish Italian Polish Japanese Turkish Swedish Greek'.split(' ')
const FIELDS = 'id name price vendor_id created_on country quantity tax_rate department hired_on grade'.split(' ')
const THINGS = 'teams students courses sensors parcels depots recipes cities movies actors venues tickets'.split(' ')
const draw = (v: Values, count: number, from: readonly string[]) => {
  const left = [...from]
  return Array.from({ length: count }, () => left.splice(v.int(0, left.length - 1), 1)[0] ?? '')
}
const facts = (v: Values, low: number, high: number) => v.many(low, high, () => v.statement(), ' ')

/** Written after the miner was finished, to measure it on prompts that nothing was chosen for. */
export const UNSEEN_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `Generate SQLite queries for the analysts of ${v.firm()}. Answer with SQL only.\n\nCREATE TABLE ${v.pick(THINGS)} (\n${draw(
      v,
      v.int(2, 7),
      FIELDS,
    )
      .map((field) => `  ${field} ${v.pick(['TEXT', 'INTEGER', 'REAL'])}`)
      .join(',\n')}\n);`,
  (v) => {
    const [from, to] = draw(v, 2, LANGUAGES)
    return `You are a translation engine. Source language: ${from}. Target language: ${to}. Preserve placeholders and HTML tags. Output only the translation.`
  },
  (v) => {
    const [from, to] = draw(v, 2, LANGUAGES)
    return `Act as a ${from}-${to} translator for legal contracts. Keep clause numbers. Mark anything ambiguous with a comment.`
  },
  (v) =>
    `Assign a priority to each bug report: high, medium or low. Reply with the priority only.\n\n${v.many(1, 6, (index) => `Example ${index + 1}: ${v.statement()} => ${v.pick(['high', 'medium', 'low'])}`, '\n')}`,
  (v) =>
    `You decide whether a comment is toxic. Answer yes or no.\n\n${v.many(2, 9, () => `Comment: ${v.statement()}\nAnswer: ${v.pick(['yes', 'no'])}`, '\n\n')}`,
  (v) =>
    `Du bist der Assistent der Autowerkstatt ${v.name()}. Antworte auf Deutsch und bleibe freundlich. Nenne keine Preise ohne Rücksprache.\n\nHeutige Termine:\n${v.many(1, 8, () => `- ${v.int(8, 17)}:${v.pick(['00', '15', '30', '45'])} Uhr ${v.pick(['Ölwechsel', 'Inspektion', 'Reifenwechsel', 'Bremsen'])}, Kennzeichen B-${v.pick(['AB', 'XY', 'KL'])} ${v.int(100, 9999)}`, '\n')}`,
  (v) =>
    `Tu aides les voyageurs de la gare de ${v.city()}. Donne des réponses courtes. Ne promets jamais un remboursement.\n\nDéparts :\n${v.many(1, 9, () => `- ${v.int(5, 23)}h${v.int(10, 59)} ${v.city()} voie ${v.int(1, 20)}`, '\n')}`,
  (v) =>
    `あなたは図書館の案内係です。敬語で簡潔に答えてください。\n\n本日の新着:\n${v.many(1, 6, () => `・${v.pick(['星の旅', '海の地図', '風の町', '雪の声'])}(${v.int(1990, 2026)}年)`, '\n')}`,
  (v) =>
    `You are the lead planner. Split the goal into steps and assign each step to an agent. Available agents: ${draw(v, v.int(2, 5), ['Searcher', 'Writer', 'Coder', 'Critic', 'Tester', 'Librarian']).join(', ')}. Return the plan as a numbered list.`,
  (v) =>
    `You help customers of ${v.firm()} understand their statement. Do not give investment advice.\n\nStatement:\n${v.many(2, 12, () => `${v.date()} | ${v.pick(['CARD', 'TRANSFER', 'FEE', 'ATM'])} | ${v.firm()} | ${v.pick(['-', '+'])}${v.int(1, 2000)}.${v.int(10, 99)}`, '\n')}\n\nBe polite and use plain words.`,
  (v) =>
    `You are a tutor. Quiz the student about the chapter, one question at a time. Give a hint after a wrong answer.\n\n# Chapter ${v.int(1, 30)}: ${v.salad(2, 5)}\n\n${facts(v, 4, 20)}`,
  (v) =>
    `Use only the passages to answer. Quote the passage that you used. Say so when the answer is missing.\n\n${v.many(2, 6, (index) => `Passage ${index + 1} (${v.pick(THINGS)}.pdf, page ${v.int(1, 90)}): ${facts(v, 1, 4)}`, '\n\n')}`,
  (v) =>
    `You are ${v.pick(['Captain Redbeard', 'Lady Ashdown', 'Old Tomas'])}, a character in the game ${v.salad(1, 2)}. Stay in character and keep answers under 50 words.`,
  (v) =>
    `Extract the order as JSON with keys customer, items and total.\n\nEmail:\nFrom: ${v.email()}\nSubject: Order ${v.id()}\n\n${facts(v, 1, 5)}`,
  (v) =>
    `You are on the support team of ${v.firm()}. Answer in the language of the customer and never share internal links.\n\nCustomer: ${v.name()} (${v.pick(['free', 'pro', 'enterprise'])} plan, since ${v.date()})\nOpen tickets: ${v.int(0, 9)}`,
]
