import { ContainsReward, RegexReward } from '@ratchet/contracts/grpo-body'
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

  it('are searched for values in linear time, whatever both repeat', () => {
    const values = Array.from({ length: 20 }, (_, n) => `${'a'.repeat(499 + n)}b${'a'.repeat(1_400)}`)
    const text = `${'A'.repeat(1_000_000)} ${values.join(' ')}`
    const check = ContainsReward.parse({ type: 'contains', values })
    const seen: boolean[] = []
    expect(cpuMs(() => seen.push(checkAnswer(check, answer(text), () => true)))).toBeLessThan(1_500)
    expect(cpuMs(() => seen.push(checkAnswer(check, answer(text.slice(0, -1)), () => true)))).toBeLessThan(1_500)
    expect(seen).toEqual([true, false])
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
