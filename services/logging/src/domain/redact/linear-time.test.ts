import { redactExchange } from './redact-exchange.ts'
import { redactText } from './redact-text.ts'

const half = 262_144
/** What 512 KB may take, whatever they hold, on a core of 3 GHz that does nothing else. */
const budgetMs = 50
/** What the yardstick takes there. */
const yardstickMs = 12
const dashes = '-'.repeat(5)

/** Texts as people and programs write them, repeated until they are long enough. */
const ordinary: Readonly<Record<string, string>> = {
  prose: 'The committee met on Tuesday; it asked for a token of thanks, and (as ever) 12 of 40 members voted: no.\n',
  code: "export function add(left: number, right: number): number {\n  return left + right // 'sum', e.g. 3\n}\n",
  'JSON in a string': JSON.stringify(
    JSON.stringify({ city: 'Oslo', days: [1, 2, 3], note: 'rain, wind\nand sun', ok: true }),
  ),
  Chinese: '今天的会议讨论了三个问题：预算、时间和人员。\n',
}

/** Texts made to be slow: each repeats what makes some rule begin and never lets it end. */
const seeds: Readonly<Record<string, string>> = {
  'one letter': 'A',
  'one digit': '7',
  'armour that never ends': `${dashes}BEGIN `,
  'private keys that never end': `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n`,
  'private keys with one line each': `${dashes}BEGIN PRIVATE KEY${dashes} ${'aB3'.repeat(9)} `,
  'starts of a JWT': 'eyJ',
  'starts of a JWT, dashed': 'eyJhbGciOiJI-',
  'starts of a JWT, dotted': 'eyJhbGciOiJIUzI1NiJ9.',
  Base64: 'q83vEjRWeJq/+z0Kc3',
  'password=': 'password=',
  'password="': 'password="',
  'password:': 'password:',
  'token:': 'token:',
  'password: with quotes of all kinds': `password: "token='secret=\``,
  'password and blanks': 'password   :   ',
  'names without end': 'api_key_',
  'sk-': 'sk-',
  'sk- and more': 'sk-a1-',
  ghp_: 'ghp_',
  AKIA: 'AKIA ',
  'AKIA keys': 'AKIA2345672345672345 ',
  Bearer: 'Bearer ',
  'Bearer without blank': 'Bearer a1=',
  dashes: '-',
  flags: '--token ',
  'password flags': '--password ',
  'Authorization: Basic': 'Authorization: Basic ',
  users: '-u a',
  colons: ':',
  equals: '=',
  URLs: '://',
  'database URLs': 'redis://',
  'database URLs with users': 'redis://u:p',
  'database URLs with passwords': 'postgres://u:p@',
  'web addresses with passwords': 'https://u:p@',
  'at signs': 'postgres://a@',
  dots: 'SG.',
  slashes: '/a1B2',
  tildes: '8Q~',
  quotes: '"',
  blanks: ' ',
  'line breaks': '\n',
  backslashes: '\\',
  'escaped quotes': '\\"',
  'unicode escapes': '\\u0041',
  percents: '%41',
  'broken percents': '%%2',
  entities: '&quot;',
  ampersands: '&a=',
  is: ' password is ',
  'colons and digits': '12345678:',
  Discord: 'MTIzNDU2Nzg5MDEyMzQ1Njc4.G1a2b3.',
  'minified code': 'e.exports=function(t,n){return t.token=n.key||{a:1,b:"c"}};',
  JSON: '{"password":"","token":null,"a":[1,2,"x"]},',
  Chinese: '密码：令牌',
  'lone surrogates': '\ud800a',
  'secrets in many places': 'password: hunter2! and ',
  'names and values': 'key1=a1b2c3d4&secret_2=e5f6g7h8&',
  'JSON of secrets': '{"api_key":"a1B2c3D4e5F6g7H8","n":1},',
  'JSON thrice': '[\\\\\\"a\\\\\\",\\"b\\","c"],',
  'short words': 'is at my pw a1 ',
  'values behind blanks': 'token a1b2c3d4e5f6 ',
  mixed: `password="sk-eyJ${dashes}BEGIN PRIVATE KEY${dashes} redis://u:AKIA %22\\"&quot; `,
}

