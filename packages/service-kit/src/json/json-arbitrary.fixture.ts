import fc from 'fast-check'

/** A JSON text and the value that it stands for. */
export interface Written<T = unknown> {
  readonly text: string
  readonly value: T
}

/**
 * JSON objects written in every way the grammar allows: odd white space, escapes in either case where none is needed,
 * numbers a double cannot hold. Keys are unique in each object and never `__proto__`.
 */
export function writtenObject(): fc.Arbitrary<Written<Record<string, unknown>>> {
  return fc.letrec<{ value: Written; object: Written<Record<string, unknown>>; array: Written }>((tie) => ({
    value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar(), tie('array'), tie('object')),
    array: fc.array(tie('value'), { maxLength: 4 }).chain((items) =>
      listed(items.map(({ text }) => text)).map((list) => ({
        text: `[${list}]`,
        value: items.map(({ value }) => value),
      })),
    ),
    object: fc
      .uniqueArray(fc.tuple(key(), tie('value')), { maxLength: 5, selector: ([{ value }]) => value })
      .chain((members) =>
        listed(members.map(([name, { text }]) => [name.text, ':', text])).map((list) => ({
          text: `{${list}}`,
          value: Object.fromEntries(members.map(([name, { value }]) => [name.value, value])),
        })),
      ),
  })).object
}

/** The quoted JSON string of `word`, with escapes at random places. */
export function spellingOf(word: string): fc.Arbitrary<Written<string>> {
  const characters = Array.from(word, (character) => fc.constantFrom(plainly(character), ...escapesOf(character)))
  return fc.tuple(...characters).map((parts) => ({ text: `"${parts.join('')}"`, value: word }))
}

/** JSON white space of length 0 to 2. */
export function space(): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(' ', '\n', '\t', '\r'), { maxLength: 2 }).map((parts) => parts.join(''))
}

const trickyWords = [
  '',
  'model',
  'constructor',
  'prototype',
  'toString',
  '__proto',
  '__proto___',
  '\\',
  '"',
  '=',
  'é',
  '💡',
]
const trickyScalars = ['0', '-0', '1.50', '-1.25E-3', '1e5', '12345678901234567890', 'true', 'false', 'null']
const trickyStrings = ['}', ']', ',', '"}', '\\"', '\\\\', '{"__proto__":1}', '__proto__', '":']

function key(): fc.Arbitrary<Written<string>> {
  const words = fc.oneof(fc.constantFrom(...trickyWords), fc.string({ maxLength: 6, unit: 'grapheme' }))
  return words.filter((word) => word !== '__proto__').chain(spellingOf)
}

function scalar(): fc.Arbitrary<Written> {
  const fixed = fc.constantFrom(...trickyScalars).map((text) => ({ text, value: JSON.parse(text) as unknown }))
  const long = fc.integer({ min: 20, max: 80 }).map((length) => `${'x'.repeat(length)}"${'y'.repeat(length)}`)
  const short = fc.string({ maxLength: 12, unit: 'binary' }).map((word) => word.toWellFormed())
  return fc.oneof(fixed, fc.oneof(fc.constantFrom(...trickyStrings), long, short).chain(spellingOf))
}

function plainly(character: string): string {
  return JSON.stringify(character).slice(1, -1)
}

function escapesOf(character: string): [string, string] {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  const hex = units.map((unit) => unit.toString(16).padStart(4, '0'))
  return [hex.map((digits) => `\\u${digits}`).join(''), hex.map((digits) => `\\u${digits.toUpperCase()}`).join('')]
}

/** The items, each of one or more tokens, with commas between them and white space around every token. */
function listed(items: readonly (string | readonly string[])[]): fc.Arbitrary<string> {
  if (items.length === 0) return space()
  const tokens = items.flatMap((item, index) => [
    ...(index === 0 ? [] : [',']),
    ...(typeof item === 'string' ? [item] : item),
  ])
  const gaps = fc.array(space(), { minLength: tokens.length + 1, maxLength: tokens.length + 1 })
  return gaps.map(
    ([first, ...rest]) => (first ?? '') + tokens.map((token, index) => token + (rest[index] ?? '')).join(''),
  )
}
