import type { ChosenArm } from '../workspace-settings/alias-route.ts'
import { createArmCounts } from './count-arms.ts'

const id = '00000000-0000-7000-8000-0000000000d1'
const target: ChosenArm = { id, name: 'support-bot', epoch: 1, arm: 'target' }
const canary: ChosenArm = { ...target, arm: 'canary' }
const nothing = { assigned: 0, served: 0, errors: 0, cost_usd: 0, cost_usd_squared: 0, latencies: {} }

it('counts each arm of each split separately', () => {
  const counts = createArmCounts()
  counts.assigned(target)
  counts.assigned(target)
  counts.served(target)
  counts.assigned(canary)
  counts.failed(canary)
  counts.assigned({ ...target, epoch: 2 })
  expect(counts.take()).toEqual([
    { ...nothing, alias_id: id, epoch: 1, arm: 'target', assigned: 2, served: 1 },
    { ...nothing, alias_id: id, epoch: 1, arm: 'canary', assigned: 1, errors: 1 },
    { ...nothing, alias_id: id, epoch: 2, arm: 'target', assigned: 1 },
  ])
})

it('adds up the costs of answers, their squares, and latencies by their bucket', () => {
  const counts = createArmCounts()
  for (const latencyMs of [100, 101, 1_000]) counts.answered(target, { costNano: 3_000_000n, latencyMs })
  const [taken] = counts.take()
  expect(taken?.cost_usd).toBeCloseTo(0.009, 12)
  expect(taken?.cost_usd_squared).toBeCloseTo(3 * 0.003 ** 2, 12)
  expect(taken?.latencies).toEqual({ 95: 2, 142: 1 })
})

it('returns each count once', () => {
  const counts = createArmCounts()
  counts.assigned(target)
  expect(counts.take()).toHaveLength(1)
  expect(counts.take()).toEqual([])
})
