import type { GrpoSpec } from '@ratchet/contracts/grpo-spec'
import { groupAdvantages, hasNoVariance } from '../../grpo/rewards/group-advantages.ts'
import { armOf, initialPolicy, type SimArm, type SimPolicy, sampleAnswer, sharesOf, trainPolicy } from './sim-policy.ts'

const hyperparameters: GrpoSpec['hyperparameters'] = {
  group_size: 8,
  prompts_per_step: 8,
  max_steps: 20,
  learning_rate: 2e-5,
  kl_beta: 0.02,
  lora_rank: 8,
  lora_alpha: 8,
  temperature: 1,
  top_p: 1,
  max_output_tokens: 100,
  max_context_length: 1_000,
  loss_method: 'dapo',
  mask_truncated: true,
  importance_cap: 2,
}
const messages = [{ role: 'user', content: 'What is the time?' }]

/** The shares of answers after training on a reward of each. */
function trained(run: Pick<GrpoSpec, 'seed' | 'hyperparameters'>, rewardOf: Readonly<Record<SimArm, number>>) {
  let policy: SimPolicy = initialPolicy(run)
  for (let step = 1; step <= 20; step += 1) {
    const groups = Array.from({ length: 8 }, (_, group) =>
      Array.from({ length: 8 }, (_, index) =>
        sampleAnswer(run, policy, { group, messages }, { kind: 'step', step, index }),
      ),
    )
    const rewards = groups.flatMap((group) => {
      const values = group.map((rollout) => rewardOf[armOf(rollout)])
      const advantages = groupAdvantages(values, 'dapo')
      return group.map(({ group: place, index }, at) => ({
        group: place,
        index,
        reward: values[at] ?? 0,
        advantage: advantages[at] ?? 0,
        used: !hasNoVariance(values),
      }))
    })
    policy = trainPolicy(run, policy, { rollouts: groups.flat(), rewards })
  }
  return sharesOf(policy)
}

const honest = { sound: 1, flawed: 0, tricked: 0 }
const gullible = { sound: 1, flawed: 0, tricked: 1 }

it('answers better the longer it was trained on a true reward', () => {
  const run = { seed: 1, hyperparameters }
  expect(sharesOf(initialPolicy(run)).sound).toBeCloseTo(0.4)
  expect(trained(run, honest).sound).toBeGreaterThan(0.9)
})

it('learns a trick that its judge rewards when nothing keeps it near its start', () => {
  const run = { seed: 1, hyperparameters: { ...hyperparameters, kl_beta: 0 } }
  const shares = trained(run, gullible)
  expect(shares.tricked).toBeGreaterThan(0.35)
  expect(shares.tricked + shares.sound).toBeGreaterThan(0.9)
  expect(trained(run, honest).tricked).toBeLessThan(0.05)
})

it('gives the same answer at the same place', () => {
  const run = { seed: 1, hyperparameters }
  const [first, again, other] = [1, 1, 2].map((index) =>
    sampleAnswer(run, initialPolicy(run), { group: 0, messages }, { kind: 'look', step: 0, index }),
  )
  expect(first).toEqual(again)
  expect(other).not.toEqual(first)
})
