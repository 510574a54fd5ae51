import { testNow } from '../app.fixture.ts'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import { readObject } from '../wire/chat/read-reply.ts'
import { noUsage } from '../wire/usage.ts'
import { answerContext } from './answer-deps.ts'
import {
  type CompletionHook,
  combineHooks,
  type FinishedAnswer,
  finishAnswer,
  finishStream,
} from './completion-hooks.ts'
import { completion, plannedRequest } from './request-records.fixture.ts'

const answer = { bytes: Buffer.from('{}'), costNano: 1n, tokens: 7, fromCache: false } as FinishedAnswer

function recording(name: string, calls: string[]): Required<CompletionHook> {
  return {
    beforeCharge: async () => void calls.push(`${name} before`),
    logRow: () => null,
    afterCharge: async () => void calls.push(`${name} after`),
    abandoned: (tokens) => void calls.push(`${name} abandoned ${tokens}`),
  }
}

describe('combineHooks', () => {
  it('is null without hooks', () => {
    expect(combineHooks([null, null])).toBeNull()
    expect(combineHooks([])).toBeNull()
  })

  it('calls all hooks in order, and skips the methods that a hook does not have', async () => {
    const calls: string[] = []
    const completionHook = combineHooks([recording('a', calls), null, {}, recording('b', calls)])
    await completionHook?.beforeCharge(answer)
    await completionHook?.afterCharge(answer)
    expect(calls).toEqual(['a before', 'b before', 'a after', 'b after'])
  })

  it('passes on one outcome: a finished answer is not abandoned, and no answer is abandoned twice', async () => {
    const calls: string[] = []
    const finished = combineHooks([recording('finished', calls)])
    await finished?.afterCharge(answer)
    finished?.abandoned(3)
    const failed = combineHooks([recording('failed', calls)])
    failed?.abandoned(3)
    failed?.abandoned(0)
    expect(calls).toEqual(['finished after', 'failed abandoned 3'])
  })

  it('abandons an answer that a hook failed to store before the charge', async () => {
    const calls: string[] = []
    const full: CompletionHook = {
      async beforeCharge() {
        throw new Error('no room')
      },
    }
    const completionHook = combineHooks([full, recording('b', calls)])
    await expect(completionHook?.beforeCharge(answer)).rejects.toThrow('no room')
    completionHook?.abandoned(0)
    expect(calls).toEqual(['b abandoned 0'])
  })
})

describe('a finished answer', () => {
  const planned = plannedRequest()
  const [{ request }] = planned.candidates
  const context = answerContext({ now: testNow }, request, planned.facts)
  const usage = { ...noUsage, promptTokens: 3, completionTokens: 4 }
  const priced = { usage, isReported: true, costNano: 3_000n }
  const { cost_usd: _unknown, ...said } = completion.usage
  const bytes = Buffer.from(JSON.stringify({ ...completion, usage: said }))

  it('has its usage, its charge of at most the hold, and the tokens that count against rate limits', () => {
    const reply = readObject(bytes)
    if (reply === null) throw new Error('unreadable')
    const whole = { surface: chatSurface, reply: { ...reply, bytes }, priced, context, holdNano: 10_000n }
    const finished = finishAnswer(whole)
    expect(JSON.parse(finished.bytes.toString())).toEqual(completion)
    expect(finished).toMatchObject({
      servedModel: 'acme/fast',
      provider: 'acme',
      costNano: 3_000n,
      tokens: 7,
      fromCache: false,
    })
    expect(finishAnswer({ ...whole, holdNano: 2_000n })).toMatchObject({ costNano: 2_000n })
  })

  it('is null for a stream that cannot be assembled', () => {
    const stream = { surface: chatSurface, priced, context, holdNano: 10_000n }
    expect(finishStream(null, stream)).toBeNull()
    expect(finishStream(Buffer.from('["not", "an object"]'), stream)).toBeNull()
    expect(JSON.parse(String(finishStream(bytes, stream)?.bytes))).toEqual(completion)
  })
})
