import { type DuplicateSpan, type GatewayRow, pairDuplicates } from './pair-duplicates.ts'

const trace = 'a'.repeat(32)
const startedAt = new Date('2026-11-21T12:00:00Z')

function row(id: string, afterMs: number, over: Partial<GatewayRow> = {}): GatewayRow {
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

const pairs = (rows: GatewayRow[], spans: DuplicateSpan[]) =>
  pairDuplicates(rows, spans).map((duplicates) => `${duplicates.row.id}=${duplicates.span.spanId}`)

it('pairs a request with the span of its trace that was open when it came', () => {
  expect(pairs([row('r', 20)], [span('s')])).toEqual(['r=s'])
})

it('allows for clocks that differ by a second, and no more', () => {
  expect(pairs([row('r', -1_000)], [span('s')])).toEqual(['r=s'])
  expect(pairs([row('r', 3_000)], [span('s')])).toEqual(['r=s'])
  expect(pairs([row('r', -1_001)], [span('s')])).toEqual([])
  expect(pairs([row('r', 3_001)], [span('s')])).toEqual([])
})

it('never pairs across traces, unless the span names the request', () => {
  const other = row('r', 20, { traceId: 'run-7' })
  expect(pairs([other], [span('s')])).toEqual([])
  expect(pairs([row('r', 20, { traceId: null })], [span('s')])).toEqual([])
  expect(pairs([other], [span('s', { gatewayRequestId: 'request-r' })])).toEqual(['r=s'])
})

it('never pairs what has other tokens; a span may tell none', () => {
  expect(pairs([row('r', 20)], [span('s', { completionTokens: 6 })])).toEqual([])
  expect(pairs([row('r', 20)], [span('s', { promptTokens: 0, completionTokens: 0 })])).toEqual(['r=s'])
  const untold = span('untold', { promptTokens: 0, completionTokens: 0, startedAt: new Date(startedAt.getTime() + 19) })
  expect(pairs([row('r', 20)], [untold, span('told')])).toEqual(['r=told'])
})

it('tells parallel steps apart by their tokens, then by time', () => {
  const parallel = [span('s1', { promptTokens: 7 }), span('s2', { startedAt: new Date(startedAt.getTime() + 500) })]
  expect(pairs([row('r1', 510), row('r2', 5, { promptTokens: 7 })], parallel)).toEqual(['r2=s1', 'r1=s2'])
  expect(pairs([row('r1', 5), row('r2', 510)], [span('s1'), parallel[1] as DuplicateSpan])).toEqual(['r1=s1', 'r2=s2'])
})

it('gives a row one span and a span one row', () => {
  expect(
    pairs([row('r', 20)], [span('outer'), span('inner', { startedAt: new Date(startedAt.getTime() + 19) })]),
  ).toEqual(['r=inner'])
  expect(pairs([row('r1', 20), row('r2', 30)], [span('s')])).toEqual(['r1=s'])
  expect(pairs([row('r', 20, { spanId: 'taken' })], [span('s')])).toEqual([])
})
