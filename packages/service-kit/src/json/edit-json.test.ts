import fc from 'fast-check'
import { editMember, editTopLevel, type JsonEdits } from './edit-json.ts'
import { type Written, writtenObject } from './json-arbitrary.fixture.ts'
import { parseScanned } from './parse-scanned.ts'
import { type JsonScan, scanJson } from './scan-json.ts'

const scanned = (bytes: Buffer): JsonScan => {
  const result = scanJson(bytes, { maxDepth: 100, maxKeys: 1_000 })
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result)}`)
  return result
}
const edit = (text: string, edits: JsonEdits) => {
  const bytes = Buffer.from(text)
  return editTopLevel(bytes, scanned(bytes), edits).toString()
}
const editUsage = (text: string, edits: JsonEdits) => {
  const bytes = Buffer.from(text)
  const scan = scanned(bytes)
  return editTopLevel(bytes, scan, { usage: editMember(bytes, scan, 'usage', edits) }).toString()
}

describe('editTopLevel', () => {
  it.each<[string, JsonEdits, string]>([
    ['{"a":1,"b":2}', { a: '"x"' }, '{"a":"x","b":2}'],
    ['{"a":1,"b":2}', { b: Buffer.from('[3]') }, '{"a":1,"b":[3]}'],
    [' { "a" : 1 , "b" : 2 } ', { b: '3' }, ' { "a" : 1 , "b" : 3 } '],
    ['{"a":1,"b":2}', { c: '3' }, '{"a":1,"b":2,"c":3}'],
    ['{ "a":1 }\n', { c: '3', d: '4' }, '{ "a":1,"c":3,"d":4 }\n'],
    ['{}', { c: '3', d: '4' }, '{"c":3,"d":4}'],
    ['{"a":1,"b":2,"c":3}', { a: undefined }, '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"c":3}', { b: undefined }, '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', { c: undefined }, '{"a":1,"b":2}'],
    ['{"a":1,"b":2,"c":3}', { b: undefined, c: undefined }, '{"a":1}'],
    ['{"a":1,"b":2}', { a: undefined, b: undefined }, '{}'],
    ['{"a":1,"b":2}', { a: undefined, b: undefined, c: '3' }, '{"c":3}'],
    ['{"a":1,"b":2}', { b: undefined, c: '3', a: '0' }, '{"a":0,"c":3}'],
    ['{"m\\u006fdel":"x"}', { model: '"y"' }, '{"m\\u006fdel":"y"}'],
    ['{"a":1}', { b: undefined }, '{"a":1}'],
    ['{"constructor":1,"toString":2}', { a: '3' }, '{"constructor":1,"toString":2,"a":3}'],
    [
      '{"a":12345678901234567890,"b":1.50,"c":"\\u00e9é"}',
      { b: '2' },
      '{"a":12345678901234567890,"b":2,"c":"\\u00e9é"}',
    ],
  ])('edits %s by %j into %s', (text, edits, expected) => {
    expect(edit(text, edits)).toBe(expected)
  })

  it('parses to the edited object and preserves the bytes of every other member, for any object and edits', () => {
    fc.assert(
      fc.property(writtenObject(), anyEdits(), ({ text, value }, pick) => {
        const bytes = Buffer.from(text)
        const edits = pick(Object.keys(value))
        const scan = scanned(bytes)
        const result = editTopLevel(bytes, scan, textsOf(edits))
        expect(parsed(result)).toEqual(edited(value, edits))
        const after = scanned(result).topLevel
        for (const [key, span] of scan.topLevel) {
          if (edits.has(key)) continue
          expect(memberBytes(result, after.get(key))).toBe(memberBytes(bytes, span))
        }
      }),
      { numRuns: 400 },
    )
  })

  it('changes nothing when no edit applies', () => {
    fc.assert(
      fc.property(writtenObject(), ({ text }) => {
        expect(edit(text, { 'not there': undefined })).toBe(text)
      }),
    )
  })

  it('preserves bytes that are not UTF-8', () => {
    const bytes = Buffer.from('{"a":"\xff\xe2","b":1}', 'latin1')
    expect(editTopLevel(bytes, scanned(bytes), { b: '2' }).toString('latin1')).toBe('{"a":"\xff\xe2","b":2}')
  })
})

describe('editMember', () => {
  it.each<[string, JsonEdits, string]>([
    ['{"id":1,"usage":{"a":1.0 , "b":2}}', { cost_usd: '0.5' }, '{"id":1,"usage":{"a":1.0 , "b":2,"cost_usd":0.5}}'],
    ['{"usage":{"cost_usd":9},"z":1}', { cost_usd: '0.5' }, '{"usage":{"cost_usd":0.5},"z":1}'],
    ['{"usage":{"a":1,"b":2}}', { a: undefined }, '{"usage":{"b":2}}'],
    ['{"usage":null}', { cost_usd: '0.5' }, '{"usage":{"cost_usd":0.5}}'],
    ['{"usage":[{"a":1}]}', { cost_usd: '0.5' }, '{"usage":{"cost_usd":0.5}}'],
    ['{"z":1}', { cost_usd: '0.5' }, '{"z":1,"usage":{"cost_usd":0.5}}'],
    ['{"usage":{"a":1,"a":2}}', { cost_usd: '0.5' }, '{"usage":{"a":2,"cost_usd":0.5}}'],
    ['{"usage":{"a":1,"a":2,"b":3}}', { a: undefined }, '{"usage":{"b":3}}'],
  ])('edits %s by %j into %s', (text, edits, expected) => {
    expect(editUsage(text, edits)).toBe(expected)
  })

  it('parses to an equal object except for the edited member, for any object and edits', () => {
    fc.assert(
      fc.property(writtenObject(), writtenObject(), anyEdits(), (outer, usage, pick) => {
        const base = Buffer.from(outer.text)
        const bytes = editTopLevel(base, scanned(base), { usage: usage.text })
        const edits = pick(Object.keys(usage.value))
        const result = Buffer.from(editUsage(bytes.toString(), textsOf(edits)))
        expect(parsed(result)).toEqual({ ...outer.value, usage: edited(usage.value, edits) })
      }),
    )
  })
})

type WrittenEdits = ReadonlyMap<string, Written | undefined>

/** Edits of some keys that an object has, and of some that it may not have. */
function anyEdits(): fc.Arbitrary<(keys: readonly string[]) => WrittenEdits> {
  const written = fc.oneof(fc.constant(undefined), fc.constant({ text: '-1.5e3', value: -1500 }), writtenObject())
  const chosen = fc.array(fc.tuple(fc.nat(), written), { maxLength: 4 })
  const added = fc.array(fc.tuple(fc.constantFrom('model', 'usage', 'new', 'a "b"', 'toString'), written), {
    maxLength: 3,
  })
  return fc.tuple(chosen, added).map(([picks, news]) => (keys) => {
    const present = picks.map(([at, json]) => [keys[at % keys.length] ?? 'none', json] as const)
    return new Map([...news, ...present])
  })
}

function textsOf(edits: WrittenEdits): JsonEdits {
  return Object.fromEntries([...edits].map(([key, written]) => [key, written?.text]))
}

function edited(before: Record<string, unknown>, edits: WrittenEdits): Record<string, unknown> {
  const after = new Map(Object.entries(before))
  for (const [key, written] of edits) {
    if (written === undefined) after.delete(key)
    else after.set(key, written.value)
  }
  return Object.fromEntries(after)
}

function parsed(bytes: Buffer): unknown {
  return parseScanned(bytes, scanned(bytes))
}

function memberBytes(bytes: Buffer, span: { keyStart: number; end: number } | undefined): string {
  return span === undefined ? 'missing' : bytes.toString('latin1', span.keyStart, span.end)
}
