import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { testIdentity } from '../request/request-records.fixture.ts'
import { createFamilyFinder, type FamilyEvent, type FoundSegment } from './family-finder.ts'

const prompt = (content: string) => [{ role: 'system', content }]

function finder() {
  const state = { now: 0, answer: { segment: 'seg_one', isFinal: true } as FoundSegment | Error }
  const calls: unknown[] = []
  const events: FamilyEvent['kind'][] = []
  const families = createFamilyFinder({
    async ask(_identity, messages) {
      calls.push(messages)
      if (state.answer instanceof Error) throw state.answer
      return state.answer
    },
    clockMs: () => state.now,
    onEvent: ({ kind }) => events.push(kind),
  })
  const find = (content: string, workspaceId = testIdentity.workspaceId) =>
    families.find({ ...testIdentity, workspaceId }, prompt(content))
  return { state, calls, events, families, find }
}

it('calls the log once for a prompt of a workspace whose family is final', async () => {
  const { find, calls, state } = finder()
  expect([await find('Be brief.'), await find('Be brief.')]).toEqual(['seg_one', 'seg_one'])
  expect(calls).toHaveLength(1)
  state.answer = { segment: 'seg_two', isFinal: true }
  expect(await find('Be brief.', '00000000-0000-7000-8000-0000000000ff')).toBe('seg_two')
})

it('calls again while the family of a prompt may change', async () => {
  const { find, calls, state } = finder()
  state.answer = { segment: 'seg_new', isFinal: false }
  expect([await find('New.'), await find('New.')]).toEqual(['seg_new', 'seg_new'])
  expect(calls).toHaveLength(2)
})

it('knows requests without a prompt itself', async () => {
  const { families, calls } = finder()
  expect(await families.find(testIdentity, [])).toBe('none')
  expect(calls).toEqual([])
})

it('does not know families while the log does not answer, and calls it once a second', async () => {
  const { find, calls, state, events } = finder()
  state.answer = new FleetCallError('no answer', { status: 0 })
  expect([await find('One.'), await find('Two.')]).toEqual([null, null])
  expect(calls).toHaveLength(1)
  state.now = 1_001
  expect(await find('Two.')).toBeNull()
  expect(calls).toHaveLength(2)
  state.now = 2_002
  state.answer = { segment: 'seg_one', isFinal: true }
  expect(await find('Two.')).toBe('seg_one')
  expect(events).toEqual(['unavailable', 'recovered'])
})

it('does not pause the calls of others after a prompt for which the log took too long', async () => {
  const { find, state, calls, events } = finder()
  state.answer = new FleetCallError('no answer in time', { status: 0 })
  expect(await find('Slow.', '00000000-0000-7000-8000-0000000000ff')).toBeNull()
  state.answer = { segment: 'seg_one', isFinal: false }
  expect(await find('Other.')).toBe('seg_one')
  expect(await find('Slow.', '00000000-0000-7000-8000-0000000000ff')).toBeNull()
  expect(calls).toHaveLength(2)
  expect(events).toEqual(['unavailable'])
})

it('knows remembered families while the log does not answer', async () => {
  const { find, state } = finder()
  await find('Be brief.')
  state.answer = new FleetCallError('no answer', { status: 503 })
  await find('Other.')
  expect(await find('Be brief.')).toBe('seg_one')
})

it('continues to call the log after it refused one prompt', async () => {
  const { find, calls, state, events } = finder()
  state.answer = new FleetCallError('too large', { status: 413 })
  expect([await find('One.'), await find('Two.')]).toEqual([null, null])
  expect(calls).toHaveLength(2)
  expect(events).toEqual([])
})

it('reports that it recovered, and a later outage, though a workspace that failed never calls again', async () => {
  const { find, state, events } = finder()
  const outage = new FleetCallError('no answer', { status: 0 })
  state.answer = outage
  await find('Last.', '00000000-0000-7000-8000-0000000000ff')
  state.now = 1_001
  state.answer = { segment: 'seg_one', isFinal: false }
  expect(await find('One.')).toBe('seg_one')
  state.answer = outage
  expect(await find('Two.')).toBeNull()
  expect(events).toEqual(['unavailable', 'recovered', 'unavailable'])
})

it('leaves calls to others while the prompts of many requests of a workspace take long', async () => {
  const asked: string[] = []
  const families = createFamilyFinder({
    async ask({ workspaceId }) {
      asked.push(workspaceId)
      return workspaceId === 'slow' ? new Promise<FoundSegment>(() => {}) : { segment: 'seg_one', isFinal: true }
    },
    clockMs: () => 0,
    onEvent: () => {},
  })
  const find = (workspaceId: string, content: string) =>
    families.find({ ...testIdentity, workspaceId }, prompt(content))
  for (let count = 0; count < 50; count += 1) void find('slow', `Long prompt ${count}.`)
  expect(await find('other', 'Be brief.')).toBe('seg_one')
  expect(asked.filter((workspaceId) => workspaceId === 'slow')).toHaveLength(3)
})
