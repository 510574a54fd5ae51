import { auditVoice } from '@ratchet/db/audit-voice'
import { eventually } from '@ratchet/testing/eventually'
import { connectWebCaller } from '@ratchet/testing/web-caller'
import pg from 'pg'
import { ledgerAtRest } from './ledger-oracle.ts'
import { startVoiceFleet, type VoiceFleet } from './voice/voice-fleet.ts'

let voice: VoiceFleet
beforeAll(async () => {
  voice = await startVoiceFleet()
}, 300_000)
afterAll(() => voice.stop())

async function violations(): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString: voice.fleet.databaseUrl })
  await client.connect()
  try {
    const queried = { query: (text: string) => client.query(text) } as unknown as Parameters<typeof auditVoice>[0]
    return await auditVoice(queried, [queried])
  } finally {
    await client.end()
  }
}

const until = (check: () => Promise<boolean> | boolean) =>
  eventually(async () => ((await check()) ? true : null), { withinMs: 60_000, everyMs: 100 })

it('holds a call from a browser: heard, written down, logged under its trace, and charged what it cost', async () => {
  const { ask, fleet, workspace } = voice
  const before = (await ledgerAtRest(fleet, workspace)).balance
  const created = await ask('POST', '/calls/create', { agent_id: await voice.newAgent(), type: 'web' })
  expect(created.status).toBe(201)
  const { id, join_url: url, client_token: token, trace_id: traceId } = created.body
  const caller = connectWebCaller(url, token)
  await until(() => caller.ear.join(' ') === 'Hello there.')
  caller.speak('What is the time in Berlin?')
  await until(async () => (await ask('GET', `/calls/${id}`)).body.transcript.length === 3)
  caller.hangUp()
  await caller.closed
  const call = await eventually(
    async () => {
      const { body } = await ask('GET', `/calls/${id}`)
      return body.cost?.settled === true ? body : null
    },
    { withinMs: 60_000, everyMs: 200 },
  )
  expect(call).toMatchObject({ status: 'completed', ended_reason: 'caller_hangup', trace_id: id })
  const said = call.transcript.map(({ role, text }: { role: string; text: string }) => [role, text])
  expect(said.slice(0, 2)).toEqual([
    ['agent', 'Hello there.'],
    ['caller', 'What is the time in Berlin?'],
  ])
  expect(caller.ear.join(' ')).toBe(`${said[0][1]} ${said[2][1]}`)
  const { stt_usd: heard, tts_usd: spoken, llm_usd: thought, total_usd: total } = call.cost
  expect(Math.min(heard, spoken, thought)).toBeGreaterThan(0)
  const after = (await ledgerAtRest(fleet, workspace)).balance
  expect(Number(before - after) / 1e9).toBeCloseTo(total, 8)
  const logged = await eventually(
    async () => {
      const headers = { authorization: `Bearer ${workspace.apiKey}` }
      const response = await fetch(`${fleet.url}/v1/logs?trace_id=${traceId}`, { headers })
      const { data } = (await response.json()) as { data: { tag: string; trace_id: string }[] }
      return data.length > 0 ? data : null
    },
    { withinMs: 60_000, everyMs: 200 },
  )
  expect(logged).toMatchObject([{ trace_id: id, tag: call.agent_id }])
  expect(await violations()).toEqual([])
}, 180_000)

it('charges a call whose worker was killed up to the last second, once, and ends it', async () => {
  const { ask, fleet, worker, workspace } = voice
  const before = (await ledgerAtRest(fleet, workspace)).balance
  const created = await ask('POST', '/calls/create', { agent_id: await voice.newAgent(), type: 'web' })
  const { id, join_url: url, client_token: token } = created.body
  const caller = connectWebCaller(url, token)
  await until(() => caller.ear.join(' ') === 'Hello there.')
  await until(async () => (await ask('GET', `/calls/${id}`)).body.cost.stt_usd > 0)
  worker.signal('SIGKILL')
  await caller.closed
  const call = await eventually(
    async () => {
      const { body } = await ask('GET', `/calls/${id}`)
      return body.cost?.settled === true && body.status === 'completed' ? body : null
    },
    { withinMs: 150_000, everyMs: 500 },
  )
  expect(call.ended_reason).toBe('worker_lost')
  const after = (await ledgerAtRest(fleet, workspace)).balance
  expect(Number(before - after) / 1e9).toBeCloseTo(call.cost.total_usd, 8)
  expect(after).toBeLessThan(before)
  expect(await violations()).toEqual([])
}, 240_000)
