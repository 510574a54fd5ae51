import { changedChecks, changedFields, withExample } from './prompt-values.ts'

const judge = { name: 'Sound', judge_prompt: 'Wrong.', judge_model: 'sim/judge', population: '', population_family: '' }

it('sends only what is different', () => {
  expect(changedFields(judge, judge)).toEqual({})
  expect(changedFields(judge, { ...judge, name: 'Other' })).toEqual({ name: 'Other' })
})

it('adds an answer with what people said about it', () => {
  const row = {
    human: 'fail' as const,
    messages: [{ role: 'user', content: 'Why?' }],
    response: { role: 'assistant', content: 'Because.' },
  }
  expect(withExample('Wrong.\n', row)).toBe(
    'Wrong.\n\nExample of an answer that fails:\nQuestion: Why?\nAnswer: Because.\n',
  )
})

it('sends the checks when they are others', () => {
  const [json, tool] = [{ type: 'json', negate: false } as const, { type: 'no_tool_call', negate: false } as const]
  expect(changedChecks({ checks: [json] }, [json])).toEqual({})
  expect(changedChecks({ checks: [json] }, [json, tool])).toEqual({ checks: [json, tool] })
  expect(changedChecks({ checks: null }, null)).toEqual({})
})
