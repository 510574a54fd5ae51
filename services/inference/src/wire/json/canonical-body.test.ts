import { writtenObject } from '@ratchet/service-kit/json/json-arbitrary.fixture'
import { parseScanned } from '@ratchet/service-kit/json/parse-scanned'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { cpuMs } from '@ratchet/testing/cpu-time'
import { seededRandom } from '@ratchet/testing/seeded-random'
import fc from 'fast-check'
import { canonicalBody } from './canonical-body.ts'

const limits = { maxDepth: 64, maxKeys: 50_000 }

function scanned(bytes: Buffer) {
  const scan = scanJson(bytes, limits)
  if (!scan.ok) throw new Error(`cannot scan: ${scan.reason}`)
  return { bytes, scan }
}

const canonical = (text: string, ...without: string[]) =>
  canonicalBody(scanned(Buffer.from(text)), new Set(without)).toString()

it.each([
  ['{}', '{}'],
  [' {\n} ', '{}'],
  ['{"b":1,"a":[{"d":null,"c":true}, {}, []]}', '{"a":[{"c":true,"d":null},{},[]],"b":1}'],
  ['{"a" : [ 1 , -2.50e+3 ,"x" ] }', '{"a":[1,-2.50e+3,"x"]}'],
  [
    '{"z":{"b":{"y":1,"x":2},"a":0},"a":[[{"q":1,"p":2}],{"n":1,"m":2}]}',
    '{"a":[[{"p":2,"q":1}],{"m":2,"n":1}],"z":{"a":0,"b":{"x":2,"y":1}}}',
  ],
  ['{"c":"é\\u00e9","\\u0062":"\\/","a":1}', '{"a":1,"\\u0062":"\\/","c":"é\\u00e9"}'],
])('writes %s as %s', (text, expected) => {
  expect(canonical(text)).toBe(expected)
})

it('omits the given keys at the top level only', () => {
  const text = '{"stream":true,"a":{"stream":1},"str\\u0065am_options":{"x":{}},"b":2}'

  expect(canonical(text, 'stream', 'stream_options')).toBe('{"a":{"stream":1},"b":2}')
  expect(canonical('{"stream":true}', 'stream')).toBe('{}')
})

it.each([
  ['numbers that a double cannot distinguish', '{"seed":12345678901234567890}', '{"seed":12345678901234567891}'],
  ['a number and its text', '{"a":1}', '{"a":"1"}'],
  ['arrays in another order', '{"a":[1,2]}', '{"a":[2,1]}'],
  ['null and nothing', '{"a":null}', '{}'],
  ['a key and the end of another value', '{"a":"b\\",\\"c"}', '{"a":"b","c":""}'],
  ['keys given twice below the top, in another order', '{"a":{"k":1,"k":2}}', '{"a":{"k":2,"k":1}}'],
  ['lone surrogates', '{"a":"\\ud800"}', '{"a":"\\ud801"}'],
])('distinguishes: %s', (_, one, other) => {
  expect(canonical(one)).not.toBe(canonical(other))
})

it('parses to the same value, and is its own canonical form', () => {
  fc.assert(
    fc.property(writtenObject(), ({ text, value }) => {
      const { bytes, scan } = scanned(Buffer.from(canonical(text)))
      expect(parseScanned(bytes, scan)).toEqual(value)
      expect(canonical(bytes.toString())).toBe(bytes.toString())
    }),
    { numRuns: 500 },
  )
})

/** A JSON value whose scalars stay as written. */
type Tree =
  | { readonly kind: 'scalar'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly Tree[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Tree])[] }

const { object: treeObject } = fc.letrec<{ tree: Tree; object: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc
      .constantFrom('0', '-1.50', '12345678901234567890', 'true', 'null', '"a,}"', '"\\\\"')
      .map((text): Tree => ({ kind: 'scalar', text })),
    fc.array(tie('tree'), { maxLength: 4 }).map((items): Tree => ({ kind: 'array', items })),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(fc.string({ maxLength: 4, unit: 'grapheme' }), tie('tree')), {
      maxLength: 5,
      selector: ([key]) => key,
    })
    .map((members): Tree => ({ kind: 'object', members: members.filter(([key]) => key !== '__proto__') })),
}))

it('is the same for every order of keys and any white space', () => {
  fc.assert(
    fc.property(treeObject, fc.nat(), fc.nat(), (tree, one, other) => {
      expect(canonical(spell(tree, seededRandom(one)))).toBe(canonical(spell(tree, seededRandom(other))))
    }),
    { numRuns: 500 },
  )
})

function spell(tree: Tree, random: () => number): string {
  const gap = () => ['', '', ' ', '\n', '\t\r'][Math.floor(random() * 5)] ?? ''
  const around = (text: string) => `${gap()}${text}${gap()}`
  if (tree.kind === 'scalar') return around(tree.text)
  if (tree.kind === 'array') return around(`[${gap()}${tree.items.map((item) => spell(item, random)).join(',')}]`)
  const members = tree.members
    .map((member) => ({ member, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ member: [key, value] }) => `${around(JSON.stringify(key))}:${spell(value, random)}`)
  return around(`{${gap()}${members.join(',')}}`)
}

it.each([
  ['much text', `{"a":"${'x'.repeat(8_000_000)}"}`],
  ['much escaped text', `{"a":"${'\\n'.repeat(4_000_000)}"}`],
  ['many short strings', `{"a":[${'"\\n",'.repeat(1_000_000)}1]}`],
  ['many numbers with spaces', `{"a":[${'1 , '.repeat(2_000_000)}1]}`],
  ['the deepest nesting around much text', `${'{"b":1,"a":'.repeat(60)}"${'x'.repeat(8_000_000)}"${'}'.repeat(60)}`],
  ['the most keys', `{${Array.from({ length: 49_999 }, (_, i) => `"k${(i * 7_919) % 49_999}":{}`).join(',')}}`],
])('takes linear time for %s', (_, text) => {
  const body = scanned(Buffer.from(text))
  expect(cpuMs(() => canonicalBody(body))).toBeLessThan(1_500)
  expect(canonicalBody(body).length).toBeLessThanOrEqual(text.length)
})

it('leaves bytes that are not UTF-8 unchanged', () => {
  const bytes = Buffer.from('{"a":"\\n\xff\xfe\xfd","b":"\xff"}', 'latin1')

  expect(canonicalBody(scanned(bytes)).toString('latin1')).toBe('{"a":"\\n\xff\xfe\xfd","b":"\xff"}')
})
