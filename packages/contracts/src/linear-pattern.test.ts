import fc from 'fast-check'
import { compileLinearPattern, linearPatternSize, wholePatternProblem } from './linear-pattern.ts'

const share = '(0(\\.\\d{1,6})?|1(\\.0{1,6})?)'

describe('compileLinearPattern', () => {
  it.each([
    [`^sim/quality-${share}$`, ['sim/quality-0', 'sim/quality-0.95', 'sim/quality-1', 'sim/quality-1.00'], true],
    [
      `^sim/quality-${share}$`,
      ['sim/quality-', 'sim/quality-2', 'sim/quality-0.', 'sim/quality-0.1234567', 'x'],
      false,
    ],
    [`^sim/judge-${share}-${share}$`, ['sim/judge-0.9-0.98', 'sim/judge-1-0'], true],
    [`^sim/judge-${share}-${share}$`, ['sim/judge-0.9', 'sim/judge-0.9-', 'sim/judge-first'], false],
    ['sim/fail-[45]\\d\\d', ['sim/fail-400', 'sim/fail-599'], true],
    ['sim/fail-[45]\\d\\d', ['sim/fail-300', 'sim/fail-5000', 'asim/fail-500', 'sim/fail-500\n'], false],
    ['v[^/]+\\.(?:a|b)*', ['v1.', 'vé.abba'], true],
    ['v[^/]+\\.(?:a|b)*', ['v.', 'v/.a', 'v1.c'], false],
    ['', [''], true],
    ['', ['a'], false],
  ])('%s on %j gives %s', (pattern, texts, expected) => {
    const matches = compileLinearPattern(pattern)
    expect(texts.map((text) => matches(text))).toEqual(texts.map(() => expected))
  })

  it.each([
    ['a**', '"*" at offset 1'],
    ['a+?', '"+" at offset 1'],
    ['*a', '"*" at offset 0'],
    ['(a', 'group at offset 0 is not closed'],
    ['a)', '")" at offset 1'],
    ['a$b', '"$" at offset 1'],
    ['a^b', '"^" at offset 1'],
    ['[z-a]', '"[" at offset 0'],
    ['[]', '"[" at offset 0'],
    ['a{2,1}', '"{" at offset 1'],
    ['a{0}', '"{" at offset 1'],
    ['a{', '"{" at offset 1'],
    ['(a?)*', '"*" at offset 4'],
    ['(a)\\1', '"\\\\" at offset 3'],
    ['(?=a)', '"?" at offset 1'],
    ['(?<x>a)', '"?" at offset 1'],
    ['\\bx', '"\\\\" at offset 0'],
    ['a\\', '"\\\\" at offset 1'],
    ['(a{16}){17}', 'more than 256 characters'],
  ])('refuses %s and names the position', (pattern, message) => {
    expect(() => compileLinearPattern(pattern)).toThrow(SyntaxError)
    expect(() => compileLinearPattern(pattern)).toThrow(message)
  })

  it('gives the same result as the built-in engine', () => {
    const { pattern } = fc.letrec<{ atom: string; piece: string; pattern: string }>((tie) => ({
      atom: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'pattern' },
        fc.constantFrom('a', 'b', '[ab]', '[^a]', '\\d', '-', '\\.'),
        tie('pattern').map((inner) => `(${inner})`),
      ),
      piece: fc
        .tuple(tie('atom'), fc.constantFrom('', '', '?', '*', '+', '{2}', '{0,2}', '{1,3}'))
        .map((pair) => pair.join('')),
      pattern: fc
        .array(fc.array(tie('piece'), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
        .map((alternatives) => alternatives.map((pieces) => pieces.join('')).join('|')),
    }))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', '.', 'é'), maxLength: 8 })
    let compared = 0
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const matches = compileOrNull(source)
        fc.pre(matches !== null)
        compared += 1
        const builtIn = new RegExp(`^(?:${source})$`)
        return texts.every((candidate) => matches?.(candidate) === builtIn.test(candidate))
      }),
      { numRuns: 500 },
    )
    expect(compared).toBeGreaterThanOrEqual(500)
  })

  it('takes linear time for a pattern that takes a backtracking engine exponential time', () => {
    const evil = compileLinearPattern('(a|a){30}b|(a+)+c')
    const started = performance.now()
    expect(evil('a'.repeat(20_000))).toBe(false)
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('takes little time for each character, although all positions of a pattern follow each other', () => {
    const crowded = compileLinearPattern(`(?:${Array.from({ length: 250 }, () => '.').join('|')})*b`)
    const before = process.cpuUsage()
    expect(crowded('a'.repeat(20_000))).toBe(false)
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_500)
  })

  it.each([
    ['', 0],
    ['ab+', 2],
    ['^(a{16}|\\d){2}$', 34],
  ])('counts the characters of %j: %d', (pattern, size) => {
    expect(linearPatternSize(pattern)).toBe(size)
  })
})

/** Null for a pattern that the matcher refuses by design, such as repeats of a part that can be empty. */
function compileOrNull(source: string) {
  try {
    return compileLinearPattern(source)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

describe('wholePatternProblem', () => {
  it.each(['', 'a', '^a$', 'a\\$', '^a\\\\$', '.*[.]'])('has none for %s', (pattern) => {
    expect(wholePatternProblem(pattern)).toBeNull()
  })

  it.each(['[.]$', '^a', '^a\\$', '^', 'a\\\\$', 'a**'])('refuses %s', (pattern) => {
    expect(wholePatternProblem(pattern)).toEqual(expect.any(String))
  })
})
