import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import { type Fleet, startFleet } from './fleet.ts'
import {
  type Api,
  apiOf,
  calibrate,
  createJudge,
  gradeTruly,
  type Json,
  sendTraffic,
  untilOver,
} from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { type MountedCatalog, mountedCatalog } from './mounted-catalog.ts'
import { sendFromPage, signInUser } from './signed-in.ts'
import { choose } from './workspace-with.ts'

/* Rounds of reward-ranked fine-tuning on a fleet with the simulated trainer. The base model answers one of ten questions right. */

let fleet: Fleet
let catalog: MountedCatalog
let pool: Pool
let api: Api
let cookie: string
let judge: Json
let datasetId: string
let evalDatasetId: string
/** Prompts of no round. */
let proofDatasetId: string
/** The second round of a chain, which is done. */
let last: Json

const training = {
  supervised_per_mtok: '1',
  trainers: ['sim'],
  lora_ranks: [8, 16],
  license: 'Apache-2.0',
}

beforeAll(async () => {
  catalog = await mountedCatalog({
    providers: [],
    models: [{ id: 'sim/weak', provider: 'sim', upstream_model: 'sim/quality-0.1', training: training as never }],
  })
  fleet = await startFleet({
    judges: true,
    evals: true,
    training: true,
    dashboard: true,
    env: { CATALOG_DIR: catalog.folder, SIM_JOB_MS: '100', ABUSE_GUARD_LIMIT: '1000' },
  })
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
  api = apiOf(fleet, fleet.workspace)
  cookie = await signInUser(fleet, fleet.workspace.userId)
  judge = await createJudge(api, 'sim/judge-0.98-0.98')
  await gradeTruly(api, await sendTraffic(fleet, fleet.workspace, { model: 'sim/quality-0.5', count: 400 }))
  expect(await calibrate(api, judge.id)).toMatchObject({ status: 'DONE', trust: 'trustworthy' })
  datasetId = await upload('to train', 60)
  evalDatasetId = await upload('held out', 32)
  proofDatasetId = await upload('to compare', 100)
}, 300_000)
afterAll(async () => {
  await pool?.end()
  await fleet?.stop()
  await catalog?.remove()
}, 180_000)

async function upload(name: string, count: number): Promise<string> {
  const examples = Array.from({ length: count }, (_, index) => ({
    messages: [
      { role: 'user', content: `${name}: why does item ${index} of the list matter?` },
      { role: 'assistant', content: `Item ${index} matters to people.` },
    ],
  }))
  const { status, json, text } = await api('POST', '/datasets', { name, examples })
  if (status !== 201) throw new Error(text)
  return json.dataset.id
}

async function act(path: string, body: object = {}): Promise<{ readonly status: number; readonly json: Json }> {
  const url = `/api/w/${fleet.workspace.slug}/session/raft/rounds${path}`
  const answer = await sendFromPage(fleet, url, { method: 'POST', cookie, body })
  return { status: answer.status, json: await answer.json() }
}

const first = () => ({ baseModel: 'sim/weak', datasetId, evalDatasetId, criterionId: judge.id, maxCostUsd: 2, seed: 5 })

async function start(body: object): Promise<Json> {
  const { status, json } = await act('', body)
  if (status !== 202) throw new Error(`${status}: ${JSON.stringify(json)}`)
  return json
}

async function reaches(id: string, statuses: readonly string[]): Promise<Json> {
  return eventually(
    async () => {
      const { json } = await api('GET', `/raft/rounds/${id}`)
      return statuses.includes(json.status) ? json : null
    },
    { withinMs: 120_000, everyMs: 300 },
  )
}
const over = (id: string) => reaches(id, ['done', 'failed', 'cancelled'])

