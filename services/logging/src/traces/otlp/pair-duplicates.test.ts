import { type DuplicateSpan, type GatewayExchange, pairDuplicates } from './pair-duplicates.ts'

const trace = 'a'.repeat(32)
const startedAt = new Date('2026-11-21T12:00:00Z')

function gatewayExchange(id: string, afterMs: number, over: Partial<GatewayExchange> = {}): GatewayExchange {
  return {
    id,
    expiresOn: '2026-12-21',
    requestId: `request-${id}`,
    traceId: trace,
    spanId: null,
    createdAt: new Date(startedAt.getTime() + afterMs),
    promptTokens: 10,
    completionTokens: 5,
    ...over,
  }
}

function span(spanId: string, over: Partial<DuplicateSpan> = {}): DuplicateSpan {
  return {
    traceId: trace,
    spanId,
    parentSpanId: null,
    startedAt,
    latencyMs: 2_000,
    gatewayRequestId: null,
    promptTokens: 10,
    completionTokens: 5,
    ...over,
  }
}

const pairs = (exchanges: GatewayExchange[], spans: DuplicateSpan[]) =>
  pairDuplicates(exchanges, spans).map(({ exchange, span }) => `${exchange.id}=${span.spanId}`)

it('pairs a request with the span of its trace that was open when it arrived', () => {
  expect(pairs([gatewayExchange('r', 20)], [span('s')])).toEqual(['r=s'])
})

it('allows for clocks that differ by a second, and no more', () => {
  expect(pairs([gatewayExchange('r', -1_000)], [span('s')])).toEqual(['r=s'])
  expect(pairs([gatewayExchange('r', 3_000)], [span('s')])).toEqual(['r=s'])
  expect(pairs([gatewayExchange('r', -1_001)], [span('s')])).toEqual([])
  expect(pairs([gatewayExchange('r', 3_001)], [span('s')])).toEqual([])
})

it('never pairs across traces, unless the span names the request', () => {
  const other = gatewayExchange('r', 20, { traceId: 'run-7' })
  expect(pairs([other], [span('s')])).toEqual([])
  expect(pairs([gatewayExchange('r', 20, { traceId: null })], [span('s')])).toEqual([])
  expect(pairs([other], [span('s', { gatewayRequestId: 'request-r' })])).toEqual(['r=s'])
})

it('never pairs exchanges and spans with different token counts, unless the span has none', () => {
  expect(pairs([gatewayExchange('r', 20)], [span('s', { completionTokens: 6 })])).toEqual([])
  expect(pairs([gatewayExchange('r', 20)], [span('s', { promptTokens: 0, completionTokens: 0 })])).toEqual(['r=s'])
  const unreported = span('unreported', {
    promptTokens: 0,
    completionTokens: 0,
    startedAt: new Date(startedAt.getTime() + 19),
  })
  expect(pairs([gatewayExchange('r', 20)], [unreported, span('reported')])).toEqual(['r=reported'])
})

it('distinguishes parallel steps by their tokens, then by time', () => {
  const parallel = [span('s1', { promptTokens: 7 }), span('s2', { startedAt: new Date(startedAt.getTime() + 500) })]
  expect(pairs([gatewayExchange('r1', 510), gatewayExchange('r2', 5, { promptTokens: 7 })], parallel)).toEqual([
    'r2=s1',
    'r1=s2',
  ])
  expect(
    pairs([gatewayExchange('r1', 5), gatewayExchange('r2', 510)], [span('s1'), parallel[1] as DuplicateSpan]),
  ).toEqual(['r1=s1', 'r2=s2'])
})

it('gives an exchange one span and a span one exchange', () => {
  expect(
    pairs(
      [gatewayExchange('r', 20)],
      [span('outer'), span('inner', { startedAt: new Date(startedAt.getTime() + 19) })],
    ),
  ).toEqual(['r=inner'])
  expect(pairs([gatewayExchange('r1', 20), gatewayExchange('r2', 30)], [span('s')])).toEqual(['r1=s'])
  expect(pairs([gatewayExchange('r', 20, { spanId: 'taken' })], [span('s')])).toEqual([])
})
