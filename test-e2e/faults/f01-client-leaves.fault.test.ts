import { eventually } from '@ratchet/testing/eventually'
import type { ChatCall } from '../clients.ts'
import { describeFault, type Fault } from './describe-fault.ts'
import { chatChunk, type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts'
import { settledCharge } from './settled-charge.ts'

const tokenEveryMs = 20
/** One token for both the simulated provider and the gateway's tokenizer. */
const word = 'the '
/** Price of a token of an answer, nano-dollars, of `sim/echo` and `scripted/chat`. */
const perTokenNano = 2_000n
/** The same of models with a defect, such as `sim/slow-3000`. */
const modestInputNano = 100n
const modestOutputNano = 400n

let upstream: ScriptedUpstream

describeFault(
  {
    id: 'F1',
    title: 'a client disconnects during a stream',
    promise:
      'an accepted call of the provider is aborted within 100 ms; the prompt, once it was accepted, and what was produced are charged, to a chunk; an unstreamed answer is completed and charged; a finished answer is charged once',
    fleet: async (onStop) => {
      upstream = await startScriptedUpstream(onStop)
      return { env: { CATALOG_DIR: upstream.catalogFolder } }
    },
  },
  (fault) => {
    const call: ChatCall = { model: 'sim/echo', stream: true, content: word.repeat(300) }

    it('stops the provider and charges what it produced', async () => {
      const promptNano = await promptCost(fault, call)
      for (let i = 0; i < 3; i++) {
        await fault.fleet.provider.script({ model: 'sim/echo', behaviour: `pace-${tokenEveryMs}` })
        const leaving = new AbortController()
        const { read } = await fault.begin({ ...call, signal: leaving.signal })
        const reading = read()
        const leaveAt = 10 + 20 * fault.random()
        await eventually(async () => (await lastCall(fault)).tokens_emitted > leaveAt)
        const leftAtMs = Date.now()
        leaving.abort()
        const { whole, requestId } = await reading
        const seen = await eventually(async () => {
          const call = await lastCall(fault)
          return call.peer_left_at_ms === null ? null : call
        })
        const requestedMs = (seen.peer_left_at_ms ?? 0) - leftAtMs
        const billed = (await settledCharge(fault.fleet, requestId)) - promptNano
        const billedTokens = Number(billed / perTokenNano)
        fault.note('the provider was notified after, ms', Math.round(requestedMs))
        fault.note('tokens produced, tokens charged', `${seen.tokens_emitted}, ${billedTokens}`)
        expect(whole).toBe(false)
        expect(requestedMs).toBeLessThan(100)
        expect(Math.abs(billedTokens - seen.tokens_emitted)).toBeLessThanOrEqual(1)
      }
    }, 90_000)

    it('charges only the prompt of a stream that the provider accepts later', async () => {
      const early = { model: 'sim/slow-3000', stream: true, content: word.repeat(10_000) }
      const { requestId } = await leaveEarly(fault, early)
      const charged = await settledCharge(fault.fleet, requestId)
      expect(charged).toBeGreaterThan(9_000n * modestInputNano)
      expect(charged).toBeLessThan(11_000n * modestInputNano)
    })

    it('charges the prompt between the head and the first token', async () => {
      const early = { model: 'sim/pace-3000', stream: true, content: word.repeat(10_000) }
      const { id, requestId } = await leaveEarly(fault, early)
      await eventually(async () =>
        expect(await callOf(fault, id)).toMatchObject({ peer_left_at_ms: expect.any(Number) }),
      )
      const charged = await settledCharge(fault.fleet, requestId)
      expect(charged).toBeGreaterThan(9_000n * modestInputNano)
      expect(charged).toBeLessThan(11_000n * modestInputNano)
    })

    it('completes an unstreamed answer, and charges what the provider says', async () => {
      const { id, requestId } = await leaveEarly(fault, { model: 'sim/slow-3000' })
      const { usage } = await eventually(async () => {
        const call = await callOf(fault, id)
        return call?.completed === true ? call : null
      })
      const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = usage ?? {}
      const exactNano = BigInt(prompt) * modestInputNano + BigInt(completion) * modestOutputNano
      const charged = await settledCharge(fault.fleet, requestId)
      expect(charged).toBe(((exactNano + 999n) / 1_000n) * 1_000n)
    })

    it('charges a complete answer once when its client disconnects after [DONE]', async () => {
      const leaving = new AbortController()
      const { response, read } = await fault.begin({ ...call, signal: leaving.signal })
      const answer = await read()
      leaving.abort()
      expect(answer).toMatchObject({ whole: true })
      expect(await settledCharge(fault.fleet, response.headers.get('x-request-id'))).toBeGreaterThan(0n)
    })

    it.each([
      ['as the provider says', { prompt_tokens: 70, completion_tokens: 7 }, 70_000n + 7n * perTokenNano],
      ['nothing for an explicit zero', { prompt_tokens: 0, completion_tokens: 0 }, 0n],
    ])('charges %s when the usage arrives after the end of the answer', async (_how, usage, costNano) => {
      const left = Promise.withResolvers<void>()
      upstream.answer(async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`data: ${chatChunk({ delta: { role: 'assistant', content: word } })}\n\n`)
        response.write(`data: ${chatChunk({ delta: {}, finish_reason: 'stop' })}\n\n`)
        await left.promise
        response.end(`data: ${chatChunk({ usage })}\n\ndata: [DONE]\n\n`)
      })
      const leaving = new AbortController()
      const { response, read } = await fault.begin({ model: 'scripted/chat', stream: true, signal: leaving.signal })
      const reading = read()
      await chats(fault, 1)
      leaving.abort()
      await reading
      await chats(fault, 1)
      left.resolve()
      expect(await settledCharge(fault.fleet, response.headers.get('x-request-id'))).toBe(costNano)
    })
  },
)

/** The charge for the prompt of a request whose provider reports no usage. */
async function promptCost(fault: Fault, call: ChatCall): Promise<bigint> {
  await fault.fleet.provider.script({ model: call.model, behaviour: 'no-usage' })
  const { requestId } = await fault.ask(call)
  const cost = await settledCharge(fault.fleet, requestId)
  return cost - BigInt((await lastCall(fault)).tokens_emitted) * perTokenNano
}

/** Disconnects when the provider has the request and the gateway has what it sent at once. */
async function leaveEarly(fault: Fault, early: ChatCall) {
  const leaving = new AbortController()
  const asking = fault.ask({ ...early, signal: leaving.signal })
  const reached = await eventually(async () => {
    const last = await lastCall(fault)
    return last.model === early.model && last.completed === false ? last : null
  })
  await chats(fault, 5)
  leaving.abort()
  expect((await asking).whole).toBe(false)
  return { id: reached.id, requestId: reached.headers['x-client-request-id'] ?? null }
}

/** Sends some chats, as a duration that depends on the speed of the machine. */
async function chats(fault: Fault, count: number): Promise<void> {
  for (let i = 0; i < count; i++) expect(await fault.ask({ model: 'sim/small' })).toMatchObject({ status: 200 })
}

async function lastCall(fault: Fault) {
  const { requests } = await fault.fleet.provider.report()
  const [last] = requests.slice(-1)
  if (last === undefined) throw new Error('the provider was not called')
  return last
}

async function callOf(fault: Fault, id: string) {
  return (await fault.fleet.provider.report()).requests.find((each) => each.id === id)
}
