import type { RequestedTool } from './call-events.ts'
import { maxToolRounds } from './call-settings.ts'
import type { ToolCaller } from './ports.ts'
import { scriptedWriter, startSimulatedCall } from './simulated-call.fixture.ts'
import { createVirtualClock } from './virtual-clock.fixture.ts'

const call = (id: string, name = 'find_order', json = '{"number":"47"}'): RequestedTool => ({
  id,
  name,
  arguments: json,
})

/** A call with tools that answer after some time. */
function startWithTools(answers: Parameters<typeof scriptedWriter>[1], answerAfterMs = 300) {
  const clock = createVirtualClock()
  const { writer, requests } = scriptedWriter(clock, answers)
  const called: RequestedTool[] = []
  const tools: ToolCaller = {
    call(tool, onResult) {
      called.push(tool)
      if (Number.isFinite(answerAfterMs)) clock.schedule(() => onResult(`result of ${tool.id}`), answerAfterMs)
    },
  }
  const simulated = startSimulatedCall({ clock, writer, tools })
  return { simulated, clock, requests, called }
}

const shown = (turns: readonly { readonly role: string; readonly text: string }[]) =>
  turns.map(({ role, text }) => `${role}: ${text}`)

it('calls the tools of an answer, and lets a model go on with their results', () => {
  const tools = [call('t1'), call('t2', 'note')]
  const { simulated, clock, requests, called } = startWithTools([{ text: '', tools }, 'It arrives today.'])
  simulated.speak('Where is order 47?')
  clock.runUntil(9_000)
  expect(called).toEqual(tools)
  expect(shown(simulated.turns)).toEqual([
    'caller: Where is order 47?',
    'tool: result of t1',
    'tool: result of t2',
    'agent: It arrives today.',
  ])
  expect(requests[1]?.turns.map(({ role }) => role)).toEqual(['caller', 'tool', 'tool'])
  expect(requests[1]?.turns[1]?.call).toEqual(tools[0])
})

it('says what comes before a call, and a filler while the tool takes long', () => {
  const { simulated, clock } = startWithTools([{ text: '', tools: [call('t1')] }, 'Here it is.'], 4_000)
  simulated.speak('Where is order 47?')
  clock.runUntil(14_000)
  expect(shown(simulated.turns)).toEqual([
    'caller: Where is order 47?',
    'agent: Let me look that up.',
    'tool: result of t1',
    'agent: Here it is.',
  ])
  const before = startWithTools([{ text: 'I will check.', tools: [call('t1')] }, 'Here it is.'], 50)
  before.simulated.speak('Where is order 47?')
  before.clock.runUntil(14_000)
  expect(shown(before.simulated.turns)).toEqual([
    'caller: Where is order 47?',
    'tool: result of t1',
    'agent: I will check.',
    'agent: Here it is.',
  ])
})

it('calls a tool once when the caller speaks meanwhile, and answers both together', () => {
  const { simulated, clock, requests, called } = startWithTools(
    [{ text: '', tools: [call('t1', 'note')] }, 'Both noted.'],
    3_000,
  )
  simulated.speak('Please note my wish.')
  clock.runUntil(4_000)
  simulated.speak('And my address too.')
  clock.runUntil(14_000)
  expect(called).toHaveLength(1)
  expect(requests).toHaveLength(2)
  expect(shown(simulated.turns).toSorted()).toEqual(
    [
      'caller: Please note my wish.',
      'caller: And my address too.',
      'tool: result of t1',
      'agent: Both noted.',
    ].toSorted(),
  )
})

it('makes the same call for the same turn only once, and none of a tool that does not exist', () => {
  const { simulated, clock, called, requests } = startWithTools([
    { text: '', tools: [call('t1')] },
    { text: '', tools: [call('t2'), call('t3', 'unknown')] },
    'Done.',
  ])
  simulated.speak('Where is order 47?')
  clock.runUntil(9_000)
  expect(called.map(({ id }) => id)).toEqual(['t1'])
  expect(requests[2]?.turns.slice(-2).map(({ text }) => text)).toEqual([
    'result of t1',
    'There is no tool of this name.',
  ])
})

it('lets a model call tools four times in a row, and then speak', () => {
  const rounds = Array.from({ length: 9 }, (_, i) => ({ text: '', tools: [call(`t${i}`, 'note', `{"n":${i}}`)] }))
  const { simulated, clock, called, requests } = startWithTools(rounds)
  simulated.speak('Go on and on.')
  clock.runUntil(9_000)
  expect(called).toHaveLength(maxToolRounds)
  expect(requests.map(({ mayCallTools }) => mayCallTools)).toEqual([true, true, true, true, false])
})

it('goes on without a tool that does not answer', () => {
  const { simulated, clock } = startWithTools(
    [{ text: '', tools: [call('t1', 'note')] }, 'It did not work.'],
    Number.NaN,
  )
  simulated.speak('Please note that.')
  clock.runUntil(34_000)
  expect(shown(simulated.turns).slice(1)).toEqual(['tool: [tool failed: no answer in time]', 'agent: It did not work.'])
})

it('ends the call after the last words when the model does, unless the caller takes the turn', () => {
  const end = { text: 'Thank you and have a very nice day.', tools: [call('t1', 'end_call', '{}')] }
  const ended = startWithTools([end])
  ended.simulated.speak('That is all.')
  ended.clock.runUntil(12_000)
  expect(ended.simulated.ends).toEqual(['agent_hangup'])
  expect(shown(ended.simulated.turns).at(-1)).toBe(`agent: ${end.text}`)

  const goesOn = startWithTools([end, 'Of course.'])
  goesOn.simulated.speak('That is all.')
  goesOn.clock.runUntil(2_800)
  goesOn.simulated.speak('No wait, one more question please.')
  goesOn.clock.runUntil(14_000)
  expect(goesOn.simulated.ends).toEqual([])
  expect(shown(goesOn.simulated.turns).at(-1)).toBe('agent: Of course.')
})
