import { cpuMs } from '@ratchet/testing/cpu-time'
import { joinAnswers } from './join-answers.ts'
import { readMessages } from './read-messages.ts'

const answer = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more })
const call = (id: string) => ({ id, type: 'function' as const, function: { name: 'f', arguments: '{}' } })

it('joins texts, calls and reasoning in their order', () => {
  const parts = [{ type: 'image_url' }]
  expect(joinAnswers([answer('a', { reasoning_content: 'r' }), answer(''), answer('b')])).toEqual(
    answer('a\n\nb', { reasoning_content: 'r' }),
  )
  expect(joinAnswers([answer('a'), answer('b'), answer(parts), answer('c')])).toEqual(answer(['a\n\nb', ...parts, 'c']))
  expect(joinAnswers([answer(null, { tool_calls: [call('1')] }), answer(null, { tool_calls: [call('2')] })])).toEqual(
    answer(null, { tool_calls: [call('1'), call('2')] }),
  )
  expect(joinAnswers([])).toBeNull()
})

it('takes a part of a second for an answer of very many items', () => {
  const calls = Array.from({ length: 50_000 }, (_, id) => ({
    type: 'function_call',
    call_id: `c${id}`,
    name: 'f',
    arguments: '{}',
  }))
  const answers = Array.from({ length: 50_000 }, () => answer('Hello'))
  expect(cpuMs(() => readMessages(calls, 'assistant'))).toBeLessThan(1_000)
  expect(cpuMs(() => joinAnswers(answers))).toBeLessThan(1_000)
  expect(readMessages(calls, 'assistant')[0]?.tool_calls).toHaveLength(50_000)
})
