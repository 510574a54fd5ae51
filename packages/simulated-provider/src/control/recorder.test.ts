import { createRecorder } from './recorder.ts'
import { createScripts } from './scripts.ts'

const request = { path: '/v1/chat/completions', rawHeaders: ['X-A', '1', 'x-a', '2', 'Idempotency-Key', 'k'], atMs: 5 }

describe('createRecorder', () => {
  it('deletes the oldest rows but keeps every count', () => {
    const recorder = createRecorder(3)
    for (let index = 0; index < 10; index += 1) {
      const row = recorder.begin(request)
      recorder.emitted(row, 2, 8)
      recorder.completed(row)
    }
    const { requests, totals } = recorder.report()
    expect(requests.map((row) => row.id)).toEqual(['req_sim_8', 'req_sim_9', 'req_sim_10'])
    expect(totals).toEqual({ requests: 10, completed: 10, peer_left: 0, tokens_emitted: 20 })
  })

  it('returns headers in lower case, repeated ones joined', () => {
    const recorder = createRecorder(1)
    recorder.begin(request)
    expect(recorder.report().requests[0]).toMatchObject({
      headers: { 'x-a': '1, 2', 'idempotency-key': 'k' },
      idempotency_key: 'k',
      started_at_ms: 5,
    })
  })

  it('filters by model and by sequence', () => {
    const recorder = createRecorder(9)
    for (const model of ['a', 'b', 'a']) recorder.begin(request).model = model
    expect(recorder.report({ model: 'a' }).requests.map((row) => row.id)).toEqual(['req_sim_1', 'req_sim_3'])
    expect(recorder.report({ model: 'a', since: 1 }).requests.map((row) => row.id)).toEqual(['req_sim_3'])
  })

  it('does not count requests from before a reset', () => {
    const recorder = createRecorder(9)
    const row = recorder.begin(request)
    recorder.reset()
    recorder.completed(row)
    expect(recorder.report()).toEqual({
      requests: [],
      totals: { requests: 0, completed: 0, peer_left: 0, tokens_emitted: 0 },
    })
  })
})

describe('createScripts', () => {
  it('returns a behaviour as often as ordered, then the next', () => {
    const scripts = createScripts()
    scripts.add({ model: 'a', behaviour: 'fail-503', count: 2 })
    scripts.add({ model: '*', behaviour: 'hangup' })
    expect([scripts.take('a'), scripts.take('a'), scripts.take('a'), scripts.take('a')]).toEqual([
      { kind: 'fail', status: 503, times: Infinity },
      { kind: 'fail', status: 503, times: Infinity },
      { kind: 'hangup' },
      null,
    ])
  })

  it.each([
    [{ model: 'a', behaviour: 'explode' }],
    [{ model: 'a', behaviour: 'hangup', count: 0 }],
    [{ model: 'a', behaviour: 'hangup', count: 1.5 }],
  ])('refuses %j', (script) => {
    expect(() => createScripts().add(script)).toThrow(RangeError)
  })
})
