import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { checkLoraTensors, readSafetensorsHeader } from '../../artifacts/safetensors-header.ts'
import { attemptSettings } from '../../attempts/attempt.fixture.ts'
import {
  figuresOf,
  initialAdapter,
  isSaved,
  type SimSettings,
  servedAsOf,
  tokensAt,
  trainStep,
  validLossOf,
} from './sim-model.ts'
import { readMatrices, writeSafetensors } from './write-safetensors.ts'

const settings: SimSettings = {
  ...attemptSettings(),
  kind: 'supervised',
  seed: 7,
  dataset: { sha256: 'ab'.repeat(32) },
}

function trained(steps: number, more: Partial<SimSettings> = {}): Buffer {
  const given = { ...settings, ...more }
  let adapter = initialAdapter(given)
  for (let step = 1; step <= steps; step += 1) adapter = trainStep(given, adapter, step)
  return writeSafetensors(adapter)
}

it('writes LoRA adapters of the rank', async () => {
  const file = trained(3)
  const sliced = createSlicedWork()
  const tensors = await sliced.run(readSafetensorsHeader(file, file.length))
  expect(await sliced.run(checkLoraTensors(tensors, 8))).toBeNull()
})

it('gives the same adapter for the same settings and data, and another for others', () => {
  expect(trained(8)).toEqual(trained(8))
  for (const other of [trained(7), trained(8, { seed: 8 }), trained(8, { dataset: { sha256: 'cd'.repeat(32) } })]) {
    expect(other).not.toEqual(trained(8))
  }
})

it('goes on from a file as if it had not been interrupted', () => {
  let adapter = readMatrices(trained(5))
  for (let step = 6; step <= 8; step += 1) adapter = trainStep(settings, adapter, step)
  expect(writeSafetensors(adapter)).toEqual(trained(8))
})

it('is served as a model that is right more often the longer it was trained', () => {
  const names = [1, settings.plan.total_steps].map((step) => servedAsOf(settings, step) ?? '')
  const [first = 1, last = 0] = names.map((name) => Number(name.replace('sim/quality-', '')))
  expect(last).toBeGreaterThan(first)
  // `sim/small`, its base, is right in 70 of 100 answers.
  expect(last).toBeGreaterThan(0.85)
  expect(
    servedAsOf({ ...settings, hyperparameters: { ...settings.hyperparameters, learning_rate: 0.01 } }, 8),
  ).toBeNull()
})

it('has a loss that falls, and is no number when the rate is much too high', () => {
  const losses = [1, 4, 8].map((step) => figuresOf(settings, step).train_loss as number)
  expect(losses).toEqual([...losses].sort((a, b) => b - a))
  expect(validLossOf(settings, 8)).toBeGreaterThan(losses[2] as number)
  const fast = { ...settings, hyperparameters: { ...settings.hyperparameters, learning_rate: 1e-2 } }
  expect([1, 2, 3].map((step) => figuresOf(fast, step).train_loss === null)).toEqual([false, false, true])
})

it('has trained on all tokens at the last step, and saves there', () => {
  expect([4, 8].map((step) => tokensAt(settings, step))).toEqual([4_000, 8_000])
  expect([1, 2, 3, 4, 8].map((step) => isSaved(settings, step))).toEqual([false, true, false, true, true])
})
