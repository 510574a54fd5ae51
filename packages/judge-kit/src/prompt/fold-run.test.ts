import type { ExchangeMessage, JudgedExchange } from './exchange.ts'
import { createRunFold, foldRun } from './fold-run.ts'
import { hidingTricks, seenByUsers } from './hiding-tricks.fixture.ts'
import { renderExchange, renderQuestion } from './render-exchange.ts'

const says = (role: string, content: unknown, more: object = {}): ExchangeMessage => ({ role, content, ...more })
const step = (
  messages: readonly ExchangeMessage[],
  response: ExchangeMessage,
  more: Partial<JudgedExchange> = {},
): JudgedExchange => ({ messages, response, tools: null, model: 'm', ...more })

const calling = (id: string, query: string): ExchangeMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'search', arguments: query } }],
})
const result = (id: string, text: string) => says('tool', text, { tool_call_id: id })

function textsOf(steps: readonly JudgedExchange[]): readonly string[] {
  const run = foldRun(steps)
  if (run === null) throw new Error('no run')
  return [...renderQuestion(run).turns.map(({ role, text }) => `${role}: ${text}`), `answer: ${run.response.content}`]
}

const question = [says('system', 'Look it up.'), says('user', 'Why?')]
const first = calling('a', 'why')
const second = calling('b', 'how')

it('shows each message of a run once, in order, and ends with the last answer', () => {
  const steps = [
    step(question, first),
    step([...question, first, result('a', 'Page 1')], second),
    step([...question, first, result('a', 'Page 1'), second, result('b', 'Page 2')], says('assistant', 'Because.')),
  ]
  expect(textsOf(steps)).toEqual([
    'system: Look it up.',
    'user: Why?',
    'assistant: [tool call] search(why)',
    'tool: [tool result] search\nPage 1',
    'assistant: [tool call] search(how)',
    'tool: [tool result] search\nPage 2',
    'answer: Because.',
  ])
})

it('recognises an answer that the client sent back without its reasoning and with other fields', () => {
  const thought = says('assistant', '<think>Hm.</think>Wait.', { annotations: [], refusal: null })
  const steps = [
    step(question, thought),
    step([...question, says('assistant', 'Wait.'), says('user', 'So?')], says('assistant', 'Done.')),
  ]
  expect(textsOf(steps).filter((text) => text.includes('Wait.'))).toHaveLength(1)
})

it('shows a system message with the time at each change, and the conversation once', () => {
  const at = (time: string, ...more: ExchangeMessage[]) => [
    says('system', `It is ${time}.`),
    says('user', 'Why?'),
    ...more,
  ]
  const steps = [step(at('9:00'), first), step(at('9:01', first, result('a', 'P')), says('assistant', 'So.'))]
  expect(textsOf(steps)).toEqual([
    'system: It is 9:00.',
    'user: Why?',
    'assistant: [tool call] search(why)',
    'system: It is 9:01.',
    'tool: [tool result] search\nP',
    'answer: So.',
  ])
})

it.each([
  ['a message that the client changed', [...question, says('assistant', 'changed'), result('a', 'P')], 'changed'],
  ['a summary in place of the history', [says('system', 'Look it up.'), says('user', 'In short: x')], 'In short: x'],
  ['the conversation of another agent', [says('system', 'Critic.'), says('user', 'Check.')], 'Check.'],
  ['an equal message in another conversation', [says('user', 'Delete it?'), says('user', 'Why?')], 'user: Why?'],
])('shows %s', (_name, messages, text) => {
  const texts = textsOf([step(question, first), step(messages, says('assistant', 'End.'))])
  expect(texts.slice(3).join('\n')).toContain(text)
})

it('shows an answer of which the run made no use', () => {
  const texts = textsOf([step(question, says('assistant', 'First try.')), step(question, says('assistant', 'Second.'))])
  expect(texts.slice(2)).toEqual(['assistant: First try.', 'answer: Second.'])
})

it.each(hidingTricks)('shows what users saw in any step in spite of $name', ({ answer }) => {
  const trick = { ...answer, role: 'assistant' }
  const end = says('assistant', 'End.')
  const places: Readonly<Record<string, readonly JudgedExchange[]>> = {
    'the first answer': [step(question, trick), step([...question, trick, says('user', 'And?')], end)],
    'an answer that no later step repeats': [step(question, trick), step(question, end)],
    'a history that no step answered': [step(question, first), step([...question, trick, says('user', 'And?')], end)],
    'the last answer': [step(question, first), step([...question, first, result('a', 'P')], trick)],
  }
  for (const [place, steps] of Object.entries(places)) {
    const run = foldRun(steps)
    const { turns = [], candidate = '' } = run === null ? {} : renderExchange(run)
    const shown = [...turns.map(({ text }) => text), candidate].join('\n')
    expect([place, shown.includes(seenByUsers)]).toEqual([place, true])
  }
})

it('has every tool that a step was offered, once', () => {
  const steps = [
    step(question, first, { tools: [{ name: 'a' }] }),
    step(question, second, { tools: [{ name: 'b' }, { name: 'a' }], model: 'n' }),
  ]
  expect(foldRun(steps)).toMatchObject({ tools: [{ name: 'a' }, { name: 'b' }], model: 'n' })
})

it('gives up a run that is too large for a judge, whatever follows', () => {
  const fold = createRunFold()
  const large = says('user', 'x'.repeat(1_500_000))
  const grown = [0, 1, 2, 3].map((each) => fold.add(step([says('user', String(each)), large], first)))
  expect(grown).toEqual([true, true, false, false])
  expect(fold.read()).toBeNull()
})

it('is empty without steps', () => {
  expect(foldRun([])).toBeNull()
})

it('folds a run of 500 steps in linear time', () => {
  const history: ExchangeMessage[] = [...question]
  const fold = createRunFold()
  for (let each = 0; each < 500; each += 1) {
    const made = calling(`c${each}`, `q${each}`)
    fold.add(step([...history], made))
    history.push(made, result(`c${each}`, `Page ${each}`))
  }
  expect(fold.read()?.messages).toHaveLength(2 + 499 * 2)
})
