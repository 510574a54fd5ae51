import { meanCpuMs } from '@ratchet/testing/cpu-time'
import fc from 'fast-check'
import { space, spellingOf, writtenObject } from './json-arbitrary.fixture.ts'
import { parseScanned } from './parse-scanned.ts'
import { type JsonScan, scanJson } from './scan-json.ts'

const limits = { maxDepth: 64, maxKeys: 50_000 }
const scan = (text: string) => scanJson(Buffer.from(text), limits)
const accepted = (bytes: Buffer): JsonScan => {
  const result = scanJson(bytes, limits)
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result)}`)
  return result
}

describe('scanJson on JSON that JSON.parse accepts', () => {
  it('finds every top-level value in order, under its decoded key', () => {
    const text = ' { "a" :1, "b\\u0063": "x, }\\"" ,"": [ {"a":2} ] , "n":null}\n'
    const { topLevel, open, depth, keys } = accepted(Buffer.from(text))
    const spans = [...topLevel].map(([key, { keyStart, start, end }]) => [key, text[keyStart], text.slice(start, end)])
    expect(spans).toEqual([
      ['a', '"', '1'],
      ['bc', '"', '"x, }\\""'],
      ['', '"', '[ {"a":2} ]'],
      ['n', '"', 'null'],
    ])
    expect({ open, depth, keys }).toEqual({ open: 1, depth: 3, keys: 5 })
  })

  it('is exact for any object in any spelling', () => {
    fc.assert(
      fc.property(writtenObject(), space(), space(), ({ text, value }, before, after) => {
        const bytes = Buffer.from(before + text + after)
        const { topLevel, depth, keys } = accepted(bytes)
        expect(new Set(topLevel.keys())).toEqual(new Set(Object.keys(value)))
        for (const [key, { keyStart, start, end }] of topLevel) {
          const raw = bytes.toString('utf8', start, end)
          expect(raw).toBe(raw.trim())
          const alone = Buffer.from(`{"x":${raw}}`)
          expect(parseScanned(alone, accepted(alone))).toEqual({ x: value[key] })
          expect(bytes.toString('utf8', keyStart, start)).toMatch(/^".*"\s*:\s*$/s)
        }
        expect({ depth, keys }).toEqual({ depth: depthOf(value), keys: keysOf(value) })
      }),
      { numRuns: 300 },
    )
  })

  it('is exact on invalid UTF-8, which decoding replaces without removing structure', () => {
    const bytes = Buffer.concat([Buffer.from('{"a\xff":"'), Buffer.from([0xe2, 0x82]), Buffer.from('","b":1}')])
    const { topLevel } = accepted(bytes)
    expect(Object.keys(JSON.parse(bytes.toString()) as object)).toEqual([...topLevel.keys()])
    expect(bytes.toString('latin1', topLevel.get('b')?.start, topLevel.get('b')?.end)).toBe('1')
  })

  it.each(['{}', ' {\n} ', '{"constructor":{"prototype":1},"prototype":2,"toString":3}'])('accepts %j', (text) => {
    expect(scan(text)).toMatchObject({ ok: true })
  })
})

describe('scanJson refuses', () => {
  it.each([
    ['', 'malformed', 0],
    ['  ', 'malformed', 2],
    ['\ufeff{}', 'malformed', 0],
    ['{', 'malformed', 1],
    ['{"a', 'malformed', 1],
    ['{"a\\', 'malformed', 1],
    ['{"a"', 'malformed', 1],
    ['{"a" 1}', 'malformed', 1],
    ['{"a":}', 'malformed', 5],
    ['{"a":1,}', 'malformed', 7],
    ['{,"a":1}', 'malformed', 1],
    ['{"a":[}', 'malformed', 6],
    ['{"a":1}}', 'malformed', 7],
    ['{"a":1} x', 'malformed', 8],
    ['{"\\x":1}', 'malformed', 1],
    ['[]', 'not_an_object', 0],
    [' "a"', 'not_an_object', 1],
    ['-1', 'not_an_object', 0],
    ['null', 'not_an_object', 0],
  ])('%j as %s', (text, reason, offset) => {
    expect(scan(text)).toEqual({ ok: false, reason, offset })
  })

  it('a repeated top-level key in any spelling', () => {
    expect(scan('{"model":"a","x":{"model":1},"m\\u006fdel":"b"}')).toEqual({
      ok: false,
      reason: 'duplicate_key',
      offset: 29,
      key: 'model',
    })
  })

  it('__proto__ at the top level alone, where answers may have it below', () => {
    const limits = { maxDepth: 9, maxKeys: 9, mayHaveProto: true }
    expect(scanJson(Buffer.from('{"a":[{"__proto__":{"b":1}}]}'), limits)).toMatchObject({ ok: true, keys: 3 })
    expect(scanJson(Buffer.from('{"__proto__":1}'), limits)).toMatchObject({ ok: false, reason: 'forbidden_key' })
  })

  it('__proto__ as a key at any depth in any spelling', () => {
    const nestings = fc.array(
      fc.constantFrom<(text: string) => string>(
        (text) => `[0,${text}]`,
        (text) => `{"a":[],"b" : ${text}}`,
      ),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(spellingOf('__proto__'), space(), nestings, ({ text: key }, gap, wrap) => {
        const inner = `{"a":"__proto__",${gap}${key}${gap}:1}`
        const text = wrap.reduce((nested, nest) => nest(nested), inner)
        expect(scan(`{"x":${text}}`)).toMatchObject({ ok: false, reason: 'forbidden_key', key: '__proto__' })
        // The value before it may be spelled like the key.
        expect(scan(inner)).toMatchObject({ ok: false, reason: 'forbidden_key', offset: inner.lastIndexOf(key) })
      }),
    )
  })

  it.each(['__proto', '_proto__', '__proto__x', '\\\\u005f_proto__', '__PROTO__', '\\u005f\\u005fproto\\u005f'])(
    'not the key %s, which only resembles it',
    (key) => {
      expect(scan(`{"${key}":1,"value":"__proto__","list":["__proto__"]}`)).toMatchObject({ ok: true })
    },
  )

  it('more than the allowed depth, at the first container that exceeds it', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
    expect(scan(nested(64))).toMatchObject({ ok: true, depth: 64 })
    expect(scan(nested(65))).toEqual({ ok: false, reason: 'depth', offset: 5 + 63 })
    expect(scan(nested(5_000))).toEqual({ ok: false, reason: 'depth', offset: 5 + 63 })
    expect(scan(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)).toMatchObject({ reason: 'depth' })
  })

  it('more than the allowed keys, counted over all objects', () => {
    const objects = (count: number) => `{"a":[${Array(count).fill('{"k":1}').join()}]}`
    expect(scan(objects(49_998))).toMatchObject({ ok: true, keys: 49_999 })
    expect(scan(objects(500_000))).toMatchObject({ reason: 'keys' })
    expect(scanJson(Buffer.from('{"a":1,"b":2}'), { maxDepth: 1, maxKeys: 1 })).toEqual({
      ok: false,
      reason: 'keys',
      offset: 7,
    })
  })

  it('as many containers without keys, which are as slow to parse', () => {
    expect(scan(`{"a":[${Array(49_998).fill('[]').join()}]}`)).toMatchObject({ ok: true })
    expect(scan(`{"a":[${Array(50_000).fill('[]').join()}]}`)).toMatchObject({ reason: 'keys' })
  })
})

describe('scanJson on hostile bytes', () => {
  it('never throws, accepts all that JSON.parse accepts, and finds spans that parse', () => {
    const stray = fc.constantFrom('"', '\\', '{', '}', '[', ',', ':', ' ', '\xff', 'u')
    const damaged = fc
      .tuple(writtenObject(), fc.array(fc.tuple(fc.nat(), stray), { maxLength: 4 }))
      .map(([{ text }, hits]) => hits.reduce<Buffer>((bytes, [at, byte]) => hit(bytes, at, byte), Buffer.from(text)))
    const noise = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.oneof({ arbitrary: damaged, weight: 4 }, { arbitrary: noise, weight: 1 }), (bytes) => {
        const result = scanJson(bytes, limits)
        const isJson = isAccepted(bytes.toString())
        if (!result.ok) return result.reason !== 'malformed' || !isJson
        return (
          !isJson ||
          [...result.topLevel.values()].every(({ start, end }) => isAccepted(bytes.toString('utf8', start, end)))
        )
      }),
      { numRuns: 1_500 },
    )
  })

  const wide = { maxDepth: 64, maxKeys: 10_000_000 }
  it.each<[string, (bytes: number) => string]>([
    ['escaped quotes', (bytes) => `{"a":"${'\\"'.repeat(bytes / 2)}"}`],
    ['backslashes', (bytes) => `{"a":"${'\\\\'.repeat(bytes / 2)}"}`],
    ['backslashes in a string that never ends', (bytes) => `{"a":"${'\\'.repeat(bytes)}`],
    ['quotes far apart', (bytes) => `{"a":"${`${'x'.repeat(40)}\\\\\\"`.repeat(bytes / 44)}"}`],
    ['short strings', (bytes) => `{"a":[${'"",'.repeat(bytes / 3)}0]}`],
    ['keys', (bytes) => `{"a":{${'"k":0,'.repeat(bytes / 6)}"z":0}}`],
    ['near misses of __proto__', (bytes) => `{"a":{${'"\\u005f_proto_":0,'.repeat(bytes / 18)}"z":0}}`],
    ['white space', (bytes) => `{"a":1${' '.repeat(bytes)}}`],
    ['white space around commas', (bytes) => `{"a":[1${`,${' '.repeat(30)}1`.repeat(bytes / 32)}]}`],
    ['empty arrays', (bytes) => `{"a":[${'[],'.repeat(bytes / 3)}0]}`],
    ['opening brackets', (bytes) => `{"a":${'['.repeat(bytes)}`],
  ])('takes time in proportion to the length of %s', (_name, textOf) => {
    const small = Buffer.from(textOf(128 * 1024))
    const large = Buffer.from(textOf(16 * 128 * 1024))
    const smallMs = meanCpuMs(() => scanJson(small, wide))
    expect(meanCpuMs(() => scanJson(large, wide))).toBeLessThan(4 * 16 * smallMs + 2) // quadratic would be 256 times
  })

  it.each<[string, string]>([
    ['10 MB of escaped quotes', `{"a":"${'\\"'.repeat(5 * 1024 * 1024)}"}`],
    [
      '20 000 short messages',
      JSON.stringify({ messages: Array(20_000).fill({ role: 'user', content: 'say "hello"\n' }) }),
    ],
  ])('reads %s in a few times the time of reading each byte once', (_name, text) => {
    const bytes = Buffer.from(text)
    const scanMs = meanCpuMs(() => scanJson(bytes, limits))
    expect(scanMs).toBeLessThan(20 * meanCpuMs(() => countQuotes(bytes)))
  })

  it('refuses 500 000 keys in less time than parsing them takes', () => {
    const bytes = Buffer.from(`{${Array.from({ length: 500_000 }, (_, index) => `"k${index}":1`).join()}}`)
    expect(scanJson(bytes, limits)).toMatchObject({ reason: 'keys' })
    expect(meanCpuMs(() => scanJson(bytes, limits))).toBeLessThan(meanCpuMs(() => JSON.parse(bytes.toString())))
  })
})

