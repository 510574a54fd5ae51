import { type ExchangeLog, UnstorableExchange } from '../exchanges/exchange-log.ts'
import { inlineRedactor } from '../redaction/inline-redactor.fixture.ts'
import { capturedExchange } from './captured.fixture.ts'
import { createIngest, type IngestEvent } from './ingest.ts'

const at = new Date('2026-11-21T12:00:00.000Z')

function setUp(write: ExchangeLog['write'] = async (exchanges) => exchanges.length) {
  const events: IngestEvent[] = []
  const stored: string[] = []
  const log: ExchangeLog = {
    async write(exchanges) {
      const count = await write(exchanges)
      stored.push(...exchanges.map(({ requestId }) => requestId))
      return count
    },
  }
  const newId = () => '00000000-0000-7000-8000-0000000000cc'
  const { ingest } = createIngest({
    log,
    redactor: inlineRedactor,
    now: () => at,
    newId,
    onEvent: (event) => events.push(event),
  })
  return { ingest, events, stored }
}

const captured = [1, 2, 3, 4, 5].map((index) => capturedExchange(index, {}, at))
const idsOf = (exchanges: typeof captured) => exchanges.map(({ meta }) => meta.requestId)

describe('ingest', () => {
  it('stores every exchange of a call in one write, each once', async () => {
    const { ingest, stored } = setUp()
    expect(await ingest([...captured, ...captured])).toEqual([])
    expect(stored).toEqual(idsOf(captured))
  })

  it('skips expired exchanges', async () => {
    const { ingest, stored, events } = setUp()
    const expired = capturedExchange(9, { meta: { expiresAt: at.toISOString() } }, at)
    expect(await ingest([expired, ...captured])).toEqual([])
    expect(stored).toEqual(idsOf(captured))
    expect(events).toContainEqual({ kind: 'expired', count: 1 })
  })

  it('returns unreadable exchanges, and stores the others', async () => {
    const { ingest, stored, events } = setUp()
    const broken = { ...capturedExchange(9, {}, at), reply: Buffer.from('{}') }
    expect(await ingest([broken, ...captured])).toEqual([broken])
    expect(stored).toEqual(idsOf(captured))
    expect(events).toContainEqual({ kind: 'refused', requestId: broken.meta.requestId, cause: expect.any(RangeError) })
  })

  it('finds the exchange that the database refuses, and stores all others', async () => {
    const [bad] = idsOf(captured.slice(2, 3))
    const { ingest, stored } = setUp(async (exchanges) => {
      if (exchanges.some(({ requestId }) => requestId === bad)) throw new UnstorableExchange('no')
      return exchanges.length
    })
    expect(await ingest(captured)).toEqual(captured.slice(2, 3))
    expect(stored.toSorted()).toEqual(idsOf(captured.filter(({ meta }) => meta.requestId !== bad)))
  })

  it('throws when the database is unavailable', async () => {
    const unavailable = new Error('unavailable')
    const { ingest } = setUp(() => Promise.reject(unavailable))
    await expect(ingest(captured)).rejects.toBe(unavailable)
  })
})
