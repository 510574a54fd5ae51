import { randomBytes, randomUUID } from 'node:crypto'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { connectPool } from '@ratchet/db/connect-pool'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from '../clients.ts'
import {
  type Api,
  apiOf,
  calibrate,
  createJudge,
  findGrades,
  gradeListed,
  type Json,
  untilOver,
} from '../judged-traffic.ts'
import type { RunningFleet } from '../shared-fleet/shared-fleet.ts'
import { workspaceWith } from '../workspace-with.ts'
import type { SessionKind, ThingKind } from './references.ts'

/** The name of one object of each kind. Those of people are made with a session. */
export type Things = Readonly<Record<Exclude<ThingKind, SessionKind>, string> & Partial<Record<SessionKind, string>>>

export interface Tenant {
  readonly workspace: DemoWorkspace
  readonly api: Api
  readonly things: Things
}

/** Number of exchanges of a tenant: enough to calibrate a judge and to improve its prompt. */
const exchanges = 60

/** Creates a workspace with one object of each kind through the API, and waits until no work runs. */
export async function createTenant(fleet: RunningFleet, name: string): Promise<Tenant> {
  const workspace = await workspaceWith(fleet, { loggingEnabled: true })
  const api = apiOf(fleet, workspace)
  const alias = `${name}-bot`
  await made(api, 'PUT', '/aliases', { name: alias, target_model: 'sim/quality-0.5' })
  // One trace of requests through the gateway, and of spans that an exporter of OTLP sends.
  const trace = randomBytes(16).toString('hex')
  const logs = await logged(fleet, { api, apiKey: workspace.apiKey, alias, trace })
  const span = await sendSpan(api, trace)
  const webhook = await made(api, 'POST', '/webhooks', { url: 'https://127.0.0.1:9443/hook', events: ['eval.done'] })
  const judged = await judge(api)
  const evaluation = await evaluate(api)
  const dataset = (await made(api, 'POST', '/datasets', { name: 'Examples', examples })).dataset.id
  const run = await reinforce(api)
  const things = {
    ...judged,
    alias,
    trace,
    span,
    log: logs[0].id,
    segment: logs[0].segment,
    response: (await made(api, 'POST', '/responses', { model: 'sim/echo', input: 'Hi.' })).id,
    dataset,
    run,
    rollout: await insertRollout(fleet, { workspaceId: workspace.workspaceId, run }),
    ...(await train(api, dataset)),
    tool: (await made(api, 'POST', '/environment_tools', aTool)).id,
    dedicated_endpoint: await serve(api),
    raft_round: await insertRound(fleet, { workspaceId: workspace.workspaceId, criterion: judged.criterion, dataset }),
    file: await upload(fleet, workspace.apiKey),
    ...(await runBatch(fleet, { api, apiKey: workspace.apiKey })),
    eval: evaluation.id,
    sample: (await api('GET', `/evals/${evaluation.id}/samples?limit=1`)).json.data[0].id,
    webhook: webhook.id,
    delivery: await firstDelivery(api, webhook.id),
    key: workspace.keyId,
  }
  return { workspace, api, things }
}

const example = (index: number) => ({
  messages: [
    { role: 'user', content: `Where is parcel ${index}?` },
    { role: 'assistant', content: 'On its way.' },
  ],
})
const examples = Array.from({ length: 20 }, (_, index) => example(index))

const aTool = {
  name: 'lookup',
  description: 'Looks up.',
  parameters: { type: 'object' },
  kind: 'static',
  static: { result: 'found' },
}

async function made(api: Api, method: string, path: string, body: object): Promise<Json> {
  const { status, json, text } = await api(method, path, body)
  if (status > 299) throw new Error(`${method} ${path}: ${status}: ${text}`)
  return json
}

/** Sends a span of an agent, as an exporter of OTLP does. Returns its id. */
export async function sendSpan(api: Api, traceId: string): Promise<string> {
  const nanos = `${Date.now()}000000`
  const spanId = randomBytes(8).toString('hex')
  const span = { traceId, spanId, name: 'run', startTimeUnixNano: nanos }
  const spans = [{ ...span, endTimeUnixNano: nanos, attributes: [] }]
  await made(api, 'POST', '/traces', { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] })
  return spanId
}

interface Talk {
  readonly api: Api
  readonly apiKey: string
  readonly alias: string
  readonly trace: string
}

/** Sends requests and waits until all are logged. */
async function logged(fleet: RunningFleet, talk: Talk): Promise<Json> {
  // Each inference process reads a new alias at another time.
  await eventually(() => ask(fleet, talk, 0), { withinMs: 45_000, everyMs: 50 })
  for (let index = 1; index < exchanges; index += 1) {
    if (!(await ask(fleet, talk, index))) throw new Error(`question ${index} was not answered`)
  }
  return eventually(
    async () => {
      const { json } = await talk.api('GET', `/logs?alias=${talk.alias}&limit=200`)
      return json.data.length === exchanges ? json.data : null
    },
    { withinMs: 45_000, everyMs: 100 },
  )
}

