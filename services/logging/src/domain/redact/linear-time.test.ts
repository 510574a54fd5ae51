import { redactText } from './redact-text.ts'

const half = 262_144
/** What a redaction of 512 KB may take: 50 ms on a machine that does nothing else. */
const budgetMs = 50
/** Slack for texts that were made to be slow, and for tests that run beside others. */
const hostileFactor = 6
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
  users: '-u a',
  colons: ':',
  equals: '=',
  URLs: '://',
  'database URLs': 'redis://',
  'database URLs with users': 'redis://u:p',
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
  mixed: `password="sk-eyJ${dashes}BEGIN PRIVATE KEY${dashes} redis://u:AKIA %22\\"&quot; `,
}

/** At most `length` characters in one piece of memory, as a text that was read has them. */
function textOf(seed: string, length: number): string {
  return Buffer.from(seed.repeat(Math.floor(length / seed.length)), 'utf16le').toString('utf16le')
}

/** CPU milliseconds of the fastest of some runs: other processes may slow a run down, none can speed it up. */
function fastestMs(text: string): number {
  let fastest = Number.POSITIVE_INFINITY
  for (let run = 0; run < 4; run++) {
    const before = process.threadCpuUsage()
    redactText(text)
    const { user, system } = process.threadCpuUsage(before)
    fastest = Math.min(fastest, (user + system) / 1_000)
  }
  return fastest
}

describe('the time that redaction takes', () => {
  beforeAll(() => {
    for (let round = 0; round < 3; round++) for (const seed of Object.values(seeds)) redactText(textOf(seed, 20_000))
  })

  it.each(Object.entries(ordinary))('stays within 50 ms for 512 KB of %s', (_name, seed) => {
    // Twice that in a test, for a machine that does other things as well.
    expect(fastestMs(textOf(seed, 2 * half))).toBeLessThanOrEqual(2 * budgetMs)
  })

  it.each(Object.entries(seeds))('grows no faster than 512 KB of nothing but %s', (_name, seed) => {
    const [short, long] = [fastestMs(textOf(seed, half)), fastestMs(textOf(seed, 2 * half))]
    // Some milliseconds of slack: the short run can be too short to compare with.
    expect(long).toBeLessThanOrEqual(2.5 * short + 10)
    expect(long).toBeLessThanOrEqual(hostileFactor * budgetMs)
  })
})