it('is started in the dashboard alone', async () => {
  const { status, json } = await api('POST', '/raft/rounds', first())
  expect([status, json.error.code]).toEqual([405, 'method_not_allowed'])
  const answer = await fetch(`${fleet.url}/v1/raft/rounds`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${fleet.workspace.apiKey}` },
  })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect((await api('POST', '/session/raft/rounds', first())).status).toBe(404)
})

it.each([
  ['no model', { baseModel: null }, 'baseModel'],
  ['a model that cannot be trained', { baseModel: 'sim/echo' }, 'baseModel'],
  ['a dataset that does not exist', { datasetId: `ds_${'0'.repeat(32)}` }, 'datasetId'],
  ['more than the wallet has', { maxCostUsd: 1_000_000 }, 'maxCostUsd'],
])('is refused with %s', async (_, more, param) => {
  const { status, json } = await act('', { ...first(), ...more })
  expect([Math.floor(status / 100), json.error.param]).toEqual([4, param])
})

it('is refused with a judge that is not proven', async () => {
  const unproven = await createJudge(api, 'sim/judge-0.9-0.9', { name: 'Unproven' })
  const { status, json } = await act('', { ...first(), criterionId: unproven.id })
  expect([status, json.error.code, json.error.details.trust]).toEqual([412, 'criterion_not_trustworthy', 'unmeasured'])
})

it('trains on nothing when too many of the accepted answers may be wrong', async () => {
  const { id } = await start(first())
  const failed = await over(id)
  expect(failed).toMatchObject({ status: 'failed', fine_tuning_job_id: null, dataset_id: null, generated: 480 })
  expect(failed.precision_ci[0]).toBeLessThan(0.85)
  expect(failed.status_message).toContain('minPrecision')
  expect((await act(`/${id}/resume`)).status).toBe(409)
}, 180_000)

it('in a chain of two rounds makes a model that is better than the start, and charges every answer once', async () => {
  const { id } = await start({ ...first(), minPrecision: 0.5, maxCostUsd: 3 })
  expect((await act(`/${id}/cancel`)).json.status).toBe('cancelled')
  expect((await act(`/${id}/resume`)).status).toBe(200)
  const one = await over(id)
  expect(one).toMatchObject({ status: 'done', status_message: null, chain_id: id, round_index: 0 })
  expect(one.holdout_pass_rate.ci[0]).toBeGreaterThan(0)
  expect(one.distinct_ratio).toBe(1)
  const { json: version } = await api('GET', `/model_versions/${one.model_version_id}`)
  expect(version).toMatchObject({ status: 'candidate', produced_by: { type: 'raft', id } })

  const next = await start({ continueFromRoundId: id, minPrecision: 0.5, dropAllPass: false, maxCostUsd: 3 })
  expect(next).toMatchObject({ chain_id: id, round_index: 1, previous_round_id: id, criterion_id: judge.id })
  expect(next.start_model).toMatch(/^sim\/quality-0\.\d+$/)
  const two = await over(next.id)
  expect(two).toMatchObject({ status: 'done', start_model: next.start_model })
  expect(two.holdout_pass_rate.after).toBeGreaterThan(one.holdout_pass_rate.before + 0.2)
  expect(two.real_examples).toBeGreaterThan(0)
  last = two

  const list = await api('GET', `/raft/rounds?chain_id=${id}`)
  expect(list.json).toMatchObject({ object: 'list', total: 2, data: [{ id: next.id }, { id }] })
  await ledgerAtRest(fleet, fleet.workspace)
  const { rows } = await pool.query(
    'SELECT count(*)::int AS samples, count(DISTINCT (part, prompt_index, sample_index))::int AS distinct FROM raft_sample WHERE round_id = $1',
    [uuidIn(id)],
  )
  expect(rows[0]).toEqual({ samples: 480 + 128 + 128, distinct: 736 })
}, 290_000)

it('begins with a version and prompts of the log, trains on as it is told, and starts an eval of what it made', async () => {
  const other = await createJudge(api, 'sim-anthropic/judge-0.98-0.98', { name: 'Compares' })
  const body = {
    ...first(),
    baseModel: null,
    modelVersionId: last.model_version_id,
    datasetId: null,
    evalDatasetId: null,
    filters: { model: 'sim/quality-0.5' },
    holdoutPct: 50,
    samplesPerPrompt: 3,
    minPassesPerPrompt: 1,
    minPrecision: 0.5,
    dropAllPass: false,
    maxCostUsd: 3,
    fineTuning: { hyperparameters: { nEpochs: 1 } },
    evalBaseline: { evalBaselineModel: 'sim/weak', criterionId: other.id, sampleCount: 20 },
  }
  const estimate = await act('/estimate', body)
  expect(estimate).toMatchObject({ status: 200, json: { base_model: 'sim/weak', prompts: 200, held_out: 100 } })
  const started = await start(body)
  expect(started).toMatchObject({ start_version_id: last.model_version_id, source_dataset_id: null, prompts: 200 })
  const done = await over(started.id)
  expect(done).toMatchObject({ status: 'done', status_message: null })
  expect(done.real_examples).toBeGreaterThan(0)
  const { json: job } = await api('GET', `/fine_tuning/jobs/${done.fine_tuning_job_id}`)
  expect(job).toMatchObject({ warm_start_from: last.model_version_id, hyperparameters: { n_epochs: 1 } })
  const read = () => api('GET', `/raft/rounds/${started.id}`)
  await eventually(async () => (await read()).json.eval_id !== null, { withinMs: 60_000, everyMs: 300 })
  const found = await untilOver(api, `/evals/${(await read()).json.eval_id}`)
  expect(found).toMatchObject({ status: 'DONE', baseline_model: 'sim/weak', criterion_id: other.id })
  const version = (await api('GET', `/model_versions/${done.model_version_id}`)).json
  expect(version).toMatchObject({ parent_id: last.model_version_id, evidence: { independent: true } })
}, 290_000)

it('is adopted without force when people graded what it was trained on, and a judge that it never saw compared it', async () => {
  const path = `/model_versions/${last.model_version_id}`
  const { json: version } = await api('GET', path)
  const adopt = () => api('POST', `${path}/adopt`, { aliasName: 'support' })
  const missingOf = ({ json }: { readonly json: Json }) =>
    json.error.details.missing.map((row: Json) => row.requirement)
  expect(missingOf(await adopt())).toEqual(['eval', 'audit', 'force'])

  const audit = `/raft/rounds/${last.id}/audit`
  const answers = (await api('GET', audit)).json.data
  const labels = answers.map(({ rollout_id, completion }: Json) => {
    return { rollout_id, label: completion[0].content.includes('(flawed)') ? 'fail' : 'pass' }
  })
  const graded = await api('POST', '/labels', { labels })
  expect(graded.json).toMatchObject({ created: 30, rejected: [] })
  expect(graded.json.data[0]).toMatchObject({ ...labels[0], source: 'audit', criterion_id: null })
  const { json: found } = await api('GET', audit)
  expect(found.graded).toBe(30)
  expect(found.upper).toBeLessThanOrEqual(0.2)
  expect((await api('GET', path)).json.evidence.audit).toMatchObject({ graded: 30, false_pass: found.false_pass })
  expect(missingOf(await adopt())).toEqual(['eval', 'force'])

  const compare = async (judgeId: string) => {
    const order = {
      name: 'Round two',
      baseline_model: 'sim/weak',
      candidate_models: [version.model_id],
      criterion_id: judgeId,
    }
    const { json, text } = await api('POST', '/evals', {
      ...order,
      sample_filters: { dataset_id: proofDatasetId },
      sample_count: 100,
    })
    if (json?.id === undefined) throw new Error(text)
    return untilOver(api, `/evals/${json.id}`)
  }
  expect(await compare(judge.id)).toMatchObject({ status: 'DONE' })
  expect(missingOf(await adopt())).toEqual(['eval', 'force'])
  const other = await createJudge(api, 'sim-anthropic/judge-0.98-0.98', { name: 'Of another family' })
  expect(await calibrate(api, other.id)).toMatchObject({ trust: 'trustworthy' })
  expect(await compare(other.id)).toMatchObject({ status: 'DONE' })
  const adopted = await adopt()
  expect(adopted.json).toMatchObject({
    model_version: { status: 'adopted' },
    alias: { target_model: version.model_id },
  })
  expect((await api('GET', path)).json.evidence).toMatchObject({ independent: true })
}, 200_000)

function uuidIn(id: string): string {
  return id.slice(-32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