async function ask(fleet: RunningFleet, { apiKey, alias, trace }: Talk, index: number): Promise<boolean> {
  const messages = [
    { role: 'system', content: `You answer questions for ${alias}.` },
    { role: 'user', content: `Question ${index}: why does item ${index} of the list matter?` },
  ]
  const headers = { 'x-svc-trace-id': trace }
  const answer = await postChat(fleet, { model: alias, apiKey, headers, body: { messages } })
  await answer.text()
  return answer.status === 200
}

/** Creates a judge with grades, a calibration, a scan, and suggestions. */
async function judge(api: Api) {
  const criterion = (await createJudge(api, 'sim/judge-0.9-0.9')).id
  await gradeListed(api, criterion, { limit: 1_000, rationale: 'It contradicts itself.' })
  const calibration = (await calibrate(api, criterion)).id
  const scan = (await made(api, 'POST', `/criteria/${criterion}/scan`, { sample_count: 5 })).id
  const suggestion = (await made(api, 'POST', '/criteria/suggest', { max_suggestions: 1, model: 'sim/large' })).id
  const requested = { max_iterations: 1, model: 'sim/large' }
  const improvement = (await made(api, 'POST', `/criteria/${criterion}/improve`, requested)).id
  for (const path of [
    `${criterion}/scans/${scan}`,
    `suggest/${suggestion}`,
    `${criterion}/improvements/${improvement}`,
  ]) {
    await untilOver(api, `/criteria/${path}`)
  }
  const label = (await api('GET', '/labels')).json.data[0].id
  return { criterion, label, calibration, scan, suggestion, improvement, ...(await cascadeOf(api, criterion)) }
}

/** Creates a cascade with a calibration and a scan. */
async function cascadeOf(api: Api, criterion: string) {
  const { id: last } = await createJudge(api, 'sim/judge-1-1')
  await findGrades(api, last)
  const members = [{ criterion_id: criterion }, { criterion_id: last }]
  const cascade = (await made(api, 'POST', '/cascades', { name: 'Two judges', members })).id
  await made(api, 'POST', `/cascades/${cascade}/calibrate`, {})
  await eventually(async () => (await api('GET', `/cascades/${cascade}`)).json.can_scan, { withinMs: 60_000 })
  const scan = (await made(api, 'POST', `/cascades/${cascade}/scan`, { sample_count: 5 })).id
  await untilOver(api, `/cascades/${cascade}/scans/${scan}`)
  return { cascade, cascade_scan: scan }
}

async function evaluate(api: Api): Promise<Json> {
  const { id } = await made(api, 'POST', '/evals', {
    name: 'Small',
    rubric: 'The answer is right.',
    judge_model: 'sim/judge-1-1',
    sample_count: 5,
    // Each sample is decided, so that there are preferred answers.
    baseline_model: 'sim/quality-0',
    candidate_models: ['sim/quality-1'],
  })
  return untilOver(api, `/evals/${id}`)
}

/** A batch that has ended, and the file that it was made of. */
async function runBatch(fleet: RunningFleet, { api, apiKey }: { api: Api; apiKey: string }) {
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: { model: 'sim/echo', messages } }
  const input = await upload(fleet, apiKey, { purpose: 'batch', lines: [line] })
  const order = { input_file_id: input, endpoint: line.url, completion_window: '24h' }
  const { id: batch } = await made(api, 'POST', '/batches', order)
  await eventually(async () => (await api('GET', `/batches/${batch}`)).json.status === 'completed')
  return { batch, batch_input: input }
}

const messages = [{ role: 'user', content: 'Hi.' }]

async function upload(
  fleet: RunningFleet,
  apiKey: string,
  { purpose = 'fine-tune', lines = examples }: { purpose?: string; lines?: readonly object[] } = {},
): Promise<string> {
  const body = new FormData()
  body.set('purpose', purpose)
  body.set('file', new File([lines.map((each) => `${JSON.stringify(each)}\n`).join('')], 'examples.jsonl'))
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await fetch(`${fleet.url}/v1/files`, { method: 'POST', headers, body })
  return ((await response.json()) as { id: string }).id
}

/** The delivery fails, because no server listens at the address. */
function firstDelivery(api: Api, webhook: string): Promise<string> {
  return eventually(
    async () => {
      const { json } = await api('GET', `/webhooks/${webhook}/deliveries`)
      return json.data[0]?.attempts.length > 0 ? json.data[0].id : null
    },
    { withinMs: 45_000, everyMs: 100 },
  )
}

