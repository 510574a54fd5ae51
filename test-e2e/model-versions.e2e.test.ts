import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type Answered, readJson } from './fine-tuning/read-json.ts'
import type { Json } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

/* The whole loop by API alone: traffic, dataset, fine-tuning, version, eval, canary, promotion, rollback. */

let fleet: SharedFleet
let workspace: DemoWorkspace
const alias = 'support'
const base = 'sim/small'

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
}, 300_000)

const ask = (method: string, path: string, body?: object, { apiKey } = workspace): Promise<Answered> =>
  readJson(`${fleet.url}/v1${path}`, { method, apiKey, body })

const question = (index: number) => [
  { role: 'system', content: 'Answer in one sentence.' },
  { role: 'user', content: `Where is parcel ${index}? It was sent on day ${index} of the month.` },
]

async function chat(model: string, index: number) {
  const response = await fetch(`${fleet.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: question(index), max_tokens: 64 }),
  })
  await response.text()
  return { status: response.status, served: response.headers.get('x-svc-served-model') }
}

/** A client that knows the alias and nothing else, and asks it all the time. */
function keepAsking() {
  const answers: { readonly status: number; readonly served: string | null }[] = []
  let isOver = false
  const run = async () => {
    for (let index = 1_000; !isOver; index += 1) answers.push(await chat(alias, index))
  }
  const done = run()
  return {
    served: () => new Set(answers.map(({ served }) => served)),
    async stop() {
      isOver = true
      await done
      return answers.filter(({ status }) => status !== 200)
    },
  }
}

const untilServed = (model: string) =>
  eventually(async () => expect((await chat(alias, 1)).served).toBe(model), { withinMs: 10_000, everyMs: 100 })

it('goes from traffic to an adopted version and back, and a client of the alias notices nothing', async () => {
  expect((await ask('PUT', '/aliases', { name: alias, target_model: 'sim/medium' })).status).toBe(200)
  await untilServed('sim/medium')
  const client = keepAsking()
  await Promise.all(Array.from({ length: 60 }, (_, index) => chat('sim/quality-1', index)))
  const filters = { model: 'sim/quality-1' }
  await eventually(async () => expect((await ask('GET', '/logs?model=sim/quality-1&limit=1')).json.total).toBe(60), {
    withinMs: 45_000,
  })
  const curated = (await ask('POST', '/datasets/from_logs', { name: 'parcels', filters, holdout_pct: 30 })).json
  expect([curated.dataset.example_count > 20, curated.eval_dataset.example_count > 5]).toEqual([true, true])

  const created = await ask('POST', '/fine_tuning/jobs', {
    model: base,
    datasetId: curated.dataset.id,
    suffix: 'parcels',
    nCheckpoints: 1,
    afterTraining: { evalBaselineModel: 'sim/medium', judgeModel: 'sim/judge', sampleCount: 8 },
  })
  expect(created.json).toMatchObject({ eval_dataset_id: curated.eval_dataset.id })
  const job: Json = await eventually(
    async () => {
      const { json } = await ask('GET', `/fine_tuning/jobs/${created.json.id}`)
      return json.status === 'succeeded' && json.after_eval_id !== null ? json : null
    },
    { withinMs: 60_000, everyMs: 200 },
  )
  const versionPath = `/model_versions/${job.model_version_id}`
  const version = (await ask('GET', versionPath)).json
  expect(version).toMatchObject({
    model_id: job.fine_tuned_model,
    name: 'parcels',
    status: 'candidate',
    serving: { pool: 'none', provider: expect.stringMatching(/^sim\/quality-/) },
    produced_by: { type: 'fine_tuning', id: job.id },
  })
  await isOnlyOurs(version)

  await eventually(async () => expect((await ask('GET', `/evals/${job.after_eval_id}`)).json.status).toBe('DONE'), {
    withinMs: 60_000,
    everyMs: 200,
  })
  expect((await ask('GET', versionPath)).json).toMatchObject({
    eval_ids: [job.after_eval_id],
    evidence: { eval_id: job.after_eval_id, baseline_model: 'sim/medium' },
  })

  const adopted = await ask('POST', `${versionPath}/adopt`, { aliasName: alias, canaryPercent: 50, reason: 'Try it.' })
  expect(adopted.json).toMatchObject({
    model_version: { status: 'adopted', aliases: [{ name: alias, arm: 'canary', percent: 50 }] },
    alias: { target_model: 'sim/medium', canary_model: version.model_id, canary_percent: 50 },
  })
  await eventually(async () => expect(client.served()).toContain(version.model_id), { withinMs: 15_000 })
  expect((await ask('POST', `${versionPath}/archive`)).json.error.code).toBe('version_in_use')

  await ask('POST', `${versionPath}/adopt`, { aliasName: alias, canaryPercent: 100 })
  await untilServed(version.model_id)
  await eventually(
    async () => {
      const { json } = await ask('GET', `/logs?model=${encodeURIComponent(version.model_id)}&limit=1`)
      expect(json.total).toBeGreaterThan(0)
    },
    { withinMs: 45_000 },
  )

  expect((await ask('POST', `/aliases/${alias}/rollback`, {})).status).toBe(200)
  await untilServed('sim/medium')
  expect((await ask('GET', versionPath)).json).toMatchObject({ status: 'superseded', aliases: [] })
  expect((await ask('POST', `${versionPath}/adopt`, { aliasName: alias, canaryPercent: 100 })).status).toBe(200)
  await untilServed(version.model_id)

  expect(await client.stop()).toEqual([])
  expect([...client.served()].toSorted()).toEqual([version.model_id, 'sim/medium'].toSorted())
  const { json: lineage } = await ask('GET', `${versionPath}/lineage`)
  const types = new Set(lineage.nodes.map(({ type }: Json) => type))
  expect(types).toEqual(
    new Set(['log_filters', 'dataset', 'job', 'checkpoint', 'version', 'eval', 'adoption', 'promotion']),
  )
  expect((await ledgerAtRest(fleet, workspace)).violations).toEqual([])
}, 240_000)

/** The version answers its workspace, at the price of its base; to others it is a name like any other. */
async function isOnlyOurs({ model_id: name }: Json) {
  await eventually(async () => expect((await chat(name, 2)).status).toBe(200), { withinMs: 10_000 })
  const models = (await ask('GET', '/models')).json.data
  const priceOf = (id: string) => models.find((model: Json) => model.id === id)?.pricing
  expect(models.find((model: Json) => model.id === name)).toMatchObject({ owned_by: 'workspace' })
  expect(priceOf(name)).toEqual(priceOf(base))
  const other = await createDemoWorkspace(fleet.databaseUrl)
  const asked = (model: string) => ask('POST', '/chat/completions', { model, messages: question(3) }, other)
  const absentName = `${name.slice(0, -8)}aaaaaaaa`
  const [foreign, absent] = [await asked(name), await asked(absentName)]
  expect(foreign.status).toBe(404)
  // Only what was asked, and the id of the request, differ.
  const same = ({ text }: Answered, model: string) => text.replaceAll(model, 'NAME').replace(/"request_id":"[^"]*"/, '')
  expect(same(foreign, name)).toBe(same(absent, absentName))
  expect((await ask('GET', '/models', undefined, other)).json.data.some((model: Json) => model.id === name)).toBe(false)
}
