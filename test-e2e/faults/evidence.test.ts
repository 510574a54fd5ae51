import { type Answer, type BilledRequest, type Evidence, findProblems, type ProviderCall } from './evidence.ts'

const answer: Answer = { tag: 'a', status: 200, requestId: 'r1', whole: true, free: false }
const charged: BilledRequest = { requestId: 'r1', state: 'posted', cost: 10n, openedAtMs: 1_000 }
const call: ProviderCall = { tag: 'a', startedAtMs: 1_001 }
const clean: Evidence = {
  answers: [answer],
  billed: [charged],
  blocks: [],
  providerCalls: [call],
  violations: [],
  exits: [{ name: 'edge', code: 0, signal: null, wasAsked: true }],
  openConnections: 0,
  leaks: [],
}

it('finds no problem when all is correct', () => {
  expect(findProblems(clean)).toEqual([])
})

it.each<[string, Partial<Evidence>, string]>([
  ['a delivered answer that was not charged', { billed: [], providerCalls: [] }, 'a was delivered and is not charged'],
  ['one whose hold was voided', { billed: [{ ...charged, state: 'voided' }] }, 'a was delivered and is not charged'],
  ['one that is charged twice', { billed: [charged, charged] }, 'a is in the books 2 times'],
  ['a failure that is charged', { answers: [{ ...answer, status: 502 }] }, 'a failed and is charged'],
  ['a repetition that is charged', { answers: [{ ...answer, free: true }] }, 'a was free and is charged'],
  [
    'a provider call without a hold',
    { answers: [{ ...answer, status: 503, whole: false }], billed: [{ ...charged, requestId: 'r2' }] },
    'the provider was called for a without a hold',
  ],
  [
    'a provider call before its hold',
    { providerCalls: [{ ...call, startedAtMs: 900 }] },
    'the provider was called for a before its hold',
  ],
  [
    'more provider calls than holds',
    { providerCalls: [call, { tag: 'b', startedAtMs: 2_000 }] },
    'the provider saw 2 requests on 1 holds',
  ],
  ['books that are wrong', { violations: ['held 1 ≠ open 0'] }, 'held 1 ≠ open 0'],
  [
    'a process that had to be killed',
    { exits: [{ name: 'edge', code: null, signal: 'SIGKILL', wasAsked: true }] },
    'edge ended with SIGKILL',
  ],
  [
    'a process that ended by itself',
    { exits: [{ name: 'edge', code: 1, signal: null, wasAsked: false }] },
    'edge ended with 1',
  ],
  [
    'connections that outlive all processes',
    { openConnections: 2 },
    '2 connections to the stores outlived their processes',
  ],
  [
    'a leaked secret',
    { leaks: [{ secret: 'the API key', place: 'the log of edge' }] },
    'the API key was found in the log of edge',
  ],
])('finds %s', (_what, change, problem) => {
  expect(findProblems({ ...clean, ...change })).toEqual([problem])
})

it('accepts a process that the fault killed', () => {
  const killed = { name: 'edge', code: null, signal: 'SIGKILL', wasAsked: false } as const
  expect(findProblems({ ...clean, exits: [killed] })).toEqual([])
})

it('accepts a charge for an aborted stream, and any charge when the outcome is unknown', () => {
  const left = { ...answer, whole: false }
  const unknown = { tag: 'b', status: null, requestId: null, whole: false, free: false }
  const another = { ...charged, requestId: 'r2' }
  const evidence = { ...clean, answers: [left, unknown], billed: [charged, another] }
  expect(findProblems({ ...evidence, providerCalls: [call, { tag: 'b', startedAtMs: 1 }] })).toEqual([])
})
