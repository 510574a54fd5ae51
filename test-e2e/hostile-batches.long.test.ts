import { readFileSync } from 'node:fs'
import { maxBatchBytes, maxUnfinishedBatches } from '@ratchet/contracts/batches'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { correctWallet } from '@ratchet/db/correct-wallet'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, type Json } from './judged-traffic.ts'
import { workspaceWith } from './workspace-with.ts'

/* What a workspace tries with batches. */

let fleet: Fleet
let operator: Pool
beforeAll(async () => {
  fleet = await startFleet({ evals: true, env: { ABUSE_GUARD_LIMIT: '1000000' } })
  operator = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
}, 300_000)
afterAll(async () => {
  await operator?.end()
  await fleet?.stop()
}, 180_000)

interface Tenant {
  readonly workspaceId: string
  readonly apiKey: string
  readonly keyId: string
  readonly api: Api
}

/** A workspace with a million dollars, which cover the largest files. */
async function tenant(): Promise<Tenant> {
  const workspace = await workspaceWith(fleet)
  const change = { amountNano: 10n ** 15n, reference: workspace.workspaceId, reason: 'a test' }
  await correctWallet(operator, { pool: operator }, { workspaceId: workspace.workspaceId, ...change })
  return { ...workspace, api: apiOf(fleet, workspace) }
}

async function upload({ apiKey }: Tenant, text: string): Promise<string> {
  const form = new FormData()
  form.set('purpose', 'batch')
  form.set('file', new Blob([text]), 'input.jsonl')
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await fetch(`${fleet.url}/v1/files`, { method: 'POST', headers, body: form })
  return ((await response.json()) as Json).id
}

const chat = '/v1/chat/completions'
const lineOf = (id: number, endpoint: string, body: string) =>
  `{"custom_id":"c${id}","method":"POST","url":"${endpoint}","body":${body}}`
const create = ({ api }: Tenant, inputFile: string, endpoint = chat) =>
  api('POST', '/batches', { input_file_id: inputFile, endpoint, completion_window: '24h' })

const memoryOf = (pid: number) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024

/** The longest time that a chat, and a list of batches, of another workspace took while something was done, milliseconds. */
async function longestDuring(other: Tenant, work: () => Promise<unknown>) {
  const longest = { chat: 0, list: 0 }
  let isOver = false
  const probe = async (name: keyof typeof longest, send: () => Promise<{ readonly status: number }>) => {
    while (!isOver) {
      const fromMs = performance.now()
      expect((await send()).status).toBe(200)
      longest[name] = Math.max(longest[name], performance.now() - fromMs)
    }
  }
  const call = { model: 'sim/echo', body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 } }
  const probes = Promise.all([
    probe('chat', () => postChat(fleet, { ...call, apiKey: other.apiKey })),
    probe('list', () => other.api('GET', '/batches')),
  ])
  await work().finally(() => {
    isOver = true
  })
  await probes
  return longest
}

/** Longer than a busy machine keeps a process from answering. */
const longMs = 1_500

it.each([
  [
    'with long texts',
    chat,
    () => `{"model":"sim/echo","max_tokens":1,"messages":[{"role":"user","content":"${'a'.repeat(2_000_000)}"}]}`,
  ],
  [
    'with very many values',
    '/v1/embeddings',
    () => `{"model":"sim/embed","input":[${Array(400_000).fill(7).join(',')}]}`,
  ],
])(
  'checks many of the largest files %s at once, without the memory and the time of others',
  async (_how, endpoint, bodyOf) => {
    const [attacker, other] = [await tenant(), await tenant()]
    const line = lineOf(0, endpoint, bodyOf())
    const count = Math.floor(maxBatchBytes / (line.length + 10))
    const lines = Array.from({ length: count }, (_, n) => line.replace('"c0"', `"c${n}"`))
    const file = await upload(attacker, lines.join('\n'))
    const before = memoryOf(fleet.eval.pid)
    const statuses: number[] = []
    const longest = await longestDuring(other, async () => {
      const created = Array.from({ length: maxUnfinishedBatches }, () => create(attacker, file, endpoint))
      statuses.push(...(await Promise.all(created)).map(({ status }) => status))
    })
    expect(statuses).toContain(200)
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(longest.chat).toBeLessThan(longMs)
    expect(longest.list).toBeLessThan(longMs)
    expect(memoryOf(fleet.eval.pid) - before).toBeLessThan(400 * mebibyte)
  },
  300_000,
)

it('sends no request for a key that was revoked, and returns what was held', async () => {
  const attacker = await tenant()
  await fleet.provider.script({ model: 'sim/echo', behaviour: 'slow-1000', count: 1_000_000 })
  const body = '{"model":"sim/echo","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}'
  const file = await upload(attacker, Array.from({ length: 2_000 }, (_, n) => lineOf(n, chat, body)).join('\n'))
  const { json: batch } = await create(attacker, file)
  await eventually(async () => {
    const { json } = await attacker.api('GET', `/batches/${batch.id}`)
    expect(json.request_counts.completed).toBeGreaterThan(0)
  })
  await operator.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [attacker.keyId])
  const ended = await eventually(
    async () => {
      const { rows } = await operator.query(
        'SELECT status, completed, failed, total FROM batch WHERE workspace_id = $1',
        [attacker.workspaceId],
      )
      expect(rows[0]).toMatchObject({ status: 'completed', total: 2_000 })
      return rows[0]
    },
    { withinMs: 60_000 },
  )
  expect(ended.completed).toBeLessThan(200)
  const { rows } = await operator.query('SELECT held::int FROM wallet WHERE workspace_id = $1', [attacker.workspaceId])
  expect(rows).toEqual([{ held: 0 }])
}, 120_000)
