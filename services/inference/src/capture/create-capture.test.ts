import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import { eventually } from '@ratchet/testing/eventually'
import type { Capture, CaptureEvent } from './capture.ts'
import type { CaptureSink } from './capture-sink.ts'
import { capturedExchange } from './captured.fixture.ts'
import { type CaptureOptions, createCapture } from './create-capture.ts'

const unavailable = new Error('unavailable')
let captures: Capture[] = []

afterEach(async () => {
  for (const capture of captures) await capture.stop()
  captures = []
})

/** A fast clock, so that a failed transport is tried again after 10 ms. */
const hasty = () => new Date(performance.now() * 100)

/** A sink that takes everything while it is not broken. */
function sink() {
  const state = { works: true, taken: [] as CapturedExchange[], calls: 0 }
  const take: CaptureSink = async (exchanges) => {
    state.calls += 1
    if (!state.works) return { left: exchanges, cause: unavailable }
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
  it('sends all exchanges of one turn of the event loop in one call', async () => {
    const { capture, stream, direct, events } = setUp()
    for (const exchange of exchanges) capture.add(exchange)
    expect(stream.calls).toBe(0)
    await eventually(() => expect(stream.taken).toEqual(exchanges))
    expect([stream.calls, direct.calls]).toEqual([1, 0])
    expect(events).toEqual([{ kind: 'delivered', transport: 'stream', count: 3 }])
  })

  it('uses the other transport while the stream is unavailable, and tries the stream less and less', async () => {
    const { capture, stream, direct, events } = setUp()
    stream.works = false
    for (const exchange of exchanges) {
      capture.add(exchange)
      await eventually(() => expect(direct.taken).toContain(exchange))
    }
    expect(stream.calls).toBe(2)
    expect(events).toContainEqual({ kind: 'unavailable', transport: 'stream', cause: unavailable })
  })

  it('stores what no transport takes, and delivers it later', async () => {
    const { capture, stream, direct, events } = setUp({ now: hasty })
    stream.works = false
    direct.works = false
    for (const exchange of exchanges) capture.add(exchange)
    await eventually(() => expect(direct.calls).toBeGreaterThan(2))
    direct.works = true
    await eventually(() => expect(direct.taken).toEqual(exchanges))
    expect(events.filter(({ kind }) => kind === 'dropped')).toEqual([])
  })

  it('drops exchanges beyond its limit and reports them; delivered ones make room', async () => {
    const exchange = capturedExchange(0, Buffer.alloc(10_000))
    const { capture, stream, events } = setUp({ maxBytes: 25_000 })
    for (let i = 0; i < 3; i++) capture.add(exchange)
    expect(events).toEqual([{ kind: 'dropped', reason: 'full', count: 1 }])
    await eventually(() => expect(stream.taken).toHaveLength(2))
    capture.add(exchange)
    await eventually(() => expect(stream.taken).toHaveLength(3))
  })

  it('counts exchanges that are too large', () => {
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

  it('stops after a time limit, and counts the rest as dropped', async () => {
    const never = () => new Promise<never>(() => {})
    const { capture, events } = setUp({ stream: never, stopMs: 50 })
    for (const exchange of exchanges) capture.add(exchange)
    await capture.stop()
    expect(events).toContainEqual({ kind: 'dropped', reason: 'stopped', count: 3 })
  })
})
