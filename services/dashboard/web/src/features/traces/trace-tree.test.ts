import type { LogRow } from '@ratchet/contracts/logs'
import type { TraceSpan } from '@ratchet/contracts/traces'
import { traceRows } from './trace-tree.ts'

const at = (ms: number) => new Date(1_000_000 + ms).toISOString()

function call(id: string, parent: string | null, start: number, end: number, span: string | null = `s-${id}`): LogRow {
  const fields = { id, model: 'sim/small', created_at: at(start), latency_ms: end - start }
  return { ...fields, span_id: span, parent_span_id: parent } as LogRow
}

function span(id: string, parent: string | null, start: number, end: number, status = 'ok'): TraceSpan {
  const fields = { span_id: id, name: id, kind: 'tool', status }
  return { ...fields, parent_span_id: parent, started_at: at(start), ended_at: at(end) }
}

const shape = (calls: readonly LogRow[], spans: readonly TraceSpan[]) =>
  traceRows(calls, spans).map(({ id, depth }) => `${'-'.repeat(depth)}${id}`)

it('puts children below their parents, by start', () => {
  const spans = [span('agent', null, 0, 100), span('tool', 'agent', 40, 60, 'error')]
  const calls = [call('b', 'agent', 60, 90), call('a', 'agent', 0, 30), call('c', 'tool', 45, 50)]
  expect(shape(calls, spans)).toEqual(['agent', '-a', '-tool', '--c', '-b'])
  expect(traceRows(calls, spans).find(({ id }) => id === 'tool')).toMatchObject({ hasFailed: true, kind: 'span' })
})

it('marks the spans that decide how long it lasts', () => {
  const spans = [span('agent', null, 0, 100), span('short', 'agent', 0, 20), span('long', 'agent', 0, 50)]
  const rows = traceRows([call('last', 'agent', 50, 100)], spans)
  expect(rows.filter(({ isCritical }) => isCritical).map(({ id }) => id)).toEqual(['agent', 'long', 'last'])
})

it('shows every row once when parents are missing or go round in a circle', () => {
  const spans = [span('a', 'b', 0, 1), span('b', 'a', 1, 2), span('c', 'c', 2, 3), span('d', 'gone', 3, 4)]
  expect(
    shape([], spans)
      .map((row) => row.replaceAll('-', ''))
      .toSorted(),
  ).toEqual(['a', 'b', 'c', 'd'])
})

it('lists 20,000 steps of a deep tree', () => {
  const deep = Array.from({ length: 20_000 }, (_, index) => call(`${index}`, `s-${index % 50}`, index, index + 1))
  expect(traceRows(deep, [])).toHaveLength(20_000)
})
