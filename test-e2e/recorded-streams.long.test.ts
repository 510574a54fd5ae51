import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { memoryGrowthMb } from './faults/resident-memory.ts'
import { chatChunk, type ScriptedUpstream, startScriptedUpstream } from './faults/scripted-upstream.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { workspaceWith } from './workspace-with.ts'

/** Streams of one workspace that logs, each with an answer that takes 17 MB of memory and does not end. */
const streams = 60
const pieces = 100
/** The share of a workspace is 32 MB. The rest is what the process has read and not freed yet. */
const maxGrowthMb = 512

const stops: (() => Promise<unknown>)[] = []
let upstream: ScriptedUpstream
let fleet: Fleet
let hostile: DemoWorkspace
let other: DemoWorkspace

beforeAll(async () => {
  upstream = await startScriptedUpstream((stop) => stops.push(stop))
  fleet = await startFleet({ env: { CATALOG_DIR: upstream.catalogFolder } })
  hostile = await workspaceWith(fleet, { loggingEnabled: true })
  other = await workspaceWith(fleet, { loggingEnabled: true })
}, 300_000)

afterAll(async () => {
  await fleet?.stop()
  for (const stop of stops) await stop()
}, 180_000)

it('recorded streams of one workspace hold a share of the memory, and go on without a record', async () => {
  const ends = answerLargely()
  const grownMb = await memoryGrowthMb([fleet.inference], async () => {
    const calls = Array.from({ length: streams }, () => chat(hostile))
    await eventually(() => expect(ends).toHaveLength(streams), { withinMs: 60_000 })
    const keyed = chat(hostile, { 'idempotency-key': 'no-room' })
    const elsewhere = chat(other, { 'idempotency-key': 'room' })
    await eventually(() => expect(ends).toHaveLength(streams + 2), { withinMs: 60_000 })
    for (const end of ends) end()
    for (const answer of await Promise.all([...calls, elsewhere])) expect(answer).toMatch(/The end\.[\s\S]*\[DONE\]/)
    // A retry would be charged again, because there is no record of the answer.
    expect(await keyed).toMatch(/service_unavailable/)
    expect(await keyed).not.toContain('[DONE]')
  })
  expect(grownMb).toBeLessThan(maxGrowthMb)
  const metrics = await (await fetch(`${fleet.inference.url}/metrics`)).text()
  const [, unrecorded] = /^ratchet_unrecorded_answers_total(?:{.*})? (\d+)$/m.exec(metrics) ?? []
  expect(Number(unrecorded)).toBeGreaterThan(streams / 2)
  expect(await ledgerAtRest(fleet, hostile)).toMatchObject({ posted: streams, violations: [] })
  expect(await chat(other, { 'idempotency-key': 'room' })).toContain('The end.')
  expect(upstream.calls).toBe(streams + 2)
  expect(await adminAudit(fleet, [hostile, other])).toEqual(cleanAudit)
}, 300_000)

/** Each stream waits before its end, which the returned functions send. */
function answerLargely(): (() => void)[] {
  const ends: (() => void)[] = []
  const piece = `data: ${chatChunk({ delta: { x: Array(3_000).fill({}) } })}\n\n`
  upstream.answer(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let sent = 0; sent < pieces && !response.destroyed; sent++) {
      if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve))
    }
    await new Promise<void>((resolve) => ends.push(resolve))
    response.write(`data: ${chatChunk({ delta: { content: 'The end.' }, finish_reason: 'stop' })}\n\n`)
    response.end('data: [DONE]\n\n')
  })
  return ends
}

async function chat({ apiKey }: DemoWorkspace, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const { body } = await fetch(`${fleet.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'scripted/chat',
      stream: true,
      max_tokens: 10_000,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  })
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const part of body ?? []) text = (text + decoder.decode(part, { stream: true })).slice(-2_000)
  } catch {
    // A stream that breaks: what arrived before is returned.
  }
  return text
}
