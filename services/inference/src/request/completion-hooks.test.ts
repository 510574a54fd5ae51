import { testNow } from '../app.fixture.ts'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import { readObject } from '../wire/chat/read-reply.ts'
import { noUsage } from '../wire/usage.ts'
import { type CompletionHook, combineHooks, type KeptAnswer, keptAnswer, keptStream } from './completion-hooks.ts'
import { answerContext } from './exchange.ts'
import { candidatesFor, completion, plannedRequest } from './planned-request.fixture.ts'

const answer = { bytes: Buffer.from('{}'), costNano: 1n, tokens: 7, fromCache: false } as KeptAnswer

function recording(name: string, heard: string[]): Required<CompletionHook> {
  return {
    beforeCharge: async () => void heard.push(`${name} before`),
    afterCharge: async () => void heard.push(`${name} after`),
    abandoned: (tokens) => void heard.push(`${name} abandoned ${tokens}`),
  }
}

describe('allKeepers', () => {
  it('is nobody where nobody keeps anything', () => {
    expect(combineHooks([null, null])).toBeNull()
    expect(combineHooks([])).toBeNull()
  })

  it('tells everybody in order, also those who listen to a part only', async () => {
    const heard: string[] = []
    const completionHook = combineHooks([recording('a', heard), null, {}, recording('b', heard)])
    await completionHook?.beforeCharge(answer)
    await completionHook?.afterCharge(answer)
    expect(heard).toEqual(['a before', 'b before', 'a after', 'b after'])
  })

  it('tells of one end only: what was kept is not abandoned, and nothing is abandoned twice', async () => {
    const heard: string[] = []
    const kept = combineHooks([recording('kept', heard)])
    await kept?.afterCharge(answer)
    kept?.abandoned(3)
    const failed = combineHooks([recording('failed', heard)])
    failed?.abandoned(3)
    failed?.abandoned(0)
    expect(heard).toEqual(['kept after', 'failed abandoned 3'])
  })

  it('still abandons what could not be kept before the charge', async () => {
    const heard: string[] = []
    const full: CompletionHook = {
      async beforeCharge() {
        throw new Error('no room')
      },
    }
    const completionHook = combineHooks([full, recording('b', heard)])
    await expect(completionHook?.beforeCharge(answer)).rejects.toThrow('no room')
    completionHook?.abandoned(0)
    expect(heard).toEqual(['b abandoned 0'])
  })
})

describe('what is kept of an answer', () => {
  const planned = plannedRequest()
  const [{ request }] = candidatesFor(planned)
  const context = answerContext({ now: testNow }, request, planned.facts)
  const usage = { ...noUsage, promptTokens: 3, completionTokens: 4 }
  const priced = { usage, reported: true, costNano: 3_000n }
  const { cost_usd: _unknown, ...said } = completion.usage
  const bytes = Buffer.from(JSON.stringify({ ...completion, usage: said }))

  it('is finished: it has its usage, what was charged, and the tokens that count against limits', () => {
    const reply = readObject(bytes)
    if (reply === null) throw new Error('unreadable')
    const whole = { surface: chatSurface, reply: { ...reply, bytes }, priced, context, holdNano: 10_000n }
    const kept = keptAnswer(whole)
    expect(JSON.parse(kept.bytes.toString())).toEqual(completion)
    expect(kept).toMatchObject({ served: request, costNano: 3_000n, tokens: 7, fromCache: false })
    expect(keptAnswer({ ...whole, holdNano: 2_000n })).toMatchObject({ costNano: 2_000n })
  })

  it('is nothing of a stream that could not be put together', () => {
    const stream = { surface: chatSurface, priced, context, holdNano: 10_000n }
    expect(keptStream(null, stream)).toBeNull()
    expect(keptStream(Buffer.from('["not", "an object"]'), stream)).toBeNull()
    expect(JSON.parse(String(keptStream(bytes, stream)?.bytes))).toEqual(completion)
  })
})
