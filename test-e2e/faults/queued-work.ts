import { type Api, apiOf, createJudge, gradeTruly, type Json, sendTraffic, untilOver } from '../judged-traffic.ts'
import { choose } from '../workspace-with.ts'
import type { Fault } from './describe-fault.ts'

/** Settings of a fleet that orders work again and again. */
export const workEnv = { ABUSE_GUARD_LIMIT: '10000' } as const

/** What evals and judges can be asked about: exchanges of the fault's workspace, all of them graded. */
export interface Work {
  readonly api: Api
  /** Orders an eval; its path. The same one each time, as far as its report goes. */
  orderEval(): Promise<string>
  /** Orders the calibration of a new judge, the same one each time; its path. */
  orderCalibration(): Promise<string>
  /** Orders both. */
  order(): Promise<readonly string[]>
  statusOf(path: string): Promise<string>
  untilOver(path: string, withinMs?: number): Promise<Json>
}

const tag = 'work'

/** Has exchanges logged and graded; the workspace must not have been used before. */
export async function prepareWork({ fleet }: Pick<Fault, 'fleet'>, exchanges: number, choices = {}): Promise<Work> {
  const { workspace } = fleet
  await choose(fleet, workspace, { loggingEnabled: true, ...choices })
  const api = apiOf(fleet, workspace)
  const logged = await sendTraffic(fleet, workspace, { model: 'sim/quality-0.6', count: exchanges, tag })
  await gradeTruly(api, logged)
  const orderEval = async () => `/evals/${(await accepted(api, '/evals', evalOf(exchanges))).id}`
  const orderCalibration = async () => {
    const criterion = await createJudge(api, 'sim/judge-0.9-0.85')
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
