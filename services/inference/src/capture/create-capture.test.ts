import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import { eventually } from '@ratchet/testing/eventually'
import type { Capture, CaptureEvent } from './capture.ts'
import type { CaptureSink } from './capture-sink.ts'
import { capturedExchange } from './captured.fixture.ts'
import { type CaptureOptions, createCapture } from './create-capture.ts'

const away = new Error('away')
let captures: Capture[] = []

afterEach(async () => {
  for (const capture of captures) await capture.stop()
  captures = []
})

/** What is away is asked again after 10 ms. */
const hasty = () => new Date(performance.now() * 100)

/** Takes everything while it works. */
function sink() {
  const state = { works: true, taken: [] as CapturedExchange[], calls: 0 }
  const take: CaptureSink = async (exchanges) => {
    state.calls += 1
    if (!state.works) return { left: exchanges, cause: away }
    state.taken.push(...exchanges)
    return { left: [], cause: null }
  }
  return { state, take }
}

function setUp(options: Partial<CaptureOptions> = {}) {
  const stream = sink()
  const direct = sink()
  const events: CaptureEvent[] = []
  const capture = createCapture({
    stream: stream.take,
    direct: direct.take,
    onEvent: (event) => events.push(event),
    now: () => new Date(performance.now()),
    retryMs: 20,
    stopMs: 200,
    ...options,
  })
  captures.push(capture)
  return { capture, stream: stream.state, direct: direct.state, events }
}

const exchanges = [0, 1, 2].map((index) => capturedExchange(index))

describe('createCapture', () => {
  it('sends what one turn captured in one call', async () => {
    const { capture, stream, direct, events } = setUp()
    for (const exchange of exchanges) capture.add(exchange)
    expect(stream.calls).toBe(0)
    await eventually(() => expect(stream.taken).toEqual(exchanges))
    expect([stream.calls, direct.calls]).toEqual([1, 0])
    expect(events).toEqual([{ kind: 'delivered', way: 'stream', count: 3 }])
  })

  it('takes the other way while the stream is away, and asks the stream less and less for nothing', async () => {
    const { capture, stream, direct, events } = setUp()
    stream.works = false
    for (const exchange of exchanges) {
      capture.add(exchange)
      await eventually(() => expect(direct.taken).toContain(exchange))
    }
    expect(stream.calls).toBe(2)
    expect(events).toContainEqual({ kind: 'away', way: 'stream', cause: away })
  })

  it('keeps what nobody takes, and delivers it once somebody does', async () => {
    const { capture, stream, direct, events } = setUp({ now: hasty })
    stream.works = false
    direct.works = false
    for (const exchange of exchanges) capture.add(exchange)
    await eventually(() => expect(direct.calls).toBeGreaterThan(2))
    direct.works = true
    await eventually(() => expect(direct.taken).toEqual(exchanges))
    expect(events.filter(({ kind }) => kind === 'dropped')).toEqual([])
  })

  it('drops what there is no room for, and says so; what was delivered makes room', async () => {
    const exchange = capturedExchange(0, Buffer.alloc(10_000))
    const { capture, stream, events } = setUp({ maxBytes: 25_000 })
    for (let i = 0; i < 3; i++) capture.add(exchange)
    expect(events).toEqual([{ kind: 'dropped', reason: 'full', count: 1 }])
    await eventually(() => expect(stream.taken).toHaveLength(2))
    capture.add(exchange)
    await eventually(() => expect(stream.taken).toHaveLength(3))
  })

  it('counts what is too large', () => {
    const { capture, events } = setUp()
    capture.skipTooLarge()
    expect(events).toEqual([{ kind: 'too_large' }])
  })

  it('delivers everything before it stops', async () => {
    const { capture, stream, direct } = setUp({ now: hasty })
    direct.works = false
    stream.works = false
    for (const exchange of exchanges) capture.add(exchange)
    await eventually(() => expect(direct.calls).toBeGreaterThan(0))
    stream.works = true
    await capture.stop()
    expect(stream.taken).toEqual(exchanges)
  })

  it('does not wait for ever to stop: what is left is counted as dropped', async () => {
    const never = () => new Promise<never>(() => {})
    const { capture, events } = setUp({ stream: never, stopMs: 50 })
    for (const exchange of exchanges) capture.add(exchange)
    await capture.stop()
    expect(events).toContainEqual({ kind: 'dropped', reason: 'stopped', count: 3 })
  })
})
