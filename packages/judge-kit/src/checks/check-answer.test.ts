import { RegexReward } from '@ratchet/contracts/grpo-body'
import { cpuMs } from '@ratchet/testing/cpu-time'
import { checkAnswer } from './check-answer.ts'

const answer = (content: string) => ({ completion: [{ role: 'assistant', content }], reference: null })
const fitting = (content: string, seen: unknown[] = []) =>
  checkAnswer({ type: 'json_schema', schema: {} }, answer(content), (_, value) => {
    seen.push(value)
    return true
  })
const matching = (pattern: string, content: string) =>
  checkAnswer(RegexReward.parse({ type: 'regex', pattern }), answer(content), () => true)

describe('answers that are made to take long', () => {
  it('take moments with any pattern', () => {
    const crowded = `(?:${Array.from({ length: 250 }, () => '.').join('|')})*b`
    for (const length of [10_000, 100_000, 4_000_000]) {
      const text = 'a'.repeat(length)
      expect(cpuMs(() => matching(crowded, text))).toBeLessThan(1_000)
    }
  })

  it('match no pattern beyond a length, whatever they begin with', () => {
    expect(matching('a+', 'a'.repeat(100_000))).toBe(true)
    expect(matching('a+', `${'a'.repeat(100_000)}b`)).toBe(false)
    expect(matching('a{250}.*', 'a'.repeat(20_000))).toBe(false)
  })

  it('are no JSON of a schema beyond a size', () => {
    const seen: unknown[] = []
    expect(fitting('[1,[2]]', seen)).toBe(true)
    expect(fitting(JSON.stringify(Array.from({ length: 20_000 }, () => [])), seen)).toBe(false)
    expect(fitting(`"${'a'.repeat(100_000)}"`, seen)).toBe(false)
    expect(fitting('['.repeat(200) + ']'.repeat(200), seen)).toBe(false)
    expect(seen).toEqual([[1, [2]]])
  })
})
