import type { LogRow } from '@ratchet/contracts/logs'
import type { TraceSpan } from '@ratchet/contracts/traces'
import type { WaterfallSpan } from '../../pictures/waterfall-rows.ts'

/** A row of a trace: a model call, or another span. */
export interface TraceRow extends WaterfallSpan {
  readonly kind: 'call' | 'span'
}

interface Node extends Omit<TraceRow, 'depth' | 'isCritical'> {
  readonly spanId: string | null
  readonly parentId: string | null
}

/**
 * The calls and spans of a trace as a tree, each parent before its children and children by their start. A parent that is not
 * in the trace, or that would be its own ancestor, is ignored.
 */
export function traceRows(calls: readonly LogRow[], spans: readonly TraceSpan[]): readonly TraceRow[] {
  const nodes = [...calls.map(callNode), ...spans.map(spanNode)].sort((a, b) => a.startMs - b.startMs)
  const bySpan = new Map(nodes.flatMap((node) => (node.spanId === null ? [] : [[node.spanId, node] as const])))
  const children = Map.groupBy(nodes, (node) => parentOf(node, bySpan)?.id ?? null)
  const critical = criticalIds(children)
  const rows: TraceRow[] = []
  const rest = (children.get(null) ?? []).map((node) => ({ node, depth: 0 })).reverse()
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { node, depth } = next
    const { spanId: _span, parentId: _parent, ...row } = node
    rows.push({ ...row, depth, isCritical: critical.has(node.id) })
    rest.push(...(children.get(node.id) ?? []).map((child) => ({ node: child, depth: depth + 1 })).reverse())
  }
  return rows
}

function callNode(call: LogRow): Node {
  const startMs = Date.parse(call.created_at)
  return {
    id: call.id,
    spanId: call.span_id,
    parentId: call.parent_span_id,
    kind: 'call',
    label: call.model,
    startMs,
    endMs: startMs + call.latency_ms,
    hasFailed: false,
  }
}

function spanNode(span: TraceSpan): Node {
  const startMs = Date.parse(span.started_at)
  return {
    id: span.span_id,
    spanId: span.span_id,
    parentId: span.parent_span_id,
    kind: 'span',
    label: span.name,
    startMs,
    endMs: Math.max(startMs, Date.parse(span.ended_at)),
    hasFailed: span.status === 'error',
  }
}

/** The nearest parent, unless the way up from it comes back to the node. */
function parentOf(node: Node, bySpan: ReadonlyMap<string, Node>): Node | undefined {
  const parent = node.parentId === null ? undefined : bySpan.get(node.parentId)
  const seen = new Set([node.id])
  for (let each = parent; each !== undefined; each = bySpan.get(each.parentId ?? '')) {
    if (seen.has(each.id)) return undefined
    seen.add(each.id)
  }
  return parent
}

/**
 * The spans that decide how long the trace lasts: at each level the one that ends last, then the one that ends last before that
 * one began, and so on.
 */
function criticalIds(children: ReadonlyMap<string | null, readonly Node[]>): ReadonlySet<string> {
  const critical = new Set<string>()
  const parents: (string | null)[] = [null]
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    const byEnd = (children.get(parent) ?? []).toSorted((a, b) => b.endMs - a.endMs)
    let beforeMs = Number.POSITIVE_INFINITY
    for (const node of byEnd) {
      if (node.endMs > beforeMs) continue
      critical.add(node.id)
      parents.push(node.id)
      beforeMs = node.startMs
    }
  }
  return critical
}
