import { eventually } from '@ratchet/testing/eventually'
import { capturedExchange } from '../capture/captured.fixture.ts'
import { longestTurnMs } from '../threads/longest-turn.fixture.ts'
import { inlineRedactor } from './inline-redactor.fixture.ts'
import { createRedactionThread, type RedactionThreadOptions } from './redaction-thread.ts'

const stops: (() => unknown)[] = []
const crashes: unknown[] = []
const threadOf = (options: Partial<RedactionThreadOptions> = {}) =>
  createRedactionThread({ onStop: (stop) => stops.push(stop), onCrash: (cause) => crashes.push(cause), ...options })
const failing = { task: new URL('./failing-task.fixture.ts', import.meta.url), itemLimitMs: 300 }

afterEach(async () => {
  crashes.splice(0)
  for (const stop of stops.splice(0)) await stop()
})

const secret = 'AKIAQYLPMN5HNM4OZ56B'
const example = (text: string) => JSON.stringify({ messages: [{ role: 'assistant', content: text }] })
const done = (text: string | null, count: number) => ({
  kind: 'done',
  value: { text, redaction: { count, kinds: count === 0 ? [] : ['aws_access_key'] } },
})

describe('createRedactionThread', () => {
  it('redacts captures, exchanges, spans and examples like the same code without a thread', async () => {
    const thread = threadOf()
    const request = { messages: [{ role: 'user', content: `key ${secret}` }] }
    const captured = capturedExchange(1, { request, meta: { tag: secret } })
    const rows = [{ id: captured.meta.requestId, captured }]
    const [row] = await thread.captures(rows)
    expect([row]).toEqual(await inlineRedactor.captures(rows))
    expect(row).toMatchObject({
      kind: 'done',
      value: { tag: '[redacted]', redactionCount: 2, promptHash: expect.any(Buffer) },
    })
    const spans = [{ name: `GET ${secret}`, kind: secret, attributes: JSON.stringify({ a: secret, [secret]: 1 }) }]
    const redacted = { name: 'GET [redacted]', kind: '[redacted]', attributes: '{"a":"[redacted]","[redacted]":1}' }
    expect(await thread.spans('w', spans)).toEqual([{ kind: 'done', value: redacted }])
    expect(await thread.examples('w', [example('hello'), example(`use ${secret}`)])).toEqual([
      done(null, 0),
      done(example('use [redacted]'), 1),
    ])
  })

  it('fails only the item that cannot be read', async () => {
    const broken = { ...capturedExchange(2), request: Buffer.from(`{${secret}`) }
    const rows = [capturedExchange(1), broken, capturedExchange(3)].map((captured) => ({ id: 'x', captured }))
    expect(await threadOf().captures(rows)).toMatchObject([
      { kind: 'done' },
      { kind: 'failed', reason: 'not JSON' },
      { kind: 'done' },
    ])
  })

  it('does not block the event loop over megabytes', async () => {
    const thread = threadOf()
    await thread.examples('w', [example('warm')])
    const texts = Array.from({ length: 20 }, () => example('password: hunter2! '.repeat(25_000)))
    expect(await longestTurnMs(thread.examples('w', texts))).toBeLessThan(50)
  }, 60_000)

  it('redacts for another workspace next, however much one sends, and small texts beside large ones', async () => {
    const thread = threadOf()
    const medium = example('password: hunter2! '.repeat(10_000))
    const large = example('password: hunter2! '.repeat(200_000))
    await Promise.all([thread.examples('w', [example('warm')]), thread.examples('w', [large])])
    const order: string[] = []
    const redact = async (workspaceId: string, texts: readonly string[]) => {
      await thread.examples(workspaceId, texts)
      order.push(workspaceId)
    }
    await Promise.all([
      redact('large', [large, large]),
      ...Array.from({ length: 5 }, () => redact('many', [medium, medium, medium])),
      redact('one', [medium]),
    ])
    expect(order[0]).toBe('one')
    expect(order.indexOf('large')).toBeGreaterThan(0)
  }, 60_000)

  it.each(['hang', 'die'])(
    'loses nothing but the text over which the thread does %s',
    async (word) => {
      const thread = threadOf(failing)
      const texts = ['first', `use ${secret}`, `will ${word}`, 'fourth', 'fifth'].map(example)
      expect(await thread.examples('w', texts)).toEqual([
        done(null, 0),
        done(example('use [redacted]'), 1),
        { kind: 'failed', reason: expect.any(String) },
        done(null, 0),
        done(null, 0),
      ])
      expect(crashes).toHaveLength(2)
      expect(await thread.examples('w', [example('afterwards')])).toEqual([done(null, 0)])
    },
    30_000,
  )

  it('throws when no thread can be started', async () => {
    const thread = threadOf({ task: new URL('./nowhere.ts', import.meta.url) })
    await expect(thread.examples('w', [example('a')])).rejects.toThrow()
  })

  it('survives a thread that dies while it is idle', async () => {
    threadOf({ task: new URL('./nowhere.ts', import.meta.url) })
    await eventually(async () => expect(crashes).not.toEqual([]))
  })

  it('rejects waiting calls when it is stopped, and does not start again', async () => {
    const thread = threadOf({ ...failing, itemLimitMs: 30_000 })
    await thread.examples('w', [example('warm')])
    const waiting = expect(thread.examples('w', [example('hang')])).rejects.toThrow()
    for (const stop of stops.splice(0)) await stop()
    await waiting
    expect(crashes).toEqual([])
    await expect(thread.examples('w', [example('a')])).rejects.toThrow()
  })
})
