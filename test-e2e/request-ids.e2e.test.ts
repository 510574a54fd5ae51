import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'
import { type ChatCall, postChat } from './clients.ts'
import { readLog } from './logged-exchanges.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
}, 300_000)

let keys = 0

/** Sends a chat request with an unused `Idempotency-Key`, unless the call has one. */
async function chat(call: ChatCall) {
  keys += 1
  const headers = { 'idempotency-key': `key-${keys}`, ...call.headers }
  const response = await postChat(fleet, { ...call, headers, apiKey: workspace.apiKey })
  const requestId = response.headers.get('x-request-id')
  if (requestId === null) throw new Error('the answer has no X-Request-Id')
  return { requestId, status: response.status, text: await readAll(response) }
}

/** Reads a body to its end, or until its connection breaks, which is how a failed stream ends. */
async function readAll(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk)
  } catch {
    // A broken connection: the received chunks are the result.
  }
  return Buffer.concat(chunks).toString()
}

/** Lines that the inference process logged about a request. */
function linesOf(requestId: string): Record<string, unknown>[] {
  return fleet.inference.log.filter((line) => line.includes(requestId)).map((line) => JSON.parse(line))
}

async function expectLine(requestId: string, line: object): Promise<void> {
  await eventually(() => expect(linesOf(requestId)).toContainEqual(expect.objectContaining({ ...line, requestId })))
}

/** Billing ids of the workspace's requests. */
async function billingIds(): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ request_id: string }>(
      'SELECT request_id FROM ledger_request WHERE wallet_id = $1',
      [workspace.workspaceId],
    )
    return rows.map(({ request_id }) => request_id)
  } finally {
    await client.end()
  }
}

describe('under an Idempotency-Key, the id in X-Request-Id', () => {
  it("is the id in a stream's error frame", async () => {
    const { requestId, text } = await chat({ model: 'sim/malformed', stream: true })
    const frames = text.split('\n\n').filter((frame) => frame.includes('"error"'))
    expect(frames).toHaveLength(1)
    expect(JSON.parse(frames[0]?.replace(/^data: /, '') ?? '').error.request_id).toBe(requestId)
  })

  it('is the id in the body of an error and in the line that the service logs about it', async () => {
    const { requestId, status, text } = await chat({ model: 'sim/fail-500' })
    expect([status, JSON.parse(text).error.request_id]).toEqual([502, requestId])
    await expectLine(requestId, { code: 'upstream_error' })
  })

  it('is the id in the log lines about a retry and a fallback', async () => {
    const { requestId, status } = await chat({ model: 'sim/fail-500', body: { models: ['sim/echo'] } })
    expect(status).toBe(200)
    await expectLine(requestId, { event: 'provider_retry', model: 'sim/fail-500' })
    await expectLine(requestId, { event: 'model_fallback', model: 'sim/fail-500', to: 'sim/echo' })
  })

  it('is the id of the logged exchange, and a replay logs no second one', async () => {
    const headers = { 'idempotency-key': 'logged' }
    const first = await chat({ model: 'sim/small', content: 'Logged?', headers })
    const replay = await chat({ model: 'sim/small', content: 'Logged?', headers })
    const next = await chat({ model: 'sim/small', content: 'Logged?' })
    expect([first.text, replay.status]).toEqual([replay.text, 200])
    const ids = new Set([first, replay, next].map(({ requestId }) => requestId))
    expect(ids.size).toBe(3)
    await eventually(async () => {
      const rows = await readLog(fleet, workspace.workspaceId)
      const logged = rows.map(({ request_id }) => request_id).filter((id) => ids.has(id))
      expect(logged).toEqual([first.requestId, next.requestId])
    })
  })

  it('is not the billing id, which depends on the key; without a key both are the same', async () => {
    const keyed = await chat({ model: 'sim/echo' })
    const plain = await postChat(fleet, { model: 'sim/echo', apiKey: workspace.apiKey })
    await plain.text()
    const charged = await billingIds()
    expect(charged).toContain(plain.headers.get('x-request-id'))
    expect(charged).not.toContain(keyed.requestId)
  })
})