function hit(bytes: Buffer, at: number, byte: string): Buffer {
  const index = at % (bytes.length + 1)
  const keepsNext = at % 3 === 0
  return Buffer.concat([
    bytes.subarray(0, index),
    Buffer.from(byte, 'latin1'),
    bytes.subarray(index + (keepsNext ? 0 : 1)),
  ])
}

function isAccepted(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function countQuotes(bytes: Buffer): number {
  let count = 0
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === 0x22) count += 1
  return count
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

function keysOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce<number>((sum, child) => sum + keysOf(child), own)
}

describe('limits of a scan', () => {
  const limits = { maxDepth: 9, maxKeys: 99, maxValues: 3, maxEscapedKeys: 1 }
  const reasonOf = (text: string) => {
    const scan = scanJson(Buffer.from(text), limits)
    return scan.ok ? null : scan.reason
  }

  it('counts the elements of arrays like members', () => {
    expect(reasonOf('{"a":[1,1,1,1]}')).toBeNull()
    expect(reasonOf('{"a":[1,1,1,1,1]}')).toBe('values')
    expect(reasonOf('{"a":[1,1,1],"b":[1,1,1]}')).toBe('values')
    expect(reasonOf('{"a":",,,,,,,,"}')).toBeNull()
  })

  it('counts keys that are written with an escape', () => {
    expect(reasonOf('{"\\u0061":1,"b":2}')).toBeNull()
    expect(reasonOf('{"\\u0061":1,"\\u0062":2}')).toBe('escaped_keys')
  })
})
