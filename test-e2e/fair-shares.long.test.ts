import { randomBytes } from 'node:crypto'
import { type ClientRequest, request } from 'node:http'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, createJudge, sendTraffic, untilOver } from './judged-traffic.ts'
import { workspaceWith } from './workspace-with.ts'

/** A workspace and its requests through the edge. */
interface Tenant {
  readonly workspace: DemoWorkspace
  readonly api: Api
  /** Sends a body that is not JSON, or that has other headers. */
  send(path: string, init: RequestInit): Promise<{ readonly status: number; readonly text: string }>
}

/** Something that workspaces share. */
interface SharedResource {
  readonly name: string
  /** Starts the attack of one workspace on it. Resolves when the attack has begun, with a function that ends it. */
  readonly attack: (attacker: Tenant) => Promise<() => Promise<unknown>>
  /** Done once for each tenant before anything is measured. */
  readonly prepare?: (tenant: Tenant) => Promise<unknown>
  /** One use of it by another workspace. Rejects when it is refused. */
  readonly use: (tenant: Tenant) => Promise<unknown>
  /** Uses that are measured, without and with the attack. */
  readonly uses: number
}

/**
 * Milliseconds that a use may take longer than twice its time without the attack, because client and fleet of the attack
 * share the processors with it.
 */
const allowanceMs = 500
/** A busy machine delays some measurements; a resource without fair shares delays all. */
const attempts = 4
const slowMs = 2_000
/** Rows that one scan or eval of the attacker has. */
const rows = 40

let fleet: Fleet