/** At most `length` characters in one piece of memory, as a text that was read has them. */
function textOf(seed: string, length: number): string {
  return Buffer.from(seed.repeat(Math.floor(length / seed.length)), 'utf16le').toString('utf16le')
}

/** Exchanges of 512 KB made to be slow by their shape rather than by a text. */
const shapes: Readonly<Record<string, (length: number) => readonly unknown[]>> = {
  'nothing at all': (length) => many(length / 3, () => ({})),
  'short texts': (length) => many(length / 15, () => 'hello world!'),
  'texts with escapes': (length) => many(length / 20, () => 'a\\"b\\n%41&amp;c'),
  messages: (length) => many(length / 40, (n) => ({ role: 'user', content: `hi there ${n}` })),
  ids: (length) => many(length / 35, (n) => ({ id: `call_Ab12Cd34Ef56Gh78${n}` })),
  'one object': (length) => [Object.fromEntries(many(length / 14, (n) => [`name${n}`, 1]))],
  'fields called password': (length) => [Object.fromEntries(many(length / 28, (n) => [`password${n}`, 'Winter2024']))],
  'secrets as names': (length) => [
    Object.fromEntries(many(length / 50, (n) => [`${key}${String(n).padStart(6, '0')}`, 1])),
  ],
  lists: (length) => [JSON.parse('['.repeat(length / 2) + ']'.repeat(length / 2))],
}
const key = `ghp_${'aB3dE5fG7h'.repeat(3)}abc`

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: Math.floor(count) }, (_, index) => make(index))
}

/** CPU milliseconds of the fastest of some runs: other processes may slow a run down, none can speed it up. */
function fastestMs(work: () => unknown): number {
  let fastest = Number.POSITIVE_INFINITY
  for (let run = 0; run < 4; run++) {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    fastest = Math.min(fastest, (user + system) / 1_000)
  }
  return fastest
}

/** Eight million steps that depend on one another, so that all that counts is how fast this core is now. */
function yardstick(): number {
  let hash = 0
  for (let step = 0; step < 8_000_000; step++) hash = (hash * 31 + step) | 0
  return hash
}

/** The budget on this machine with what else it does at the moment, twice over: other work takes turns unevenly. */
function allowedMs(measuredMs: number): number {
  if (measuredMs <= budgetMs) return budgetMs
  return 2 * budgetMs * Math.max(1, fastestMs(yardstick) / yardstickMs)
}

const textOfLength = (seed: string) => (length: number) => {
  const text = textOf(seed, length)
  return () => redactText(text)
}
const exchangeOfLength = (make: (typeof shapes)[string]) => (length: number) => {
  const messages = make(length)
  return () => redactExchange({ messages })
}

const everything: readonly (readonly [string, (length: number) => () => unknown])[] = [
  ...Object.entries({ ...ordinary, ...seeds }).map(([name, seed]) => [name, textOfLength(seed)] as const),
  ...Object.entries(shapes).map(([name, make]) => [name, exchangeOfLength(make)] as const),
]

/** Milliseconds that half of the length takes, and the whole of it. */
interface Look {
  readonly short: number
  readonly long: number
}

const maxLooks = 5

function look(ofLength: (length: number) => () => unknown): Look {
  return { short: fastestMs(ofLength(half)), long: fastestMs(ofLength(2 * half)) }
}

/** Some milliseconds of slack: the short run can be too short to compare with. */
function maxGrowthMs({ short }: Look): number {
  return 2.5 * short + 10
}

function isWithin(seen: Look): boolean {
  return seen.long <= maxGrowthMs(seen) && seen.long <= allowedMs(seen.long)
}

describe('the time that redaction takes', () => {
  beforeAll(() => {
    for (let round = 0; round < 3; round++) for (const [, ofLength] of everything) ofLength(20_000)()
  })

  it.each(everything)('stays within its budget, and grows no faster than 512 KB of %s', (_name, ofLength) => {
    // What grows faster than its text does so however often it is looked at; what is collected in between does not.
    let seen = look(ofLength)
    for (let looks = 1; looks < maxLooks && !isWithin(seen); looks++) seen = look(ofLength)
    expect(seen.long).toBeLessThanOrEqual(maxGrowthMs(seen))
    expect(seen.long).toBeLessThanOrEqual(allowedMs(seen.long))
  })
})
