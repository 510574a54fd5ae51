import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { decideRetry, WorkPostponed } from './decide-retry.ts'

it.each([
  [0, 'retried', 2_000],
  [1, 'retried', 4_000],
  [3, 'retried', 16_000],
  [4, 'dead_lettered', 32_000],
] as const)('after %d failures the next one is %s', (failures, kind, delayMs) => {
  expect(decideRetry(new Error('broken'), failures)).toEqual({ kind, error: 'broken', delayMs })
})

it('does not count postponed work as failed, however often', () => {
  const cause = new WorkPostponed('no money', 60_000)
  expect(decideRetry(cause, 4)).toEqual({ kind: 'postponed', error: 'no money', delayMs: 60_000 })
})

it.each([401, 403])('does not count a rejected identity as a failure: status %d', (status) => {
  const cause = new FleetCallError('unknown identity', { status })
  expect(decideRetry(cause, 4)).toEqual({ kind: 'postponed', error: 'unknown identity', delayMs: 2_000 })
})

it('counts other refusals of a service as failures', () => {
  expect(decideRetry(new FleetCallError('no such model', { status: 404 }), 4)).toMatchObject({ kind: 'dead_lettered' })
})