/** A round that is done, as a worker would have left it: its judge would have to be proven with hundreds of grades. */
async function insertRound(
  { databaseUrl }: RunningFleet,
  {
    workspaceId,
    criterion,
    dataset,
  }: { readonly workspaceId: string; readonly criterion: string; readonly dataset: string },
): Promise<string> {
  const id = randomUUID()
  const request = {
    baseModel: 'sim/small',
    datasetId: dataset,
    criterionId: criterion,
    maxCostUsd: 1,
    samplesPerPrompt: 2,
    minPrecision: 0.85,
  }
  const criterionId = uuidOf('criterion', criterion)
  const judges = [
    { role: 'reward', criterionId, judgeModel: 'sim/judge', prompt: 'Wrong.', instrument: 1, trust: 'trustworthy' },
  ]
  const pool = connectPool({ databaseUrl, max: 1 })
  await pool.query(
    `INSERT INTO raft_round (id, workspace_id, status, base_model, start_model, chain_id, round_index, criterion_id, source_dataset_id,
       settings, judges, warnings, max_cost_nano, created_by, created_at, finished_at)
     VALUES ($1, $2, 'done', 'sim/small', 'sim/small', $1, 0, $3, $4, $5, $6, '[]', 1000, $1, now(), now())`,
    [
      ...[id, workspaceId, criterionId, uuidOf('dataset', dataset)],
      ...[JSON.stringify({ request, seed: 1, prompts: 20 }), JSON.stringify(judges)],
    ],
  )
  await pool.end()
  return publicId('raftRound', id)
}

async function train(api: Api, datasetId: string): Promise<{ readonly job: string; readonly model_version: string }> {
  const { id } = await made(api, 'POST', '/fine_tuning/jobs', { model: 'sim/small', datasetId })
  await eventually(async () => (await api('GET', `/fine_tuning/jobs/${id}`)).json.status === 'succeeded', {
    withinMs: 60_000,
    everyMs: 200,
  })
  const job = (await api('GET', `/fine_tuning/jobs/${id}`)).json
  return { job: id, model_version: job.model_version_id }
}

/** An endpoint that has stopped, so that reads stay as they are. */
async function serve(api: Api): Promise<string> {
  const { id } = await made(api, 'POST', '/dedicated/endpoints', {
    name: 'Own',
    model: 'sim/small',
    hardware: 'sim-1x',
    adapters: [],
  })
  await made(api, 'POST', `/dedicated/endpoints/${id}/stop`, {})
  await eventually(async () => (await api('GET', `/dedicated/endpoints/${id}`)).json.state === 'STOPPED', {
    withinMs: 60_000,
    everyMs: 200,
  })
  return id
}

/** A run that is cancelled, so that it costs nothing and reads stay as they are. */
async function reinforce(api: Api): Promise<string> {
  const prompts = (word: string) =>
    Array.from({ length: 40 }, (_, index) => ({
      messages: [
        { role: 'user', content: `Where is ${word} ${index}?` },
        { role: 'assistant', content: 'On its way.' },
      ],
    }))
  const dataset = await made(api, 'POST', '/datasets', { name: 'Prompts', examples: prompts('order') })
  const heldOut = await made(api, 'POST', '/datasets', { name: 'Held out', examples: prompts('letter') })
  const { id } = await made(api, 'POST', '/grpo/runs', {
    baseModel: 'sim/small',
    datasetId: dataset.dataset.id,
    evalDatasetId: heldOut.dataset.id,
    reward: { functions: [{ type: 'length' }] },
    maxCostUsd: 1,
  })
  await made(api, 'POST', `/grpo/runs/${id}/cancel`, {})
  return id
}

/** An answer of a look, as a trainer would have left it before the run was cancelled. */
async function insertRollout(
  { databaseUrl }: RunningFleet,
  { workspaceId, run }: { readonly workspaceId: string; readonly run: string },
): Promise<string> {
  const [id, step, runId] = [randomUUID(), randomUUID(), uuidOf('grpoRun', run)]
  const pool = connectPool({ databaseUrl, max: 1 })
  await pool.query(
    `INSERT INTO grpo_step (id, run_id, kind, step, workspace_id, state, groups, first_groups, samples, created_at)
     VALUES ($1, $2, 'look', 1, $3, 'rewarded', '[0]', 1, 1, now())`,
    [step, runId, workspaceId],
  )
  await pool.query(
    `INSERT INTO grpo_rollout (id, step_id, run_id, workspace_id, "group", index, completion, token_ids, logprobs, sampled_tokens,
       truncated, adapter_version, reward, created_at)
     VALUES ($1, $2, $3, $4, 0, 0, $5, '[1]', '[0]', 1, false, 1, 1, now())`,
    [id, step, runId, workspaceId, JSON.stringify([{ role: 'assistant', content: 'On its way.' }])],
  )
  await pool.end()
  return publicId('rollout', id)
}
