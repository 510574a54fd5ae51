import { dedicatedStates } from '@ratchet/contracts/dedicated-state'
import {
  actsOn,
  coldStartText,
  isFollowed,
  readySentence,
  replicasText,
  requestsText,
  scaleText,
  stateOfRoute,
  statusOf,
  usdText,
} from './endpoint-words.ts'

const at = '2026-12-01T12:00:00.000Z'
const replica = (id: string, state: 'ready' | 'starting') => ({
  id,
  state,
  hardware: 'sim-1x',
  created_at: at,
  ready_since: state === 'ready' ? at : null,
})

it('has a word for every state of the contract', () => {
  expect(dedicatedStates.map((state) => statusOf(state).word).filter(Boolean)).toHaveLength(dedicatedStates.length)
})

it.each([
  ['RUNNING', true, ['stop', 'delete'], null],
  ['SCALED_TO_ZERO', true, ['start', 'stop', 'delete'], 'Nothing is charged.'],
  ['STARTING', true, ['stop', 'delete'], 'Requests are held'],
  ['STOPPING', true, ['delete'], 'refused'],
  ['STOPPED', false, ['start', 'delete'], 'refused'],
  ['FAILED', false, ['start', 'delete'], 'refused'],
  ['DELETED', false, [], 'refused'],
] as const)(
  'says of %s whether it is followed, what can be done, and what happens to requests',
  (state, follows, acts, text) => {
    expect([isFollowed({ state }), actsOn({ state })]).toEqual([follows, acts])
    if (text === null) expect(requestsText({ state })).toBeNull()
    else expect(requestsText({ state })).toContain(text)
  },
)

it.each([
  [true, 'proven'],
  [false, 'not on all replicas'],
  [null, 'not loaded'],
])('says of an adapter whose fingerprint is %j whether it answers', (isOk, word) => {
  expect(stateOfRoute({ fingerprint_ok: isOk }).word).toBe(word)
})

it('counts replicas, also those that are still missing', () => {
  const endpoint = { replicas: [replica('a', 'ready'), replica('b', 'starting')], desired_replicas: 3 }
  expect(replicasText(endpoint as never)).toBe('1 of 3 ready')
})

it.each([
  [2, 2, 3_600, '2 replicas, day and night'],
  [0, 2, 3_600, '0 to 2 replicas; none after 1 h without a request'],
  [0, 1, null, '0 to 1 replica; one always runs'],
])('says how %j to %j replicas are scaled', (min, max, seconds, text) => {
  expect(scaleText({ min_replicas: min, max_replicas: max, scale_to_zero_after_seconds: seconds })).toBe(text)
})

it('writes money, times and replicas for people', () => {
  expect(usdText(0.6)).toBe('$0.60')
  expect(coldStartText({ cold_start_ms: { p50: null, p95: null } })).toBe('not measured yet')
  expect(coldStartText({ cold_start_ms: { p50: 2_000, p95: 9_500 } })).toBe('2.0 s, and 9.5 s of 95 %')
  expect(readySentence([{ ready: 0 }])).toBe('Ready replicas: none in this time.')
  expect(readySentence([{ ready: 0 }, { ready: 2 }, { ready: 1 }])).toBe('Ready replicas: between 0 and 2, now 1.')
})
