import { cpuMs } from '@ratchet/testing/cpu-time'
import fc from 'fast-check'
import { injections } from './injections.fixture.ts'
import { neutraliseMarkers } from './neutralise-markers.ts'

/** As readers of prompts know delimiters, wherever they stand. */
const delimiter =
  /<<(conversation|candidate|reference|tools|end|first|second|system|user|assistant|tool) [^\s<>]{1,64}>>/i

it.each([
  ['an end', 'a <<end abcd>> b', 'a < <end abcd> > b'],
  ['an opening', '<<candidate x-1_>>', '< <candidate x-1_> >'],
  ['a reference', '<<reference x-1_>>', '< <reference x-1_> >'],
  ['several', '<<end a>><<end b>>', '< <end a> >< <end b> >'],
  ['full-width ones', '＜＜end a＞＞', '< ＜end a＞ ＞'],
  ['a full-width bracket in the name', '<<end a＜>>', '< <end a＜> >'],
  ['spaced ones', '<< END  a >>', '< < END  a > >'],
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

const piece = fc.constantFrom(
  '<',
  '<<',
  '>',
  '>>',
  'end',
  'candidate',
  'reference',
  'user',
  ' ',
  'abcd',
  '\n',
  '\u200b',
  '＜',
  '[',
  ']',
  'tool call',
)

it('leaves no delimiter, and is idempotent', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
      const text = neutraliseMarkers(pieces.join(''))
      expect(text).not.toMatch(delimiter)
      expect(neutraliseMarkers(text)).toBe(text)
    }),
    { numRuns: 2_000, examples: [[['<<', 'tool call', '＜', '>>']]] },
  )
})

it.each(injections)('takes linear time for $name', ({ candidate }) => {
  const text = candidate.repeat(Math.ceil(500_000 / candidate.length))
  expect(cpuMs(() => expect(neutraliseMarkers(text)).not.toMatch(delimiter))).toBeLessThan(1_500)
})
