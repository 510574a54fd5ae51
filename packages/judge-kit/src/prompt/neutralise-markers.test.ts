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
