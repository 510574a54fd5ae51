import type { Criterion } from '@ratchet/contracts/criteria'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import { gateJudge } from '@ratchet/contracts/internal-judging'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { criterionId, judgeWith, userId, workspaceId } from './alias.fixture.ts'
import { createFindJudge } from './require-judge.ts'

const identity = { workspaceId, userId, keyId: userId, role: 'owner' } as const

/** The reply of judging about a trustworthy judge with 3 % errors in both classes. */
const known = {
  id: criterionId,
  status: 'draft',
  unit: 'trace',
  trust: 'trustworthy',
  can_act: true,
  cannot_act_reason: null,
  tpr: 0.97,
  tnr: 0.97,
  population: '',
  population_family: '',
  online_percent: 100,
  drift_status: 'ok',
} as Criterion

/** Calls judging, which knows one endpoint and one caller. */
function findIn(reply: object | Error) {
  const call = async (endpoint: Endpoint, { params }: { readonly params?: unknown }, by: unknown) => {
    expect([endpoint, params, by]).toEqual([gateJudge, { id: criterionId }, identity])
    if (reply instanceof Error) throw reply
    return reply
  }
  return createFindJudge({ call } as unknown as Pick<FleetClient, 'call'>)(identity, criterionId)
}

it('finds the current judge of a gate', async () => {
  const judge = judgeWith({ unit: 'trace', instrument: 3, isOverCap: true })
  const reply = { criterion: known, instrument: 3, over_cap: true, verdict_cost: judge.verdictCost ?? null }
  expect(await findIn(reply)).toEqual(judge)
})

it('finds none when judging does not know the criterion', async () => {
  expect(await findIn(new FleetCallError('no', { status: 404, code: 'not_found' }))).toBeNull()
})

it.each([
  [404, 'unknown_url'],
  [404, null],
  [403, 'not_found'],
  [503, 'service_unavailable'],
  [0, null],
])('does not read %j %j as a judge that does not exist', async (status, code) => {
  const error = new FleetCallError('no', { status, code })
  await expect(findIn(error)).rejects.toBe(error)
})

it('throws an error that is no failed call', async () => {
  await expect(findIn(new TypeError('a defect'))).rejects.toThrow(TypeError)
})
