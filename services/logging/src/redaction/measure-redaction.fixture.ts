import gitleaks from '@ratchet/redaction/patterns/gitleaks.json' with { type: 'json' }
import { redactText } from '@ratchet/redaction/redact-text'
import { fastestCpuMs, meanCpuMs } from '@ratchet/testing/cpu-time'
import { capturedExchange } from '../capture/captured.fixture.ts'
import { redactExchange } from './redact-exchange.ts'
import { smallBytes } from './redact-small-here.ts'
import { redactBatch } from './redaction-task.ts'
import { type IdentifiedCapture, sizeOfCapture } from './redactor.ts'

/*
 * A program that prints how long redaction takes, for linear-time.int.test.ts. A process of its own: in one that has run
 * other tests, collecting its garbage takes longer than the redaction.
 */

/** Milliseconds for an eighth of the length, and for all of it. */
export interface Timing {
  readonly name: string
  readonly short: number
  readonly long: number
  /** For a whole exchange of the largest size that is redacted without the thread. */
  readonly small: number
}

export interface Measured {
  readonly timings: readonly Timing[]
  /** How much slower this core is now than an idle one of 3 GHz, ≥ 1. */
  readonly slowness: number
}

const longest = 524_288
/** Far enough below the longest for linear time (8 ×) to differ clearly from quadratic time (64 ×). */
export const growth = 8
/** Milliseconds of the yardstick on such a core. */
const yardstickMs = 12
/** Runs of the longest text: a garbage collection disturbs one run, but not each of several. */
const runs = 5

const dashes = '-'.repeat(5)

/** Ordinary texts of people and programs, which are repeated up to the length. */
const ordinary: Readonly<Record<string, string>> = {
  prose: 'The committee met on Tuesday; it asked for a token of thanks, and (as ever) 12 of 40 members voted: no.\n',
  code: "export function add(left: number, right: number): number {\n  return left + right // 'sum', e.g. 3\n}\n",
  'JSON in a string': JSON.stringify(
    JSON.stringify({ city: 'Oslo', days: [1, 2, 3], note: 'rain, wind\nand sun', ok: true }),
  ),
  Chinese: '今天的会议讨论了三个问题：预算、时间和人员。\n',
}

/** Hostile texts: each repeats the beginning of some rule's match and never completes it. */
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
  'beginnings of all tokens of gitleaks': gitleaks.tokens.flatMap(({ prefixes }) => prefixes).join(' '),
  'glffct-': 'glffct-',
  'access-sandbox-': 'access-sandbox-',
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
  'Discord, no number': 'MTabcdefghijklmnopqrstuv.G1a2b3.',
  'headers for cookies': 'Cookie: ',
  'headers for cookies in a line': 'Cookie: sid=a1b2c3d4; ',
  'cookies of one header': `a=b; ${'c=d;'.repeat(4)}`,
  'headers in quotes': '"cookie":"a=b" ',
  'lines of .pgpass': 'db:5432:shop:app:',
  'ports of .pgpass': `a:1234:${'b'.repeat(40)}:c`,
  'stars of .pgpass': '*:',
  'names of commands': 'mysql ',
  'commands without passwords': 'mysql -p ',
  'commands with passwords': 'mysql -pa1 ',
  'flags of other commands': ' -p',
  'wallet keys': `L${'4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyYx'} `,
  'tokens in Base64': `${Buffer.from(`ghp_${'aB3'.repeat(11)}`).toString('base64')} `,
  'beginnings of tokens in Base64': 'Z2hwX ',
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

/** A flat string of at most `length` characters, like a text that was read from a socket. */
function textOf(seed: string, length: number): string {
  return Buffer.from(seed.repeat(Math.floor(length / seed.length)), 'utf16le').toString('utf16le')
}

/** Exchanges of 512 KB with a hostile structure rather than a hostile text. */
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
/** Lists in lists, as deep as a body can be written. */
const writtenLists = (length: number) => many(length / 8_192, () => JSON.parse('['.repeat(4_000) + ']'.repeat(4_000)))
const key = `ghp_${'aB3dE5fG7h'.repeat(3)}abc`

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: Math.floor(count) }, (_, index) => make(index))
}

/** Eight million dependent steps, whose time shows how fast this core is at the moment. */
function yardstick(): number {
  let hash = 0
  for (let step = 0; step < 8_000_000; step++) hash = (hash * 31 + step) | 0
  return hash
}

/** The largest small exchange with these messages. */
function smallExchange(messagesOf: (length: number) => readonly unknown[]): IdentifiedCapture {
  for (let length = smallBytes; ; length = Math.floor(length * 0.95)) {
    const captured = capturedExchange(1, { request: { messages: messagesOf(length) } })
    const capture = { id: captured.meta.requestId, captured }
    if (sizeOfCapture(capture) <= smallBytes) return capture
  }
}

interface Kind {
  readonly name: string
  readonly ofLength: (length: number) => () => unknown
  readonly messagesOf: (length: number) => readonly unknown[]
}

const textKind = ([name, seed]: readonly [string, string]): Kind => ({
  name,
  ofLength(length) {
    const text = textOf(seed, length)
    return () => redactText(text)
  },
  messagesOf: (length) => [{ role: 'user', content: textOf(seed, length) }],
})
const shapeKind = ([name, make]: readonly [string, (typeof shapes)[string]]): Kind => ({
  name,
  ofLength(length) {
    const messages = make(length)
    return () => redactExchange({ messages })
  },
  messagesOf: name === 'lists' ? writtenLists : make,
})

const everything: readonly Kind[] = [
  ...Object.entries({ ...ordinary, ...seeds }).map(textKind),
  ...Object.entries(shapes).map(shapeKind),
]

function measureAll(): Measured {
  for (let round = 0; round < 3; round++) for (const { ofLength } of everything) ofLength(20_000)()
  const timings = everything.map(({ name, ofLength, messagesOf }) => {
    const task = { job: 'captures', items: [smallExchange(messagesOf)], at: new Int32Array(1) } as const
    // The mean of several: one short run takes less than the resolution of the processor's clock.
    return {
      name,
      short: meanCpuMs(ofLength(longest / growth)),
      long: fastestCpuMs(runs, ofLength(longest)),
      // The lowest mean: a garbage collection in between takes longer than the exchanges.
      small: Math.min(...Array.from({ length: 3 }, () => meanCpuMs(() => redactBatch(task)))),
    }
  })
  return { timings, slowness: Math.max(1, fastestCpuMs(4, yardstick) / yardstickMs) }
}

if (import.meta.main) process.stdout.write(JSON.stringify(measureAll()))
