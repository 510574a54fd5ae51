import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { createUpstream } from '@ratchet/http/create-upstream'
import type { UpstreamCall } from '@ratchet/http/upstream-call'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import { eventually } from '@ratchet/testing/eventually'
import { wideLimits } from '../wire/answer-limits.fixture.ts'
import { readMessagesReply, readMessagesUsage } from '../wire/messages/read-message.ts'
import type { ProviderFailure } from '../wire/provider.ts'
import { startProviderCall } from './provider-call.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** A provider that sends this many bytes of each answer, and then nothing. */
async function stallingAfter(bytes: number) {
  const server = createServer((request, response) => {
    request.resume()
    response.on('error', () => undefined)
    response.writeHead(200, { 'content-type': 'application/json' }).write(Buffer.alloc(bytes, 0x20))
  }).listen(0, '127.0.0.1')
  undo.push(() => server.close().closeAllConnections())
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const upstream = createUpstream({ origin, connections: 100, connectTimeoutMs: 1_000 })
  undo.push(() => upstream.destroy())
  return upstream
}

it('reads the usage of an answer that is nested too deep to be read, because the provider is paid for it', async () => {
  const nested = `${'{"a":'.repeat(400)}1${'}'.repeat(400)}`
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`{"content":[{"type":"tool_use","input":${nested}}],"usage":{"input_tokens":9,"output_tokens":3}}`)
  }).listen(0, '127.0.0.1')
  undo.push(() => server.close().closeAllConnections())
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const upstream = createUpstream({ origin, connections: 1, connectTimeoutMs: 1_000 })
  undo.push(() => upstream.destroy())
  const { promise, resolve } = Promise.withResolvers<ProviderFailure>()
  const clocks = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 }
  const common = { headers: {}, body: Buffer.from('{}'), streamType: null, converter: null, limits: wideLimits }
  const reading = { readReply: readMessagesReply, usageAt: { member: 'usage', read: readMessagesUsage } }
  startProviderCall(
    { upstream, clocks, path: '/', ...common, ...reading },
    { onReply() {}, onStreamStart() {}, onStreamData() {}, onStreamEnd() {}, onFailure: resolve },
  )
  expect(await promise).toMatchObject({ kind: 'broken', spent: { usage: { promptTokens: 9, completionTokens: 3 } } })
})

it('answers that do not end hold a share of the memory, and those of another workspace are still read', async () => {
  const upstream = await stallingAfter(mebibyte)
  const budget = createBodyBudget(16 * mebibyte)
  const failures: ProviderFailure['kind'][] = []
  let collected = 0
  const clocks = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 }
  const call = (workspaceId: string): UpstreamCall => {
    const held = budget.enter(workspaceId)
    const reserve = (bytes: number) => {
      const fits = held.mayAdd(bytes)
      if (fits) collected += bytes
      return fits
    }
    const limits = { ...wideLimits, reserve }
    const readReply = () => null
    const common = { headers: {}, body: Buffer.from('{}'), streamType: null, converter: null, readReply }
    return startProviderCall(
      { upstream, clocks, path: '/', limits, ...common },
      {
        onReply() {},
        onStreamStart() {},
        onStreamData() {},
        onStreamEnd() {},
        onFailure: ({ kind }) => failures.push(kind),
      },
    )
  }
  const calls = Array.from({ length: 20 }, () => call('hostile'))
  await eventually(() => expect(failures.length).toBeGreaterThanOrEqual(16))
  expect(new Set(failures)).toEqual(new Set(['no_room']))
  expect(collected).toBeLessThanOrEqual(5 * mebibyte)
  const before = collected
  calls.push(call('other'))
  await eventually(() => expect(collected - before).toBe(mebibyte))
  for (const each of calls) each.abort()
})