beforeAll(async () => {
  const env = {
    ABUSE_GUARD_LIMIT: '1000000',
    BODIES_MAX_BYTES: '8000000',
    JUDGE_CONCURRENCY: '4',
    EVAL_CONCURRENCY: '4',
  }
  fleet = await startFleet({ judges: true, evals: true, training: true, env })
  const script = { behaviour: `slow-${slowMs}`, count: 1_000_000 }
  await fleet.provider.script({ model: 'sim/judge-0.9-0.9', ...script })
  await fleet.provider.script({ model: 'sim/quality-0.5', ...script })
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

async function newTenant(): Promise<Tenant> {
  const workspace = await workspaceWith(fleet, { loggingEnabled: true })
  const authorization = `Bearer ${workspace.apiKey}`
  return {
    workspace,
    api: apiOf(fleet, workspace),
    async send(path, { headers, ...init }) {
      const response = await fetch(`${fleet.url}${path}`, { ...init, headers: { authorization, ...headers } })
      return { status: response.status, text: await response.text() }
    },
  }
}

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Repeats a request in so many loops until it is ended. Answers do not matter, refusals included. */
function repeat(loops: number, send: () => Promise<unknown>): () => Promise<unknown> {
  let isEnded = false
  const loop = async () => {
    while (!isEnded) await send()
  }
  const running = Promise.all(Array.from({ length: loops }, loop))
  return () => {
    isEnded = true
    return running
  }
}

function requireStatus({ status, text }: { readonly status: number; readonly text: string }, ...expected: number[]) {
  if (!expected.includes(status)) throw new Error(`${status}: ${text.slice(0, 300)}`)
}

const chat = (content: string, more: object = {}) => ({
  model: 'sim/echo',
  messages: [{ role: 'user', content }],
  ...more,
})

const bodies: SharedResource = {
  name: 'memory for request bodies',
  async attack({ workspace }) {
    const ending = new AbortController()
    for (let bytes = 600_000; bytes > 100; ) {
      const url = `data:image/png;base64,${'A'.repeat(bytes)}`
      const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
      const call = { model: 'sim/stall-400', stream: true, body: { messages, max_tokens: 5 }, signal: ending.signal }
      const { status } = await postChat(fleet, { ...call, apiKey: workspace.apiKey })
      if (status !== 200) bytes = Math.floor(bytes / 3)
    }
    return async () => ending.abort()
  },
  use: async ({ send }) => requireStatus(await send('/v1/chat/completions', json(chat('Why? '.repeat(500)))), 200),
  uses: 40,
}

const judging: SharedResource = {
  name: 'places of the judging worker',
  prepare: ({ workspace }) => sendTraffic(fleet, workspace, { model: 'sim/quality-0.6', count: rows }),
  async attack({ api }) {
    for (let scan = 0; scan < 3; scan += 1) await startScan(api, 'sim/judge-0.9-0.9', rows)
    return async () => undefined
  },
  async use({ api }) {
    const { status } = await untilOver(api, await startScan(api, 'sim/judge-1-1', 3))
    if (status !== 'DONE') throw new Error(`the scan ended as ${status}`)
  },
  uses: 5,
}

async function startScan(api: Api, judgeModel: string, count: number): Promise<string> {
  const { id: criterionId } = await createJudge(api, judgeModel, { name: `Sound ${randomBytes(4).toString('hex')}` })
  const scan = await api('POST', `/criteria/${criterionId}/scan`, { sample_count: count })
  requireStatus(scan, 202)
  return `/criteria/${criterionId}/scans/${scan.json.id}`
}

const evals: SharedResource = {
  name: 'places of the eval worker',
  prepare: judging.prepare ?? (async () => undefined),
  async attack({ api }) {
    for (let run = 0; run < 3; run += 1) await startEval(api, 'sim/quality-0.5', rows)
    return async () => undefined
  },
  async use({ api }) {
    const { status, error } = await untilOver(api, await startEval(api, 'sim/small', 5))
    if (status !== 'DONE') throw new Error(`the eval ended as ${status}: ${error}`)
  },
  uses: 5,
}

async function startEval(api: Api, candidate: string, count: number): Promise<string> {
  const order = await api('POST', '/evals', {
    name: 'Fair',
    rubric: 'The answer is right.',
    baseline_model: 'sim/medium',
    candidate_models: [candidate],
    sample_count: count,
    judge_model: 'sim/judge-1-1',
  })
  requireStatus(order, 200)
  return `/evals/${order.json.id}`
}

const files: SharedResource = {
  name: 'connections for files',
  async attack(attacker) {
    const content = randomBytes(4_000_000)
    return repeat(12, () => upload(attacker, content))
  },
  use: async (tenant) => requireStatus(await upload(tenant, randomBytes(10_000)), 200),
  uses: 25,
}

function upload({ send }: Tenant, content: Uint8Array<ArrayBuffer>) {
  const form = new FormData()
  form.append('file', new Blob([content]), 'a.jsonl')
  form.append('purpose', 'fine-tune')
  return send('/v1/files', { method: 'POST', body: form })
}

const cached = { 'content-type': 'application/json', 'x-svc-cache': 'on' }

const cache: SharedResource = {
  name: 'response cache',
  prepare: ({ send }) => send('/v1/chat/completions', { ...json(chat('cached')), headers: cached }),
  async attack({ send }) {
    let count = 0
    return repeat(4, () => {
      count += 1
      const body = chat(`${count} ${'x'.repeat(20_000)}`, { max_tokens: 6_000 })
      return send('/v1/chat/completions', { ...json(body), headers: cached })
    })
  },
  async use({ workspace }) {
    const call = { model: 'sim/echo', content: 'cached', headers: cached, apiKey: workspace.apiKey }
    // While Redis is slow a request is answered by the model, and its answer is stored again.
    await eventually(async () => {
      const response = await postChat(fleet, { ...call, body: chat('cached') })
      requireStatus({ status: response.status, text: await response.text() }, 200)
      return response.headers.get('x-svc-cache') === 'hit'
    })
  },
  uses: 40,
}

const logReads: SharedResource = {
  name: 'reads of the log',
  prepare: async ({ send }) => {
    const entry = (n: number) => ({
      model: 'acme/fast',
      messages: [{ role: 'user', content: `Mail ${n} ${'about the order '.repeat(40)}` }],
      response: { role: 'assistant', content: `Folder ${n}` },
    })
    const body = Array.from({ length: 2_000 }, (_, n) => JSON.stringify(entry(n))).join('\n')
    const headers = { 'content-type': 'application/jsonl' }
    requireStatus(await send('/v1/logs/import', { method: 'POST', headers, body }), 200)
  },
  attack: async ({ api }) => repeat(96, () => api('GET', '/logs?limit=200&offset=1500&q=order')),
  use: async ({ api }) => requireStatus(await api('GET', '/logs?limit=5'), 200),
  uses: 25,
}

const spans: SharedResource = {
  name: 'ingest of traces',
  async attack(attacker) {
    const held = await Promise.all(Array.from({ length: 16 }, () => holdExport(attacker)))
    const end = repeat(8, () => exportSpans(attacker, 1_500))
    return () => {
      for (const request of held) request.destroy()
      return end()
    }
  },
  use: async (tenant) => requireStatus(await exportSpans(tenant, 1), 200),
  uses: 25,
}

/** Begins an export whose body does not end. */
function holdExport({ workspace }: Tenant): Promise<ClientRequest> {
  const headers = {
    authorization: `Bearer ${workspace.apiKey}`,
    'content-type': 'application/json',
    'content-length': '100000',
  }
  const begun = request(`${fleet.url}/v1/traces`, { method: 'POST', headers })
  begun.on('error', () => undefined)
  return new Promise((resolve) => {
    begun.write('{', () => resolve(begun))
  })
}

function exportSpans({ send }: Tenant, count: number) {
  const traceId = randomBytes(16).toString('hex')
  const at = String(BigInt(Date.now()) * 1_000_000n)
  const exported = Array.from({ length: count }, () => ({
    traceId,
    spanId: randomBytes(8).toString('hex'),
    name: 'tool call',
    startTimeUnixNano: at,
    endTimeUnixNano: at,
    attributes: [{ key: 'note', value: { stringValue: 'Mail about the order. '.repeat(20) } }],
  }))
  return send('/v1/traces', json({ resourceSpans: [{ scopeSpans: [{ spans: exported }] }] }))
}

const examples: SharedResource = {
  name: 'threads that read and redact uploads',
  async attack(attacker) {
    const call = (n: number) => ({ id: `c${n}`, type: 'function', function: { name: 'f', arguments: manyNumbers } })
    const calls = Array.from({ length: 20_000 }, (_, n) => call(n))
    const large = example({ role: 'assistant', content: null, tool_calls: calls })
    const form = datasetForm(large)
    return repeat(8, () => attacker.send('/v1/datasets', form))
  },
  async use({ send }) {
    const content = `${randomBytes(4).toString('hex')} ${'We reply within two days. '.repeat(1_000)}`
    requireStatus(await send('/v1/datasets', datasetForm(example({ role: 'assistant', content }))), 201)
  },
  uses: 15,
}

const manyNumbers = JSON.stringify(Array.from({ length: 60 }, (_, n) => n))
const example = (answer: object) => JSON.stringify({ messages: [{ role: 'user', content: 'When?' }, answer] })

/** A form with one file, as bytes, so that sending it often costs the client little. */
function datasetForm(content: string): RequestInit {
  const head = 'content-disposition: form-data; name="file"; filename="a.jsonl"\r\ncontent-type: application/jsonl'
  const body = Buffer.from(`--limit\r\n${head}\r\n\r\n${content}\r\n--limit--\r\n`)
  return { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=limit' }, body }
}

const trainingData: SharedResource = {
  name: 'turns of reading training data',
  async attack(tenant) {
    const file = await uploadExamples(tenant, 8_000)
    const jobs: string[] = []
    for (let seed = 0; seed < 12; seed += 1) jobs.push(await startJob(tenant, file, seed))
    return () => Promise.all(jobs.map((id) => tenant.api('POST', `/fine_tuning/jobs/${id}/cancel`)))
  },
  async use(tenant) {
    const id = await startJob(tenant, await uploadExamples(tenant, 20), 1)
    const isRead = async () => (await tenant.api('GET', `/fine_tuning/jobs/${id}`)).json.status !== 'validating_files'
    await eventually(isRead, { withinMs: 120_000, everyMs: 50 })
  },
  uses: 6,
}

async function uploadExamples(tenant: Tenant, count: number): Promise<string> {
  const line = (n: number) => example({ role: 'assistant', content: `${n} ${'We reply soon. '.repeat(300)}` })
  const lines = Array.from({ length: count }, (_, n) => line(n)).join('\n')
  const stored = await upload(tenant, new TextEncoder().encode(lines))
  requireStatus(stored, 200)
  return JSON.parse(stored.text).id
}

/** Costs a micro-dollar at most. */
async function startJob({ api }: Tenant, trainingFile: string, seed: number): Promise<string> {
  const job = await api('POST', '/fine_tuning/jobs', { model: 'sim/small', trainingFile, seed, maxCostUsd: 0.000001 })
  requireStatus(job, 200)
  return job.json.id
}

/** The time below which 99 of 100 uses stay: with fewer uses, the longest. Milliseconds. */
async function p99Of(resource: SharedResource, tenant: Tenant): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < resource.uses; n += 1) {
    const startedAt = performance.now()
    await resource.use(tenant)
    times.push(performance.now() - startedAt)
  }
  return times.toSorted((a, b) => a - b)[Math.ceil(0.99 * times.length) - 1] ?? 0
}

it.each([bodies, judging, evals, files, cache, logReads, spans, examples, trainingData])(
  'gives a workspace its share of the $name while another one does its worst',
  async (resource) => {
    const [attacker, other] = await Promise.all([newTenant(), newTenant()])
    await resource.prepare?.(attacker)
    await resource.prepare?.(other)
    await resource.use(other)
    const measured: string[] = []
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const quietMs = await p99Of(resource, other)
      const attackedMs = await p99During(resource, { attacker, other })
      if (attackedMs < 2 * quietMs + allowanceMs) return
      measured.push(`${Math.round(attackedMs)} ms, before ${Math.round(quietMs)} ms`)
    }
    throw new Error(`the attack delays another workspace: ${measured.join('; ')}`)
  },
  240_000,
)

async function p99During(
  resource: SharedResource,
  { attacker, other }: { readonly attacker: Tenant; readonly other: Tenant },
): Promise<number> {
  const end = await resource.attack(attacker)
  try {
    return await p99Of(resource, other)
  } finally {
    await end()
  }
}
