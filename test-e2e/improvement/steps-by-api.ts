import { eventually } from '@ratchet/testing/eventually'
import { readJson } from '../fine-tuning/read-json.ts'
import { type Api, apiOf, calibrate, gradeListed, hasFlaw, type Json, untilOver } from '../judged-traffic.ts'
import type { RunningFleet } from '../shared-fleet/shared-fleet.ts'

/* The steps from traffic to a promoted model, as programs do them over the API. */

/** An alias that is to get a better model than the one that it asks now. */
export interface Improving {
  readonly fleet: RunningFleet
  readonly alias: string
  /** The model that the alias asks, and that is trained. */
  readonly base: string
  /** Whether people fail an answer. */
  readonly isWrong: (text: string) => boolean
  /** How many times longer than with a simulated model each wait may take. */
  readonly waitFactor: number
  readonly api: Api
  /** Sends a request that must succeed. */
  make(method: string, path: string, body: object): Promise<Json>
  read(path: string): Promise<Json>
}

export function improving(
  fleet: RunningFleet,
  { alias, base, isWrong = hasFlaw, waitFactor = 1 }: Pick<Improving, 'alias' | 'base'> & Partial<Improving>,
): Improving {
  const api = apiOf(fleet, fleet.workspace)
  return {
    fleet,
    alias,
    base,
    isWrong,
    waitFactor,
    api,
    async make(method, path, body) {
      const { status, json, text } = await api(method, path, body)
      if (status > 299) throw new Error(`${method} ${path}: ${status}: ${text}`)
      return json
    },
    async read(path) {
      const { apiKey } = fleet.workspace
      return (await readJson(`${fleet.url}/v1${path}`, { method: 'GET', apiKey })).json
    },
  }
}

/** Waits until the log has so many answers of the alias. */
export async function untilLogged(on: Improving, count: number, since = new Date(0)): Promise<void> {
  const { alias, read, waitFactor } = on
  const path = `/logs?alias=${alias}&start=${since.toISOString()}&content=none&limit=1`
  await eventually(async () => (await read(path)).total >= count, { withinMs: 120_000 * waitFactor, everyMs: 500 })
}

/** Grades what the alias answered until a judge is proven. */
export async function proveJudge({ api, isWrong }: Improving, judge: Json, grades: number): Promise<void> {
  const fails = await gradeListed(api, judge.id, { limit: grades, isWrong })
  const calibration = await calibrate(api, judge.id)
  if (!calibration.can_act) throw new Error(`${fails} fails: ${JSON.stringify(calibration)}`)
  expect(calibration.trust).toBe('trustworthy')
}

/** Has the judge decide about what the base answered. Resolves with the scan. */
export async function scanLogged({ make, api, alias, base }: Improving, judge: Json): Promise<Json> {
  const filters = { alias, model: base }
  const { id } = await make('POST', `/criteria/${judge.id}/scan`, { sample_count: 300, filters })
  const scan = await untilOver(api, `/criteria/${judge.id}/scans/${id}`)
  expect(scan).toMatchObject({ status: 'DONE' })
  return scan
}

/** A dataset of what the judge passed when it scanned the log. */
export async function curateScanned({ make, alias, base }: Improving, judge: Json): Promise<Json> {
  const filters = { alias, model: base }
  const order = { name: 'What was right', filters, criterion_id: judge.id, holdout_pct: 20 }
  return (await make('POST', '/datasets/from_logs', order)).dataset
}

/** A dataset of what the judge passes. */
export async function curate(on: Improving, judge: Json): Promise<Json> {
  await scanLogged(on, judge)
  return curateScanned(on, judge)
}

/** A version of its own of the base, with its job, proven by engines of the pool. */
export async function train(on: Improving, dataset: Json, settings: object): Promise<Json> {
  const { make, read, base, waitFactor } = on
  const ordered = { model: base, datasetId: dataset.id, suffix: 'support', ...settings }
  const { id } = await make('POST', '/fine_tuning/jobs', ordered)
  const waits = { withinMs: 180_000 * waitFactor, everyMs: 200 }
  const job = await eventually(async () => {
    const found = await read(`/fine_tuning/jobs/${id}`)
    expect(found.error).toBeNull()
    return found.status === 'succeeded' && found.model_version_id !== null ? found : null
  }, waits)
  const path = `/model_versions/${job.model_version_id}`
  await make('POST', `${path}/serve`, { in: 'pool' })
  return eventually(async () => {
    const version = await read(path)
    expect(version.serving).toMatchObject({ pool: 'ready', pool_error: null })
    return { ...version, path, job }
  }, waits)
}

interface Comparison {
  readonly version: Json
  readonly judge: Json
  /** Its prompts are what was asked since, which the version has not seen. */
  readonly since: Date
  readonly count: number
  /** How many of them are compared at most; 500 when absent. */
  readonly most?: number
  /** Parameters of every request to a model. */
  readonly params?: object
}

/** Compares a version with its base. */
export async function compare(
  on: Improving,
  { version, judge, since, count, most = 500, params = {} }: Comparison,
): Promise<Json> {
  const { make, api, alias, base, waitFactor } = on
  await untilLogged(on, count, since)
  const filters = { alias, model: base, start: since.toISOString() }
  const { dataset } = await make('POST', '/datasets/from_logs', { name: 'Asked since', filters })
  const { id } = await make('POST', '/evals', {
    name: 'Trained against its base',
    baseline_model: base,
    candidate_models: [version.model_id],
    criterion_id: judge.id,
    sample_filters: { dataset_id: dataset.id },
    sample_count: Math.min(dataset.example_count, most),
    params,
  })
  const done = await untilOver(api, `/evals/${id}`, 180_000 * waitFactor)
  expect(done).toMatchObject({ status: 'DONE', evidence: { [version.model_id]: { problems: [] } } })
  expect(done.evidence[version.model_id].win_rate_low).toBeGreaterThan(0.5)
  return done
}

/** Grades what is drawn of both arms truly, as people would. */
async function gradeDrawn({ make, read, alias, isWrong }: Improving): Promise<void> {
  const { data } = await read(`/aliases/${alias}/gate/next_to_grade?limit=50`)
  const labels = await Promise.all(
    data.map(async ({ log_id }: Json) => {
      const { response } = await read(`/logs/${log_id}`)
      return { log_id, label: isWrong(response.content) ? 'fail' : 'pass' }
    }),
  )
  if (labels.length > 0) await make('POST', '/labels', { labels })
}

/** Follows the canary until the gate promotes it, which it must not do before people have graded answers of both arms. */
export async function untilPromoted(on: Improving): Promise<Json> {
  const { read, alias, waitFactor } = on
  const gateNow = () => read(`/aliases/${alias}/gate`)
  const watched = await eventually(
    async () => {
      const gate = await gateNow()
      if (gate.state !== 'healthy') throw new Error(`${gate.state}: ${gate.reason}`)
      return gate
    },
    { withinMs: 120_000 * waitFactor, everyMs: 300 },
  )
  expect(watched.reason).toContain('graded 0 answers of the canary')
  expect(watched.arms.canary).toMatchObject({ drawn: 0 })
  expect((await read(`/aliases/${alias}`)).canary_percent).toBe(50)
  return eventually(
    async () => {
      const gate = await gateNow()
      if (gate.state === 'promoted') return gate
      await gradeDrawn(on)
      throw new Error(`${gate.state}: ${gate.reason}`)
    },
    { withinMs: 120_000 * waitFactor, everyMs: 500 },
  )
}
