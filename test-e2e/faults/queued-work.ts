import {
  type Api,
  apiOf,
  createJudge,
  findGrades,
  gradeTruly,
  type Json,
  sendTraffic,
  untilOver,
} from '../judged-traffic.ts'
import { choose } from '../workspace-with.ts'
import type { Fault } from './describe-fault.ts'

/** Settings of a fleet that creates much work. */
export const workEnv = { ABUSE_GUARD_LIMIT: '10000' } as const

/** Evals and calibrations over graded exchanges of the fault's workspace. */
export interface Work {
  readonly api: Api
  /** Creates an eval; resolves with its path. Each one gives the same report. */
  orderEval(): Promise<string>
  /** Starts the calibration of a new judge; resolves with its path. Each one gives the same result. */
  orderCalibration(): Promise<string>
  /** Starts both. */
  order(): Promise<readonly string[]>
  statusOf(path: string): Promise<string>
  untilOver(path: string, withinMs?: number): Promise<Json>
}

const tag = 'work'

/** Logs and grades exchanges; the workspace must be unused. */
export async function prepareWork({ fleet }: Pick<Fault, 'fleet'>, exchanges: number, choices = {}): Promise<Work> {
  const { workspace } = fleet
  await choose(fleet, workspace, { loggingEnabled: true, ...choices })
  const api = apiOf(fleet, workspace)
  const logged = await sendTraffic(fleet, workspace, { model: 'sim/quality-0.6', count: exchanges, tag })
  await gradeTruly(api, logged)
  const orderEval = async () => `/evals/${(await accepted(api, '/evals', evalOf(exchanges))).id}`
  const orderCalibration = async () => {
    // Only the graded traffic, so that the judge's draw covers all grades.
    const criterion = await createJudge(api, 'sim/judge-0.9-0.85', { population: tag })
    await findGrades(api, criterion.id)
    const { id } = await accepted(api, `/criteria/${criterion.id}/calibrate`, {})
    return `/criteria/${criterion.id}/calibrations/${id}`
  }
  return {
    api,
    orderEval,
    orderCalibration,
    order: () => Promise.all([orderEval(), orderCalibration()]),
    statusOf: async (path) => (await api('GET', path)).json.status,
    untilOver: (path, withinMs = 60_000) => untilOver(api, path, withinMs),
  }
}

function evalOf(exchanges: number) {
  return {
    name: 'Which model for work',
    rubric: 'The answer is right and complete.',
    baseline_model: 'sim/medium',
    candidate_models: ['sim/small', 'sim/quality-0.5'],
    sample_count: exchanges,
    sample_filters: { tag },
    judge_model: 'sim/judge-0.9-0.9',
    seed: 7,
  }
}

async function accepted(api: Api, path: string, body: object): Promise<Json> {
  const { status, json, text } = await api('POST', path, body)
  if (![200, 201, 202].includes(status)) throw new Error(`${status}: ${text}`)
  return json
}
