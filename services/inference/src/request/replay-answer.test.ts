import { testNow } from '../app.fixture.ts'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import { embeddingsSurface } from '../surfaces/embeddings/embeddings-surface.ts'
import type { Surface } from '../surfaces/surface.ts'
import { answerContext } from './answer-deps.ts'
import { replayAnswer } from './replay-answer.ts'
import { completion, plannedRequest, question, recordingResponse } from './request-records.fixture.ts'

interface Given {
  readonly body?: object
  readonly bytes?: Buffer
  readonly surface?: Surface
  readonly chargedNano?: bigint
  readonly conversationId?: string | null
}

function replay({
  body = question,
  surface = chatSurface,
  chargedNano = 0n,
  conversationId = null,
  ...given
}: Given = {}) {
  const { bytes = Buffer.from(JSON.stringify(completion)) } = given
  const planned = plannedRequest(body, { surface })
  const [{ request }] = planned.candidates
  const { response, written } = recordingResponse()
  const context = answerContext({ now: testNow }, request, planned.facts)
  const headers = { 'X-Who': 'acme/fast' }
  const settled = { chargedNano, conversationId, headers, costHeader: 'X-Cost' }
  const replayed = replayAnswer(response, { surface, context, bytes, ...settled })
  return { replayed, written }
}

describe('replayAnswer', () => {
  it('writes the stored bytes with the cost of the replay in the body and in the header', () => {
    const { replayed, written } = replay({ chargedNano: 5_000n })
    expect(replayed).toBe(true)
    expect(written).toMatchObject({ status: 200, headers: { 'X-Who': 'acme/fast', 'X-Cost': '0.000005' } })
    expect(JSON.parse(written.body ?? '')).toEqual({
      ...completion,
      usage: { ...completion.usage, cost_usd: 0.000005 },
    })
    expect(written.headers?.['content-length']).toBe(Buffer.byteLength(written.body ?? ''))
  })

  it('names the session of the request, not one that the answer was stored in', () => {
    const body = { ...question, stream: true, stream_options: { include_usage: true } }
    for (const given of [{}, { body }]) {
      expect(replay({ ...given, conversationId: 's-1' }).written.body).toContain('"conversation_id":"s-1"')
      expect(replay(given).written.body).not.toContain('conversation_id')
    }
  })

  it('writes a stream when the request asks for one, without a cost in its headers', () => {
    const { written } = replay({ body: { ...question, stream: true } })
    expect(written.headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8', 'X-Who': 'acme/fast' })
    expect(written.headers).not.toHaveProperty('X-Cost')
    expect(written.body).toMatch(/"content":"Rayleigh\."/)
    expect(written.body?.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('adds usage and cost to a stream that asks for usage', () => {
    const body = { ...question, stream: true, stream_options: { include_usage: true } }
    const { written } = replay({ body, chargedNano: 3_000n })
    const last = written.body?.split('\n\n').at(-3)?.slice('data: '.length) ?? ''
    expect(JSON.parse(last)).toMatchObject({ choices: [], usage: completion.usage })
  })

  it('is not streamed on a surface that never streams', () => {
    const body = { model: 'acme/embed', input: 'hi', stream: true }
    const bytes = Buffer.from('{"object":"list","data":[],"model":"m","usage":{"prompt_tokens":1,"total_tokens":1}}')
    const { written } = replay({ body, surface: embeddingsSurface, bytes })
    expect(JSON.parse(written.body ?? '')).toMatchObject({ object: 'list', usage: { prompt_tokens: 1, cost_usd: 0 } })
  })

  it('writes nothing when the stored bytes cannot be read', () => {
    expect(replay({ bytes: Buffer.from('{"id":"c1"') })).toEqual({ replayed: false, written: {} })
  })
})
