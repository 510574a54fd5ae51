import { eventually } from '@ratchet/testing/eventually'
import { calibrate, createJudge, type Json } from '../judged-traffic.ts'
import type { Improving } from './steps-by-api.ts'

/* The steps from a fine-tuned version to one that judges have rewarded, as programs do them over the API. */

interface ProvenJudge {
  readonly judge: Json
  readonly calibration: Json
}

/** A judge that agrees with the grades of exchanges with a tag. */
export async function proveOn(
  { api }: Improving,
  tag: string,
  [name, model]: readonly [string, string],
): Promise<ProvenJudge> {
  const judge = await createJudge(api, model, { name, population: tag })
  const calibration = await calibrate(api, judge.id)
  expect(calibration).toMatchObject({ trust: 'trustworthy', can_act: true })
  return { judge, calibration }
}

interface Reinforcing {
  readonly version: Json
  readonly dataset: Json
  /** Prompts that are never trained on. */
  readonly heldOut: Json
  /** The judge that rewards, and one of another family that never does. */
  readonly rewards: Json
  readonly holdOut: Json
}

/** A run from a version, until somebody has to decide about what it has made. */
export async function reinforce(
  { make, read }: Improving,
  { version, dataset, heldOut, rewards, holdOut }: Reinforcing,
) {
  const ordered = {
    name: 'From what was right',
    warmStartFrom: version.id,
    datasetId: dataset.id,
    evalDatasetId: heldOut.id,
    reward: { criteria: [{ criterionId: rewards.id }] },
    holdout: { criterionId: holdOut.id, everySteps: 8, prompts: 32 },
    hyperparameters: { groupSize: 8, promptsPerStep: 8, maxSteps: 16, learningRate: 2e-5 },
    maxCostUsd: 20,
    seed: 3,
  }
  const estimate = await make('POST', '/grpo/runs/estimate', ordered)
  const { id } = await make('POST', '/grpo/runs', ordered)
  const run = await eventually(
    async () => {
      const found = await read(`/grpo/runs/${id}`)
      if (found.status === 'awaiting_adoption') return found
      throw new Error(`${found.status} at step ${found.progress.step}: ${found.status_message}`)
    },
    { withinMs: 150_000, everyMs: 250 },
  )
  expect(run).toMatchObject({ guard: { verdict: 'healthy' }, held_usd: 0, warm_start_from: version.id })
  expect(run.reward_current).toBeGreaterThan(run.reward_baseline)
  return { estimate, run }
}

/** Grades what the reward liked best, as people would who see no verdict. */
export async function gradeAudit({ make, read }: Improving, run: Json): Promise<void> {
  const path = `/grpo/runs/${run.id}/audit`
  const { data } = await read(path)
  for (const { rollout_id, completion } of data) {
    const label = completion.at(-1).content.includes('(flawed)') ? 'fail' : 'pass'
    await make('POST', '/labels', { rollout_id, label })
  }
  expect(await read(path)).toMatchObject({ graded: data.length, false_pass: 0 })
}

/** The version of a run, proven by engines of the pool. */
export async function servedVersionOf({ make, read }: Improving, run: Json): Promise<Json> {
  const path = `/model_versions/${run.model_version_id}`
  await make('POST', `${path}/serve`, { in: 'pool' })
  return eventually(
    async () => {
      const version = await read(path)
      expect(version.serving).toMatchObject({ pool: 'ready', pool_error: null })
      return { ...version, path }
    },
    { withinMs: 60_000, everyMs: 200 },
  )
}

/** What all logged answers of a model have cost, nano-dollars. */
export async function loggedCost({ read }: Pick<Improving, 'read'>, filter: string): Promise<bigint> {
  let sum = 0n
  for (let after = ''; ; ) {
    const { data, has_more: hasMore } = await read(`/logs?${filter}&content=none&limit=200${after}`)
    for (const { cost_usd: usd } of data) sum += nano(usd)
    if (!hasMore) return sum
    after = `&after=${data.at(-1).id}`
  }
}

export const nano = (usd: number) => BigInt(Math.round(usd * 1e9))
