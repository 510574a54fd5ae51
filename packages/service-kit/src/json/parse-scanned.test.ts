import fc from 'fast-check'
import { spellingOf, writtenObject } from './json-arbitrary.fixture.ts'
import { parseScanned } from './parse-scanned.ts'
import { type JsonScan, scanJson } from './scan-json.ts'

const limits = { maxDepth: 64, maxKeys: 50_000 }
const parse = (text: string) => {
  const bytes = Buffer.from(text)
  return parseScanned(bytes, scanJson(bytes, limits) as JsonScan)
}

describe('parseScanned', () => {
  it('reads an escaped key correctly after any other keys were parsed', () => {
    parse('{"model":"x","\\\\":1}')
    JSON.parse('{"model":"x","\\\\":1}')
    expect(parse('{"model":"x","\\u006e":128}')).toEqual({ model: 'x', n: 128 })
    expect(parse('{"deep":[{"model":"x","\\"":1}]}')).toEqual({ deep: [{ model: 'x', '"': 1 }] })
  })

  it('reads any object as it was written', () => {
    fc.assert(
      fc.property(writtenObject(), ({ text, value }) => {
        expect(parse(text)).toEqual(value)
      }),
      { numRuns: 400 },
    )
  })

  it('never confuses a plain key with the stand-in of an escaped one', () => {
    const standIn = '=6e00'
    expect(parse(`{"\\u006e":1,"${standIn}":2,"x":{"${standIn}":3}}`)).toEqual({
      n: 1,
      [standIn]: 2,
      x: { [standIn]: 3 },
    })
    fc.assert(
      fc.property(spellingOf('n'), spellingOf(standIn), (plain, marked) => {
        expect(parse(`{${plain.text}:1,${marked.text}:2}`)).toEqual({ n: 1, [standIn]: 2 })
      }),
    )
  })

  it.each(['{"a":1,}', '{"a":01}', '{"\\x":{}}', '{"x":{"\\q":1}}', '{"\\u006e":tru}'])(
    'throws SyntaxError for %s',
    (text) => {
      const bytes = Buffer.from(text)
      const scan: JsonScan = { ok: true, topLevel: new Map(), open: 0, depth: 1, keys: 1, unsafeKeys: [] }
      const scanned = scanJson(bytes, limits)
      expect(() => parseScanned(bytes, scanned.ok ? scanned : scan)).toThrow(SyntaxError)
    },
  )
})
