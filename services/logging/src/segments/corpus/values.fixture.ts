const FIRST =
  'Maria Tom Aisha Liam Yuki Pedro Ingrid Omar Chloe Raj Nadia Felix Greta Hugo Sofia Kwame Elena Victor'.split(' ')
const LAST =
  'Gonzalez Smith Khan Murphy Tanaka Silva Larsen Haddad Dubois Patel Petrova Weber Novak Rossi Mensah'.split(' ')
const FIRMS =
  'Northwind,Acme Corp,Globex,Initech,Umbrella Labs,Blue Harbor Bank,Fabrikam,Contoso Travel,Stark Foods'.split(',')
const CITIES = 'Oslo Berlin Lima Nairobi Kyoto Lisbon Denver Mumbai Cairo Toronto Quito Riga'.split(' ')
const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const NOUNS =
  'garden bicycle invoice engine contract river patient turbine password shipment museum battery satellite recipe'.split(
    ' ',
  )
const VERBS = 'describes replaces covers improves delays protects includes affects measures supports'.split(' ')
const ADJECTIVES = 'new faulty annual modern quiet expensive regional broken popular standard'.split(' ')

/** Draws the variable parts of prompts. */
export type Values = ReturnType<typeof createValues>

/** Values that depend only on the numbers of `random`, which are in [0, 1). */
export function createValues(random: () => number) {
  const int = (low: number, high: number) => low + Math.floor(random() * (high - low + 1))
  const pick = (from: readonly string[]): string => from[int(0, from.length - 1)] ?? ''
  const chance = (share: number) => random() < share
  const many = (low: number, high: number, make: (index: number) => string, glue: string) =>
    Array.from({ length: int(low, high) }, (_, index) => make(index)).join(glue)
  const hex = (length: number) => Array.from({ length }, () => int(0, 15).toString(16)).join('')

  const name = () => `${pick(FIRST)} ${pick(LAST)}`
  const date = () =>
    pick([
      `${int(2023, 2027)}-0${int(1, 9)}-${int(10, 28)}`,
      `${pick(MONTHS)} ${int(1, 28)}, ${int(2023, 2027)}`,
      `Tuesday, ${int(1, 28)} ${pick(MONTHS)} ${int(2023, 2027)}`,
    ])
  const id = () =>
    pick([`ORD-${int(10000, 99999)}`, `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`, `acct_${hex(10)}`])
  const email = () => `${pick(FIRST).toLowerCase()}.${pick(LAST).toLowerCase()}@example.com`
  const url = () => `https://www.example.org/${pick(NOUNS)}/${int(1, 999)}?ref=${hex(5)}`
  const { statement, sentence } = writer({ pick, int, chance, name, email, url })
  const prose = (low: number, high: number) => many(low, high, sentence, ' ')
  const json = (keys: readonly string[]) =>
    JSON.stringify(
      Object.fromEntries(keys.filter(() => chance(0.8)).map((key) => [key, pick([name(), date(), id(), statement()])])),
      null,
      chance(0.5) ? 2 : 0,
    )

  return {
    int,
    pick,
    chance,
    many,
    name,
    first: () => pick(FIRST),
    firm: () => pick(FIRMS),
    city: () => pick(CITIES),
    noun: () => pick(NOUNS),
    date,
    id,
    email,
    url,
    sentence,
    statement,
    prose,
    json,
    question: () => question({ pick, int }),
    salad: (low: number, high: number) => many(low, high, () => pick([...NOUNS, ...VERBS, ...ADJECTIVES]), ' '),
    passages: (low: number, high: number) => many(low, high, (index) => `[${index + 1}] ${prose(1, 5)}`, '\n'),
    documents: (low: number, high: number) =>
      many(low, high, (index) => `<document id="${index + 1}" source="${url()}">\n${prose(2, 12)}\n</document>`, '\n'),
    code: () =>
      many(2, 12, () => `  const ${pick(NOUNS)}${int(1, 9)} = ${pick(VERBS)}(${int(0, 99)}, "${pick(NOUNS)}");`, '\n'),
  }
}

interface Draws {
  pick(from: readonly string[]): string
  int(low: number, high: number): number
  chance(share: number): boolean
  name(): string
  email(): string
  url(): string
}

/** Writes text like people do; some of it instructs its reader. */
function writer({ pick, int, chance, name, email, url }: Draws) {
  const statement = () =>
    pick([
      `The ${pick(ADJECTIVES)} ${pick(NOUNS)} ${pick(VERBS)} the ${pick(NOUNS)} in ${pick(CITIES)}.`,
      `${name()} joined ${pick(FIRMS)} in ${int(1990, 2026)} and ${pick(VERBS)} every ${pick(NOUNS)}.`,
      `A ${pick(NOUNS)} ${pick(VERBS)} ${int(2, 900)} ${pick(ADJECTIVES)} ${pick(NOUNS)}s.`,
      `Most ${pick(NOUNS)}s cost about $${int(5, 900)}.${int(10, 99)}, which ${pick(VERBS)} the ${pick(NOUNS)}.`,
    ])
  const sentence = () =>
    chance(0.85)
      ? statement()
      : pick([
          `You must bring the ${pick(NOUNS)} to ${pick(CITIES)} within ${int(2, 60)} days.`,
          `Please contact ${email()} about your ${pick(NOUNS)}.`,
          `Never open the ${pick(ADJECTIVES)} ${pick(NOUNS)} yourself!`,
          `If you have questions, see ${url()}.`,
          `Note: the ${pick(NOUNS)} should not touch the ${pick(NOUNS)}.`,
        ])
  return { statement, sentence }
}

/** Requests of users, which read like instructions to the model but are data. */
function question({ pick, int }: Pick<Draws, 'pick' | 'int'>): string {
  return pick([
    `Write a poem about a ${pick(ADJECTIVES)} ${pick(NOUNS)} in ${int(2, 9)} sentences.`,
    `Explain how a ${pick(NOUNS)} ${pick(VERBS)} a ${pick(NOUNS)}. Answer like a teacher from ${pick(CITIES)}.`,
    `What is the ${pick(ADJECTIVES)} ${pick(NOUNS)} of ${pick(CITIES)}?`,
    `Rewrite your answer. Start every sentence with the letter ${pick(['A', 'B', 'C'])}.`,
    `Summarize the history of the ${pick(NOUNS)} and give me ${int(2, 9)} examples.`,
  ])
}
