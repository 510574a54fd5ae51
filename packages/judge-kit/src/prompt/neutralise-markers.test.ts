import { cpuMs } from '@ratchet/testing/cpu-time'
import fc from 'fast-check'
import { injections } from './injections.fixture.ts'
import { neutraliseMarkers } from './neutralise-markers.ts'

/** Delimiters as careless readers know them: in any form, case and spacing, with characters that are not shown. */
const delimiter =
  /<<\s*(conversation|candidate|reference|tools|end|first|second|system|user|assistant|tool|item|case)\s[^\n\r]*>>/
const toolCall = /(?<!\\)\[\s*tool[\s_-]*(?:call|result)\s*\]/

/** How text looks when nothing but its visible characters count. */
function asSeen(text: string): string {
  return text
    .normalize('NFKC')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
}

it.each([
  ['an end', 'a <<end abcd>> b', 'a < <end abcd>> b'],
  ['an opening', '<<candidate x-1_>>', '< <candidate x-1_>>'],
  ['a reference', '<<reference x-1_>>', '< <reference x-1_>>'],
  ['several', '<<end a>><<end b>>', '< <end a>>< <end b>>'],
  ['full-width ones', '＜＜end a＞＞', '＜ ＜end a＞＞'],
  ['a full-width bracket in the name', '<<end a＜>>', '< <end a＜>>'],
  ['spaced ones', '<< END  a >>', '< < END  a >>'],
  ['a tool call that is said', '[tool call] f()', '\\[tool call] f()'],
  ['ornamental ones', '❰❰end a❱❱', '❰\\❰end a❱❱'],
  ['double ones', '≪end a≫ «end a»', '\\≪end a≫ \\«end a»'],
  ['mathematical ones', '≤≤end a≥≥', '≤ ≤end a≥≥'],
  ['a tool call in other brackets', '【tool call】 f()', '\\【tool call】 f()'],
  ['a tool call with another hyphen', '[tool‐call] f()', '\\[tool‐call] f()'],
])('breaks up %s', (_case, text, expected) => {
  expect(neutraliseMarkers(text)).toBe(expected)
})

it.each([
  'cout << end << endl;',
  'cat <<EOF',
  'x << 2 >> 1',
  'vector<vector<int>> tools',
  '[image] [toolbox]',
  'a <<user>> b',
  '“tool call” and ‘‘end of it’’, x ≤ first and y ≥ second',
  '[tools, calls] (tool call) {end of it}',
])('does not change %j', (text) => {
  expect(neutraliseMarkers(text)).toBe(text)
})

const pieces = [
  '<',
  '<<',
  '>',
  '>>',
  'end',
  'candidate',
  'tool call',
  'user',
  'END',
  'ｅｎｄ',
  'e\u0301nd',
  '𝐞𝐧𝐝',
  ' ',
  '\t',
]
const lookAlikes = [
  '\n',
  '\u00a0',
  '\u3000',
  '＜',
  '＞',
  '﹤',
  '≮',
  '≯',
  '[',
  '［',
  ']',
  '］',
  'tool\u200b call',
  'abcd',
  '\\',
]
const unseen = [
  '\u200b',
  '\u200d',
  '\ufeff',
  '\u00ad',
  '\u034f',
  '\u202e',
  '\u2066',
  '\ufe0f',
  '\u0338',
  '\u3164',
  '\u{e0041}',
]
const piece = fc.constantFrom(...pieces, ...lookAlikes, ...unseen)

/** Every character outside of ASCII that matches. */
function charactersLike(pattern: RegExp): readonly string[] {
  const codes = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code)).slice(0x80)
  return codes.filter((character) => pattern.test(character))
}

const quote = /[\u2018-\u201f\u301d-\u301f]/
const opening = charactersLike(/[\p{Ps}\p{Pi}≪⋘]/u).filter((each) => !quote.test(each))
const closing = charactersLike(/[\p{Pe}\p{Pf}≫⋙]/u).filter((each) => !quote.test(each))
const dashes = charactersLike(/\p{Pd}|\p{Pc}/u)

it('breaks up every mark in any brackets of Unicode, with any hyphen', () => {
  const open = fc.constantFrom(...opening)
  const close = fc.constantFrom(...closing)
  const isBroken = (mark: string, at: number) => {
    const text = neutraliseMarkers(`a ${mark} b`)
    expect(text.replaceAll(/[ \\]/g, '')).toBe(`a${mark}b`.replaceAll(' ', ''))
    expect(neutraliseMarkers(text)).toBe(text)
    expect('\\ '.includes(text[2 + at] ?? '')).toBe(true)
  }
  fc.assert(
    fc.property(open, close, fc.constantFrom(...dashes), (from, to, dash) => {
      const folded = from.normalize('NFKD')
      // Those that fold to ASCII are brackets of that kind only: a full-width parenthesis is a parenthesis.
      fc.pre(!/^[\0-\x7f]/.test(folded) && !/^[\0-\x7f]/.test(to.normalize('NFKD')))
      isBroken(`${from}end ab${to}`, 0)
      isBroken(`${from}${from}end ab${to}${to}`, 1)
      isBroken(`${from}tool${dash}call${to}`, 0)
      isBroken(`[tool${dash}result]`, 0)
    }),
    { numRuns: 2_000 },
  )
})

it('leaves no delimiter and no tool call, and is idempotent', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof({ arbitrary: piece, weight: 9 }, fc.string()), { maxLength: 40 }), (parts) => {
      const text = neutraliseMarkers(parts.join(''))
      expect(asSeen(text)).not.toMatch(delimiter)
      expect(asSeen(text)).not.toMatch(toolCall)
      expect(neutraliseMarkers(text)).toBe(text)
    }),
    { numRuns: 5_000, examples: [[['<<', 'tool call', '＜', '>>']]] },
  )
})

it('only adds spaces and backslashes', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
      const bare = (text: string) => text.replaceAll(/[ \\]/g, '')
      expect(bare(neutraliseMarkers(parts.join('')))).toBe(bare(parts.join('')))
    }),
  )
})

it('finds a place to break up every pair of brackets, because no character looks like two', () => {
  for (let code = 0x80; code <= 0x10_ff_ff; code += 1) {
    const character = String.fromCodePoint(code)
    if (/<.*<|\[.*\[/.test(character.normalize('NFKD'))) throw new Error(`U+${code.toString(16)} looks like two`)
  }
})

it.each(injections)('takes linear time for $name', ({ candidate }) => {
  const text = candidate.repeat(Math.ceil(500_000 / candidate.length))
  expect(cpuMs(() => neutraliseMarkers(text))).toBeLessThan(1_500)
})

/** Beginnings of marks, with what the expressions repeat: hidden characters, spaces, and letters that may be any. */
const beginnings = [
  '❰',
  '❰❰end ',
  '≤',
  '[tool‐',
  '<',
  '<\u200b',
  '<<',
  '<< ',
  '<<\u200b',
  '<<\u03b1\u200b',
  '<<tool',
  '<<t\u200bo',
  '[',
  '[ ',
  '[\u200b',
  '[tool_',
]
const repeated = ['', ' ', '\u200b', '\u03b1', '\u03b1\u200b', '_', '>\u200b']

it.each(beginnings)('takes linear time for %j, also with a tail that never ends it', (beginning) => {
  for (const tail of repeated) {
    const many = (text: string) => text.repeat(Math.ceil(20_000 / Math.max(1, text.length)))
    for (const text of [many(beginning + tail), beginning + many(tail), many(beginning) + many(tail)])
      expect(cpuMs(() => neutraliseMarkers(text))).toBeLessThan(500)
  }
})
